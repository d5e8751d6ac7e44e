import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { exec } from "../supervise/exec.ts";
import type { Means } from "../supervise/means.ts";
import { which } from "../supervise/which.ts";
import { bubblewrapWords, DISPENSABLE } from "./bubblewrap.ts";
import { openGateways, socketFolder } from "./gateway.ts";
import { homeMounts, makeHome, movedHomes, writeIdentity } from "./home.ts";
import { limiterFor } from "./limits.ts";
import { type Mount, type Policy, passing, type Role } from "./policy.ts";
import type { Backend, Place, Sandbox } from "./sandbox.ts";
import { seccompFilter } from "./seccomp.ts";

/** Where our own things are inside. */
const INSIDE = "/run/ralph";

/** Where the kernel tells of keys. */
const KEYRING = ["/proc/keys", "/proc/key-users"];

const UNFILTERED = "the kernel's keyring is NOT kept from it here (no filter for this machine)";

/** bubblewrap: what Linux has for it, with nothing to install but a small program. */
export const bubblewrap: Backend = {
  kind: "bubblewrap",
  missing(env) {
    if (process.platform !== "linux") {
      return { words: "bubblewrap is for Linux", fix: "Choose another kind of sandbox." };
    }
    if (which("bwrap", { cwd: "/", path: env["PATH"] }) !== undefined) return undefined;
    return {
      words: "bwrap is not installed",
      fix: "Install bubblewrap (apt install bubblewrap, dnf install bubblewrap).",
    };
  },
  open: openBubblewrap,
};

async function openBubblewrap(policy: Policy, place: Place): Promise<Sandbox> {
  const program = which("bwrap", { cwd: "/", path: place.env["PATH"] });
  if (program === undefined)
    throw new UserError("no bubblewrap", "bwrap is not on PATH", "Install bubblewrap.");
  const { stdout: help } = await exec(program, ["--help"], { cwd: "/", env: place.env, wallMs: 5_000 });
  const unknown = DISPENSABLE.filter((word) => !help.includes(word));
  mkdirSync(place.exchange, { recursive: true, mode: 0o700 });
  const { limits } = policy;
  const agentHome = makeHome(join(place.folder, "agent"), {
    ...policy,
    moved: movedHomes(place.env, policy.project),
  });
  const identity = join(place.folder, "gitconfig");
  await writeIdentity(policy.project, identity);
  const limiter = await limiterFor(limits, place.env, place.folder.split("/").slice(-2).join("-"));
  const sockets = socketFolder(place.folder);
  const gateways = await openGateways(policy, sockets.path, place);
  const handed = writeFilter(place.folder);
  const filtered = handed !== undefined;
  const common: Mount[] = [
    { path: `${INSIDE}/gitconfig`, how: "ro", from: identity },
    ...KEYRING.map((path) => ({ path, how: "hide" }) as const),
  ];
  const own: Record<Role, Mount[]> = {
    agent: homeMounts(policy, agentHome, place.exchange),
    check: [],
  };
  const means = (role: Role): Means => {
    const gateway = gateways[role];
    const ours = [...common, ...own[role], ...(gateway === undefined ? [] : gateway.mounts(INSIDE))];
    return {
      name: "sandbox",
      words: `sandbox (${wordsOf(policy)})`,
      wrapper: (cwd) => [
        ...limiter.before,
        ...bubblewrapWords({ program, policy, ours, cwd, unknown, filtered }),
      ],
      ...(filtered ? { handed } : {}),
      inside: [...limiter.inside, ...(gateway?.words(INSIDE) ?? [])],
      environment: (env) => ({
        ...passing(env, policy.env[role]),
        ...gateway?.environment,
        TMPDIR: "/tmp",
        GIT_CONFIG_GLOBAL: `${INSIDE}/gitconfig`,
        // A ralph in there is fenced in already, and could make no other fence.
        RALPH_SANDBOX: "none",
      }),
      limits: limiter.watched,
      diesWithUs: true,
    };
  };
  return {
    policy,
    words: [wordsOf(policy), ...(filtered ? [] : [UNFILTERED]), ...limiter.words].join("; "),
    means,
    home: agentHome,
    async close() {
      await Promise.all(Object.values(gateways).map((gateway) => gateway.close()));
      sockets.dispose();
      limiter.dispose();
      agentHome.dispose();
    },
  };
}

function wordsOf({ network }: Policy): string {
  const reach = { none: "no network", allowlist: "network by allowlist", open: "open network" }[network.mode];
  return `bubblewrap, ${reach}`;
}

/** Writes down what the kernel is to refuse; undefined where we have nothing for this machine, or its kernel takes nothing. */
function writeFilter(folder: string): string | undefined {
  const filter = seccompFilter();
  if (filter === undefined || !/^Seccomp:/m.test(readFileSync("/proc/self/status", "latin1")))
    return undefined;
  const path = join(folder, "seccomp.bpf");
  writeFileSync(path, filter, { mode: 0o600 });
  return path;
}
