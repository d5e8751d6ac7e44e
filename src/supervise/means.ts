import { cgroupParent } from "./cgroup.ts";
import type { Remote } from "./remote.ts";
import { spawnTree } from "./spawn.ts";
import { which } from "./which.ts";

/** By what a tree of processes is held together, strongest first. */
export type MeansName = "namespace" | "cgroup" | "group";

/** What a program may use, with all that it starts. */
export interface TreeLimits {
  readonly memoryBytes?: number;
  readonly processes?: number;
  readonly timeMs?: number;
}

/** What a wrapper may have to know of one start. */
export interface Start {
  /** A word that no other start has. */
  readonly mark: string;
  /** The variables that go in. */
  readonly env: NodeJS.ProcessEnv;
  /** PATH as the program is to have it, where a client outside has another. */
  readonly path: string | undefined;
}

/** How the trees of this machine are kept whole. */
export interface Means {
  readonly name: MeansName | "sandbox";
  /** The same for people. */
  readonly words: string;
  /** Words before the command that put it into a pid namespace of its own. A sandbox has to know where it is to work. */
  readonly wrapper?: readonly string[] | ((cwd: string, start: Start) => readonly string[]);
  /** Puts a whole command inside, where words before it do not do. */
  readonly enter?: (command: readonly string[]) => {
    readonly words: readonly string[];
    /** Variables that belong to these words. */
    readonly env: NodeJS.ProcessEnv;
  };
  /** A file that the wrapper reads; it finds it open, as `HANDED_FD`. */
  readonly handed?: string;
  /** Words right before the program, inside of it. */
  readonly inside?: readonly string[];
  /** Where the words before the command are started; elsewhere than where the program works, when they leave files about. */
  readonly cwd?: string;
  /** What of our environment goes in; all of it when nothing is said. */
  readonly environment?: (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv;
  /** Set when the program does not run below us: what the wrapper starts is only a client. */
  readonly remote?: Remote;
  /** What is watched over from outside. */
  readonly limits?: TreeLimits;
  /** The control group below which each tree gets one of its own. */
  readonly cgroup?: string;
  /** Nothing outlives ralph, not even when it is killed with SIGKILL. */
  readonly diesWithUs: boolean;
}

/** What is always there: the process group, and a scan for those that left it. */
export const GROUP: Means = {
  name: "group",
  words: "process group and a scan of the environment; the agent can get away from it",
  diesWithUs: false,
};

/** What was found out once is true for the life of this process. */
const known = new Map<string, Promise<Means | undefined>>();

/** Finds the strongest means that works here by really using each, or the one that is asked for. */
export function findMeans(wish: MeansName | "auto", env: NodeJS.ProcessEnv): Promise<Means | undefined> {
  const key = `${wish} ${env["PATH"] ?? ""}`;
  const found = known.get(key) ?? tryEach(wish, env);
  known.set(key, found);
  return found;
}

async function tryEach(wish: MeansName | "auto", env: NodeJS.ProcessEnv): Promise<Means | undefined> {
  for (const means of candidates(env)) {
    if (wish !== "auto" && wish !== means.name) continue;
    if (means.name === "group" || (await holds(means, env))) return means;
  }
  return undefined;
}

function candidates(env: NodeJS.ProcessEnv): Means[] {
  if (process.platform !== "linux") return [GROUP];
  const found = (program: string) => which(program, { cwd: "/", path: env["PATH"] });
  const [setpriv, unshare, setsid, bwrap] = ["setpriv", "unshare", "setsid", "bwrap"].map(found);
  const all: Means[] = [];
  if (setpriv !== undefined && unshare !== undefined && setsid !== undefined) {
    const dies = [setpriv, "--pdeathsig", "KILL"];
    const asUser = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
    const space = [unshare, ...asUser, "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
    // A session of its own, or the agent's `kill 0` would reach the keeper of the namespace.
    const wrapper = [...dies, ...space, setsid];
    all.push({ name: "namespace", words: "pid namespace (unshare)", wrapper, diesWithUs: true });
  }
  if (bwrap !== undefined) {
    const same = ["--dev-bind", "/", "/", "--proc", "/proc"];
    const wrapper = [
      bwrap,
      ...same,
      "--unshare-pid",
      "--as-pid-1",
      "--die-with-parent",
      "--new-session",
      "--",
    ];
    all.push({ name: "namespace", words: "pid namespace (bubblewrap)", wrapper, diesWithUs: true });
  }
  const cgroup = cgroupParent();
  if (cgroup !== undefined) all.push({ name: "cgroup", words: "control group", cgroup, diesWithUs: false });
  return [...all, GROUP];
}

const ODD_CODE = 41;
/** Only there to end a hang: what holds less must not be taken because a machine is busy. */
const ANSWERS_MS = 30_000;

/** Does it hold? A command must run in it, and what it leaves behind must be gone. */
async function holds(means: Means, env: NodeJS.ProcessEnv): Promise<boolean> {
  const tree = spawnTree({
    file: "/bin/sh",
    args: ["-c", `exit ${ODD_CODE}`],
    cwd: "/",
    env,
    stdin: "",
    wallMs: ANSWERS_MS,
    means,
    onStdout: () => undefined,
    onStderr: () => {},
  });
  const exit = await tree.exited;
  return exit.code === ODD_CODE && exit.endedBy === undefined;
}
