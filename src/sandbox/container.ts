import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { isWithin, type Mount, mountsOf, type Policy } from "./policy.ts";

/** An engine that was really tried, and what it takes to get a container from it here. */
export interface Engine {
  readonly name: "docker" | "podman";
  readonly program: string;
  /** Options that the machine needs, as they were found by trying. */
  readonly options: readonly string[];
  /** Options by which files that are written belong to the caller. */
  readonly user: readonly string[];
}

/** What one command line needs besides the policy. */
export interface Boxing {
  readonly engine: Engine;
  readonly policy: Policy;
  /** Things of ours that are put in: a private home, a socket. */
  readonly ours: readonly Mount[];
  readonly cwd: string;
  /** The name of the container. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Names of variables that go in; their values are in the client's environment, where nobody else reads them. */
  readonly names: readonly string[];
  /** Variables of ours. */
  readonly variables: Readonly<Record<string, string>>;
  /** A private folder in which hidden things have a stand-in. */
  readonly hollow: string;
}

/**
 * What the first process of a container does: it runs the program and ends as it did; with it everything goes that is left. The
 * program is not the first process itself, because signals that it sends to itself would not arrive.
 */
const FIRST_PROCESS = `exec 4>&2 2>/dev/null
(exec "$@" 2>&4 4>&-)
exit $?`;

/** The words before a command that put it into a container of its own. */
export function containerWords(boxing: Boxing): string[] {
  const { engine, policy, ours, cwd, name, labels, names, variables } = boxing;
  const { limits, network, image } = policy;
  const own = isWithin(cwd, policy.project) ? [] : [cwd];
  const mounts = mountsOf({ ...policy, rw: [policy.project, ...policy.rw, ...own] }, ours);
  return [
    engine.program,
    "run",
    "--interactive",
    "--rm",
    "--name",
    name,
    "--hostname",
    "sandbox",
    ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
    ...engine.options,
    ...engine.user,
    "--cap-drop",
    "ALL",
    "--security-opt",
    "no-new-privileges",
    // What is shown is the user's own, and keeps its labels: SELinux would let nobody inside read it.
    ...(existsSync("/sys/fs/selinux/enforce") ? ["--security-opt", "label=disable"] : []),
    ...(network.mode === "open" ? [] : ["--network", "none"]),
    ...ownProxyWords(engine, network.mode),
    ...limitWords(limits),
    ...mounts.flatMap((mount) => mountWords(mount, mounts, boxing)),
    ...names.flatMap((one) => ["--env", one]),
    ...Object.entries(variables).flatMap(([key, value]) => ["--env", `${key}=${value}`]),
    "--workdir",
    cwd,
    ...(image === undefined
      ? ["--rootfs", "/:O", "/bin/sh"]
      : ["--pull", "never", "--entrypoint", "/bin/sh", image]),
    "-c",
    FIRST_PROCESS,
    "sh",
  ];
}

/** Engines hand the user's own proxy in, with its password; what comes later on the command line wins. */
function ownProxyWords({ name }: Engine, mode: Policy["network"]["mode"]): string[] {
  if (name === "podman") return ["--http-proxy=false"];
  if (mode === "open") return [];
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY"];
  return [...names, ...names.map((one) => one.toLowerCase())].flatMap((one) => ["--env", `${one}=`]);
}

function limitWords({ memoryMb, processes, cpus }: Policy["limits"]): string[] {
  return [
    ...(memoryMb === undefined ? [] : ["--memory", `${memoryMb}m`, "--memory-swap", `${memoryMb}m`]),
    ...(processes === undefined ? [] : ["--pids-limit", String(processes)]),
    ...(cpus === undefined ? [] : ["--cpus", String(cpus)]),
  ];
}

function mountWords(mount: Mount, all: readonly Mount[], { policy, hollow }: Boxing): string[] {
  const { path, how, from = path } = mount;
  if (how !== "hide") {
    if (!existsSync(from)) return [];
    return [
      "--mount",
      csv(["type=bind", `src=${from}`, `dst=${path}`, ...(how === "ro" ? ["readonly"] : [])]),
    ];
  }
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (info === undefined || info.isSymbolicLink()) return [];
  if (!info.isDirectory()) return stand(join(hollow, "file"), path, mount, all, policy);
  // Only podman shows this machine's own files. It would fill the new folder with what it stands over, if it were not told.
  if (policy.image === undefined) return ["--tmpfs", `${path}:rw,exec,mode=1777,notmpcopyup`];
  return stand(join(hollow, "folder"), path, mount, all, policy);
}

/** Something empty in the place of something. What an image holds is not this machine's: only what is shown of it is hidden. */
function stand(
  from: string,
  path: string,
  hidden: Mount,
  all: readonly Mount[],
  { image }: Policy,
): string[] {
  const isShown = all.some((other) => other !== hidden && other.how !== "hide" && isWithin(path, other.path));
  if (image !== undefined && !isShown) return [];
  return ["--mount", csv(["type=bind", `src=${from}`, `dst=${path}`, "readonly"])];
}

/** Fields as the engines read them: with quotes where a comma or a quote is in one. */
function csv(fields: readonly string[]): string {
  return fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",");
}
