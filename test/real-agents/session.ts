import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { parseObject, stringAt } from "../../src/agents/json.ts";
import { type Ended, ofType, type Started } from "../e2e/support.ts";
import { type Asked, type Reply, type Script, say, write } from "../model-server/script.ts";
import { type RealAgent, type RealWorld, realWorld } from "./world.ts";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const PLUGIN = join(ROOT, "plugin");

/** What the loops of these tests are asked for, and how. */
export const TASK = "Write the answer into answer.txt";
export const LOOP = `/ralph:ralph-loop "${TASK}" --max-iterations 3 --completion-promise DONE`;
export const MARKER = "<promise>DONE</promise>";
/** The work as it should be: a file, and the promise. */
export const WORK: readonly Reply[] = [write("answer.txt", "42\n"), say(`It is there. ${MARKER}`)];

/** A real agent that has the plugin, in a world of its own. */
export interface SessionWorld extends RealWorld {
  /** A session that begins with this prompt, or goes on with it. */
  session(prompt: string, how?: { readonly resume?: string }): Started;
  /** The same, to its end. */
  typed(prompt: string, how?: { readonly resume?: string }): Promise<Ended>;
  /** A session of Claude Code that can be typed into while it works, until its input is ended. */
  conversation(prompt: string): Started & { type(prompt: string): void };
  /** What the hooks wrote down. */
  log(): string;
  /** How many times a session's agent was told to go on. */
  sentBack(): number;
}

/** Installs the plugin as a user would: from the marketplace file at the root, into a home that knows nothing of it. */
export async function installPlugin(agent: RealAgent, world: RealWorld): Promise<void> {
  const verb = agent.name === "codex" ? "add" : "install";
  const steps = [
    ["plugin", "marketplace", "add", ROOT],
    ["plugin", verb, "ralph@ralph-proof"],
  ];
  for (const step of steps) {
    const ended = await world.direct([...withPlugins(agent), ...step]).ended;
    expect(ended.code, `${step.join(" ")}\n${ended.stdout}\n${ended.stderr}`).toBe(0);
  }
}

/** Codex has the plugin from the marketplace, Claude Code from its folder. */
export async function sessionWorld(agent: RealAgent, script: Script): Promise<SessionWorld> {
  const world = await realWorld(agent, script);
  if (agent.name === "codex") await installPlugin(agent, world);
  return withSessions(agent, world, agent.name === "claude" ? ["--plugin-dir", PLUGIN] : []);
}

/** A world whose agent can be talked to. */
export function withSessions(agent: RealAgent, world: RealWorld, more: readonly string[] = []): SessionWorld {
  const log = join(world.state, "hooks.log");
  const session: SessionWorld["session"] = (prompt, { resume } = {}) =>
    world.direct([...wordsOf(agent, resume), ...more, prompt], { env: { IS_SANDBOX: "1" } });
  return {
    ...world,
    session,
    conversation(prompt) {
      const args = ["--input-format", "stream-json", ...wordsOf(agent, undefined), ...more];
      const started = world.direct(args, { env: { IS_SANDBOX: "1" }, keepsInput: true });
      const type = (text: string) => {
        const message = { type: "user", message: { role: "user", content: text } };
        started.process.stdin?.write(`${JSON.stringify(message)}\n`);
      };
      type(prompt);
      return { ...started, type };
    },
    typed: (prompt, how) => session(prompt, how).ended,
    log: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    sentBack: () => ofType(world.journal(), "iteration.started").length - 1,
  };
}

/** The id that a session goes by, from what its program printed. */
export function sessionIn({ stdout }: Ended): string {
  const ids = stdout
    .split("\n")
    .map((line) => parseObject(line))
    .flatMap((event) => stringAt(event ?? {}, "session_id") ?? stringAt(event ?? {}, "thread_id") ?? []);
  expect(new Set(ids).size, stdout).toBe(1);
  return ids[0] ?? "";
}

/** All that Claude Code has written down of its sessions. */
export function transcripts(folder: string): string {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
}

/** The last thing that the user's side said. Codex hands the words of a hook on as XML. */
export function wordsHeard(asked: Asked | undefined): string {
  const heard = asked?.heard.at(-1) ?? "";
  if (!heard.startsWith("<hook_prompt")) return heard;
  return heard.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

function withPlugins({ name }: RealAgent): string[] {
  return name === "codex" ? ["-c", "features.plugins=true"] : [];
}

function wordsOf(agent: RealAgent, resume: string | undefined): string[] {
  if (agent.name === "codex") {
    const free = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
    const which = resume === undefined ? [] : ["resume", resume];
    return [...withPlugins(agent), "exec", ...which, "--json", ...free];
  }
  const which = resume === undefined ? [] : ["--resume", resume];
  const stream = ["--output-format", "stream-json", "--verbose", "--include-hook-events"];
  return ["-p", ...stream, "--dangerously-skip-permissions", ...which];
}
