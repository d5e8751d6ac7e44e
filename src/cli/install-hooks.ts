import { Interrupted, UserError } from "../errors.ts";
import { WIRED_AGENTS, type WiredAgent } from "../hooks/wiring.ts";
import { which } from "../supervise/which.ts";
import { cleanLine } from "../ui/clean.ts";
import { lineDiff } from "../ui/line-diff.ts";
import { paintPatch } from "../ui/patch.ts";
import { colorWanted, createPaint } from "../ui/style.ts";
import {
  readSettingsFile,
  removeSettings,
  replaceSettings,
  type Scope,
  settingsPath,
} from "./hook-settings.ts";
import { plugin, type Way, wayOf } from "./hook-ways.ts";
import { quote } from "./travel.ts";

interface Flags {
  readonly remove?: boolean;
  readonly yes?: boolean;
  readonly user?: boolean;
  readonly project?: boolean;
}

/** `ralph install-hooks`: puts the plugin's hooks into the settings of an agent, or takes them out. */
export async function installHooks(name: string | undefined, flags: Flags): Promise<void> {
  if (flags.user === true && flags.project === true)
    throw new UserError(
      "cannot understand the command line",
      "--user and --project exclude each other",
      "Give one of them.",
    );
  if (name === undefined) {
    if (flags.remove === true)
      throw new UserError(
        "which agent?",
        "--remove takes the hooks of one agent out",
        `Name it: ${WIRED_AGENTS.join(", ")}`,
      );
    say(...overview());
    return;
  }
  const agent = WIRED_AGENTS.find((one) => one === name);
  if (agent === undefined)
    throw new UserError(
      `there is no agent '${cleanLine(name, 40, "…")}' here`,
      "its hooks are not known",
      `Give one of: ${WIRED_AGENTS.join(", ")}`,
    );
  const way = wayOf(agent);
  if (way === undefined) say(...withoutFile());
  else await change(agent, way, flags);
}

async function change(agent: WiredAgent, way: Way, flags: Flags): Promise<void> {
  const scope: Scope = flags.project === true ? "project" : "user";
  const file = readSettingsFile(settingsPath(way.place, scope));
  const isRemoval = flags.remove === true;
  const changed = isRemoval ? way.unwire(file.text) : way.wire(file.text);
  if ("fault" in changed)
    throw new UserError(`cannot change ${file.path}`, changed.fault, "Mend the file, then try again.");
  if (changed.text === file.text) {
    say(
      isRemoval ? `There are no hooks of ralph's in ${file.path}.` : `The hooks are in ${file.path} already.`,
    );
    return;
  }
  const isTerminal = process.stdout.isTTY === true;
  const paint = createPaint(colorWanted("auto", process.env, isTerminal));
  say(`${file.path}:`, paintPatch(lineDiff(file.text, changed.text), paint));
  const isGoing = way.goesWhenEmpty && changed.text.trim() === "";
  await ask(flags, isTerminal, isGoing ? "Remove this file?" : "Change this file? (a copy of it is kept)");
  if (isGoing) {
    removeSettings(file);
    say(`The hooks are out: ${file.path} held nothing else, and is gone.`);
    return;
  }
  const backup = replaceSettings(file, changed.text, Date.now());
  say(
    isRemoval ? `The hooks are out of ${file.path}.` : `The hooks are in ${file.path}.`,
    ...(backup === undefined ? [] : [`As it was before: ${backup}`]),
    ...(isRemoval ? [] : notes(agent, scope)),
  );
}

async function ask({ yes }: Flags, isTerminal: boolean, message: string): Promise<void> {
  if (yes === true) return;
  if (!process.stdin.isTTY || !isTerminal)
    throw new UserError(
      "nothing was changed",
      "there is no terminal to ask on",
      "If that is what you want, add --yes.",
    );
  const { confirm, isCancel } = await import("@clack/prompts");
  const isWanted = await confirm({ message, initialValue: false });
  if (isCancel(isWanted) || !isWanted) throw new Interrupted("Nothing was changed.");
}

/** What is to be known once they are in, as the real programs showed it. */
function notes(agent: WiredAgent, scope: Scope): string[] {
  const loop = '/ralph-loop "<task>" --completion-promise DONE --max-iterations 10';
  const lines = [
    agent === "claude"
      ? `New sessions have them. Type a space before the command, which only the plugin makes known: " ${loop}"`
      : `${agent === "opencode" ? "OpenCode has them when it is started again" : "New sessions have them"}: ${loop}`,
  ];
  if (agent === "codex")
    lines.push("Codex runs only hooks that you trust, and `codex exec` skips others without a word.");
  if (agent === "opencode")
    lines.push(
      "`opencode run` ends when its agent stops: there the guard of a run works, and no loop. Its own screen and `opencode serve` have both.",
    );
  if (agent === "gemini" && scope === "project")
    lines.push("Gemini takes a folder's settings only when you trust the folder.");
  if (scope === "project") lines.push("They name a file of this machine; where it is not, they do nothing.");
  if (plugin().includes("/_npx/"))
    lines.push(
      "This ralph lies in npx's cache, and goes when that is cleaned: better install ralph-proof first.",
    );
  return [
    ...lines,
    `To take them out: ralph install-hooks ${agent} --remove${scope === "project" ? " --project" : ""}`,
  ];
}

/** Copilot is the one that has no file which could name our hooks. */
function withoutFile(): string[] {
  return [
    "Copilot takes the plugin itself, and there is nothing to install. Start it with:",
    `  copilot --plugin-dir ${quote(plugin())}`,
    "(The hooks that its own settings can name are told too little to keep a loop.)",
  ];
}

/** Which agents are there, and whether the hooks are in. */
function overview(): string[] {
  const lines = WIRED_AGENTS.flatMap((agent) => {
    const path = which(agent, { cwd: process.cwd(), path: process.env["PATH"] });
    const [first = "", ...more] = states(agent);
    const gap = " ".repeat(25);
    return [
      `${agent.padEnd(10)}${(path === undefined ? "not found" : "installed").padEnd(15)}${first}`,
      ...more.map((line) => gap + line),
    ];
  });
  return [...lines, "", "To put them in: ralph install-hooks <agent> (--project: for this folder alone)"];
}

function states(agent: WiredAgent): string[] {
  const way = wayOf(agent);
  if (way === undefined) return [`no hooks needed: copilot --plugin-dir ${quote(plugin())}`];
  const scopes = (["user", "project"] as const).map((scope) => ({ scope, ...stateIn(way, scope) }));
  const shown = scopes.filter(({ scope, state }) => scope === "user" || state !== "out");
  return shown.map(({ state, path }) => `${WORDS[state] ?? state} ${path}`);
}

const WORDS: Readonly<Record<string, string>> = {
  in: "hooks in",
  out: "no hooks in",
  other: "hooks of another ralph in",
};

function stateIn(way: Way, scope: Scope): { path: string; state: string } {
  const where = settingsPath(way.place, scope);
  const { path } = where;
  try {
    const state = way.presence(readSettingsFile(where).text);
    return { path, state: typeof state === "string" ? state : `${state.fault}:` };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { path, state: `${error.why}:` };
  }
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
