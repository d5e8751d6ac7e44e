import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { stateRoot } from "../journal/paths.ts";
import { effectivePolicy, everyAgent, type Wish } from "../sandbox/effective.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type Place, type Probe, UNFENCED } from "../sandbox/sandbox.ts";
import type { RunSpec } from "../spec.ts";
import { clean } from "../ui/clean.ts";
import { resolveHere } from "./start.ts";

interface Flags {
  readonly sandbox?: string | boolean;
  readonly agent?: string;
  readonly try?: boolean;
  readonly json?: boolean;
}

/** `ralph sandbox explain`: the policy of a run in this folder, as it would be now. */
export async function explainSandbox(flags: Flags): Promise<void> {
  const { spec, sources } = await resolved(flags);
  const found = flags.try === true ? await tryAll(spec) : await chosen(spec);
  const kind = spec.sandbox?.kind === "none" ? undefined : found.find(({ works }) => works)?.kind;
  const policy = kind === undefined ? undefined : await effectivePolicy(kind, wishOf(spec));
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ kind: kind ?? "none", policy, tried: found }, null, 2)}\n`);
    return;
  }
  const lines = policy === undefined ? [`Sandbox: none. ${UNFENCED}.`] : policyLines(policy);
  const asked = `Asked for: ${spec.sandbox?.kind ?? "none"} (${sources.get("sandbox.kind") ?? "default"})`;
  process.stdout.write(
    `${clean([asked, ...lines, "", ...found.flatMap(probeLines)].join("\n")).trimEnd()}\n`,
  );
}

/** The run of this folder. Without an agent there is still a fence to be explained: the one around the checks. */
async function resolved(flags: Flags): Promise<Awaited<ReturnType<typeof resolveHere>>> {
  const given = { ...flags, prompt: "explain" };
  try {
    return await resolveHere(given);
  } catch (error) {
    if (!(error instanceof UserError) || flags.agent !== undefined) throw error;
    return resolveHere({ ...given, agent: process.execPath });
  }
}

/** What every kind comes to on this machine. */
async function tryAll(spec: RunSpec): Promise<readonly Probe[]> {
  const { probeAll } = await import("../sandbox/choose.ts");
  return inPlace((place) => probeAll(wishOf(spec), place));
}

/** What the run would take, or what it would try in vain. */
async function chosen(spec: RunSpec): Promise<readonly Probe[]> {
  if (spec.sandbox === undefined || spec.sandbox.kind === "none") return [];
  const { openSandbox } = await import("../sandbox/choose.ts");
  return inPlace(async (place) => {
    const opened = await openSandbox(wishOf(spec), place).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      const { kind } = spec.sandbox ?? { kind: "auto" };
      if (kind === "auto") throw error;
      return { tried: [{ kind, works: false, words: error.why, fix: error.fix, findings: [] }] };
    });
    if ("tried" in opened) return opened.tried;
    await opened.close();
    return [{ kind: opened.policy.kind, works: true, words: opened.words, findings: [] }];
  });
}

/** A private place to try things in, which is gone afterwards. */
async function inPlace<T>(act: (place: Place) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-try-"));
  try {
    return await act({
      folder,
      exchange: join(folder, "exchange"),
      env: process.env,
      onConnection: () => {},
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a policy of this run would be made of. */
function wishOf(spec: RunSpec): Wish {
  const { project, sandbox } = spec;
  if (sandbox === undefined) throw new Error("every run that is resolved has a sandbox");
  return { project, sandbox, agents: everyAgent(spec), env: process.env, stateRoot: stateRoot(process.env) };
}

function policyLines(policy: Policy): string[] {
  const { kind, project, rw, ro, hide, home, copies, logins = [], env, network, limits } = policy;
  const list = (title: string, all: readonly string[]) => [
    title,
    ...(all.length === 0 ? ["  nothing"] : all.map((one) => `  ${one}`)),
  ];
  const amounts = Object.entries(limits).map(([name, value]) => `${name}: ${value}`);
  return [
    `Sandbox: ${kind}`,
    "",
    ...list("May be written:", [project, ...rw]),
    ...list("May only be read, besides the system:", ro),
    ...list("Is not there:", hide),
    ...list(
      `Copies in a private ${home}, for agents:`,
      copies.map(({ from }) => from),
    ),
    `Log-ins that become yours when an agent renews them: ${logins.map(({ path }) => path).join(", ") || "none"}`,
    ...list("Hosts, for agents:", hostsOf(network, "agent")),
    ...list("Hosts, for checks:", hostsOf(network, "check")),
    ...(network.proxy === undefined ? [] : [`Hosts elsewhere: ${network.proxy}`]),
    ...list("Variables that go in, for agents:", [env.agent.join(" ")]),
    ...list("Variables that go in, for checks:", [env.check.join(" ")]),
    ...list("Limits:", amounts),
  ];
}

function hostsOf({ mode, hosts }: Policy["network"], role: "agent" | "check"): readonly string[] {
  if (mode === "open") return ["all"];
  return mode === "none" ? [] : hosts[role];
}

/** One kind: does it work, and what was tried. */
function probeLines({ kind, works, words, fix, findings }: Probe): string[] {
  return [
    `${works ? "works" : "does not work"}  ${kind}: ${words}`,
    ...findings.map(({ what, held }) => `  ${held ? "held" : "NOT HELD"}  ${what}`),
    ...(works || fix === undefined || fix === "" ? [] : [`  ${fix}`]),
  ];
}
