import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Interrupted, UserError } from "../errors.ts";
import { type Changed, presenceIn, unwire, wire } from "../hooks/install.ts";
import { hooksFor, WIRED_AGENTS, WIRINGS, type WiredAgent, type Wiring } from "../hooks/wiring.ts";
import { which } from "../supervise/which.ts";
import { cleanLine } from "../ui/clean.ts";
import { lineDiff } from "../ui/line-diff.ts";
import { paintPatch } from "../ui/patch.ts";
import { colorWanted, createPaint } from "../ui/style.ts";
import { readSettingsFile, replaceSettings, type Scope, settingsPath } from "./hook-settings.ts";
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
  const wiring = WIRINGS[agent];
  if (wiring === undefined) say(...(WITHOUT_FILE[agent]?.() ?? []));
  else await change(agent, wiring, flags);
}

async function change(agent: WiredAgent, wiring: Wiring, flags: Flags): Promise<void> {
  const scope: Scope = flags.project === true ? "project" : "user";
  const file = readSettingsFile(settingsPath(wiring, scope));
  const isRemoval = flags.remove === true;
  const changed: Changed = isRemoval ? unwire(file.text) : wire(file.text, hooksFor(wiring, script()));
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
  await ask(flags, isTerminal);
  const backup = replaceSettings(file, changed.text, Date.now());
  say(
    isRemoval ? `The hooks are out of ${file.path}.` : `The hooks are in ${file.path}.`,
    ...(backup === undefined ? [] : [`As it was before: ${backup}`]),
    ...(isRemoval ? [] : notes(agent, scope)),
  );
}

async function ask({ yes }: Flags, isTerminal: boolean): Promise<void> {
  if (yes === true) return;
  if (!process.stdin.isTTY || !isTerminal)
    throw new UserError(
      "nothing was changed",
      "there is no terminal to ask on",
      "If that is what you want, add --yes.",
    );
  const { confirm, isCancel } = await import("@clack/prompts");
  const isWanted = await confirm({
    message: "Change this file? (a copy of it is kept)",
    initialValue: false,
  });
  if (isCancel(isWanted) || !isWanted) throw new Interrupted("Nothing was changed.");
}

/** What is to be known once they are in, as the real programs showed it. */
function notes(agent: WiredAgent, scope: Scope): string[] {
  const loop = '/ralph-loop "<task>" --completion-promise DONE --max-iterations 10';
  const lines = [
    agent === "claude"
      ? `New sessions have them. Type a space before the command, which only the plugin makes known: " ${loop}"`
      : `New sessions have them: ${loop}`,
  ];
  if (agent === "codex")
    lines.push("Codex runs only hooks that you trust, and `codex exec` skips others without a word.");
  if (agent === "gemini" && scope === "project")
    lines.push("Gemini takes a folder's settings only when you trust the folder.");
  if (scope === "project") lines.push("They name a file of this machine; where it is not, they do nothing.");
  if (script().includes("/_npx/"))
    lines.push(
      "This ralph lies in npx's cache, and goes when that is cleaned: better install ralph-proof first.",
    );
  return [
    ...lines,
    `To take them out: ralph install-hooks ${agent} --remove${scope === "project" ? " --project" : ""}`,
  ];
}

/** The agents that have no file which could name our hooks. */
const WITHOUT_FILE: Readonly<Partial<Record<WiredAgent, () => string[]>>> = {
  copilot: () => [
    "Copilot takes the plugin itself, and there is nothing to install. Start it with:",
    `  copilot --plugin-dir ${quote(plugin())}`,
    "(The hooks that its own settings can name are told too little to keep a loop.)",
  ],
  opencode: () => [
    "OpenCode has no hook that can keep a session going: it ends when its agent stops.",
    "Loop from outside instead:",
    '  ralph run --agent "opencode run --auto" -p "<task>"',
  ],
};

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
  const wiring = WIRINGS[agent];
  if (wiring === undefined)
    return [
      agent === "copilot"
        ? `no hooks needed: copilot --plugin-dir ${quote(plugin())}`
        : "no hooks possible: use ralph run",
    ];
  const scopes = (["user", "project"] as const).map((scope) => ({ scope, ...stateIn(wiring, scope) }));
  const shown = scopes.filter(({ scope, state }) => scope === "user" || state !== "out");
  return shown.map(({ state, path }) => `${WORDS[state] ?? state} ${path}`);
}

const WORDS: Readonly<Record<string, string>> = {
  in: "hooks in",
  out: "no hooks in",
  other: "hooks of another ralph in",
};

function stateIn(wiring: Wiring, scope: Scope): { path: string; state: string } {
  const path = settingsPath(wiring, scope);
  try {
    const state = presenceIn(readSettingsFile(path).text, hooksFor(wiring, script()));
    return { path, state: typeof state === "string" ? state : `${state.fault}:` };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { path, state: `${error.why}:` };
  }
}

/** The plugin's folder of this package: beside dist/. */
function plugin(): string {
  return fileURLToPath(new URL("../plugin", import.meta.url));
}

function script(): string {
  const path = `${plugin()}/hooks/ralph.sh`;
  if (!existsSync(path))
    throw new UserError("the hooks are not there", `${path} is missing`, "Install ralph-proof again.");
  // Some agents take a dollar sign in their settings for a variable.
  if (path.includes("$"))
    throw new UserError(
      "the hooks cannot be named",
      `there is a dollar sign in ${path}`,
      "Install ralph-proof elsewhere.",
    );
  return path;
}

function say(...lines: string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}
