import { createHash } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";
import type { CriterionType } from "../spec.ts";
import { readPlainText } from "./read-file.ts";
import { openings } from "./sandbox-settings.ts";
import { visible } from "./say.ts";
import type { Settings } from "./schema.ts";
import { writeAtomically } from "./write-file.ts";

/*
 * A cloned project's settings name commands that ralph would run. They are trusted by content: a change of any of
 * them, or another folder, asks again. What is trusted is remembered outside the project.
 */

const TRUST_FILE = "trusted.json";

/** Older answers are forgotten, so that the file does not grow for ever. */
const REMEMBERED = 1000;

/**
 * The commands that settings name, in human words, for the question whether to trust them. Empty: nothing to ask.
 * Nothing is redacted or cut: whoever is asked must see all of what would be run. `ownCommand` tells what was found for a
 * criterion that names no command.
 */
export function commandsOf(
  settings: Settings,
  ownCommand: (type: CriterionType) => string | undefined = () => undefined,
): string[] {
  const { agent = {}, fallbackAgent = [], guardrails = [], criteria = [], judge, scm } = settings;
  const flags = agent.flags ?? [];
  const lines: string[] = [];
  if (agent.command !== undefined) lines.push(`agent: ${[agent.command, ...flags].join(" ")}`);
  else if (flags.length > 0) lines.push(`agent flags: ${flags.join(" ")}`);
  for (const one of Array.isArray(fallbackAgent) ? fallbackAgent : [fallbackAgent]) {
    const { command = agent.command ?? "the agent", flags: more = [] } =
      typeof one === "string" ? { command: one } : one;
    lines.push(`fallback agent: ${[command, ...more].join(" ")}`);
  }
  for (const guardrail of guardrails) lines.push(`guardrail: ${guardrail.command}`);
  for (const one of criteria) {
    const { type, command } = typeof one === "string" ? { type: one, command: undefined } : one;
    lines.push(`criterion ${type}: ${command ?? ownCommand(type) ?? "the project's own command"}`);
  }
  if (settings.review?.agent !== undefined) lines.push(`reviewer: ${settings.review.agent}`);
  if (judge?.agent !== undefined) lines.push(`judge: ${judge.agent}`);
  if (settings.pristine?.setup !== undefined) lines.push(`tests' set-up: ${settings.pristine.setup}`);
  if (settings.guard?.mode === "off") lines.push("guard: off");
  for (const pattern of settings.guard?.allow ?? []) lines.push(`guard allows: ${pattern}`);
  if (scm?.command !== undefined) {
    for (const task of scm.tasks ?? []) lines.push(`scm: ${scm.command} ${task}`);
  }
  return [...lines, ...openings(settings)].map(visible);
}

/** What is remembered for one project with these commands: it tells neither the path nor the commands. */
export function trustKey(project: string, settings: Settings, listCommands: readonly string[] = []): string {
  const { agent, fallbackAgent, guardrails, criteria, judge, scm, review, sandbox } = settings;
  const setup = settings.pristine?.setup;
  const guard = loosened(settings);
  // A list without commands is trusted as no list at all.
  const verify = listCommands.length === 0 ? undefined : listCommands;
  const content = canonical({
    agent,
    fallbackAgent,
    guardrails,
    criteria,
    judge,
    scm,
    setup,
    review,
    verify,
    sandbox,
    guard,
  });
  return createHash("sha256")
    .update(`${realpathSync(project)}\u0000${content}`)
    .digest("hex");
}

/** What settings take from the guard: what they add to it needs no trust. */
function loosened({ guard }: Settings): { off: boolean; allow: readonly string[] } | undefined {
  const { mode, allow = [] } = guard ?? {};
  return mode !== "off" && allow.length === 0 ? undefined : { off: mode === "off", allow };
}

/** Whether the user has said yes to this key before. */
export function isTrusted(stateDir: string, key: string): boolean {
  return trustedKeys(stateDir).includes(key);
}

/** Remembers a yes. A damaged file is replaced. */
export function remember(stateDir: string, key: string): void {
  const keys = [...trustedKeys(stateDir).filter((known) => known !== key), key].slice(-REMEMBERED);
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    writeAtomically(join(stateDir, TRUST_FILE), `${JSON.stringify({ version: 1, keys }, null, 2)}\n`, 0o600);
  } catch (error) {
    throw new UserError(
      "cannot remember that this project is trusted",
      `${join(stateDir, TRUST_FILE)} cannot be written (${codeOf(error) ?? messageOf(error)})`,
      "Make the folder writable, or set RALPH_STATE_DIR to one that is.",
      { cause: error },
    );
  }
}

/** What vouches for the project without a question (`--trust`, or a variable by name), or undefined. */
export function trustByEnvironment(env: NodeJS.ProcessEnv, flag: boolean): string | undefined {
  if (flag) return "--trust";
  if (env["RALPH_TRUST_PROJECT"] === "1") return "RALPH_TRUST_PROJECT=1";
  return env["CI"] === "true" ? "CI=true" : undefined;
}

function trustedKeys(stateDir: string): string[] {
  try {
    const value: unknown = JSON.parse(readPlainText(join(stateDir, TRUST_FILE), TRUST_FILE) ?? "{}");
    if (typeof value !== "object" || value === null || !("keys" in value) || !Array.isArray(value.keys))
      return [];
    return value.keys.filter((key): key is string => typeof key === "string");
  } catch {
    return []; // damaged, or not ours to read: asking again is the safe way
  }
}

/** JSON with sorted keys, so that the order in which settings are written does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
