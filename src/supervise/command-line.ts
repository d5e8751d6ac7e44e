import { inCgroup, makeCgroup } from "./cgroup.ts";
import { RUN_VARIABLE } from "./leftovers.ts";
import { inNamespace } from "./namespace.ts";
import type { Remote } from "./remote.ts";
import type { TreeRequest } from "./spawn.ts";
import { which } from "./which.ts";

export interface CommandLine {
  readonly file: string;
  readonly args: string[];
  /** The process that we start only keeps a namespace; the program's end comes by a report. */
  readonly keeper: boolean;
  readonly cgroup?: string;
  /** Variables that belong to the command line. */
  readonly env?: NodeJS.ProcessEnv;
  /** The process that we start is only a client of what runs elsewhere. */
  readonly remote?: Remote;
  /** It is not to be started: there is no such program. */
  readonly absent?: true;
}

/** What is really started: the program itself, or what holds it together around it. */
export function commandLine(request: TreeRequest, mark: string): CommandLine {
  const { file, args, means, cwd, env } = request;
  const plain: CommandLine = { file, args: [...args], keeper: false };
  if (means === undefined) return plain;
  if (means.remote !== undefined && typeof means.wrapper === "function") {
    const start = { mark, env: means.environment?.(env) ?? env, path: env["PATH"] };
    const words = [...means.wrapper(cwd, start), ...(means.inside ?? []), file, ...args];
    return { ...split(words), keeper: false, remote: means.remote };
  }
  // A program that is not there is told by the system's own error, which only a direct start gives. Never for what a fence keeps
  // in: it may have written the program so that we do not find it, and the system does.
  if (which(file, { cwd, path: env["PATH"] }) === undefined)
    return means.name === "sandbox" ? { ...plain, absent: true } : plain;
  if (means.enter !== undefined) {
    const { words, env: own } = means.enter([...(means.inside ?? []), file, ...args]);
    return { ...split([...words]), keeper: false, env: own };
  }
  if (means.wrapper !== undefined) {
    const around =
      typeof means.wrapper === "function"
        ? means.wrapper(cwd, { mark, env, path: env["PATH"] })
        : means.wrapper;
    return { ...split(inNamespace(around, [...(means.inside ?? []), file, ...args])), keeper: true };
  }
  const cgroup =
    means.cgroup === undefined ? undefined : makeCgroup(means.cgroup, env[RUN_VARIABLE] ?? "", mark);
  if (cgroup === undefined) return plain;
  return { ...split(inCgroup(cgroup, file, args)), keeper: false, cgroup };
}

function split([file = "", ...args]: string[]): { file: string; args: string[] } {
  return { file, args };
}
