import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../errors.ts";
import { RUNTIME_PATTERNS } from "../files.ts";
import { shown } from "../gates/report.ts";
import { runFolder } from "../journal/paths.ts";
import { readJournal } from "../journal/read.ts";
import { evolve } from "../loop/evolve.ts";
import { INITIAL, type LoopState } from "../loop/state.ts";
import { uncommittedBefore } from "../loop/uncommitted-before.ts";
import { git } from "../scm/git.ts";
import type { RunSpec } from "../spec.ts";
import { isRunningSince } from "../supervise/proc.ts";
import type { Active } from "../tasks/active.ts";
import { checkStop } from "../tasks/check.ts";
import { markerOf, readProjectFile, type TaskPaths, taskPaths } from "../tasks/files.ts";
import type { Answer } from "./answer.ts";
import type { HookInput } from "./input.ts";
import { log } from "./log.ts";
import { type AgentOf, agentOf, watchFolder } from "./watch.ts";

/** So often an agent is told the same; then it may stop, for ralph checks again when it has. */
const MOST_TOLD = 5;
const MOST_NAMED = 10;
const GIT_MS = 20_000;

type Cause = "list" | "uncommitted";

/** Where a stop is asked about. */
interface StopPlace {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** The turn that is to end; who does not know it has the journal. */
  readonly turn?: Turn;
}

/** The agent of a run on a task list wants to stop. It may when the list is in order and all is committed. */
export async function onTaskStop(input: HookInput, place: StopPlace): Promise<Answer> {
  const { root, env } = place;
  const agent = agentOf(env);
  const folder = watchFolder(root, env);
  if (agent === undefined || folder === undefined || input.isSub || input.background > 0) return undefined;
  const active = markerOf(agent.project);
  const turn = active === undefined ? undefined : (place.turn ?? turnOf(root, agent, active));
  if (active === undefined || turn === undefined) return undefined;
  const paths = taskPaths(agent.project, turn.dir);
  const list = listFaults(agent.project, paths, active);
  const changes = turn.commits ? await uncommitted(agent, paths, turn.folder) : undefined;
  if (list.warning !== undefined) log(root, `${agent.run}: ${list.warning}`);
  const causes: [Cause, string | undefined][] = [
    ["list", list.reason],
    ["uncommitted", changes],
  ];
  const told = causes.flatMap(([cause, reason]) =>
    reason !== undefined && mayTell(folder, cause, () => log(root, givenUp(agent, cause))) ? [reason] : [],
  );
  const tell = list.warning === undefined ? {} : { tell: `ralph: ${list.warning}` };
  if (told.length === 0) return list.warning === undefined ? undefined : tell;
  log(root, `${agent.run}: the agent was sent back: ${told.join(" ")}`);
  return { goOn: [...told, "Then stop again."].join("\n\n"), ...tell };
}

/** What has to be known of the turn that is to end. */
interface Turn {
  /** The folder of the list. */
  readonly dir: string;
  /** All that was done has to be committed. */
  readonly commits: boolean;
  /** The run's own folder. */
  readonly folder: string;
}

/**
 * The turn of the run's own agent; undefined when it is none: judges and checks are started by the same run. Where the journal
 * cannot be seen, the marker is believed as long as its process lives.
 */
function turnOf(root: string, { run, project }: AgentOf, active: Active): Turn | undefined {
  const { folder, journal } = runFolder(root, project, run);
  if (!existsSync(journal)) {
    const isLiving = isRunningSince(active.pid, Date.parse(active.timestamp));
    return isLiving ? { dir: "ralph", commits: true, folder } : undefined;
  }
  const { phase, spec }: LoopState = readJournal(journal).reduce(evolve, INITIAL);
  return phase !== "prompted" || spec === undefined ? undefined : turnIn(spec, folder);
}

/** What a turn of a run has to be asked for when it ends; undefined when it works on no task list. */
export function turnIn({ work, gates }: RunSpec, folder: string): Turn | undefined {
  if (work.kind !== "tasks") return undefined;
  return { dir: work.dir, commits: gates.some(({ kind }) => kind === "clean-tree"), folder };
}

/** Checks 1, 2 and 2.5. */
function listFaults(
  project: string,
  { tasks }: TaskPaths,
  active: Active,
): { readonly reason?: string; readonly warning?: string } {
  let json: string | undefined;
  try {
    json = readProjectFile(project, tasks);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { reason: `${error.what}: ${error.why}. ${error.fix}` };
  }
  if (json === undefined) return { reason: `${tasks} is not there. Put it back.` };
  const { faults, warnings } = checkStop(json, active);
  const lines = faults.map(({ path, message }) => (path === "" ? `- ${message}` : `- ${path}: ${message}`));
  const more = faults.length > MOST_NAMED ? [`- and ${faults.length - MOST_NAMED} more`] : [];
  return {
    ...(faults.length === 0
      ? {}
      : { reason: [`${tasks} is not in order:`, ...lines.slice(0, MOST_NAMED), ...more].join("\n") }),
    ...(warnings[0] === undefined ? {} : { warning: warnings[0] }),
  };
}

/** Check 3. Undefined when all is committed, or when git cannot tell: ralph looks again after the turn. */
async function uncommitted(
  { project }: AgentOf,
  { dir }: TaskPaths,
  folder: string,
): Promise<string | undefined> {
  const status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const apart = RUNTIME_PATTERNS.map((pattern) => `:(exclude)${pattern}`);
  const found = await git(project, [...status, "--ignore-submodules=dirty", "--", ":/", ...apart], {
    wallMs: GIT_MS,
  });
  if (found.code !== 0) return undefined;
  const theirs = new Set(uncommittedBefore(folder));
  const changed = found.stdout
    .split("\0")
    .map((entry) => entry.slice(3))
    .filter((path) => path !== "");
  const own = changed.filter((path) => !theirs.has(path));
  if (own.length === 0) return undefined;
  const left = changed.filter((path) => theirs.has(path));
  return [
    `There are uncommitted changes: ${named(own)}`,
    `1. Update \`${dir}/progress.txt\` with what was accomplished + learnings`,
    "2. Consider if any lasting patterns belong in CLAUDE.md or `.claude/rules/`",
    "3. Commit ALL changes including progress.txt and tasks.json updates",
    ...(left.length === 0
      ? []
      : [`These were changed before the run began, and are its user's: ${named(left)}`]),
  ].join("\n");
}

function named(paths: readonly string[]): string {
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : "";
  return `${paths.slice(0, MOST_NAMED).map(shown).join(", ")}${more}`;
}

/** Counts how often an agent was told of a cause. One that cannot be counted is not told: nobody is trapped. */
function mayTell(folder: string, cause: Cause, onLast: () => void): boolean {
  const path = join(folder, `stops-${cause}`);
  const before = existsSync(path) ? Number(readFileSync(path, "utf8")) : 0;
  if (!(before < MOST_TOLD)) {
    onLast();
    return false;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, String(before + 1), { mode: 0o600 });
  return true;
}

function givenUp({ run }: AgentOf, cause: Cause): string {
  const what = cause === "list" ? "the task list is not in order" : "there are uncommitted changes";
  return `${run}: the agent may stop although ${what}: it was told ${MOST_TOLD} times`;
}
