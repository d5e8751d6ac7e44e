import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { git } from "../scm/git.ts";
import { type ExecResult, exec } from "../supervise/exec.ts";
import type { Remote } from "../supervise/remote.ts";
import type { Policy } from "./policy.ts";
import { type Abilities, createWords, policyWords, readAbilities, recipeOf } from "./sbx.ts";

const QUICK_MS = 60_000;
/** A template is fetched the first time. */
const CREATE_MS = 900_000;

/** sbx, by the command line. Never rejects. */
export type Sbx = (
  words: readonly string[],
  how?: { wallMs?: number; stdin?: string },
) => Promise<ExecResult>;

/** Calls sbx with the user's own environment, as the user would. */
export function sbxAt(program: string, env: NodeJS.ProcessEnv): Sbx {
  return (words, how = {}) => exec(program, words, { cwd: "/", env, wallMs: QUICK_MS, ...how });
}

/** Asks the installed sbx what it can do. */
export async function abilitiesOf(sbx: Sbx): Promise<Abilities> {
  const said = async (...words: string[]) => {
    const { stdout, stderr } = await sbx([...words, "--help"]);
    return stdout || stderr;
  };
  const [create, agent, policy] = await Promise.all([
    said("create"),
    said("create", "claude"),
    said("policy", "allow", "network"),
  ]);
  return readAbilities({ create, agent, policy });
}

interface Machine {
  readonly name: string;
  /** The folder of ours that is shown inside. */
  readonly state: string;
  /** In it: what is a home inside. */
  readonly homes: readonly string[];
  readonly abilities: Abilities;
}

/** Makes the sandbox of a project, or takes the one that is there; then it is set up. Throws a UserError with sbx's words. */
export async function prepareMachine(
  sbx: Sbx,
  policy: Policy,
  { name, state, homes, abilities }: Machine,
): Promise<void> {
  if (policy.network.mode !== "open" && !abilities.scoped) {
    throw new UserError(
      "this sbx cannot fence in one project",
      "its rules for the network are for the whole machine",
      "Update sbx, or choose another kind of sandbox.",
    );
  }
  const recipe = join(state, "recipe");
  const isThere = await isListed(sbx, name);
  if (isThere && textOf(recipe) === recipeOf(policy)) {
    // It may have files of its own of what was changed outside since: a fresh start looks anew.
    await must(sbx(["stop", name]), "could not be stopped");
  } else {
    if (isThere) await must(sbx(["rm", "--force", name]), "could not be made anew");
    rmSync(recipe, { force: true });
    await must(
      sbx(createWords(policy, { name, state, abilities }), { wallMs: CREATE_MS }),
      "could not be made",
    );
    const rules = policyWords(policy, name);
    if (rules.length > 0) await must(sbx(rules), "got no rules for its network");
    writeFileSync(recipe, recipeOf(policy), { mode: 0o600 });
  }
  await setUp(sbx, policy, { name, homes });
}

/** In each home inside: who commits, and a state file that can be read. What is there stays. */
const SET_UP = `name=$1 email=$2
shift 2
for HOME in "$@"; do
  export HOME
  mkdir -p "$HOME" && cd "$HOME" || exit 1
  [ -s .claude.json ] || printf '{}' > .claude.json
  git config --global safe.directory '*'
  [ -z "$name" ] || git config --global user.name "$name"
  [ -z "$email" ] || git config --global user.email "$email"
done`;

/** Files are written from inside: what sbx has once copied in, it does not look at again outside. */
async function setUp(
  sbx: Sbx,
  { project }: Policy,
  { name, homes }: Pick<Machine, "name" | "homes">,
): Promise<void> {
  const identity = ["name", "email"].map(async (key) => {
    const told = await git(project, ["config", "--get", `user.${key}`]);
    return told.code === 0 ? told.stdout.trim() : "";
  });
  const words = [...(await Promise.all(identity)), ...homes];
  await must(sbx(["exec", name, "sh", "-c", SET_UP, "sh", ...words]), "could not be set up");
}

/**
 * Does a change outside arrive inside? Where files are only copied back and forth, what was copied in once is not looked at again
 * until the next start.
 */
export async function sharesFiles(sbx: Sbx, name: string, state: string): Promise<boolean> {
  const file = join(state, `look-${randomBytes(4).toString("hex")}`);
  try {
    for (const word of ["one", "two"]) {
      writeFileSync(file, word);
      const seen = await sbx(["exec", name, "cat", file]);
      if (seen.stdout.trim() !== word) return false;
    }
    return true;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Does a variable that is only named go in with its value, as it does with docker? */
export async function takesNames(program: string, name: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const word = randomBytes(6).toString("hex");
  const sbx = sbxAt(program, { ...env, RALPH_WORD: word });
  return (await sbx(["exec", "-e", "RALPH_WORD", name, "printenv", "RALPH_WORD"])).stdout.trim() === word;
}

/** Signals everything that carries a mark, but for whoever asks for it. */
export const BY_MARK = `for place in /proc/[0-9]*; do
  pid=\${place#/proc/}
  if [ "$pid" = "$$" ] || [ "$pid" = "$PPID" ]; then continue; fi
  tr '\\0' '\\n' < "$place/environ" 2>/dev/null | grep -q "^RALPH_PROCESS_MARK=.*$1" && kill "-$2" "$pid" 2>/dev/null
done`;

/** What runs a program inside, with its mark and `BY_MARK` before it: it ends as the program did, and takes along what the program left behind, as far as it is known. */
export const RUN_INSIDE = `exec 4>&2 2>/dev/null
mark=$1 by_mark=$2
shift 2
(exec "$@" 2>&4 4>&-)
code=$?
sh -c "$by_mark" sh "$mark" KILL
exit "$code"`;

/** Signals inside. What does not go when it is asked goes with the whole machine, which starts again by itself. */
export function machineRemote(sbx: Sbx, name: string): Remote {
  return {
    async signal(mark, signal) {
      if (signal === "SIGTERM") await sbx(["exec", name, "sh", "-c", BY_MARK, "sh", mark, "TERM"]);
      else await sbx(["stop", name]);
    },
  };
}

async function isListed(sbx: Sbx, name: string): Promise<boolean> {
  const listed = await must(sbx(["ls"]), "does not answer");
  return listed.stdout.split("\n").some((line) => line.trim().split(/\s+/)[0] === name);
}

async function must(asked: Promise<ExecResult>, otherwise: string): Promise<ExecResult> {
  const result = await asked;
  if (result.code === 0) return result;
  const said = result.stderr.trim().split("\n").at(-1) || (result.error ?? `exit code ${result.code}`);
  throw new UserError(
    `the sandbox (sbx) ${otherwise}`,
    said,
    "See `sbx diagnose`; it needs a log-in (`sbx login`).",
  );
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // never made
  }
}
