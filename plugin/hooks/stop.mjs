// src/errors.ts
var UserError = class extends Error {
  what;
  why;
  fix;
  constructor(what, why, fix, options) {
    super(`${what}: ${why}`, options);
    this.name = "UserError";
    this.what = what;
    this.why = why;
    this.fix = fix;
  }
};
var DISK_TROUBLE = {
  ENOSPC: ["the disk is full", "Make room on the disk."],
  EDQUOT: ["your share of the disk is used up", "Make room on the disk."],
  EFBIG: ["the file is as large as it may be", "Allow larger files."],
  EROFS: ["the disk is read-only", "Make it writable."],
  EIO: ["the disk fails", "Look after the disk."]
};
function diskError(what, error, path) {
  const [why, fix] = DISK_TROUBLE[codeOf(error) ?? ""] ?? [];
  if (why === void 0 || fix === void 0) return void 0;
  return new UserError(what, path === void 0 ? `${why} (${messageOf(error)})` : `${why} (${path})`, fix, {
    cause: error
  });
}
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
function codeOf(error) {
  if (typeof error !== "object" || error === null || !("code" in error)) return void 0;
  return typeof error.code === "string" ? error.code : void 0;
}

// src/journal/paths.ts
import { homedir } from "node:os";
import { basename, isAbsolute, join, resolve } from "node:path";
function stateRoot(env) {
  const own = env["RALPH_STATE_DIR"];
  if (own !== void 0 && own !== "") return resolve(own);
  const xdg = env["XDG_STATE_HOME"];
  const base = xdg !== void 0 && isAbsolute(xdg) ? xdg : join(env["HOME"] || homedir(), ".local", "state");
  return join(base, "ralph");
}
function unwritableState(what, path, error) {
  return diskError(`cannot write ${what}`, error, path) ?? new UserError(
    `cannot write ${what}`,
    `${path} cannot be written (${codeOf(error) ?? String(error)})`,
    "Make the folder writable, or set RALPH_STATE_DIR to one that is.",
    { cause: error }
  );
}

// src/hooks/answer.ts
import { writeSync } from "node:fs";
function answerText(answer, event) {
  const { goOn: goOn2, context, tell } = answer;
  return JSON.stringify({
    ...goOn2 === void 0 ? {} : { decision: event === "AfterAgent" ? "deny" : "block", reason: goOn2 },
    ...context === void 0 ? {} : { hookSpecificOutput: { hookEventName: event, additionalContext: context } },
    ...tell === void 0 ? {} : { systemMessage: tell }
  });
}
function say(text) {
  const bytes = Buffer.from(text, "utf8");
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error;
    }
  }
}

// src/hooks/input.ts
import { readFileSync, statSync } from "node:fs";
function readInput() {
  return inputOf(readFileSync(0).toString("utf8"), process.env);
}
function inputOf(json, env) {
  const value = parsed(json);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return void 0;
  const told = value;
  const text = (key) => typeof told[key] === "string" ? told[key] : void 0;
  const event = text("hook_event_name") ?? "";
  const message = text("last_assistant_message");
  const saidSince = text("prompt_response");
  const transcript = text("transcript_path");
  return {
    event,
    session: text("session_id") ?? "",
    agent: agentOf(told, event, env),
    cwd: text("cwd") ?? "",
    prompt: text("prompt") ?? "",
    ...message === void 0 ? {} : { message },
    ...saidSince === void 0 ? {} : { saidSince },
    ...transcript === void 0 ? {} : { transcript },
    background: running(told["background_tasks"]),
    isSub: (text("agent_id") ?? "") !== "",
    why: text("source") ?? text("reason") ?? text("error") ?? ""
  };
}
function parsed(json) {
  try {
    return JSON.parse(json);
  } catch {
    return void 0;
  }
}
function agentOf(told, event, env) {
  if (typeof told["turn_id"] === "string") return "codex";
  if (/^(?:Before|After)(?:Agent|Tool)$/.test(event)) return "gemini";
  const path = typeof told["transcript_path"] === "string" ? told["transcript_path"] : "";
  const named = ["codex", "copilot", "gemini", "qwen", "claude"].find(
    (name) => path.includes(`/.${name}/`)
  );
  if (named !== void 0) return named;
  if (env["COPILOT_PLUGIN_ROOT"] !== void 0) return "copilot";
  return env["CLAUDECODE"] === "1" || typeof told["prompt_id"] === "string" ? "claude" : "other";
}
var OVER = /^(?:completed|failed|killed|stopped|cancelled|canceled|done|exited)$/;
function running(tasks) {
  if (!Array.isArray(tasks)) return 0;
  return tasks.filter((task) => {
    const status = typeof task === "object" && task !== null && "status" in task ? task.status : void 0;
    return typeof status !== "string" || !OVER.test(status);
  }).length;
}

// src/hooks/log.ts
import { appendFileSync, mkdirSync, renameSync, statSync as statSync2 } from "node:fs";
import { join as join2 } from "node:path";
var LARGEST_BYTES = 1024 * 1024;
function logPath(root) {
  return join2(root, "hooks.log");
}
function log(root, line) {
  const path = logPath(root);
  try {
    mkdirSync(root, { recursive: true, mode: 448 });
    const size = statSync2(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LARGEST_BYTES) renameSync(path, `${path}.1`);
    const clean = line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, 2e3);
    appendFileSync(path, `${(/* @__PURE__ */ new Date()).toISOString()} ${clean}
`, { mode: 384 });
  } catch {
  }
}

// src/hooks/run-hook.ts
async function runHook(handle) {
  const root = stateRoot(process.env);
  const letGo = (error) => log(root, `the session was left to itself, for a fault of ralph's: ${messageOf(error)}`);
  process.on("uncaughtException", letGo);
  process.on("unhandledRejection", letGo);
  try {
    const input = readInput();
    if (input === void 0) return log(root, "the session was left to itself: what the hook got is no JSON");
    const answer = await handle(input, root);
    if (answer !== void 0) say(answerText(answer, input.event));
  } catch (error) {
    letGo(error);
  }
}

// src/hooks/turn.ts
import { existsSync as existsSync5, readFileSync as readFileSync8 } from "node:fs";

// src/claims/promise.ts
function promiseMarker(promise) {
  return `<promise>${promise}</promise>`;
}
var DECORATION = /^[\s*_`]+|[\s*_`]+$/g;
function promiseIn(text, { promise = "", promiseLine = false }) {
  if (promise === "") return false;
  const marker = promiseMarker(promise);
  if (!promiseLine || !text.includes(marker)) return text.includes(marker);
  return text.split(/\r\n|\r|\n/).some((line) => line.replace(DECORATION, "") === marker);
}

// src/agent-events.ts
var NO_USAGE = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0
};

// src/loop/clock.ts
import { setTimeout as sleep } from "node:timers/promises";
var LONGEST_NAP_MS = 6e4;
var aheadMs = Number.NEGATIVE_INFINITY;
function now() {
  aheadMs = Math.max(aheadMs, Date.now() - performance.now());
  return Math.round(performance.now() + aheadMs);
}
var systemClock = {
  now,
  async sleepUntil(untilMs, signal) {
    while (!signal.aborted && now() < untilMs) {
      const napMs = Math.min(untilMs - now(), LONGEST_NAP_MS);
      await sleep(Math.max(napMs, 0), void 0, { signal }).catch(() => {
      });
    }
  }
};

// src/loop/outcome.ts
function endedEvent({ run, startedAtMs, iteration, usage }, outcome, at) {
  return {
    type: "run.ended",
    at,
    run,
    outcome,
    iterations: iteration,
    usage,
    costUsd: usage.costUsd,
    tokens: usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    wallMs: Math.max(0, at - startedAtMs)
    // the clock may have been set back
  };
}
function sessionStatus(outcome) {
  switch (outcome.kind) {
    case "verified":
    case "claimed":
      return "PROMISE_ACCEPTED";
    case "exhausted":
      return "MAX_ITERATIONS_REACHED";
    case "stopped":
      return "CANCELLED";
    default:
      return outcome.kind.toUpperCase();
  }
}

// src/loop/prompt-copy.ts
import { mkdirSync as mkdirSync2, writeFileSync } from "node:fs";
import { dirname, join as join3 } from "node:path";
function threeDigits(n) {
  return String(n).padStart(3, "0");
}
function promptCopy(folder, iteration) {
  return join3(folder, "prompts", `${threeDigits(iteration)}.txt`);
}
function keepPrompt(folder, iteration, prompt) {
  const path = promptCopy(folder, iteration);
  mkdirSync2(dirname(path), { recursive: true, mode: 448 });
  writeFileSync(path, prompt, { mode: 384, flush: true });
}

// src/loop/session-state.ts
function withSessionTurn(state, { toolCalls, changed, spoken }) {
  return {
    toolCalls: state.toolCalls + toolCalls,
    treeChanged: changed === true,
    // The program counts anew when a tool was used, and when its user said something.
    sentBack: toolCalls > 0 || spoken === true ? 0 : state.sentBack
  };
}
function promiseOf(state, spec) {
  if ((spec.claim.promise ?? "") === "") return "none";
  if (state.claims.promise !== true) return "missing";
  const { session } = spec;
  if (session === void 0 || session.onNoWork !== "reject") return "stands";
  const worked = state.toolCalls >= session.minToolCalls || session.uncounted === true && state.treeChanged;
  return worked ? "stands" : "without-work";
}
function lacksPromise(state) {
  const { spec } = state;
  if (spec === void 0) return false;
  const promise = promiseOf(state, spec);
  return promise === "missing" || promise === "without-work";
}
function isCapped(state, { session }) {
  const most = session?.mostBlocks ?? 0;
  return state.inSession && most > 0 && state.sentBack >= most;
}

// src/hooks/advance.ts
import { createHash } from "node:crypto";

// src/journal/journal.ts
import { mkdirSync as mkdirSync3 } from "node:fs";
import { open } from "node:fs/promises";
import { dirname as dirname2 } from "node:path";
async function openJournal(path) {
  const file = await openPrivate(path);
  let size = await cutTornLine(file);
  let queue = [];
  let writing;
  const flush = async () => {
    while (queue.length > 0) {
      const batch = queue;
      queue = [];
      const bytes = Buffer.from(batch.map((one) => one.line).join(""), "utf8");
      try {
        await writeAll(file, bytes, size);
        await file.datasync();
        if ((await file.stat()).nlink === 0) throw removed(path);
        size += bytes.length;
        for (const one of batch) one.done();
      } catch (error) {
        await file.truncate(size).catch(() => {
        });
        const fault = error instanceof UserError ? error : unwritableState("the run's journal", path, error);
        for (const one of batch) one.failed(fault);
      }
    }
    writing = void 0;
  };
  return {
    append(event) {
      return new Promise((done, failed2) => {
        queue.push({ line: `${JSON.stringify(event)}
`, done, failed: failed2 });
        writing ??= flush();
      });
    },
    async close() {
      await writing;
      await file.close();
    }
  };
}
function removed(path) {
  return new UserError(
    "the run's journal is gone",
    `${path} was removed while the run was under way`,
    "Put it back as it was."
  );
}
async function openPrivate(path) {
  try {
    const firstMade = mkdirSync3(dirname2(path), { recursive: true, mode: 448 });
    await (await open(path, "a+", 384)).close();
    await syncFolders(dirname2(path), firstMade);
    return await open(path, "r+");
  } catch (error) {
    throw unwritableState("the run's journal", path, error);
  }
}
async function syncFolders(folder, firstMade) {
  if (process.platform === "win32") return;
  const top = firstMade === void 0 ? folder : dirname2(firstMade);
  for (let at = folder; at.startsWith(top); at = dirname2(at)) {
    const handle = await open(at, "r").catch(() => void 0);
    await handle?.sync().catch(() => {
    });
    await handle?.close();
    if (at === top) return;
  }
}
async function writeAll(file, bytes, at) {
  let written = 0;
  while (written < bytes.length) {
    const result = await file.write(bytes, written, bytes.length - written, at + written);
    written += result.bytesWritten;
  }
}
async function cutTornLine(file) {
  const { size } = await file.stat();
  const step = 64 * 1024;
  let end2 = size;
  while (end2 > 0) {
    const start = Math.max(0, end2 - step);
    const chunk = Buffer.alloc(end2 - start);
    await file.read(chunk, 0, chunk.length, start);
    const newline = chunk.lastIndexOf(10);
    if (newline >= 0) {
      end2 = start + newline + 1;
      break;
    }
    end2 = start;
  }
  if (end2 < size) {
    await file.truncate(end2);
    await file.datasync();
  }
  return end2;
}

// src/spec.ts
function checksWork(gate) {
  return gate.kind !== "protect" && gate.kind !== "clean-tree";
}
function agentsOf(spec) {
  return [spec.agent, ...spec.fallback ?? []];
}

// src/loop/limits.ts
var MAX_ROUNDS = 3;
var FIRST_WAIT_MS = 3e4;
var LONGEST_WAIT_MS = 60 * 6e4;
var LONGEST_TOLD_MS = 32 * 24 * 60 * 6e4;
var JITTER = 0.1;
function isWaitable(ending) {
  return ending.kind === "limited" && ending.scope !== "context";
}
function waitUntil(facts) {
  const { atMs, earlier } = facts;
  const backOffMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(earlier, 20), LONGEST_WAIT_MS);
  const jitterMs = Math.floor(fractionOf(`${facts.seed} ${atMs}`) * backOffMs * JITTER);
  const told = facts.retryAtMs ?? 0;
  const isCredible = told > atMs && told <= atMs + LONGEST_TOLD_MS;
  if (!isCredible) return atMs + backOffMs + jitterMs;
  return (earlier === 0 ? told : Math.max(told, atMs + backOffMs)) + jitterMs;
}
function fractionOf(text) {
  let hash = 2166136261;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 16777619);
  return (hash >>> 0) / 2 ** 32;
}
function describeEnding(ending) {
  switch (ending.kind) {
    case "finished":
      return "finished";
    case "error":
    case "unauthorised":
    case "not-started":
      return ending.message;
    case "limited":
      return ending.scope === "context" ? `ran out of context (${ending.message})` : ending.message;
    case "killed":
      return KILLED[ending.why];
  }
}
var KILLED = {
  idle: "was silent for too long and was ended",
  timeout: "took longer than its time limit and was ended",
  stopped: "was ended because the run was stopped",
  signal: "was killed by a signal"
};

// src/loop/held.ts
function heldAfter(state, event) {
  const { agent } = state;
  const { ending } = event;
  if (ending.kind === "killed" && ending.why === "stopped") return state.held;
  const others = state.held.filter((hold) => hold.agent !== agent);
  if (agent > 0 && (ending.kind === "unauthorised" || ending.kind === "not-started")) {
    const never = { untilMs: event.at, times: Number.POSITIVE_INFINITY, offline: false };
    return [...others, { agent, why: ending.message, ...never }];
  }
  if (!isWaitable(ending)) return others;
  const earlier = state.held.find((hold) => hold.agent === agent)?.times ?? 0;
  const seed = `${event.run} ${agent}`;
  const untilMs = waitUntil({ atMs: event.at, retryAtMs: ending.retryAtMs, earlier, seed });
  const offline = ending.scope === "offline";
  return [...others, { agent, untilMs, why: ending.message, offline, times: earlier + 1 }];
}
function nextTurn({ held, nowMs }, spec) {
  const isGivenUp = (hold) => hold.times > spec.limits.waits;
  const isInForce = (hold) => hold.untilMs > nowMs;
  const offline = held.find((hold) => hold.offline && isInForce(hold));
  const free = agentsOf(spec).findIndex(
    (_, agent) => !held.some((hold) => hold.agent === agent && (isGivenUp(hold) || isInForce(hold)))
  );
  if (free >= 0 && offline === void 0) return { kind: "turn", agent: free };
  const awaited = offline ?? earliest(held.filter((hold) => !isGivenUp(hold)));
  if (awaited === void 0 || free < 0 && held.every(isGivenUp)) {
    return { kind: "nobody", why: held.at(-1)?.why ?? "" };
  }
  return { kind: "wait", hold: awaited };
}
function earliest(holds) {
  return holds.reduce(
    (first, hold) => first === void 0 || hold.untilMs < first.untilMs ? hold : first,
    void 0
  );
}

// src/loop/state.ts
var INITIAL = {
  run: "",
  startedAtMs: 0,
  phase: "ready",
  iteration: 0,
  round: 1,
  verdicts: [],
  treeMoved: false,
  claims: {},
  feedback: [],
  onlyDenials: false,
  noProgress: 0,
  failures: 0,
  toolCalls: 0,
  treeChanged: false,
  inSession: false,
  sentBack: 0,
  empties: 0,
  taskNotes: [],
  putBack: [],
  green: [],
  reopened: false,
  onlyLogged: false,
  agent: 0,
  held: [],
  countFromMs: 0,
  waitedMs: 0,
  nowMs: 0,
  doneRefused: false,
  childrenSettled: false,
  rested: true,
  turnEndedMs: 0,
  commitMessage: "",
  usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 }
};
function workedMs(state) {
  return Math.max(0, state.nowMs - state.countFromMs - state.waitedMs);
}

// src/loop/task-state.ts
var MOST_EMPTIES = 3;
function withTask(state, { task }) {
  const { task: _task, taskResult: _result, ...rest } = state;
  const fresh = { ...rest, reopened: false, onlyLogged: false, putBack: [] };
  if (task === void 0) return fresh;
  const { list, prd, prompt } = task;
  const trust = {
    list,
    ...prd === void 0 ? {} : { prd },
    ...prompt === void 0 ? {} : { prompt }
  };
  return { ...fresh, task, trust };
}
function withTaskResult(state, event) {
  const { tasks } = event;
  const counted = {
    ...state,
    empties: event.empty === true ? state.empties + 1 : 0,
    onlyLogged: event.onlyLogged === true
  };
  if (tasks === void 0) return counted;
  const isTold = event.ending.kind === "finished" && event.empty !== true;
  return {
    ...counted,
    ...believing(state, tasks.list),
    taskResult: tasks,
    taskNotes: isTold ? tasks.notes : [.../* @__PURE__ */ new Set([...state.taskNotes, ...tasks.notes])],
    putBack: [.../* @__PURE__ */ new Set([...state.putBack, ...tasks.putBack ?? []])]
  };
}
function foundDone(state, { list }) {
  if (list === void 0) return { ...state, claims: { done: true } };
  const { task: _task, taskResult: _result, ...rest } = state;
  return { ...rest, ...believing(state, list), claims: { tasks: true }, reopened: false };
}
function withReopened(state, { list }) {
  const { tasks: _tasks, ...claims } = state.claims;
  return { ...state, ...believing(state, list), claims, reopened: true };
}
function resumedTasks(state, before) {
  if (state.spec?.work.kind !== "tasks") return state;
  const { trust: _trust, task: _task, taskResult: _result, ...rest } = state;
  const unspent = before === "prompted" ? 1 : 0;
  return { ...rest, claims: {}, phase: "ready", iteration: state.iteration - unspent };
}
function mustReopen(state, spec) {
  if (spec.work.kind !== "tasks" || state.reopened) return false;
  const failing = state.verdicts.flatMap(
    (verdict, gate) => verdict.pass || verdict.skipped !== void 0 ? [] : [gate]
  );
  if (failing.length === 0) return false;
  if (state.claims.tasks === true) return true;
  return state.taskResult?.approved !== void 0 && failing.some((gate) => state.green.includes(gate));
}
function greenWith(green, { gate, verdict }) {
  return verdict.pass && !green.includes(gate) ? [...green, gate] : green;
}
function believing(state, list) {
  return { trust: { ...state.trust, list } };
}

// src/loop/decide.ts
function decide(state) {
  const { spec } = state;
  if (spec === void 0) return end({ kind: "failed", reason: "the run has no description" });
  if (state.fatal !== void 0) return end(state.fatal);
  if (state.stop !== void 0) return end({ kind: "stopped", reason: `stopped by ${state.stop}` });
  const { iteration } = state;
  switch (state.phase) {
    case "baseline":
      return { do: "judge", iteration: 0, round: 1, gate: state.verdicts.length };
    case "prompted":
      return { do: "run-agent", iteration };
    case "judging":
      return { do: "judge", iteration, round: state.round, gate: state.verdicts.length };
    case "passed":
      return spec.scm === void 0 ? conclude(state, spec) : { do: "word-commit", iteration };
    case "worded":
      return {
        do: "commit",
        iteration,
        message: state.commitMessage,
        ...state.commitHead === void 0 ? {} : { head: state.commitHead }
      };
    case "settled":
      return conclude(state, spec);
    case "ready":
      return goOn(state, spec);
    case "ended":
      return end(state.outcome ?? { kind: "failed", reason: "the run ended without an outcome" });
  }
}
function conclude(state, spec) {
  if (mustReopen(state, spec)) {
    const story = state.task?.story;
    return { do: "reopen-story", iteration: state.iteration, ...story === void 0 ? {} : { story } };
  }
  const passed = state.verdicts.every((verdict) => verdict.pass) && state.verdicts.length === spec.gates.length;
  const claimed = claimsDone(state, spec);
  const proofs = spec.gates.filter(checksWork).length;
  const met = spec.claim.needed === false && proofs > 0;
  if (passed && (claimed || met)) {
    if (state.claims.done === true && !state.childrenSettled)
      return { do: "await-children", iteration: state.iteration };
    const said2 = claimed ? saidBy(state, spec) : "no claim is needed";
    if (proofs === 0) return end({ kind: "claimed", reason: `${said2}; nothing was checked` });
    return end({ kind: "verified", reason: `${plural(proofs, "gate")} passed, ${said2}` });
  }
  if (state.claims.wait !== void 0) {
    return end({ kind: "waiting", reason: `the agent waits for something outside (${state.claims.wait})` });
  }
  const needs = state.claims.blocked;
  if (needs !== void 0) return end({ kind: "waiting", reason: "the agent is blocked on a person", needs });
  if (state.onlyDenials) {
    return end({
      kind: "stuck",
      reason: "the agent was denied every tool it asked for, so it cannot do the work"
    });
  }
  return goOn(state, spec);
}
function goOn(state, spec) {
  if (state.compared !== void 0 && state.iteration < spec.limits.iterations) {
    return { do: "judge-progress", iteration: state.iteration };
  }
  if (spec.limits.failures > 0 && state.failures >= spec.limits.failures) {
    const reason = `${plural(state.failures, "agent turn")} in a row failed; the last one: ${state.turnFailure ?? ""}`;
    return end({ kind: "stuck", reason });
  }
  if (spec.limits.noProgress > 0 && state.noProgress >= spec.limits.noProgress) {
    const reason = `${plural(state.noProgress, "iteration")} in a row made no progress: nothing changed, or only the same failure came again`;
    return end({ kind: "stuck", reason });
  }
  if (state.iteration >= spec.limits.iterations) {
    return end({ kind: "exhausted", limit: "iterations", reason: usedUp(spec) });
  }
  if (isCapped(state, spec)) {
    const reason = `the agent was told to go on ${plural(state.sentBack, "time")} in a row and used no tool, and its program allows no more`;
    return end({ kind: "waiting", reason, needs: "`ralph resume` goes on without the session" });
  }
  const { durationMs = 0 } = spec.limits;
  if (durationMs > 0 && workedMs(state) >= durationMs) {
    const reason = `its time is up (${describeDuration(durationMs)}) and the work is not proven done`;
    return end({ kind: "exhausted", limit: "duration", reason });
  }
  if (spec.restart.delayMs > 0 && !state.rested) {
    return { do: "pause", iteration: state.iteration, untilMs: state.turnEndedMs + spec.restart.delayMs };
  }
  return takeTurn(state, spec, state.iteration + 1);
}
function takeTurn(state, spec, iteration) {
  const next = nextTurn(state, spec);
  switch (next.kind) {
    case "turn": {
      if (next.agent === 0) return { do: "start-iteration", iteration };
      const heldUntilMs = state.held.find((hold) => hold.agent === 0)?.untilMs ?? state.nowMs;
      return { do: "start-iteration", iteration, agent: next.agent, heldUntilMs };
    }
    case "wait": {
      const { untilMs, why, offline } = next.hold;
      return { do: "wait", iteration, untilMs, why, ...offline ? { offline } : {} };
    }
    case "nobody": {
      const reason = `the agent's service still holds it back after ${plural(spec.limits.waits, "wait")}: ${next.why}`;
      return end({ kind: "waiting", reason });
    }
  }
}
function usedUp({ kind, limits }) {
  if (kind === "supervise") return `max restarts exceeded (${limits.iterations})`;
  if (kind === "session")
    return `told to go on ${plural(limits.iterations - 1, "time")}, and the work is not done`;
  return `${plural(limits.iterations, "iteration")} used and the work is not proven done`;
}
function saidBy({ claims, toolCalls }, spec) {
  const { done, tasks, promised } = claims;
  if (tasks === true) return `every story is finished${promised === true ? ", as the agent promised" : ""}`;
  const { promise = "" } = spec.claim;
  if (promise !== "") {
    const few = toolCalls < (spec.session?.minToolCalls ?? 0);
    return `promised <promise>${promise}</promise>${few ? ` with ${plural(toolCalls, "tool call")}` : ""}`;
  }
  return done === true ? "DONE is there" : `claimed <response>${spec.claim.response}</response>`;
}
function claimsDone(state, spec) {
  if (spec.work.kind === "tasks") return state.claims.tasks === true;
  if (spec.claim.done && state.claims.done === true) return true;
  if ((spec.claim.promise ?? "") !== "") return promiseOf(state, spec) === "stands";
  const wanted = spec.claim.response.trim().toLowerCase();
  return wanted !== "" && state.claims.response?.trim().toLowerCase() === wanted;
}
function end(outcome) {
  return { do: "end", outcome };
}
function describeDuration(ms) {
  return ms % 6e4 === 0 ? plural(ms / 6e4, "minute") : plural(ms / 1e3, "second");
}
function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

// src/loop/progress.ts
function withProgress(state, before = []) {
  if (state.turnTree === void 0 || state.verdicts.some((verdict) => verdict.unjudged === true))
    return state;
  const measured = { tree: state.turnTree, ...failureOf(state.verdicts) };
  const earlier = state.measured;
  if (earlier === void 0) return { ...state, measured };
  const repeated = measured.failure !== "" && measured.failure === earlier.failure && measured.errors === earlier.errors;
  const moved = measured.tree !== earlier.tree && !repeated && !state.onlyLogged;
  if (!moved) return { ...state, measured, noProgress: state.noProgress + 1 };
  const { noProgress } = state;
  const isJudged = state.spec?.judge?.progress === true && state.spec.limits.noProgress > 0;
  const compared = isJudged && measured.failure !== "" && before.length > 0 && state.iteration > 1 ? { compared: { feedback: before, tree: earlier.tree, noProgress } } : {};
  return { ...state, measured, noProgress: 0, ...compared };
}
function withJudgedProgress(state, progress) {
  const { compared, ...rest } = state;
  if (compared === void 0 || progress !== false) return rest;
  return { ...rest, noProgress: compared.noProgress + 1 };
}
function failureOf(verdicts) {
  const failed2 = verdicts.flatMap(
    (verdict, gate) => verdict.pass ? [] : [{ gate, output: verdict.output }]
  );
  return {
    // Times and counts differ from run to run; what remains tells one failure from another.
    failure: failed2.map(({ gate, output }) => `${gate}:${output.replace(/\d+/g, "#")}`).join("\n"),
    errors: failed2.reduce((sum, { output }) => sum + (output.match(/\b(?:error|fail)/gi)?.length ?? 0), 0)
  };
}

// src/loop/evolve.ts
function evolve(before, event) {
  if (before.phase === "ended" && event.type !== "run.resumed") return before;
  const state = { ...before, nowMs: event.at };
  switch (event.type) {
    case "run.started":
      return started(state, event);
    case "iteration.started":
      return begun(state, event);
    case "agent.started":
      return { ...state, process: event.process };
    case "agent.exited":
      return exited(state, event);
    case "gate.judged":
      return judged(state, event);
    case "progress.judged":
      return withJudgedProgress({ ...state, usage: addUsage(state.usage, event.usage) }, event.progress);
    case "commit.intended":
      return worded(state, event);
    case "committed":
      return committed(state, event);
    case "waited":
      return event.pause === true ? { ...state, ...pausedSince(before, event), rested: true } : { ...state, ...pausedSince(before, event), nowMs: Math.max(state.nowMs, event.untilMs) };
    case "done.found":
      return claimedDone({ ...foundDone(state, event), verdicts: [], round: 1 });
    case "story.reopened":
      return withReopened(state, event);
    case "children.settled":
      return { ...state, childrenSettled: true };
    case "run.resumed":
      return resumed({ ...state, ...pausedSince(before, event) }, event);
    case "stop.requested":
      return { ...state, stop: state.stop ?? event.by };
    case "run.faulted":
      return { ...state, fatal: { kind: "failed", reason: `${event.what}: ${event.why}`, fix: event.fix } };
    case "run.ended":
      return { ...state, phase: "ended", phaseBefore: state.phase, outcome: event.outcome };
  }
}
function pausedSince(before, event) {
  return { waitedMs: before.waitedMs + Math.max(0, event.at - before.nowMs) };
}
function resumed(state, event) {
  const { stop: _stop, fatal: _fatal, outcome, phaseBefore, compared, ...rest } = state;
  const hadEnded = state.phase === "ended";
  const goesOn = !hadEnded || outcome?.kind === "stopped" || outcome?.kind === "failed";
  const pending = goesOn && compared !== void 0 ? { compared } : {};
  const phase = hadEnded ? (goesOn ? phaseBefore : void 0) ?? "ready" : state.phase;
  const counts = hadEnded ? { failures: 0, noProgress: 0, countFromMs: event.at, waitedMs: 0 } : {};
  const backMs = Math.max(0, state.turnEndedMs - event.at);
  const turnEndedMs = state.turnEndedMs - backMs;
  const held = goesOn ? state.held.map((hold) => ({ ...hold, untilMs: hold.untilMs - backMs })) : [];
  const more = event.iterations;
  const spec = state.spec === void 0 || more === void 0 ? {} : { spec: { ...state.spec, limits: { ...state.spec.limits, iterations: more } } };
  const next = {
    ...rest,
    ...spec,
    ...pending,
    ...meansOf(event),
    ...counts,
    turnEndedMs,
    held,
    phase,
    inSession: false,
    sentBack: 0
  };
  return hadEnded ? resumedTasks(next, phaseBefore ?? "ready") : next;
}
function started(state, event) {
  const withBaseline = event.spec.baseline && event.spec.gates.length > 0;
  return {
    ...state,
    run: event.run,
    spec: event.spec,
    startedAtMs: event.at,
    countFromMs: event.at,
    ...meansOf(event),
    phase: withBaseline ? "baseline" : "ready",
    inSession: event.spec.session !== void 0
  };
}
function meansOf({ means }) {
  return means === void 0 ? {} : { means };
}
function begun(state, event) {
  const { turnTree: _old, compared: _compared, ...rest } = omitTree(state);
  const first = event.tree === void 0 ? {} : { measured: { tree: event.tree, failure: "", errors: 0 } };
  return {
    ...withTask(rest, event),
    ...first,
    phase: "prompted",
    iteration: event.iteration,
    agent: event.agent ?? 0,
    sentBack: state.inSession && event.iteration > 1 ? state.sentBack + 1 : 0,
    round: 1,
    verdicts: [],
    claims: {}
  };
}
function exited(state, event) {
  const { process: _gone, turnFailure, ...rest } = withTaskResult(state, event);
  const after = {
    ...rest,
    usage: addUsage(state.usage, event.usage),
    held: heldAfter(state, event),
    ...withSessionTurn(state, event),
    onlyDenials: event.denials > 0 && event.toolCalls <= event.denials,
    rested: false,
    turnEndedMs: event.at,
    ...event.tree === void 0 ? {} : { turnTree: event.tree }
  };
  const { ending } = event;
  const kept = turnFailure === void 0 ? {} : { turnFailure };
  const notCharged = { ...after, ...kept, phase: "ready", iteration: state.iteration - 1 };
  if (event.empty === true) {
    return after.empties <= MOST_EMPTIES ? notCharged : failed(after, "ended without a word, again and again");
  }
  if (ending.kind === "finished" || event.claims.done === true || event.claims.wait !== void 0) {
    return claimedDone({ ...after, claims: event.claims, failures: 0 });
  }
  if (ending.kind === "unauthorised" || ending.kind === "not-started") {
    if (state.agent > 0) return notCharged;
    const fix = "Log the agent in (or set its key), then start the run again.";
    return {
      ...after,
      fatal: {
        kind: "failed",
        reason: ending.kind === "unauthorised" ? `The agent was refused: ${ending.message}` : ending.message,
        fix: ending.kind === "unauthorised" ? fix : "Check agent.command; `ralph doctor` shows what is installed."
      }
    };
  }
  if (ending.kind === "killed" && ending.why === "stopped" && state.stop !== void 0) {
    return { ...after, phase: "ready", iteration: state.iteration - 1 };
  }
  return isWaitable(ending) ? notCharged : failed(after, describeEnding(ending));
}
function failed(state, turnFailure) {
  return { ...state, phase: "ready", failures: state.failures + 1, turnFailure };
}
function claimedDone(state) {
  if (lacksPromise(state)) return { ...state, phase: "settled", feedback: [] };
  return hasGates(state) ? { ...state, phase: "judging" } : withProgress({ ...state, phase: "passed" });
}
function judged(state, event) {
  const verdicts = [...state.verdicts, event.verdict];
  const tree = event.gate === 0 ? event.treeBefore : state.tree;
  const moved = tree !== void 0 && event.treeAfter !== void 0 && tree !== event.treeAfter;
  const treeMoved = event.gate > 0 && state.treeMoved || moved;
  const next = {
    ...omitTree(state),
    usage: addUsage(state.usage, event.usage),
    green: greenWith(state.green, event),
    verdicts,
    treeMoved,
    ...tree === void 0 ? {} : { tree }
  };
  if (verdicts.length < (state.spec?.gates.length ?? 0)) return next;
  const failed2 = verdicts.flatMap(
    (verdict, gate) => verdict.pass || verdict.skipped !== void 0 ? [] : [{ gate, verdict }]
  );
  if (state.phase === "baseline") {
    const feedback = state.spec?.prompt.baselineFeedback ? failed2 : [];
    return { ...omitTree(next), phase: "ready", verdicts: [], feedback };
  }
  if (verdicts.some((verdict) => !verdict.pass)) {
    const doneRefused = state.doneRefused || state.claims.done === true;
    return withProgress({ ...next, phase: "settled", feedback: failed2, doneRefused }, state.feedback);
  }
  if (treeMoved)
    return judgeAgain(
      next,
      `the guardrails themselves change the files of the project every time they run; ${IGNORE}`
    );
  return withProgress({ ...next, phase: "passed", feedback: [] });
}
function worded(state, event) {
  const next = {
    ...state,
    usage: addUsage(state.usage, event.usage),
    commitMessage: event.message,
    ...event.head === void 0 ? {} : { commitHead: event.head },
    phase: "worded"
  };
  const changed = state.tree !== void 0 && event.tree !== void 0 && state.tree !== event.tree;
  return changed ? judgeAgain(next, "the turn that worded the commit message changes the files of the project every time") : next;
}
function committed(state, event) {
  const next = { ...state, phase: "settled", usage: addUsage(state.usage, event.usage) };
  const changed = state.tree !== void 0 && event.tree !== void 0 && state.tree !== event.tree;
  if (event.mismatch !== void 0)
    return judgeAgain(next, `what was committed is not what was judged (${event.mismatch})`);
  return changed ? judgeAgain(next, "the scm tasks change the files of the project every time") : next;
}
var IGNORE = "what they write belongs into .gitignore";
function judgeAgain(state, why) {
  const again = { ...omitTree(state), phase: "judging", round: state.round + 1, verdicts: [] };
  if (state.round < MAX_ROUNDS) return again;
  const last = state.verdicts.at(-1);
  const verdict = {
    pass: false,
    exitCode: last?.exitCode ?? null,
    wallMs: 0,
    logPath: last?.logPath ?? "",
    output: "",
    truncated: false,
    reason: `${why}, so that nothing is proven about what stands there`
  };
  return {
    ...state,
    phase: "settled",
    doneRefused: state.doneRefused || state.claims.done === true,
    verdicts: [verdict],
    feedback: [{ gate: state.verdicts.length - 1, verdict }]
  };
}
function omitTree(state) {
  const { tree: _tree, ...rest } = state;
  return rest;
}
function hasGates(state) {
  return (state.spec?.gates.length ?? 0) > 0;
}
function addUsage(a, b) {
  if (b === void 0) return a;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: a.costUsd + b.costUsd
  };
}

// src/loop/drive.ts
async function driveUntil({ history, journal, reporter, perform, onStart }, isAnothers) {
  let state = history.reduce(evolve, INITIAL);
  const record = async (event) => {
    await journal.append(event);
    state = evolve(state, event);
    reporter.happened(event);
  };
  let isEnding = false;
  onStart(async (by) => {
    if (!isEnding) await record({ type: "stop.requested", at: Date.now(), run: state.run, by });
  });
  while (state.phase !== "ended") {
    const step = decide(state);
    if (isAnothers(step)) break;
    isEnding = step.do === "end";
    reporter.doing(step);
    await record(await perform(step, state, record));
  }
  return state;
}

// src/hooks/open-loop.ts
import { existsSync } from "node:fs";
import { dirname as dirname4, join as join4 } from "node:path";
import { setTimeout as sleep2 } from "node:timers/promises";

// src/journal/lock.ts
import { linkSync, mkdirSync as mkdirSync4, readFileSync as readFileSync2, rmSync, unlinkSync, writeFileSync as writeFileSync2 } from "node:fs";
import { hostname } from "node:os";
import { dirname as dirname3 } from "node:path";
var HEALS_MS = 2e3;
var HEAL_STEP_MS = 5;
function takeLock(path, run, alive, nowMs) {
  const owner = self(run, alive, nowMs);
  const draft = `${path}.${owner.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    mkdirSync4(dirname3(path), { recursive: true, mode: 448 });
    writeFileSync2(draft, JSON.stringify(owner), { mode: 384, flag: "wx" });
  } catch (error) {
    unlink(draft);
    throw unwritableState("the run's state", path, error);
  }
  const healed = [];
  const deadline = performance.now() + HEALS_MS;
  try {
    for (; ; ) {
      if (tryLink(draft, path)) return { held: true, healed, release: () => release(path, owner) };
      const other = readOwner(path);
      if (other !== void 0 && isLiving(other, alive)) return { held: false, owner: other };
      if (heal(path, draft, alive)) {
        if (other !== void 0) healed.push(other);
        continue;
      }
      const healer = readOwner(healingOf(path));
      if (healer !== void 0 && performance.now() > deadline) return { held: false, owner: healer };
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HEAL_STEP_MS);
    }
  } finally {
    rmSync(draft, { force: true });
  }
}
function lockOwner(path, alive) {
  const owner = readOwner(path);
  return owner !== void 0 && isLiving(owner, alive) ? owner : void 0;
}
function heal(path, draft, alive) {
  const healing = healingOf(path);
  if (!tryLink(draft, healing)) {
    const healer = readOwner(healing);
    if (healer === void 0 || !isLiving(healer, alive)) rmSync(healing, { force: true });
    return false;
  }
  try {
    const owner = readOwner(path);
    if (owner !== void 0 && isLiving(owner, alive)) return false;
    rmSync(path, { force: true, recursive: true });
    return true;
  } finally {
    rmSync(healing, { force: true });
  }
}
function healingOf(path) {
  return `${path}.healing`;
}
function isLiving(owner, alive) {
  if (owner.host !== hostname()) return true;
  if (owner.boot !== void 0 && owner.boot !== bootId()) return false;
  return alive.isLiving(owner);
}
function self(run, alive, at) {
  const boot = bootId();
  return { ...alive.self(), host: hostname(), run, at, ...boot === void 0 ? {} : { boot } };
}
function tryLink(draft, path) {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}
function readOwner(path) {
  try {
    const value = JSON.parse(readFileSync2(path, "utf8"));
    return Number.isInteger(value.pid) && typeof value.host === "string" ? value : void 0;
  } catch {
    return void 0;
  }
}
function release(path, owner) {
  const now2 = readOwner(path);
  if (now2?.pid !== owner.pid || now2.run !== owner.run) return;
  unlink(path);
}
function unlink(path) {
  try {
    unlinkSync(path);
  } catch {
  }
}
function bootId() {
  try {
    return readFileSync2("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return void 0;
  }
}

// src/journal/read.ts
import { readFileSync as readFileSync3 } from "node:fs";
function readJournal(path) {
  const lines = textOf(path).split("\n");
  lines.pop();
  return lines.map((line, index) => {
    const event = eventIn(line);
    if (event?.type === "run.started" && event.journal !== JOURNAL) {
      throw new UserError(
        "cannot read the run's journal",
        `${path} was written by ralph ${event.ralph}, in a way that this one does not know`,
        "Install that version, or start a new run."
      );
    }
    if (event !== void 0) return event;
    throw new UserError(
      "cannot read the run's journal",
      `line ${index + 1} of ${path} is damaged`,
      "Restore the file from a backup, or start a new run."
    );
  });
}
function textOf(path) {
  try {
    return readFileSync3(path, "utf8");
  } catch (cause) {
    throw new UserError(
      "cannot read the run's journal",
      `${path} cannot be read (${codeOf(cause) ?? messageOf(cause)})`,
      "Put it back as it was, or start a new run.",
      { cause }
    );
  }
}
var JOURNAL = 1;
function eventIn(line) {
  try {
    const value = JSON.parse(line);
    return typeof value?.type === "string" && typeof value.at === "number" ? value : void 0;
  } catch {
    return void 0;
  }
}

// src/supervise/namespace.ts
import { readdirSync, readFileSync as readFileSync4, readlinkSync } from "node:fs";
var REPORT_FD = 3;
var FIRST_PROCESS = `exec 4>&2 2>/dev/null
(exec "$@" 2>&4 3>&- 4>&-)
code=$?
set -- /proc/[0-9]*
echo "$code $#" >&${REPORT_FD}
read -r _ <&${REPORT_FD}`;
var HARMLESS = new Set(
  "SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGWINCH SIGSTKFLT".split(" ")
);
function spaceOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return void 0;
  }
}
function numbersOf(pid) {
  try {
    const line = /^NSpid:\s*(.*)$/m.exec(readFileSync4(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
    return line.split(/\s+/).map(Number);
  } catch {
    return [];
  }
}
function pidInSpace(space, inner) {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.find((pid) => spaceOf(pid) === space && numbersOf(pid).at(-1) === inner);
}

// src/supervise/proc.ts
import { readdirSync as readdirSync2, readFileSync as readFileSync5 } from "node:fs";
function startTicksOf(pid) {
  const fields = statFields(pid);
  const ticks = Number(fields?.[19]);
  return Number.isFinite(ticks) ? ticks : void 0;
}
var TICKS = 100;
var YOUNG_TICKS = 0.2 * TICKS;
function statFields(pid) {
  try {
    const stat = readFileSync5(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return void 0;
  }
}
function latestPid() {
  try {
    return Number(readFileSync5("/proc/loadavg", "latin1").trim().split(" ")[4]);
  } catch {
    return void 0;
  }
}
function isAlive(pid) {
  const fields = statFields(pid);
  if (fields !== void 0) return fields[0] !== "Z";
  if (latestPid() !== void 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

// src/supervise/spaces.ts
var SPACES_VARIABLE = "RALPH_PID_SPACES";
function ownSpaces(env) {
  const own = spaceOf("self");
  if (own === void 0) return [];
  const around = (env[SPACES_VARIABLE] ?? "").split(" ").filter((space) => space !== "" && space !== own);
  return [own, ...around];
}
var OUTERMOST = "pid:[4026531836]";
function locate(named) {
  const here = spaceOf("self");
  const [its] = named.spaces ?? [];
  if (its === void 0 || here === void 0 || its === here) return living(named.pid, named.startTicks);
  const pid = pidInSpace(its, named.pid);
  if (pid !== void 0) return living(pid, named.startTicks);
  return here === OUTERMOST || named.spaces?.includes(here) === true ? void 0 : "unseen";
}
function living(pid, startTicks) {
  if (!isAlive(pid)) return void 0;
  return startTicksOf(pid) === startTicks ? pid : void 0;
}
function nameSelf(env) {
  const startTicks = startTicksOf(process.pid);
  const spaces = ownSpaces(env);
  return {
    pid: process.pid,
    ...startTicks === void 0 ? {} : { startTicks },
    ...spaces.length === 0 ? {} : { spaces }
  };
}

// src/loop/liveness.ts
var LIVENESS = {
  self: () => nameSelf(process.env),
  isLiving: (owner) => locate(owner) !== void 0
};

// src/hooks/open-loop.ts
function journalOf({ folder }) {
  return join4(folder, "journal.ndjson");
}
function openLoop(marker, session) {
  const events = readJournal(journalOf(marker));
  const state = events.reduce(evolve, INITIAL);
  const { spec } = state;
  if (spec?.session === void 0 || spec.session.id !== session) return { why: "it is another session's" };
  if (state.phase === "ended") return { why: "it has ended" };
  if (!state.inSession) return { why: "it was resumed without the session" };
  if (lockOwner(join4(dirname4(marker.folder), "lock"), LIVENESS)?.run === marker.run)
    return { why: "another process drives it" };
  return { marker, spec, events, state };
}
var PATIENCE_MS = 1e3;
var STEP_MS = 20;
async function holding(marker, work) {
  const path = join4(marker.folder, "lock");
  if (!existsSync(marker.folder)) throw new Error(`${marker.folder} is gone`);
  const deadline = performance.now() + PATIENCE_MS;
  for (; ; ) {
    const lock = takeLock(path, marker.run, LIVENESS, Date.now());
    if (lock.held) {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (performance.now() > deadline) return void 0;
    await sleep2(STEP_MS);
  }
}

// src/hooks/silent.ts
var SILENT = { doing: () => {
}, happened: () => {
}, said: () => {
}, detail: () => {
} };

// src/loop/prompt.ts
function failureMessage({ verdict }, gate) {
  const lines = [gate?.kind === "criterion" ? notMet(gate, verdict) : guardrailFailed(gate, verdict)];
  if (gate?.hint !== void 0 && gate.hint !== "") lines.push(`Hint: ${gate.hint}`);
  lines.push(`Output file: ${verdict.logPath}`, "Output (truncated):", verdict.output);
  return lines.join("\n");
}
function guardrailFailed(gate, verdict) {
  const how = verdict.reason === void 0 ? `with exit code ${verdict.exitCode}` : `because ${verdict.reason}`;
  return `Guardrail "${gate?.command || gate?.name || ""}" failed ${how}.`;
}
function notMet(gate, { exitCode, reason, unjudged, judgment }) {
  const how = reason ?? `"${gate.command}" exited with code ${exitCode}`;
  const lines = [`Criterion ${gate.criterion} ("${gate.command}") is not met: ${how}.`];
  if (unjudged === true) lines.push("That says nothing about your work.");
  if (gate.judged === true && judgment !== void 0) {
    lines.push(`Reason: ${judgment.reason}`);
    const { suggestions = [] } = judgment;
    if (suggestions.length > 0) lines.push("Suggestions:", ...suggestions.map((one) => `- ${one}`));
  }
  return lines.join("\n");
}

// src/hooks/words.ts
var ULTRAWORK = [
  "ULTRAWORK MODE. Give this everything you have.",
  "Look into all that the task touches before you change it, plan the whole way, do every part of the work, and test what you did.",
  "Use subagents and tools in parallel where that is faster. No shortcuts, no placeholders, no part left for later."
].join(" ");
function continuation(spec, state) {
  return withUltrawork(spec, [reasonOf(spec, state)]).join("\n\n");
}
function reasonOf(spec, state) {
  const { promise = "" } = spec.claim;
  const marker = promiseMarker(promise);
  const original = `Original task: ${taskOf(spec)}`;
  if (state.feedback.length > 0) {
    const what = promise === "" ? "You attempted to end the loop, but its checks do not pass yet." : `Promise detected, but the checks that must pass before it is believed failed.`;
    const again = promise === "" ? "" : ` Only output ${marker} again when the task is fully complete.`;
    const failures = state.feedback.map((one) => failureMessage(one, spec.gates[one.gate]));
    return [`${what} Mend what they found.${again}`, ...failures, original].join("\n\n");
  }
  if (promiseOf(state, spec) === "without-work") {
    return `Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise. ${original}`;
  }
  if (promise === "") {
    return `You attempted to end the loop, but it goes on. Continue working on the original task below. ${original}`;
  }
  return `You attempted to end the loop, but you did not output the completion promise ${marker}. Continue working on the original task below. Only output the promise when the task is fully complete. ${original}`;
}
function progressLine(spec, state) {
  const why = state.feedback.length > 0 ? "checks failed" : { none: "it goes on", missing: "no promise", "without-work": "promise without work", stands: "" }[promiseOf(state, spec)];
  return `ralph: ${why}; told to go on, ${state.iteration} of ${spec.limits.iterations - 1}.`;
}
function endLine({ outcome, run }) {
  if (outcome === void 0) return "ralph: the loop is over.";
  const { kind, reason } = outcome;
  const onward = kind === "waiting" ? ` To go on without the session: ralph resume ${run}` : "";
  return `ralph: ${sessionStatus(outcome)}: ${reason}.${onward}`;
}
function capLine({ run }) {
  return `ralph: the agent keeps stopping without using a tool, and its program will soon end the turn. Then say something to it, or go on without the session: ralph resume ${run}`;
}
function withUltrawork({ session }, texts) {
  return [...session?.ultrawork === true ? [ULTRAWORK] : [], ...texts];
}
function taskOf({ work }) {
  return work.kind === "prompt" ? work.text : "";
}

// src/hooks/advance.ts
async function advance(loop, happened) {
  const { marker, spec, events } = loop;
  const journal = await openJournal(journalOf(marker));
  let judged2 = loop.state;
  const perform = performer(marker, spec);
  try {
    for (const event of happened) await journal.append(event);
    const state = await driveUntil(
      {
        history: [...events, ...happened],
        journal,
        reporter: SILENT,
        perform: (step, now2, record) => {
          if (step.do === "start-iteration" || step.do === "end") judged2 = now2;
          return perform(step, now2, record);
        },
        onStart: () => {
        }
      },
      (step) => step.do === "run-agent"
    );
    return { state, judged: judged2 };
  } finally {
    await journal.close();
  }
}
function iterationStarted(marker, iteration, prompt) {
  keepPrompt(marker.folder, iteration, prompt);
  return {
    type: "iteration.started",
    at: systemClock.now(),
    run: marker.run,
    iteration,
    promptPath: promptCopy(marker.folder, iteration),
    promptSha256: createHash("sha256").update(prompt).digest("hex")
  };
}
function performer(marker, spec) {
  let heavy;
  return async (step, state, record) => {
    if (step.do === "start-iteration") {
      return iterationStarted(marker, step.iteration, continuation(spec, state));
    }
    if (step.do === "end") return endedEvent(state, step.outcome, systemClock.now());
    heavy ??= import("./workbench.mjs").then(({ openWorkbench }) => openWorkbench(marker, spec));
    return (await heavy)(step, state, record);
  };
}

// src/hooks/places.ts
import {
  existsSync as existsSync2,
  mkdirSync as mkdirSync5,
  readdirSync as readdirSync3,
  readFileSync as readFileSync6,
  renameSync as renameSync2,
  rmdirSync,
  rmSync as rmSync2,
  statSync as statSync3,
  writeFileSync as writeFileSync3
} from "node:fs";
import { join as join5 } from "node:path";
function isPlainId(id) {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}
function sessionFolder(root, id) {
  return join5(root, "hooks", id);
}
function spoolFolder(root) {
  return join5(root, "spool");
}
function readMarker(root, id) {
  const path = markerPath(root, id);
  if (!isPlainId(id) || !existsSync2(path)) return void 0;
  const value = JSON.parse(readFileSync6(path, "utf8"));
  const { run, folder, project, transcriptFrom } = value ?? {};
  if (typeof run !== "string" || typeof folder !== "string" || typeof project !== "string") {
    throw new Error(`${path} is damaged`);
  }
  const alias = typeof value?.alias === "string" && isPlainId(value.alias) ? { alias: value.alias } : {};
  return { run, folder, project, transcriptFrom: Number(transcriptFrom) || 0, ...alias };
}
function removeMarker(root, id) {
  if (!isPlainId(id)) return;
  let alias;
  try {
    alias = readMarker(root, id)?.alias;
  } catch {
  }
  rmSync2(sessionFolder(root, id), { recursive: true, force: true });
  if (alias === void 0) return;
  try {
    rmdirSync(sessionFolder(root, alias));
  } catch {
  }
}
var FORGOTTEN_MS = 30 * 24 * 60 * 6e4;
function namesIn(folder) {
  return existsSync2(folder) ? readdirSync3(folder) : [];
}
function markerPath(root, id) {
  return join5(sessionFolder(root, id), "loop.json");
}

// src/hooks/said.ts
import { existsSync as existsSync3, readFileSync as readFileSync7, rmSync as rmSync3, writeFileSync as writeFileSync4 } from "node:fs";
import { join as join6 } from "node:path";

// src/hooks/transcript.ts
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
var FIRST_BYTES = 64 * 1024;
var MOST_BYTES = 4 * 1024 * 1024;
function lastMessage(path, { from, sinceMs }) {
  let fd;
  try {
    fd = openSync(path, "r");
  } catch {
    return void 0;
  }
  try {
    const { size } = fstatSync(fd);
    const least = from <= size ? from : 0;
    for (let length = FIRST_BYTES; ; length *= 4) {
      const start = Math.max(least, size - length);
      const bytes = Buffer.alloc(size - start);
      readSync(fd, bytes, 0, bytes.length, start);
      const skip = start === least ? 0 : bytes.indexOf(10) + 1;
      const found = lastSaid(bytes.toString("utf8", skip), sinceMs);
      if (found !== void 0 || start === least || length >= MOST_BYTES) return found;
    }
  } finally {
    closeSync(fd);
  }
}
function lastSaid(lines, sinceMs = 0) {
  let found;
  for (const line of lines.split("\n").reverse()) {
    const said2 = line.includes("assistant") ? saidIn(line) : void 0;
    if (said2 === void 0) continue;
    if (said2.atMs < sinceMs) break;
    if (found === void 0) found = said2;
    else if (said2.message !== "" && said2.message === found.message)
      found = { ...found, text: `${said2.text}
${found.text}` };
    else break;
  }
  return found?.text;
}
function saidIn(line) {
  let value;
  try {
    value = recordOf(JSON.parse(line));
  } catch {
    return void 0;
  }
  const told = typeof value["timestamp"] === "string" ? Date.parse(value["timestamp"]) : Number.NaN;
  const atMs = Number.isNaN(told) ? Number.POSITIVE_INFINITY : told;
  if (value["type"] === "assistant" && value["isSidechain"] !== true && !value["parent_tool_use_id"]) {
    const message = recordOf(value["message"]);
    return said(textIn(message["content"] ?? message["parts"]), message["id"], atMs);
  }
  const data = recordOf(value["data"]);
  if (value["type"] === "assistant.message" && !data["parentToolCallId"]) {
    return said(textIn(data["content"]), data["messageId"], atMs);
  }
  const payload = recordOf(value["payload"]);
  if (payload["type"] === "message" && payload["role"] === "assistant") {
    return said(textIn(payload["content"]), payload["id"], atMs);
  }
  return void 0;
}
function said(text, id, atMs) {
  return text === "" ? void 0 : { text, message: typeof id === "string" ? id : "", atMs };
}
function textIn(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map(recordOf).filter(
    ({ type, thought }) => (type === void 0 || type === "text" || type === "output_text") && thought !== true
  ).flatMap(({ text }) => typeof text === "string" ? [text] : []).join("\n");
}
function recordOf(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

// src/hooks/said.ts
function saidLast(root, input, { marker, state }) {
  if (input.message !== void 0) return input.message;
  if (input.saidSince !== void 0) return sinceLastStop(root, input, input.saidSince);
  if (input.transcript === void 0) return "";
  const since = { from: marker.transcriptFrom, sinceMs: state.startedAtMs };
  return lastMessage(input.transcript, since) ?? "";
}
function sinceLastStop(root, { session }, all) {
  const path = join6(sessionFolder(root, session), "said");
  const before = existsSync3(path) ? readFileSync7(path, "utf8") : "";
  writeFileSync4(path, all, { mode: 384 });
  return before !== "" && all.startsWith(before) ? all.slice(before.length) : all;
}
function takeSpoken(root, session) {
  const path = spokenPath(root, session);
  const isThere = existsSync3(path);
  rmSync3(path, { force: true });
  return isThere;
}
function spokenPath(root, session) {
  return join6(sessionFolder(root, session), "spoken");
}

// src/hooks/spool.ts
import { closeSync as closeSync2, existsSync as existsSync4, openSync as openSync2, readSync as readSync2, rmSync as rmSync4 } from "node:fs";
import { join as join7 } from "node:path";
var HEAD_BYTES = 4096;
function takeSpool(root, session) {
  const folder = spoolFolder(root);
  const byName = /* @__PURE__ */ new Map();
  let count = 0;
  for (const name of namesIn(folder)) {
    const path = join7(folder, name);
    const head = headOf(path);
    const id = wordAfter(head, "session_id") ?? "";
    if (id !== session && isPlainId(id) && existsSync4(sessionFolder(root, id))) continue;
    if (id === session) {
      const tool = wordAfter(head, "tool_name") ?? "a tool";
      byName.set(tool, (byName.get(tool) ?? 0) + 1);
      count++;
    }
    rmSync4(path, { force: true, recursive: true });
  }
  return { count, byName };
}
function wordAfter(head, key) {
  return new RegExp(`"${key}"\\s*:\\s*"([^"\\\\]{1,128})"`).exec(head)?.[1];
}
function headOf(path) {
  try {
    const fd = openSync2(path, "r");
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      return bytes.toString("latin1", 0, readSync2(fd, bytes));
    } finally {
      closeSync2(fd);
    }
  } catch {
    return "";
  }
}

// src/hooks/turn.ts
async function onStop(input, root) {
  const marker = readMarker(root, input.session);
  if (marker === void 0 || input.isSub) return void 0;
  if (input.background > 0) {
    log(root, `${marker.run}: ${input.background} tasks run in the background; not counted, not sent back`);
    const tasks = input.background === 1 ? "a task" : `${input.background} tasks`;
    return { tell: `ralph: the loop waits for ${tasks} in the background.` };
  }
  const answer = await holding(marker, () => stopped(input, root, marker));
  if (answer === void 0)
    log(root, `${marker.run}: another process works on it; the session was left to itself`);
  return answer?.say;
}
function onStopFailure(input, root) {
  const marker = readMarker(root, input.session);
  if (marker === void 0) return void 0;
  log(
    root,
    `${marker.run}: the turn failed (${input.why}); it can be gone on with, also by ralph resume ${marker.run}`
  );
  const onward = `say something to it, or go on without the session: ralph resume ${marker.run}`;
  return { tell: `ralph: the turn failed, and the loop stands still. To go on, ${onward}` };
}
async function stopped(input, root, marker) {
  const loop = openLoop(marker, input.session);
  if ("why" in loop) {
    log(root, `${marker.run}: the session may stop: ${loop.why}`);
    removeMarker(root, input.session);
    return { say: void 0 };
  }
  if (isAnswered(loop)) return { say: { goOn: keptPrompt(marker, loop.state) } };
  const tools = takeSpool(root, input.session);
  const turn = await turnOver(input, root, { loop, tools });
  const again = loop.state.phase === "prompted" ? [] : [beginAgain(loop)];
  const { state, judged: judged2 } = await advance(loop, [...again, turn]);
  log(root, lineOf(loop, { turn, tools, judged: judged2, state }));
  if (!existsSync5(sessionFolder(root, input.session))) return { say: void 0 };
  if (state.phase !== "ended") {
    const tell = isNearCap(loop, state) ? capLine(state) : progressLine(loop.spec, judged2);
    return { say: { goOn: keptPrompt(marker, state), tell } };
  }
  removeMarker(root, input.session);
  if (state.outcome?.kind === "verified") {
    const { leaveReceipt } = await import("./workbench.mjs");
    log(root, `${marker.run}: ${await leaveReceipt(marker)}`);
  }
  return { say: { tell: endLine(state) } };
}
function isAnswered({ events }) {
  const last = events.at(-1);
  return last?.type === "iteration.started" && last.iteration > 1 && last.at > performance.timeOrigin;
}
function keptPrompt({ folder }, { iteration }) {
  return readFileSync8(promptCopy(folder, iteration), "utf8");
}
async function turnOver(input, root, { loop, tools }) {
  const { marker, spec, state, events } = loop;
  const at = systemClock.now();
  const began = events.findLast((event) => event.type === "iteration.started")?.at ?? at;
  const isUncounted = spec.session?.uncounted === true;
  return {
    type: "agent.exited",
    at,
    run: marker.run,
    iteration: Math.max(1, state.iteration),
    ending: { kind: "finished" },
    exitCode: null,
    claims: promiseIn(saidLast(root, input, loop), spec.claim) ? { promise: true } : {},
    usage: NO_USAGE,
    wallMs: Math.max(0, at - began),
    toolCalls: tools.count,
    denials: 0,
    ...isUncounted && await hasChanged(loop) ? { changed: true } : {},
    ...takeSpoken(root, input.session) ? { spoken: true } : {}
  };
}
async function hasChanged({ marker, state }) {
  const { treeNow } = await import("./workbench.mjs");
  const now2 = await treeNow(marker);
  return now2 !== void 0 && state.measured !== void 0 && now2 !== state.measured.tree;
}
function beginAgain({ marker, spec, state }) {
  return iterationStarted(marker, Math.max(1, state.iteration), continuation(spec, state));
}
function isNearCap({ spec }, { sentBack }) {
  const most = spec.session?.mostBlocks ?? 0;
  return most > 0 && sentBack === Math.max(1, most - 1);
}
var FOUND = {
  none: "no promise asked for",
  missing: "promise missing",
  "without-work": "promise rejected (no work)",
  stands: "promise found"
};
function lineOf({ marker, spec }, { turn, tools, judged: judged2, state }) {
  const used = [...tools.byName].map(([name, count]) => `${name} ${count}`).join(", ");
  const heard = FOUND[promiseOf({ ...judged2, claims: turn.claims }, spec)];
  const failed2 = judged2.feedback.map(({ gate }) => spec.gates[gate]?.command ?? "").join("; ");
  const end2 = state.outcome === void 0 ? `sent back (${turn.iteration} of ${spec.limits.iterations - 1})` : `${sessionStatus(state.outcome)} (${state.outcome.reason})`;
  return [
    `${marker.run} iteration ${turn.iteration}: ${heard}`,
    `${tools.count} tool calls${used === "" ? "" : ` (${used})`}`,
    ...failed2 === "" ? [] : [`failed: ${failed2}`],
    ...turn.spoken === true ? ["the user spoke"] : [],
    `${end2}`
  ].join("; ");
}

// src/hooks/stop.ts
await runHook(
  (input, root) => input.event === "StopFailure" ? onStopFailure(input, root) : onStop(input, root)
);
