import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isInside } from "../files.ts";
import { type ExecResult, exec } from "../supervise/exec.ts";
import { spawnTree } from "../supervise/spawn.ts";
import { ownPath } from "../supervise/which.ts";

/**
 * `.git` is the agent's to write: hooks, file-system monitors and external programs named there would run as ours.
 * They are off in every git that ralph runs for itself.
 */
const HARMLESS = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "diff.external=",
  "-c",
  "core.pager=cat",
  "-c",
  "commit.gpgSign=false",
  "-c",
  "log.showSignature=false",
  "-c",
  "maintenance.auto=false",
  // Less than this, and a change of the same size that sets the clock back would not be seen.
  "-c",
  "core.checkStat=default",
  "-c",
  "core.trustctime=true",
];

export interface GitOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: string;
  /** Another git than the first on PATH. */
  readonly program?: string;
  readonly wallMs?: number;
  readonly signal?: AbortSignal;
}

/** What a git that ended said. */
export type GitResult = ExecResult;

/** Runs git in a folder. Never rejects; a git that is not there is an error like any other. */
export function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  return exec(options.program ?? "git", [...HARMLESS, ...args], {
    cwd,
    env: environment(cwd, options.env),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    ...(options.wallMs === undefined ? {} : { wallMs: options.wallMs }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

/** Runs git and hands on what it writes as bytes, all of it: names and contents of files need not be text. Never rejects. */
export async function gitBytes(
  cwd: string,
  args: readonly string[],
  options: Pick<GitOptions, "env" | "stdin" | "wallMs">,
  onStdout: (chunk: Buffer) => void,
): Promise<Omit<GitResult, "stdout">> {
  const said: Buffer[] = [];
  const exit = await spawnTree({
    file: "git",
    args: [...HARMLESS, ...args],
    cwd,
    env: environment(cwd, options.env),
    stdin: options.stdin ?? "",
    ...(options.wallMs === undefined ? {} : { wallMs: options.wallMs }),
    onStdout: (chunk) => {
      onStdout(chunk);
      return undefined;
    },
    onStderr: (chunk) => void (said.length < 1000 && said.push(chunk)),
  }).exited;
  const stderr = Buffer.concat(said).toString("utf8");
  return { code: exit.code, stderr, ...(exit.spawnError ? { error: exit.spawnError.message } : {}) };
}

function environment(cwd: string, own: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ...(process.platform === "win32" ? {} : { PATH: ownPath(process.env["PATH"], ground(cwd)) }),
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_EDITOR: "true",
    ...own,
  };
}

/** The outermost work tree that a folder is in, below the home: of a submodule the project that it is a part of. */
function ground(cwd: string): string {
  let found = cwd;
  for (let at = dirname(cwd); at !== dirname(at) && !isInside(at, homedir()); at = dirname(at)) {
    if (existsSync(join(at, ".git"))) found = at;
  }
  return found;
}

/** The top folder of the work tree that `cwd` stands in, or undefined (no repository, a bare one, no git). */
export async function workTree(cwd: string): Promise<string | undefined> {
  const result = await git(cwd, ["rev-parse", "--show-toplevel"]);
  const top = result.stdout.replace(/\n$/, "");
  return result.code === 0 && top !== "" ? top : undefined;
}

/** The commit that HEAD stands on; undefined before the first one. */
export async function headOf(cwd: string): Promise<string | undefined> {
  const result = await git(cwd, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  return result.code === 0 ? result.stdout.trim() : undefined;
}

/** The commit and the branch that HEAD stands on, as far as it does. */
export async function standsOn(cwd: string): Promise<{ head?: string; branch?: string }> {
  const result = await git(cwd, ["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"]);
  const [head = "", branch = ""] = result.stdout.split("\n");
  if (result.code !== 0 || !/^[0-9a-f]{40,64}$/.test(head)) return {};
  return {
    head,
    ...(branch.startsWith("refs/heads/") ? { branch: branch.slice("refs/heads/".length) } : {}),
  };
}

/** Files that git neither tracks nor ignores, in the whole work tree, relative to its top. */
export async function untrackedFiles(top: string): Promise<string[]> {
  return (await gitList(top, ["ls-files", "--others", "--exclude-standard", "-z"])) ?? [];
}

/** As long as other short commands of ours have: a pipe that somebody put where git reads keeps it for ever. */
const LISTING_MS = 120_000;

/** What git lists with `-z`, however long it is; undefined when it fails. */
export async function gitList(
  cwd: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
  wallMs = LISTING_MS,
): Promise<string[] | undefined> {
  const chunks: Buffer[] = [];
  const options = { ...(env === undefined ? {} : { env }), wallMs };
  const result = await gitBytes(cwd, args, options, (chunk) => void chunks.push(chunk));
  if (result.code !== 0) return undefined;
  return Buffer.concat(chunks)
    .toString("utf8")
    .split("\0")
    .filter((one) => one !== "");
}

/** What went wrong, in git's own words: those it marks as such, else its last. */
export function gitError(result: Omit<GitResult, "stdout"> & { stdout?: string }): string {
  const lines = (result.stderr.trim() || (result.stdout ?? "").trim()).split("\n");
  const marked = lines.filter((line) => /^(?:fatal|error): /.test(line));
  const said = (marked.length > 0 ? marked : lines).slice(-3).join(" ");
  return result.error ?? (said || `exit code ${result.code}`);
}

/** Words of git's, or a name, on one line that cannot steer a terminal. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, " ").trim();
}
