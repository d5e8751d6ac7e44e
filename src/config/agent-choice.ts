import { quote, split } from "shlex";
import { UserError } from "../errors.ts";
import type { AgentKind, AgentSpec, Autonomy } from "../spec.ts";
import { DEFAULTS, KNOWN_AGENTS } from "./defaults.ts";
import { place } from "./faults.ts";
import { choiceFlag, type RunFlags, textFlag } from "./flags.ts";
import type { LoadedSettings } from "./load.ts";
import { type KeyPath, locatorOf } from "./locate.ts";
import { dotted, inQuotes, visible } from "./say.ts";

const AUTONOMIES: readonly Autonomy[] = ["full", "edits", "none"];

/** A path that begins with a drive letter: its backslashes part folders and quote nothing. */
const WINDOWS_PATH = /^\s*["']?[A-Za-z]:\\/;

/** What has to be known to choose the agent. */
export interface AgentInput {
  readonly flags: RunFlags;
  readonly env: NodeJS.ProcessEnv;
  /** The file of a program that can be started, or undefined. */
  findProgram(name: string): string | undefined;
  kindOf(command: string): AgentKind;
}

/** Chooses the agent of a run, and notes in `sources` where each part of it came from. Nothing is started. */
export async function chooseAgent(
  input: AgentInput,
  loaded: LoadedSettings,
  sources: Map<string, string>,
): Promise<AgentSpec> {
  const { flags } = input;
  const byFlag = textFlag("--agent", flags.agent);
  const byModel = textFlag("--model", flags.model);
  const byAutonomy = choiceFlag("--autonomy", flags.autonomy, AUTONOMIES);
  const all = loaded.settings.agent ?? {};
  const note = (key: string, flag: string | undefined, setting: unknown, otherwise: string) => {
    sources.set(key, flag ?? (setting === undefined ? undefined : loaded.sources.get(key)) ?? otherwise);
  };
  note("agent.command", byFlag?.name, all.command, "found on PATH");
  const command = await startable(byFlag?.value ?? all.command ?? foundOnPath(input), input, {
    loaded,
    path: ["agent", "command"],
    flag: byFlag?.name,
    source: sources.get("agent.command") ?? "",
  });

  // Kind, flags and model were written for the agent in the settings: another one would not know them.
  const own = byFlag !== undefined && isOther(byFlag.value, all, input) ? {} : all;
  note("agent.kind", undefined, own.kind, "inferred from agent.command");
  note("agent.flags", undefined, own.flags, "default");
  note("agent.model", byModel?.name, own.model, "default");
  note("agent.autonomy", byAutonomy?.name, all.autonomy, "default");
  note("agent.inheritUserConfig", undefined, all.inheritUserConfig, "default");

  const ownFlags: string[] = [];
  for (const [index, flag] of (own.flags ?? []).entries()) {
    ownFlags.push(...(await words(flag, { loaded, path: ["agent", "flags", index], flag: undefined })));
  }
  const model = byModel?.value ?? own.model;
  return {
    kind: own.kind ?? input.kindOf(command),
    command,
    flags: ownFlags,
    ...(model === undefined ? {} : { model }),
    autonomy: byAutonomy?.value ?? all.autonomy ?? DEFAULTS.autonomy,
    ...inheriting(all),
  };
}

/** Whether the user's own settings of an agent count: said only where they do not. It is a rule for the run, whoever has the turn. */
export function inheriting(...rules: readonly { readonly inheritUserConfig?: boolean | undefined }[]): {
  inheritUserConfig?: false;
} {
  const rule = rules.find(({ inheritUserConfig }) => inheritUserConfig !== undefined);
  return rule?.inheritUserConfig === false ? { inheritUserConfig: false } : {};
}

/** The agent of a supervised run: the command, each word one argument and never read by a shell. */
export function supervised(command: readonly string[]): AgentSpec {
  return { kind: "custom", command: command.map(quote).join(" "), flags: [], autonomy: "full" };
}

function foundOnPath(input: AgentInput): string {
  const found = KNOWN_AGENTS.find((name) => input.findProgram(name) !== undefined);
  if (found !== undefined) return found;
  throw new UserError(
    "there is no agent to run",
    `none is named, and none of ${KNOWN_AGENTS.join(", ")} is on PATH`,
    "Install one of them, or name another: ralph run --agent <command>, or run ralph init.",
  );
}

/** Whether the agent of the command line is another one than that of the settings. */
function isOther(
  command: string,
  settings: { command?: string; kind?: AgentKind },
  input: AgentInput,
): boolean {
  if (settings.command === undefined || settings.command === command) return false;
  const kind = input.kindOf(command);
  return kind === "custom" || kind !== (settings.kind ?? input.kindOf(settings.command));
}

/** The program of an agent's command can be started. Gives back the command, with the home folder in it. */
export async function startable(
  command: string,
  input: AgentInput,
  from: { loaded: LoadedSettings; path: KeyPath; flag: string | undefined; source: string },
): Promise<string> {
  const expanded = expandHome(command, input.env);
  const [program = ""] = await words(expanded, from);
  if (program !== "" && input.findProgram(program) !== undefined) return expanded;
  throw notStartable(program, from);
}

/** No shell is there to do it, and `~/.claude/local/claude` is where one agent installs itself. */
function expandHome(command: string, env: NodeJS.ProcessEnv): string {
  const home = env["HOME"];
  return command.startsWith("~/") && home ? quote(home) + command.slice(1) : command;
}

/** Where a text to be split came from: a flag, or a key of the settings. */
interface Origin {
  readonly loaded: LoadedSettings;
  readonly path: KeyPath;
  readonly flag: string | undefined;
}

/** The words of a command, split as a shell would. */
export async function words(text: string, origin: Origin): Promise<string[]> {
  try {
    return split(WINDOWS_PATH.test(text) ? text.replaceAll("\\", "\\\\") : text);
  } catch (cause) {
    const key = dotted(origin.path);
    const what =
      origin.flag === undefined ? `bad setting ${await whereIs(origin)}` : `bad value for ${origin.flag}`;
    throw new UserError(
      what,
      `a quote or a backslash in it is not closed: ${inQuotes(text)}`,
      `Close it; ${origin.flag ?? key} is split into words as a shell would.`,
      { cause },
    );
  }
}

async function whereIs({ loaded, path }: Origin): Promise<string> {
  const [section, name] = path;
  const source = loaded.sources.get(`${section}.${name}`) ?? loaded.sources.get(String(section));
  const file = loaded.files.find((one) => one.name === source);
  if (file === undefined) return dotted(path);
  return `${dotted(path)} in ${place(file.name, (await locatorOf(file.text)).find(path, "value"))}`;
}

/** What to do about a program that is not there, by the key that names it. */
const INSTEAD: Readonly<Record<string, string>> = {
  agent: "Install it, or name another agent with --agent or with agent.command in .ralph/settings.json.",
  fallbackAgent:
    "Install it, or name another with --fallback-agent or with fallbackAgent in .ralph/settings.json.",
  review: "Install it, or name another with review.agent in .ralph/settings.json.",
  judge: "Install it, or name another with --judge-agent or with judge.agent in .ralph/settings.json.",
};

function notStartable(program: string, { path, source }: { path: KeyPath; source: string }): UserError {
  const isPath = program.includes("/");
  return new UserError(
    `cannot start ${program === "" ? "the agent" : visible(program)}`,
    `${isPath ? "there is no program at that path" : "no program of that name is on PATH"} (${dotted(path)}, ${source})`,
    INSTEAD[String(path[0])] ?? "Install it, or name another.",
  );
}
