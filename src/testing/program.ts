import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { NO_USAGE } from "../events.ts";
import { MESSAGE_PROMPT } from "../scm/message.ts";
import type { Action, Script, ScriptedCall, ScriptedTurn } from "./script.ts";
import type { Voice } from "./voice.ts";
import { FAILURES, voiceOf } from "./voices.ts";

// The scripted agent as a program: `scripted-agent.js <script.json> [flags that an agent would get]`.
const [scriptPath = "", ...argv] = process.argv.slice(2);
const script = JSON.parse(readFileSync(scriptPath, "utf8")) as Script;

function out(lines: readonly string[]): void {
  if (lines.length > 0) writeAll(Buffer.from(`${lines.join("\n")}\n`));
}

function writeAll(bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      // A pipe that is full for the moment; anything else means that nobody reads us any more.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") process.exit(141);
    }
  }
}

/** Claims the next free number among the calls of its kind, so that calls are counted without a race, and read only whole. */
function register(call: ScriptedCall): number {
  const folder = join(dirname(scriptPath), "calls");
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `${randomUUID()}.draft`);
  writeFileSync(draft, JSON.stringify(call));
  try {
    const kind = call.commit ? "commit" : "turn";
    for (let n = 0; ; n++) {
      if (isLinked(draft, join(folder, `${kind}-${String(n).padStart(4, "0")}.json`))) return n;
    }
  } finally {
    rmSync(draft);
  }
}

function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Resolves when there is something in the file, or never will be. */
async function written(path: string): Promise<void> {
  for (let tries = 0; tries < 2000; tries++) {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
    await sleep(5);
  }
}

const LEAVE: Readonly<Record<Extract<Action, { leave: unknown }>["how"], string>> = {
  child: 'sleep 300 & echo $! > "$1"',
  setsid: 'setsid sh -c \'echo $$ > "$1"; exec sleep 300\' - "$1" &',
  "double-fork": '( ( sh -c \'echo $$ > "$1"; exec sleep 300\' - "$1" & ) & )',
  "ignore-term": 'sh -c \'trap "" TERM; echo $$ > "$1"; while :; do sleep 1; done\' - "$1" &',
  "setsid-ignore-term": 'setsid sh -c \'trap "" TERM; echo $$ > "$1"; while :; do sleep 1; done\' - "$1" &',
};

let calls = 0;
let denials = 0;

async function act(action: Action, voice: Voice): Promise<void> {
  const id = `toolu_${++calls}`;
  if ("say" in action) out(voice.say(action.say));
  else if ("think" in action) out(voice.think(action.think));
  else if ("subagent" in action) out(voice.subagent(action.subagent));
  else if ("todos" in action) out(voice.todos(action.todos));
  else if ("write" in action) {
    out(voice.toolStarted(id, "Write", { file_path: action.write }));
    mkdirSync(dirname(action.write), { recursive: true });
    writeFileSync(action.write, action.text);
    out(voice.toolEnded(id, `wrote ${action.write}`, { ok: true }));
  } else if ("run" in action) {
    out(voice.toolStarted(id, "Bash", { command: action.run }));
    const done = spawnSync("sh", ["-c", action.run], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    out(voice.toolEnded(id, `${done.stdout}${done.stderr}`, { ok: done.status === 0 }));
  } else if ("denied" in action) {
    denials++;
    out(voice.toolStarted(id, "Bash", { command: action.denied }));
    const said = `Claude requested permissions to use Bash, but you haven't granted it yet.`;
    out(voice.toolEnded(id, said, { ok: false, denied: true }));
  } else if ("raw" in action) out([action.raw]);
  else if ("bytes" in action) writeAll(Buffer.from(action.bytes, "base64"));
  else if ("flood" in action) {
    const chunk = Buffer.alloc(65_536, "x");
    for (let left = action.flood; left > 0; left -= chunk.length)
      writeAll(chunk.subarray(0, Math.min(left, chunk.length)));
  } else if ("stderr" in action) writeSync(2, action.stderr);
  else if ("sleepMs" in action) await sleep(action.sleepMs);
  else if ("hang" in action) {
    writeFileSync(action.hang, String(process.pid));
    await new Promise(() => setInterval(() => {}, 1_000));
  } else if ("leave" in action) {
    rmSync(action.leave, { force: true }); // of an earlier turn
    spawn("sh", ["-c", LEAVE[action.how], "-", action.leave], { stdio: "inherit" });
    await written(action.leave);
  } else if ("fail" in action) {
    const message = action.message ?? FAILURES[action.fail];
    out(voice.fail(action.fail, message));
    writeSync(2, voice.complain?.(message) ?? "");
    process.exit(voice.failCode?.(action.fail) ?? 1);
  } else if ("exit" in action) process.exit(action.exit);
  else process.kill(process.pid, action.signal);
}

async function play(turn: ScriptedTurn): Promise<void> {
  const voice = voiceOf(script.voice);
  out(voice.begin());
  for (const action of turn.actions ?? []) await act(action, voice);
  const final = turn.final ?? "";
  // Most say their final text as a message, and some repeat it in the result.
  if (script.voice !== "codex" && script.voice !== "text" && final !== "") out(voice.say(final));
  out(voice.end(final, { ...NO_USAGE, ...turn.usage }, denials));
  process.exitCode = turn.exitCode ?? 0;
}

/** A turn that is asked for a commit message answers in plain text, into the file if it was given one. */
async function answer(turn: ScriptedTurn): Promise<void> {
  for (const action of turn.actions ?? []) await act(action, voiceOf("text"));
  const final = turn.final ?? "";
  const file = script.voice === "codex" ? argv.indexOf("-o") : -1; // to others it is the output's format
  const path = file < 0 ? undefined : argv[file + 1];
  if (path !== undefined) writeFileSync(path, final);
  else if (final !== "") out([final]);
  process.exitCode = turn.exitCode ?? 0;
}

const prompt = argv.includes("--help") ? "" : readFileSync(0, "utf8");
if (argv.includes("--help")) {
  out(["scripted agent: --json --dangerously-bypass-approvals-and-sandbox --skip-git-repo-check"]);
} else {
  const commit = prompt.startsWith(MESSAGE_PROMPT);
  const turns = commit ? (script.commitTurns ?? [{ final: "Do the scripted work" }]) : script.turns;
  const n = register({ argv, prompt, commit });
  const turn = turns[Math.min(n, turns.length - 1)] ?? {};
  await (commit ? answer(turn) : play(turn));
}
