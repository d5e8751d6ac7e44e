import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { HANDED_FD } from "../supervise/namespace.ts";
import { isWithin, type Mount, mountsOf, type Policy } from "./policy.ts";

/** What one command line needs besides the policy. */
export interface Wrapping {
  /** The path of bubblewrap. */
  readonly program: string;
  readonly policy: Policy;
  /** Things of ours that are put in: a private home, a socket. */
  readonly ours: readonly Mount[];
  /** Where the program starts. */
  readonly cwd: string;
  /** Words that this bubblewrap is too old to know. */
  readonly unknown?: readonly string[];
  /** Is there a filter of calls to the kernel, as the file that it is handed? */
  readonly filtered?: boolean;
}

/** What is its own inside, and the system as it is seen there: all of it, to be read. */
const APART: readonly string[] = [
  "--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try",
  "--disable-userns --cap-drop ALL --hostname sandbox --die-with-parent --as-pid-1 --new-session",
  "--ro-bind / / --dev /dev --proc /proc",
].flatMap((line) => line.split(" "));

/**
 * Words that can be done without where a bubblewrap is older than they are. Without this one programs inside can make namespaces of
 * their own; what is mounted they cannot undo there either.
 */
export const DISPENSABLE: readonly string[] = ["--disable-userns"];

/**
 * The words before a command that put it into bubblewrap. Capabilities are dropped also for root, who could unmount what hides
 * things; further user namespaces are not to be had, for the same reason.
 */
export function bubblewrapWords(wrapping: Wrapping): string[] {
  const { program, policy, ours, cwd, unknown = [], filtered = false } = wrapping;
  // A folder of ours that is not in the project is written too: a clean checkout, for one.
  const own = isWithin(cwd, policy.project) ? [] : [topOf(cwd, policy)];
  const mounts = mountsOf({ ...policy, rw: [policy.project, ...policy.rw, ...own] }, ours);
  return [
    program,
    ...APART.filter((word) => !unknown.includes(word)),
    ...(policy.network.mode === "open" ? [] : ["--unshare-net"]),
    ...(filtered ? ["--seccomp", String(HANDED_FD)] : []),
    ...sized(policy, ["--tmpfs", "/dev/shm"]),
    ...mounts.flatMap((mount) => mountWords(mount, policy)),
    // Writable homes have to be there even when nothing of ours is put in them.
    "--dir",
    policy.home,
    "--dir",
    "/tmp",
    "--chdir",
    cwd,
    "--",
  ];
}

/** The checkout that a folder is in, or the folder itself. A home that is a repository too is nobody's checkout. */
function topOf(cwd: string, { home, hide }: Policy): string {
  for (let at = cwd; !isWithin(home, at) && !hide.includes(at); at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
  }
  return cwd;
}

/** What is written to a folder in memory is memory too, and no process has it. */
function sized({ limits: { memoryMb } }: Policy, folder: readonly string[]): readonly string[] {
  return memoryMb === undefined ? folder : ["--size", String(memoryMb * 1024 * 1024), ...folder];
}

function mountWords({ path, how, from = path }: Mount, policy: Policy): readonly string[] {
  if (from !== path) return [how === "rw" ? "--bind" : "--ro-bind", from, path];
  if (how !== "hide") return [how === "rw" ? "--bind-try" : "--ro-bind-try", path, path];
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined || info.isSymbolicLink()) return [];
  return info.isDirectory() ? sized(policy, ["--tmpfs", path]) : ["--ro-bind", "/dev/null", path];
}
