// src/hooks/log.ts
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
var LARGEST_BYTES = 1024 * 1024;
function logPath(root) {
  return join(root, "hooks.log");
}
function log(root, line) {
  const path = logPath(root);
  try {
    mkdirSync(root, { recursive: true, mode: 448 });
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LARGEST_BYTES) renameSync(path, `${path}.1`);
    const clean = line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, 2e3);
    appendFileSync(path, `${(/* @__PURE__ */ new Date()).toISOString()} ${clean}
`, { mode: 384 });
  } catch {
  }
}

// src/hooks/open-loop.ts
import { dirname, join as join3 } from "node:path";

// src/journal/lock.ts
import { linkSync, mkdirSync as mkdirSync2, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

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
function messageOf(error) {
  return error instanceof Error ? error.message : String(error);
}
function codeOf(error) {
  if (typeof error !== "object" || error === null || !("code" in error)) return void 0;
  return typeof error.code === "string" ? error.code : void 0;
}

// src/journal/paths.ts
import { homedir } from "node:os";
import { basename, isAbsolute, join as join2, resolve } from "node:path";
function stateRoot(env) {
  const own = env["RALPH_STATE_DIR"];
  if (own !== void 0 && own !== "") return resolve(own);
  const xdg = env["XDG_STATE_HOME"];
  const base = xdg !== void 0 && isAbsolute(xdg) ? xdg : join2(env["HOME"] || homedir(), ".local", "state");
  return join2(base, "ralph");
}

// src/journal/lock.ts
function lockOwner(path, alive) {
  const owner = readOwner(path);
  return owner !== void 0 && isLiving(owner, alive) ? owner : void 0;
}
function isLiving(owner, alive) {
  if (owner.host !== hostname()) return true;
  if (owner.boot !== void 0 && owner.boot !== bootId()) return false;
  return alive.isLiving(owner);
}
function readOwner(path) {
  try {
    const value = JSON.parse(readFileSync(path, "utf8"));
    return Number.isInteger(value.pid) && typeof value.host === "string" ? value : void 0;
  } catch {
    return void 0;
  }
}
function bootId() {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return void 0;
  }
}

// src/journal/read.ts
import { readFileSync as readFileSync2 } from "node:fs";
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
    return readFileSync2(path, "utf8");
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
function greenWith(green, { gate, verdict }) {
  return verdict.pass && !green.includes(gate) ? [...green, gate] : green;
}
function believing(state, list) {
  return { trust: { ...state.trust, list } };
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

// src/supervise/namespace.ts
import { readdirSync, readFileSync as readFileSync3, readlinkSync } from "node:fs";
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
    const line = /^NSpid:\s*(.*)$/m.exec(readFileSync3(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
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
import { readdirSync as readdirSync2, readFileSync as readFileSync4 } from "node:fs";
function startTicksOf(pid) {
  const fields = statFields(pid);
  const ticks = Number(fields?.[19]);
  return Number.isFinite(ticks) ? ticks : void 0;
}
var TICKS = 100;
var YOUNG_TICKS = 0.2 * TICKS;
function statFields(pid) {
  try {
    const stat = readFileSync4(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return void 0;
  }
}
function latestPid() {
  try {
    return Number(readFileSync4("/proc/loadavg", "latin1").trim().split(" ")[4]);
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

// src/hooks/open-loop.ts
function journalOf({ folder }) {
  return join3(folder, "journal.ndjson");
}
function openLoop(marker, session) {
  const events = readJournal(journalOf(marker));
  const state = events.reduce(evolve, INITIAL);
  const { spec } = state;
  if (spec?.session === void 0 || spec.session.id !== session) return { why: "it is another session's" };
  if (state.phase === "ended") return { why: "it has ended" };
  if (!state.inSession) return { why: "it was resumed without the session" };
  if (lockOwner(join3(dirname(marker.folder), "lock"), LIVENESS)?.run === marker.run)
    return { why: "another process drives it" };
  return { marker, spec, events, state };
}

// src/hooks/places.ts
import {
  existsSync,
  mkdirSync as mkdirSync3,
  readdirSync as readdirSync3,
  readFileSync as readFileSync5,
  renameSync as renameSync2,
  rmdirSync,
  rmSync as rmSync2,
  statSync as statSync2,
  writeFileSync as writeFileSync2
} from "node:fs";
import { join as join4 } from "node:path";
function isPlainId(id) {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}
function sessionFolder(root, id) {
  return join4(root, "hooks", id);
}
function spoolFolder(root) {
  return join4(root, "spool");
}
function readMarker(root, id) {
  const path = markerPath(root, id);
  if (!isPlainId(id) || !existsSync(path)) return void 0;
  const value = JSON.parse(readFileSync5(path, "utf8"));
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
function forgetOldSessions(root, nowMs) {
  for (const folder of [join4(root, "hooks"), spoolFolder(root)]) {
    for (const name of namesIn(folder)) {
      const info = statSync2(join4(folder, name), { throwIfNoEntry: false });
      if (info !== void 0 && nowMs - info.mtimeMs > FORGOTTEN_MS) {
        rmSync2(join4(folder, name), { recursive: true, force: true });
      }
    }
  }
}
function namesIn(folder) {
  return existsSync(folder) ? readdirSync3(folder) : [];
}
function markerPath(root, id) {
  return join4(sessionFolder(root, id), "loop.json");
}

// src/hooks/answer.ts
import { writeSync } from "node:fs";
function answerText(answer, event) {
  const { goOn, context, tell } = answer;
  return JSON.stringify({
    ...goOn === void 0 ? {} : { decision: event === "AfterAgent" ? "deny" : "block", reason: goOn },
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
import { readFileSync as readFileSync6, statSync as statSync3 } from "node:fs";
function readInput() {
  return inputOf(readFileSync6(0).toString("utf8"), process.env);
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

// src/claims/promise.ts
function promiseMarker(promise) {
  return `<promise>${promise}</promise>`;
}

// src/hooks/words.ts
var ULTRAWORK = [
  "ULTRAWORK MODE. Give this everything you have.",
  "Look into all that the task touches before you change it, plan the whole way, do every part of the work, and test what you did.",
  "Use subagents and tools in parallel where that is faster. No shortcuts, no placeholders, no part left for later."
].join(" ");
function contract(spec) {
  const { promise = "", promiseLine = false } = spec.claim;
  const checks = spec.gates.map(({ command }) => `\`${command}\``).join(", ");
  const times = spec.limits.iterations - 1;
  const rules = promise === "" ? [
    checks === "" ? "- There is no completion promise: each time you stop you are told to go on." : `- The loop ends when these checks pass, which ralph runs each time you stop: ${checks}.`
  ] : [
    `- Only when the task is fully complete, output exactly ${promiseMarker(promise)} in your final message${promiseLine ? ", on a line of its own" : ""}.`,
    "- STRICT: it must match letter for letter. No white space inside the tag, no other case, no variants.",
    "- If the task is not done, do not output the promise, not even to talk about it.",
    ...checks === "" ? [] : [`- A promise is believed when these checks pass, which ralph runs then: ${checks}.`]
  ];
  return [
    ...withUltrawork(spec, ["You are in a ralph loop. Work on this task until it is fully done."]),
    taskOf(spec),
    [
      "How it ends:",
      ...rules,
      `- When you stop before that you are sent back to the task, up to ${times} ${times === 1 ? "time" : "times"}.`
    ].join("\n")
  ].join("\n\n");
}
function withUltrawork({ session }, texts) {
  return [...session?.ultrawork === true ? [ULTRAWORK] : [], ...texts];
}
function taskOf({ work }) {
  return work.kind === "prompt" ? work.text : "";
}

// src/hooks/session.ts
await runHook((input, root) => input.event === "SessionEnd" ? ended(input, root) : began(input, root));
function began({ session, why }, root) {
  forgetOldSessions(root, Date.now());
  const marker = readMarker(root, session);
  const loop = marker === void 0 ? void 0 : openLoop(marker, session);
  if (loop === void 0 || "why" in loop || !/^(?:resume|compact)$/.test(why)) return void 0;
  return { context: contract(loop.spec) };
}
function ended({ session, why }, root) {
  const marker = readMarker(root, session);
  if (marker === void 0) return void 0;
  log(
    root,
    `${marker.run}: the session ended (${why}); open it again, or go on without it: ralph resume ${marker.run}`
  );
  if (why === "clear") removeMarker(root, session);
  return void 0;
}
