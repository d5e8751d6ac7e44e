import { git } from "./git.ts";

/** Keys that name a program, by which whoever writes `.git/config` would have it run by us. */
const PROGRAM_KEY =
  /^(?:filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|diff\..*\.(?:command|textconv)|core\.(?:sshcommand|gitproxy|askpass|editor|alternaterefscommand)|sequence\.editor|credential\.(?:.*\.)?helper|gpg\.(?:.*\.)?program|remote\..*\.(?:vcs|uploadpack|receivepack)|uploadpack\.packobjectshook)$/;

/** The programs that a repository's own config names, by key. */
export type Programs = ReadonlyMap<string, string>;

/** What the repository's config names now. Undefined when git cannot tell: then nothing may be run that could obey it. */
export async function readPrograms(cwd: string, env?: NodeJS.ProcessEnv): Promise<Programs | undefined> {
  const listed = await git(
    cwd,
    ["config", "--show-scope", "--includes", "-z", "--list"],
    env === undefined ? {} : { env },
  );
  if (listed.code !== 0) return undefined;
  const words = listed.stdout.split("\0");
  const found = new Map<string, string>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [scope, entry = ""] = [words[at], words[at + 1]];
    const end = entry.indexOf("\n");
    const key = end < 0 ? entry : entry.slice(0, end);
    if ((scope === "local" || scope === "worktree") && PROGRAM_KEY.test(key.toLowerCase())) {
      found.set(key, end < 0 ? "" : entry.slice(end + 1));
    }
  }
  return found;
}

/**
 * Variables under which git runs the programs that the repository named before the agent ever ran (git-crypt, git-lfs), and no
 * others: what was added is emptied, what was changed or taken away is put back. What the user set for all repositories stays.
 * Undefined when git cannot tell.
 */
export async function guardEnvironment(
  cwd: string,
  trusted: Programs,
  env?: NodeJS.ProcessEnv,
): Promise<NodeJS.ProcessEnv | undefined> {
  const now = await readPrograms(cwd, env);
  if (now === undefined) return undefined;
  const set = [...new Set([...now.keys(), ...trusted.keys()])]
    .filter((key) => now.get(key) !== trusted.get(key))
    .map((key) => [key, trusted.get(key) ?? ""] as const);
  // By variables and not by `-c`: a name with `=` in it cannot be given there.
  const first = Number(process.env["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const variables: NodeJS.ProcessEnv = { GIT_CONFIG_COUNT: String(first + set.length) };
  set.forEach(([key, value], index) => {
    variables[`GIT_CONFIG_KEY_${first + index}`] = key;
    variables[`GIT_CONFIG_VALUE_${first + index}`] = value;
  });
  return variables;
}

/** What git may run when nothing that the repository itself names is trusted. */
export interface Untrusting {
  /** Variables under which git runs none of it, and fetches nothing that a partial clone lacks. */
  readonly env: NodeJS.ProcessEnv;
  /** Filters that the repository names. Without them files would be written otherwise than its owner means. */
  readonly filters: readonly string[];
}

/**
 * For gits that run when there is no telling who wrote `.git/config`: the user, or the agent of an earlier run. What the user set
 * for all repositories (git-lfs, as a rule) still runs, on the files that `.gitattributes` names. Undefined when git cannot tell.
 */
export async function trustNothing(cwd: string): Promise<Untrusting | undefined> {
  const named = await readPrograms(cwd);
  const env = await guardEnvironment(cwd, new Map());
  if (named === undefined || env === undefined) return undefined;
  const filters = [...named]
    .filter(([key, value]) => /^filter\./i.test(key) && value !== "")
    .map(([key]) => key);
  return { env: { ...env, GIT_NO_LAZY_FETCH: "1" }, filters };
}
