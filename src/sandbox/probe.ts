import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, join } from "node:path";
import { messageOf, UserError } from "../errors.ts";
import { exec } from "../supervise/exec.ts";
import type { Policy } from "./policy.ts";
import type { Backend, Finding, Place, Probe, Sandbox } from "./sandbox.ts";

const PROBE_MS = 30_000;

/**
 * What is tried inside, as a program: read the canary, write beside it, connect to us directly, write in the project, find the
 * programs, see keys of the kernel. Node cannot ask for a key itself, so that it looks whether the kernel filters its calls. It answers with a list of what it could do. The project's own folder is left as it was.
 */
const TRIES = `
const fs = require("node:fs"), net = require("node:net");
const [canary, outside, port, host, project, ...programs] = process.argv.slice(1);
const places = (one) => one.includes("/") ? [one] : (process.env.PATH ?? "").split(":").map((folder) => folder + "/" + one);
const can = (act) => { try { act(); return true; } catch { return false; } };
const found = {
  read: can(() => { if (fs.readFileSync(canary, "utf8") === "") throw 0; }),
  write: can(() => fs.writeFileSync(outside, "escaped")),
  missing: programs.filter((one) => !places(one).some((place) => can(() => fs.accessSync(place, fs.constants.X_OK)))),
  works: can(() => fs.accessSync(project, fs.constants.W_OK)),
  keys: can(() => { if (fs.readFileSync("/proc/keys", "utf8") === "") throw 0; })
    || can(() => { if (!/^Seccomp:\\s*[01]$/m.test(fs.readFileSync("/proc/self/status", "utf8"))) throw 0; }),
};
const end = (connect) => { fs.writeSync(1, JSON.stringify({ ...found, connect })); process.exit(0); };
if (port === "0") end(false);
const socket = net.connect({ port: Number(port), host }, () => end(true));
socket.setTimeout(2000, () => end(false));
socket.on("error", () => end(false));
`;

interface Answer {
  readonly read: boolean;
  readonly write: boolean;
  readonly connect: boolean;
  readonly works: boolean;
  readonly keys: boolean;
  readonly missing: readonly string[];
}

/** What a probe needs to know. */
export interface Probing {
  readonly place: Place;
  /** Where a secret is put that must not be read: the state folder, which no policy shows. */
  readonly stateRoot: string;
  /** Programs that have to be found inside. */
  readonly programs: readonly string[];
}

/** Tries a kind of sandbox, and closes it again. */
export async function probeBackend(backend: Backend, policy: Policy, probing: Probing): Promise<Probe> {
  const absent = backend.missing(probing.place.env);
  if (absent !== undefined) return { kind: backend.kind, works: false, ...absent, findings: [] };
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await backend.open(policy, probing.place);
    return await probeSandbox(sandbox, probing);
  } catch (error) {
    const why =
      error instanceof UserError ? { words: error.why, fix: error.fix } : { words: messageOf(error) };
    return { kind: backend.kind, works: false, ...why, findings: [] };
  } finally {
    await sandbox?.close();
  }
}

/** Really runs a program in an open sandbox, with a secret that it must not read, a file that it must not write, and a server. */
export async function probeSandbox(
  sandbox: Sandbox,
  { place, stateRoot, programs }: Probing,
): Promise<Probe> {
  const { kind, network, project } = sandbox.policy;
  // What has a Node of its own has other programs of its own too, in places of its own.
  const wanted = sandbox.node === undefined ? programs : programs.map((one) => basename(one));
  const folder = join(stateRoot, `probe-${randomBytes(6).toString("hex")}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [canary, outside] = [join(folder, "canary"), join(folder, "outside")];
  const listener = network.mode === "open" ? undefined : await listen();
  try {
    writeFileSync(canary, "a secret", { mode: 0o600 });
    writeFileSync(outside, "", { mode: 0o600 });
    const words = [canary, outside, String(listener?.port ?? 0), "127.0.0.1", project, ...wanted];
    const ran = await exec(sandbox.node ?? process.execPath, ["-e", TRIES, ...words], {
      cwd: project,
      env: place.env,
      wallMs: PROBE_MS,
      means: sandbox.means("check"),
    });
    const answer = ran.code === 0 ? answerIn(ran.stdout) : undefined;
    if (answer === undefined) {
      const said = ran.stderr.trim().split("\n").at(-1) || (ran.error ?? `exit code ${ran.code}`);
      return { kind, works: false, words: `it does not start here: ${said}`, fix: FIX[kind], findings: [] };
    }
    return { kind, ...judged(kind, answer, listener), words: sandbox.words, ...fixFor(kind, answer) };
  } finally {
    listener?.server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function judged(
  kind: Probe["kind"],
  answer: Answer,
  listener: { met: () => boolean } | undefined,
): Pick<Probe, "works" | "findings"> {
  const findings: Finding[] = [
    { what: "a secret outside cannot be read", held: !answer.read },
    { what: "a file outside cannot be written", held: !answer.write },
    ...(listener === undefined
      ? []
      : [{ what: "a direct connection fails", held: !answer.connect && !listener.met() }]),
    { what: "the project can be written", held: answer.works },
    ...answer.missing.map((program) => ({ what: `${program} is there inside`, held: false })),
  ];
  const works = findings.every(({ held }) => held);
  // Not every kind can keep keys away. That is told, and breaks nothing; a machine of its own has none of ours.
  if (process.platform === "linux" && kind !== "sbx")
    findings.push({ what: "keys of the kernel's keyring cannot be read", held: !answer.keys });
  return { works, findings };
}

function fixFor(kind: Probe["kind"], { missing }: Answer): { readonly fix?: string } {
  if (missing.length > 0)
    return { fix: `Show it inside: add its folder to \`sandbox.ro\` (${missing.join(", ")}).` };
  return FIX[kind] === undefined ? {} : { fix: FIX[kind] };
}

const FIX: Readonly<Record<Probe["kind"], string>> = {
  bubblewrap:
    "Allow user namespaces (Ubuntu 24.04 and newer: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`, or an AppArmor profile for bwrap). It does not work inside ordinary containers: there, --no-sandbox.",
  container: "Start the engine, and see that `docker run` or `podman run` works.",
  sbx: "See `sbx diagnose`; it needs a log-in (`sbx login`) and virtualisation.",
  srt: "See the documentation of @anthropic-ai/sandbox-runtime.",
  none: "",
};

function answerIn(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

async function listen(): Promise<{ server: Server; port: number; met: () => boolean }> {
  let met = false;
  const server = createServer((socket) => {
    met = true;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return { server, port: typeof address === "object" ? (address?.port ?? 0) : 0, met: () => met };
}
