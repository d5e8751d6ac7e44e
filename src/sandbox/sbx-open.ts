import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { holdLifeline } from "../supervise/lifeline.ts";
import type { Means, Start } from "../supervise/means.ts";
import { which } from "../supervise/which.ts";
import { makeHome, movedHomes } from "./home.ts";
import { type Policy, passing, type Role } from "./policy.ts";
import type { Backend, Place, Sandbox } from "./sandbox.ts";
import { sandboxName } from "./sbx.ts";
import {
  abilitiesOf,
  BY_MARK,
  machineRemote,
  prepareMachine,
  RUN_INSIDE,
  sbxAt,
  sharesFiles,
  takesNames,
} from "./sbx-machine.ts";
import { MOVED_HOMES } from "./usual.ts";

/** How long what was written inside takes to arrive outside, where files are copied. */
const SETTLES_MS = 2_500;

const INSTALL = "Install sbx (https://docs.docker.com/ai/sandboxes/), and log in: `sbx login`.";

/** Variables that say where things are on this machine; the other one knows better. */
const OF_THE_MACHINE = ["PATH", "SHELL", "HOME", "USER", "LOGNAME"];

/** Docker Sandboxes: a small machine of its own for each project. */
export const sbx: Backend = {
  kind: "sbx",
  missing(env) {
    if (which("sbx", { cwd: "/", path: env["PATH"] }) !== undefined) return undefined;
    if (!hasLegacy(env)) return { words: "sbx is not installed", fix: INSTALL };
    return { words: "only `docker sandbox` is here, which Docker has replaced by sbx", fix: INSTALL };
  },
  open: openMachine,
};

/** Is the plugin here that came before sbx? */
function hasLegacy(env: NodeJS.ProcessEnv): boolean {
  const places = [
    join(env["HOME"] || homedir(), ".docker/cli-plugins"),
    "/usr/local/lib/docker/cli-plugins",
    "/usr/lib/docker/cli-plugins",
    "/usr/libexec/docker/cli-plugins",
    "/Applications/Docker.app/Contents/Resources/cli-plugins",
  ];
  return places.some((place) => existsSync(join(place, "docker-sandbox")));
}

async function openMachine(policy: Policy, place: Place): Promise<Sandbox> {
  const { env } = place;
  const program = which("sbx", { cwd: "/", path: env["PATH"] });
  if (program === undefined) throw new UserError("no sbx", "sbx is not on PATH", INSTALL);
  const call = sbxAt(program, env);
  const abilities = await abilitiesOf(call);
  const isTry = place.lasting === undefined;
  const name = `${sandboxName(policy.project, abilities)}${isTry ? "-try" : ""}`;
  // The machine outlives its runs, and what is shown in it has to stay where it is.
  const state = join(place.lasting ?? place.folder, "sbx", name);
  mkdirSync(state, { recursive: true, mode: 0o700 });
  const agentHome = makeHome(join(state, "agent"), { ...policy, moved: movedHomes(env, policy.project) });
  const checkHome = join(state, "home");
  mkdirSync(checkHome, { recursive: true, mode: 0o700 });
  await prepareMachine(call, policy, { name, state, abilities, homes: [agentHome.path, checkHome] });
  const byName = await takesNames(program, name, env);
  const shares = await sharesFiles(call, name, state);
  const lifeline = holdLifeline([program, "stop", name], env);
  const moved = Object.keys(MOVED_HOMES).flatMap((variable) => {
    const other = agentHome.others.find(({ seenAt }) => seenAt === env[variable]);
    return other === undefined ? [] : [[variable, other.path] as const];
  });
  const own: Record<Role, Record<string, string>> = {
    agent: { HOME: agentHome.path, ...Object.fromEntries(moved), RALPH_SANDBOX: "none" },
    check: { HOME: checkHome, RALPH_SANDBOX: "none" },
  };
  const given = (start: Start): string[] => {
    const names = [...Object.keys(start.env).filter((one) => !(one in own.agent)), "RALPH_PROCESS_MARK"];
    if (byName) return names.flatMap((one) => ["-e", one]);
    const file = join(place.folder, "variables");
    const lines = Object.entries(start.env).filter(([, value]) => value?.includes("\n") === false);
    const mark = ["RALPH_PROCESS_MARK", start.mark];
    writeFileSync(file, [...lines, mark].map((pair) => `${pair.join("=")}\n`).join(""), { mode: 0o600 });
    return ["--env-file", file];
  };
  const words = wordsOf(policy, shares);
  const means = (role: Role): Means => ({
    name: "sandbox",
    words: `sandbox (${words})`,
    wrapper: (cwd, start) => [
      program,
      "exec",
      "-i",
      "-w",
      cwd,
      ...given(start),
      ...Object.entries(own[role]).flatMap(([key, value]) => ["-e", `${key}=${value}`]),
      name,
      "sh",
      "-c",
      RUN_INSIDE,
      "sh",
      start.mark,
      BY_MARK,
    ],
    environment: (all) =>
      passing(
        all,
        policy.env[role].filter((one) => !OF_THE_MACHINE.includes(one)),
      ),
    remote: machineRemote(call, name),
    limits: policy.limits.timeMs === undefined ? {} : { timeMs: policy.limits.timeMs },
    diesWithUs: true,
  });
  return {
    policy,
    words,
    node: "node",
    means,
    ...(shares ? {} : { settleMs: SETTLES_MS, refresh: async () => void (await call(["stop", name])) }),
    async close() {
      lifeline.release();
      await call(isTry ? ["rm", "--force", name] : ["stop", name]);
      agentHome.dispose();
    },
  };
}

function wordsOf({ network, limits }: Policy, shares: boolean): string {
  const reach = {
    none: "no network",
    allowlist: "network by allowlist, and by the rules that sbx has for all",
    open: "open network",
  }[network.mode];
  const notes = [
    ...(limits.processes === undefined ? [] : ["processes: NOT limited here"]),
    ...(shares ? [] : ["files are copied: each turn begins with a restart"]),
  ];
  return [`sbx, ${reach}`, ...notes].join("; ");
}
