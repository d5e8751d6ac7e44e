import { statSync } from "node:fs";
import { join } from "node:path";
import { adapterFor, kindOf } from "../agents/registry.ts";
import { chooseAgent } from "../config/agent-choice.ts";
import { wholeNumberFlag } from "../config/flags.ts";
import { loadSettings } from "../config/load.ts";
import type { Settings } from "../config/schema.ts";
import { Interrupted, UserError } from "../errors.ts";
import { interactive } from "../supervise/interactive.ts";
import { which } from "../supervise/which.ts";
import { checkList } from "../tasks/check.ts";
import { readProjectBytes, readProjectFile } from "../tasks/files.ts";
import { DEFAULT_RULES } from "../tasks/list.ts";
import {
  faultsAsTask,
  type PlanMode,
  placeFlags,
  planFaults,
  planInstructions,
  planMode,
} from "../tasks/plan.ts";
import { isUnfilled, parseJson } from "../tasks/schema.ts";
import { keepPrd } from "./plan-prd.ts";
import { faultLine, storyCount } from "./tasks-check.ts";
import { oneLine, placeOf, refuseWhileActive, type TaskFlags, type TaskPlace } from "./tasks-place.ts";
import { askToTrust } from "./trust.ts";

interface PlanFlags extends TaskFlags {
  readonly agent?: string;
  readonly model?: string;
  readonly rounds?: string;
  readonly print?: boolean;
  readonly trust?: boolean;
  readonly yes?: boolean;
}

/** So often the agent is opened when nobody says otherwise. */
const ROUNDS = 3;

/** Shows the cursor, and switches off what full-screen programs switch on: one that was killed could not. */
const CALM = "\u001b[?25h\u001b[?2004l\u001b[?1004l\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l";

/** `ralph plan`: the agent at the user's terminal with the planning instructions, until `ralph tasks check` is satisfied. */
export async function planCommand(flags: PlanFlags): Promise<void> {
  const rounds = wholeNumberFlag("--rounds", flags.rounds, 1)?.value ?? ROUNDS;
  const place = placeOf(flags);
  const { project, paths } = place;
  requireFolder(place);
  const prd = readProjectBytes(project, paths.prd);
  const mode = planMode(prd?.toString("utf8"));
  if (flags.print === true) {
    process.stdout.write(planInstructions({ mode, dir: paths.dir }));
    return;
  }
  refuseWhileActive(place, "plan");
  const before = readProjectFile(project, paths.tasks);
  const open = await opener(place, flags);

  let prompt = planInstructions({ mode, dir: paths.dir });
  for (let round = 1; ; round += 1) {
    const stoppedBy = await open(prompt);
    if (mode === "derive" && prd !== undefined) keepPrd(place, prd);
    if (stoppedBy !== undefined) throw new Interrupted("Planning was stopped.");
    const { stories, faults } = lookAt(place, mode, before);
    if (faults.length === 0) {
      say(`${storyCount(stories)}; start with: ralph run --tasks${placeFlags(paths.dir)}`);
      return;
    }
    for (const fault of faults) say(fault);
    if (round >= rounds || !(await mayGoOn(flags.yes === true))) break;
    // What the user and the agent wrote in the round before is there now, and is not to be asked for again.
    const now = planMode(readProjectFile(project, paths.prd));
    prompt = `${faultsAsTask(faults)}\n\n${planInstructions({ mode: now, dir: paths.dir })}`;
  }
  say(`The plan is not ready. Go on with it: ralph plan${placeFlags(paths.dir)}`);
  process.exitCode = 1;
}

function requireFolder({ project, paths }: TaskPlace): void {
  const folder = join(project, paths.dir);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new UserError(
    "there is no task list to plan",
    `${folder} does not exist`,
    `Make it first: ralph init --tasks${placeFlags(paths.dir)}`,
  );
}

/** Something that opens the agent with a first prompt, and tells by which signal we were asked to end meanwhile. */
async function opener(
  { project }: TaskPlace,
  flags: PlanFlags,
): Promise<(prompt: string) => Promise<NodeJS.Signals | undefined>> {
  const loaded = await loadSettings(project);
  const sources = new Map<string, string>();
  const agent = await chooseAgent(
    {
      flags: { agent: flags.agent, model: flags.model },
      env: process.env,
      kindOf,
      findProgram: (name) => which(name, { cwd: project, path: process.env["PATH"] }),
    },
    loaded,
    sources,
  );
  const { interactive: session } = adapterFor(agent.kind);
  if (session === undefined) {
    throw new UserError(
      "cannot open the agent for planning",
      `ralph knows no way to begin a session of "${oneLine(agent.command)}" with a prompt`,
      "Give it the instructions yourself: ralph plan --print. Or take another: ralph plan --agent claude",
    );
  }
  const used = usedOf(loaded.settings, sources);
  const { settings, files } = loaded;
  await askToTrust({ project, used, settings, files }, flags.trust === true || flags.yes === true);
  return async (prompt) => {
    const { file, args } = session({ agent, prompt });
    say(
      `Opening ${agent.kind}. Plan with it, and end its session when you are done: ralph then checks the list.`,
    );
    const end = await interactive(file, args, { cwd: project, env: process.env });
    if (end.spawnError !== undefined) {
      throw new UserError(`cannot start ${oneLine(file)}`, oneLine(end.spawnError), "See: ralph doctor");
    }
    if (end.signal !== null && process.stdout.isTTY) process.stdout.write(CALM);
    return end.stoppedBy;
  };
}

/** The part of the settings that names what is started. */
function usedOf({ agent = {} }: Settings, sources: ReadonlyMap<string, string>): Settings {
  const isOwn = sources.get("agent.command") !== "--agent";
  const hasFlags = sources.get("agent.flags") !== "default";
  return {
    agent: {
      ...(isOwn && agent.command !== undefined ? { command: agent.command } : {}),
      ...(hasFlags && agent.flags !== undefined ? { flags: agent.flags } : {}),
    },
  };
}

/** What came out of a session: the number of stories, and all that is wrong, one line each. */
function lookAt(
  { project, paths }: TaskPlace,
  mode: PlanMode,
  before: string | undefined,
): { stories: number; faults: string[] } {
  try {
    const prd = planMode(readProjectFile(project, paths.prd));
    const missing = mode === "full" && prd === "full" ? [`${paths.prd}: has no requirements in it yet`] : [];
    const text = readProjectFile(project, paths.tasks);
    if (text === undefined) return { stories: 0, faults: [...missing, `${paths.tasks}: is not there`] };
    const json = parseJson(text);
    if (json.ok && isUnfilled(json.value)) {
      return { stories: 0, faults: [...missing, `${paths.tasks}: has no stories yet`] };
    }
    const { list, faults } = checkList(text, DEFAULT_RULES);
    const all = list === undefined ? faults : [...faults, ...planFaults(before, list)];
    return {
      stories: list?.userStories.length ?? 0,
      faults: [...missing, ...all.map((fault) => faultLine(paths.tasks, fault))],
    };
  } catch (error) {
    // A link or a folder in the place of a file: the agent can mend that too.
    if (error instanceof UserError) return { stories: 0, faults: [oneLine(error.message)] };
    throw error;
  }
}

async function mayGoOn(isYes: boolean): Promise<boolean> {
  if (isYes || !process.stdin.isTTY || !process.stdout.isTTY) return true; // nobody to ask
  const { confirm, isCancel } = await import("@clack/prompts");
  const yes = await confirm({ message: "Go on planning? The agent is told what is wrong. (Y/n)" });
  if (isCancel(yes)) throw new Interrupted("What was planned so far is kept.");
  return yes;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
