import{createRequire as $r}from'node:module';const require=$r(import.meta.url);

// src/hooks/task-stop.ts
import { existsSync as existsSync3, mkdirSync as mkdirSync5, readFileSync as readFileSync8, writeFileSync as writeFileSync3 } from "node:fs";
import { join as join10 } from "node:path";

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

// src/files.ts
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
var ACTIVE_FILE = ".ralph-active";
var RUNTIME_PATTERNS = [
  ".ralph-activ[e]*",
  ".ralp[h]/*.log",
  ".ralp[h]/prompt_*.txt"
];
function bytesNoFollow(file, mostBytes) {
  return read(openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK), mostBytes);
}
function read(fd, mostBytes) {
  try {
    const info = fstatSync(fd);
    if (!info.isFile()) throw Object.assign(new Error("not a regular file"), { code: "ENOTFILE" });
    if (info.size > mostBytes)
      throw Object.assign(new Error(`larger than ${mostBytes} bytes`), { code: "EFBIG" });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}
function bytesInside(project, file, mostBytes) {
  if (!isInside(realpathSync(project), realpathSync(dirname(file)))) {
    throw Object.assign(new Error("a link on the way to it leads out of the project"), { code: "ELOOP" });
  }
  return bytesNoFollow(file, mostBytes);
}
function isInside(folder, path) {
  const way = relative(folder, path);
  return way === "" || way !== ".." && !way.startsWith(`..${sep}`) && !way.startsWith(sep);
}

// src/gates/report.ts
function shown(path) {
  return /^[^\p{C}\p{Zl}\p{Zp}"]+$/u.test(path) ? path : JSON.stringify(path);
}

// src/journal/paths.ts
import { createHash, randomBytes } from "node:crypto";
import { realpathSync as realpathSync2 } from "node:fs";
import { basename, join as join2 } from "node:path";
function projectFolder(root, project) {
  const real = realpathSync2(project);
  const slug = basename(real).replace(/[^A-Za-z0-9._-]+/g, "_").slice(0, 40);
  const hash = createHash("sha256").update(real).digest("hex").slice(0, 12);
  return join2(root, "projects", `${slug || "root"}-${hash}`);
}
function runFolder(root, project, run) {
  const folder = join2(projectFolder(root, project), run);
  return { folder, journal: join2(folder, "journal.ndjson"), streams: join2(folder, "streams") };
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
function fractionOf(text2) {
  let hash = 2166136261;
  for (let n = 0; n < text2.length; n++) hash = Math.imul(hash ^ text2.charCodeAt(n), 16777619);
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
  limit: "used more memory or processes than the sandbox allows and was ended",
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
  const spec = state.spec === void 0 ? {} : { spec: changedBy(state.spec, event) };
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
function changedBy(spec, { iterations, sandbox }) {
  return {
    ...spec,
    ...iterations === void 0 ? {} : { limits: { ...spec.limits, iterations } },
    ...sandbox === void 0 ? {} : { sandbox }
  };
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

// src/loop/uncommitted-before.ts
import { readFileSync as readFileSync3 } from "node:fs";
import { join as join3 } from "node:path";
var KEPT = "uncommitted-before";
function uncommittedBefore(folder) {
  return keptNames(folder, KEPT);
}
function keptNames(folder, name) {
  try {
    return readFileSync3(join3(folder, name), "utf8").split("\0").filter((path) => path !== "");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

// src/supervise/spawn.ts
import { spawn } from "node:child_process";
import { randomBytes as randomBytes2 } from "node:crypto";

// src/supervise/cgroup.ts
import {
  accessSync,
  constants as constants2,
  existsSync,
  mkdirSync as mkdirSync2,
  readdirSync,
  readFileSync as readFileSync4,
  rmdirSync,
  writeFileSync
} from "node:fs";
import { join as join4 } from "node:path";
function makeCgroup(parent, run, mark) {
  const path = join4(parent, `ralph-${run}-${mark}`);
  try {
    mkdirSync2(path);
  } catch {
    return void 0;
  }
  if (existsSync(join4(path, "cgroup.kill"))) return path;
  removeCgroup(path);
  return void 0;
}
function inCgroup(path, file, args) {
  return ["/bin/sh", "-c", 'echo 0 > "$0/cgroup.procs" && exec "$@"', path, file, ...args];
}
function cgroupMembers(path) {
  try {
    return readFileSync4(join4(path, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
function killCgroup(path) {
  try {
    writeFileSync(join4(path, "cgroup.kill"), "1");
  } catch {
  }
}
function removeCgroup(path) {
  try {
    rmdirSync(path);
  } catch {
  }
}

// src/supervise/proc.ts
import { readdirSync as readdirSync2, readFileSync as readFileSync5 } from "node:fs";
import { uptime } from "node:os";
var MARK_VARIABLE = "RALPH_PROCESS_MARK";
function startTicksOf(pid) {
  const fields = statFields(pid);
  const ticks = Number(fields?.[19]);
  return Number.isFinite(ticks) ? ticks : void 0;
}
var TICKS = 100;
var YOUNG_TICKS = 0.2 * TICKS;
function findMarked(mark, group, startTicks) {
  const latest = latestPid();
  if (latest === void 0) return isGroupAlive(group) ? [group] : [];
  const leaderTicks = startTicksOf(group);
  const isReused = startTicks !== void 0 && leaderTicks !== void 0 && leaderTicks !== startTicks;
  const isYoung = !isReused && startTicks !== void 0 && Math.abs(uptime() * TICKS - startTicks) < YOUNG_TICKS;
  if (isYoung && latest === group) return isAlive(group) ? [group] : [];
  const found = [];
  for (const name of readdirSync2("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (isYoung && latest > group && pid < group) continue;
    if (isMember(pid, isReused ? void 0 : group, mark)) found.push(pid);
  }
  return found;
}
function carries(pid, text2) {
  return environmentOf(pid).includes(text2);
}
function environmentOf(pid) {
  try {
    return readFileSync5(`/proc/${pid}/environ`, "latin1");
  } catch {
    return "";
  }
}
function isMember(pid, group, mark) {
  const fields = statFields(pid);
  if (fields === void 0 || fields[0] === "Z") return false;
  if (Number(fields[2]) === group) return true;
  return carries(pid, mark);
}
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
function isRunningSince(pid, writtenMs) {
  if (!isAlive(pid)) return false;
  const ticks = startTicksOf(pid);
  if (ticks === void 0 || Number.isNaN(writtenMs)) return true;
  const startedMs = Date.now() - (uptime() - ticks / TICKS) * 1e3;
  return startedMs <= writtenMs + SLACK_MS;
}
var SLACK_MS = 5e3;
function isGroupAlive(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

// src/supervise/leftovers.ts
var RUN_VARIABLE = "RALPH_RUN_ID";

// src/supervise/namespace.ts
import { readdirSync as readdirSync3, readFileSync as readFileSync6, readlinkSync } from "node:fs";
import { constants as constants3 } from "node:os";
var REPORT_FD = 3;
var FIRST_PROCESS = `exec 4>&2 2>/dev/null
(exec "$@" 2>&4 3>&- 4>&-)
code=$?
set -- /proc/[0-9]*
echo "$code $#" >&${REPORT_FD}
read -r _ <&${REPORT_FD}`;
function inNamespace(wrapper, command) {
  return [...wrapper, "/bin/sh", "-c", FIRST_PROCESS, "sh", ...command];
}
function readReport(text2) {
  const told = /^(\d+) (\d+)\n/.exec(text2);
  if (told === null) return void 0;
  const code = Number(told[1]);
  return { code, signal: signalOf(code), alone: told[2] === "1" };
}
var HARMLESS = new Set(
  "SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGWINCH SIGSTKFLT".split(" ")
);
function signalOf(code) {
  const named2 = Object.entries(constants3.signals).find(([, number2]) => number2 === code - 128);
  return named2 === void 0 || HARMLESS.has(named2[0]) ? null : named2[0];
}
function spaceOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return void 0;
  }
}
function keptBy(keeper) {
  const found = [keeper];
  for (let n = 0; n < found.length; n++) found.push(...childrenOf(found[n] ?? 0));
  return found;
}
function childrenOf(pid) {
  try {
    return readdirSync3(`/proc/${pid}/task`).flatMap(
      (thread) => readFileSync6(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number)
    );
  } catch {
    return [];
  }
}
function numbersOf(pid) {
  try {
    const line = /^NSpid:\s*(.*)$/m.exec(readFileSync6(`/proc/${pid}/status`, "latin1"))?.[1] ?? "";
    return line.split(/\s+/).map(Number);
  } catch {
    return [];
  }
}

// src/supervise/which.ts
import { accessSync as accessSync2, closeSync as closeSync2, constants as constants4, existsSync as existsSync2, openSync as openSync2, readSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join as join5, resolve } from "node:path";
var WINDOWS_ENDINGS = [".exe", ".cmd", ".bat", ""];
function whichAll(program, options) {
  const endings = process.platform === "win32" ? WINDOWS_ENDINGS : [""];
  const folders = program.includes("/") || process.platform === "win32" && program.includes("\\") ? [""] : (options.path ?? "").split(delimiter).filter((folder) => folder !== "");
  const found = [];
  for (const folder of folders) {
    for (const ending of endings) {
      const base = isAbsolute(program) ? program : join5(folder === "" ? options.cwd : resolve(options.cwd, folder), program);
      const candidate = base + ending;
      if (isRunnable(candidate) && !found.includes(candidate)) found.push(candidate);
    }
  }
  return found;
}
function which(program, options) {
  return whichAll(program, options)[0];
}
function isRunnable(file) {
  try {
    accessSync2(file, constants4.X_OK);
    return statSync(file).isFile() && missingInterpreter(file) === void 0;
  } catch {
    return false;
  }
}
function missingInterpreter(file) {
  if (process.platform === "win32") return void 0;
  const [, name] = /^#![ \t]*([^ \t\n]+)/.exec(firstBytes(file)) ?? [];
  return name === void 0 || !isAbsolute(name) || existsSync2(name) ? void 0 : name;
}
function firstBytes(file) {
  let fd;
  try {
    fd = openSync2(file, constants4.O_RDONLY | constants4.O_NONBLOCK);
    const bytes = Buffer.alloc(256);
    return bytes.toString("latin1", 0, readSync(fd, bytes));
  } catch {
    return "";
  } finally {
    if (fd !== void 0) closeSync2(fd);
  }
}

// src/supervise/command-line.ts
function commandLine(request, mark) {
  const { file, args, means, cwd, env } = request;
  const plain = { file, args: [...args], keeper: false };
  if (means === void 0 || which(file, { cwd, path: env["PATH"] }) === void 0) return plain;
  if (means.wrapper !== void 0) {
    const around = typeof means.wrapper === "function" ? means.wrapper(cwd) : means.wrapper;
    return { ...split(inNamespace(around, [...means.inside ?? [], file, ...args])), keeper: true };
  }
  const cgroup = means.cgroup === void 0 ? void 0 : makeCgroup(means.cgroup, env[RUN_VARIABLE] ?? "", mark);
  if (cgroup === void 0) return plain;
  return { ...split(inCgroup(cgroup, file, args)), keeper: false, cgroup };
}
function split([file = "", ...args]) {
  return { file, args };
}

// src/supervise/program-end.ts
var LONGEST_REPORT = 64;
function programEnd(child, keeper) {
  return new Promise((resolve3) => {
    const channel = keeper ? child.stdio[REPORT_FD] : void 0;
    const letGo = () => void channel?.destroy();
    let told = "";
    channel?.on("error", () => {
    });
    channel?.on("data", (chunk) => {
      if (told.length < LONGEST_REPORT) told += chunk.toString("latin1");
      const report = readReport(told);
      if (report !== void 0) resolve3({ ...report, letGo });
    });
    child.once("exit", (code, signal) => {
      setImmediate(() => {
        if (!keeper) return resolve3({ code, signal, alone: false, letGo });
        if (signal !== null) return resolve3({ code: null, signal, alone: false, letGo });
        const message = "the namespace for its processes could not be made";
        resolve3({ code: null, signal: null, spawnError: { code: "EAGAIN", message }, alone: true, letGo });
      });
    });
  });
}

// src/supervise/silence.ts
var Silence = class {
  #onSilent;
  #timer;
  #ms = -1;
  #why;
  #isOver = false;
  constructor(why, ms, onSilent) {
    this.#onSilent = onSilent;
    this.#why = why;
    this.watch(why, ms);
  }
  /** Watches for a silence of another length, from now on. 0 is no limit. */
  watch(why, ms) {
    if (this.#isOver || why === this.#why && ms === this.#ms) return;
    clearTimeout(this.#timer);
    this.#timer = void 0;
    this.#why = why;
    this.#ms = ms;
    if (ms > 0) this.#timer = setTimeout(() => this.#onSilent(this.#why), ms);
  }
  /** Something was heard. */
  heard() {
    if (this.#ms > 0) this.#timer?.refresh();
  }
  /** Stops listening for a while: it is we who do not read. */
  hold() {
    clearTimeout(this.#timer);
  }
  /** Listens again, from now. */
  release() {
    if (!this.#isOver) this.heard();
  }
  /** What is heard after this starts no watch again: output can arrive when the program has gone. */
  end() {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
};

// src/supervise/spaces.ts
var SPACES_VARIABLE = "RALPH_PID_SPACES";
function ownSpaces(env) {
  const own = spaceOf("self");
  if (own === void 0) return [];
  const around = (env[SPACES_VARIABLE] ?? "").split(" ").filter((space) => space !== "" && space !== own);
  return [own, ...around];
}

// src/supervise/tree.ts
import { setTimeout as sleep } from "node:timers/promises";
var POLL_MS = 10;
var KILL_SETTLES_MS = 5e3;
var TELLS_MS = 1e3;
function signalTree(target, signal) {
  const pids = signal === "SIGKILL" ? allIn(target) : worksIn(target);
  if (signal === "SIGKILL" && target.cgroup !== void 0) killCgroup(target.cgroup);
  for (const pid of pids) signalOne(pid, signal);
  if (pids.includes(target.pid)) signalOne(-target.pid, signal);
  return pids.length;
}
async function endTree(target, graceMs, told = Promise.resolve()) {
  const left = await endAll(target, graceMs, told);
  if (target.cgroup !== void 0) removeCgroup(target.cgroup);
  return left;
}
async function endAll(target, graceMs, told) {
  if (graceMs > 0) {
    const isGone = signalTree(target, "SIGTERM") === 0 || await isGoneWithin(target, graceMs);
    if (isGone && target.keeper !== true) return [];
    if (isGone) await Promise.race([told, sleep(TELLS_MS, void 0, { ref: false })]);
  }
  const deadline = Date.now() + KILL_SETTLES_MS;
  while (signalTree(target, "SIGKILL") > 0) {
    if (Date.now() > deadline) return allIn(target);
    await sleep(POLL_MS);
  }
  return [];
}
async function endOthers(target, spared, graceMs) {
  const others = () => worksIn(target).filter((pid) => !spared.includes(pid) && !carries(pid, `${target.mark}:`));
  const deadline = Date.now() + graceMs;
  for (const pid of others()) signalOne(pid, "SIGTERM");
  while (others().length > 0 && Date.now() < deadline) await sleep(POLL_MS);
  const last = Date.now() + KILL_SETTLES_MS;
  for (let left = others(); left.length > 0 && Date.now() < last; left = others()) {
    for (const pid of left) signalOne(pid, "SIGKILL");
    await sleep(POLL_MS);
  }
}
async function isGoneWithin(target, graceMs) {
  const deadline = Date.now() + graceMs;
  for (; ; ) {
    if (worksIn(target).length === 0) return true;
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
}
function allIn(target) {
  if (target.keeper === true) {
    const isThere = isAlive(target.pid) && startTicksOf(target.pid) === target.startTicks;
    return isThere ? keptBy(target.pid).filter(isAlive) : [];
  }
  const found = findMarked(target.mark, target.pid, target.startTicks);
  return target.cgroup === void 0 ? found : [.../* @__PURE__ */ new Set([...found, ...cgroupMembers(target.cgroup)])];
}
function worksIn(target) {
  const all = allIn(target);
  if (target.keeper !== true) return all;
  const depth = numbersOf(process.pid).length + 1;
  return all.filter((pid) => pid !== target.pid && !isFirst(numbersOf(pid), depth));
}
function isFirst(numbers, depth) {
  return numbers.length === depth && numbers.at(-1) === 1;
}
function signalOne(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
  }
}

// src/supervise/watch.ts
import { readFileSync as readFileSync7 } from "node:fs";
var LOOK_MS = 250;
function watchLimits(keeper, limits, onOver) {
  const { memoryBytes = 0, processes = 0 } = limits ?? {};
  if (memoryBytes === 0 && processes === 0) return () => {
  };
  const timer = setInterval(() => {
    const pids = keptBy(keeper);
    const isMany = processes > 0 && pids.length > processes + OWN_PROCESSES;
    if (isMany || memoryBytes > 0 && residentBytes(pids) > memoryBytes) onOver();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
var OWN_PROCESSES = 4;
var PAGE_BYTES = 4096;
function residentBytes(pids) {
  return pids.reduce((sum, pid) => sum + ownPages(pid) * PAGE_BYTES, 0);
}
function ownPages(pid) {
  try {
    const [, resident = "0", shared = "0"] = readFileSync7(`/proc/${pid}/statm`, "latin1").split(" ");
    return Math.max(0, Number(resident) - Number(shared));
  } catch {
    return 0;
  }
}

// src/supervise/spawn.ts
var GRACE_MS = 5e3;
var CLOSE_MS = 2e3;
function spawnTree(request) {
  const mark = randomBytes2(9).toString("hex");
  const line = commandLine(request, mark);
  let child;
  try {
    child = spawn(line.file, line.args, {
      cwd: request.cwd,
      env: {
        ...request.means?.environment?.(request.env) ?? request.env,
        [MARK_VARIABLE]: chained(request.env[MARK_VARIABLE], mark),
        ...line.keeper ? { [SPACES_VARIABLE]: ownSpaces(request.env).join(" ") } : {}
      },
      stdio: line.keeper ? ["pipe", "pipe", "pipe", "pipe"] : ["pipe", "pipe", "pipe"],
      detached: process.platform !== "win32",
      windowsHide: true
    });
  } catch (error) {
    return { exited: Promise.resolve(notStarted(error)), stop: () => {
    }, linger: () => {
    } };
  }
  const { pid } = child;
  if (pid === void 0) {
    return {
      exited: new Promise((resolve3) => child.once("error", (error) => resolve3(notStarted(error)))),
      stop: () => {
      },
      linger: () => {
      }
    };
  }
  const ticks = startTicksOf(pid);
  const target = {
    pid,
    mark,
    ...ticks === void 0 ? {} : { startTicks: ticks },
    ...line.keeper ? { keeper: true } : {},
    ...line.cgroup === void 0 ? {} : { cgroup: line.cgroup }
  };
  const program = programEnd(child, line.keeper);
  let endedBy;
  let ending;
  const end = (why, graceMs) => {
    endedBy ??= why;
    if (ending === void 0 || graceMs === 0) ending = endTree(target, graceMs, program);
  };
  const { limits } = request.means ?? {};
  const wallMs = Math.min(request.wallMs ?? Infinity, limits?.timeMs ?? Infinity);
  const timer = Number.isFinite(wallMs) ? setTimeout(() => end("timeout", GRACE_MS), wallMs) : void 0;
  const unwatch = line.keeper ? watchLimits(pid, limits, () => end("limit", 0)) : () => {
  };
  let isGone = false;
  const silence = new Silence("idle", request.idleMs ?? 0, (why) => end(why, GRACE_MS));
  child.stdout?.on("data", (chunk) => {
    silence.heard();
    const room = request.onStdout(chunk);
    if (room === void 0 || isGone) return;
    child.stdout?.pause();
    silence.hold();
    void room.finally(() => {
      silence.release();
      child.stdout?.resume();
    });
  });
  child.stderr?.on("data", (chunk) => {
    silence.heard();
    request.onStderr(chunk);
  });
  child.stdin?.on("error", () => {
  });
  child.stdin?.end(request.stdin);
  const exited2 = new Promise((resolve3) => {
    child.once("error", (error) => resolve3(notStarted(error)));
    const closed = new Promise((done) => child.once("close", () => done()));
    void program.then(async ({ alone: told, letGo, ...exit }) => {
      const alone = told || request.own === true && !isGroupAlive(pid);
      clearTimeout(timer);
      unwatch();
      silence.end();
      isGone = true;
      child.stdout?.resume();
      const spared = alone || endedBy !== void 0 ? [] : request.keep?.() ?? [];
      if (spared.length > 0) await endOthers(target, spared, GRACE_MS);
      else if (!alone) await endTree(target, GRACE_MS);
      await ending;
      if (spared.length === 0) {
        letGo();
        await settledWithin(CLOSE_MS, closed);
      }
      child.stdout?.destroy();
      child.stderr?.destroy();
      const why = {
        ...endedBy === void 0 ? {} : { endedBy },
        ...spared.length === 0 ? {} : { kept: { end: (graceMs) => endTree(target, graceMs) } }
      };
      const isFaulty = exit.spawnError !== void 0 && endedBy !== void 0;
      resolve3(isFaulty ? { code: null, signal: "SIGKILL", ...why } : { ...exit, ...why });
    });
  });
  return {
    process: target,
    exited: exited2,
    stop: (graceMs) => end("stopped", graceMs),
    linger: (ms) => ms > 0 ? silence.watch("lingering", ms) : silence.watch("idle", request.idleMs ?? 0)
  };
}
function settledWithin(ms, promise) {
  return new Promise((resolve3) => {
    const timer = setTimeout(() => setImmediate(resolve3), ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve3();
    });
  });
}
function chained(outer, mark) {
  return outer === void 0 || outer === "" ? mark : `${outer}:${mark}`;
}
function notStarted(error) {
  return {
    code: null,
    signal: null,
    spawnError: { code: codeOf(error) ?? "UNKNOWN", message: messageOf(error) }
  };
}

// src/supervise/exec.ts
var MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
async function exec(file, args, options) {
  const out = new Bounded();
  const err = new Bounded();
  const tree = spawnTree({
    file,
    args,
    cwd: options.cwd,
    env: options.env,
    stdin: options.stdin ?? "",
    wallMs: options.wallMs ?? 12e4,
    ...options.means === void 0 ? { own: true } : { means: options.means },
    onStdout: (chunk) => {
      if (!out.add(chunk)) tree.stop(0);
      return void 0;
    },
    onStderr: (chunk) => err.add(chunk)
  });
  const stop = () => tree.stop(0);
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  const exit = await tree.exited;
  options.signal?.removeEventListener("abort", stop);
  const late = exit.endedBy === "timeout" ? "took too long" : void 0;
  const error = exit.spawnError?.message ?? (out.isFull ? "said more than 16 MB" : late);
  return {
    code: out.isFull ? null : exit.code,
    stdout: out.text(),
    stderr: err.text(),
    ...error === void 0 ? {} : { error }
  };
}
var Bounded = class {
  #chunks = [];
  #size = 0;
  get isFull() {
    return this.#size > MOST_OUTPUT_BYTES;
  }
  /** Is there room for more? */
  add(chunk) {
    if (this.isFull) return false;
    this.#size += chunk.length;
    if (!this.isFull) this.#chunks.push(chunk);
    return !this.isFull;
  }
  text() {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
};

// src/scm/git.ts
var HARMLESS2 = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "diff.external=",
  "-c",
  "core.pager=cat",
  "-c",
  "commit.gpgSign=false",
  "-c",
  "log.showSignature=false",
  "-c",
  "maintenance.auto=false",
  // Less than this, and a change of the same size that sets the clock back would not be seen.
  "-c",
  "core.checkStat=default",
  "-c",
  "core.trustctime=true"
];
function git(cwd, args, options = {}) {
  return exec(options.program ?? "git", [...HARMLESS2, ...args], {
    cwd,
    env: environment(options.env),
    ...options.stdin === void 0 ? {} : { stdin: options.stdin },
    ...options.wallMs === void 0 ? {} : { wallMs: options.wallMs },
    ...options.signal === void 0 ? {} : { signal: options.signal }
  });
}
function environment(own = {}) {
  return { ...process.env, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0", GIT_EDITOR: "true", ...own };
}

// src/tasks/dependencies.ts
function dependencyFaults(list) {
  const stories = list.userStories;
  const ids = new Set(stories.map(({ id }) => id));
  const unknown2 = stories.flatMap(
    (story, index2) => story.dependsOn.map((id, at) => ({ id, path: `userStories[${index2}].dependsOn[${at}]` })).filter(({ id }) => !ids.has(id)).map(({ id, path }) => ({
      path,
      message: `Story ${story.id} depends on ${id}, which is not in the list.`
    }))
  );
  const circle = findCircle(stories);
  if (circle === void 0) return unknown2;
  const index = stories.findIndex(({ id }) => id === circle[0]);
  return [
    ...unknown2,
    {
      path: `userStories[${index}].dependsOn`,
      message: `Stories wait for each other: ${[...circle, circle[0]].join(" \u2192 ")}.`
    }
  ];
}
function layersOf(stories) {
  const ids = new Set(stories.map(({ id }) => id));
  const missing = new Map(
    stories.map(({ id, dependsOn }) => [id, new Set(dependsOn.filter((one) => ids.has(one)))])
  );
  const byId = new Map(stories.map((story) => [story.id, story]));
  const waiters = new Map(stories.map(({ id }) => [id, []]));
  for (const [id, needs] of missing) {
    for (const need of needs) waiters.get(need)?.push(id);
  }
  const layers = [];
  let ready = stories.filter(({ id }) => missing.get(id)?.size === 0);
  while (ready.length > 0) {
    layers.push(ready);
    const next = /* @__PURE__ */ new Set();
    for (const { id } of ready) {
      for (const waiter of waiters.get(id) ?? []) {
        const needs = missing.get(waiter);
        needs?.delete(id);
        if (needs?.size === 0) next.add(waiter);
      }
    }
    ready = [...next].flatMap((id) => byId.get(id) ?? []);
  }
  return layers;
}
function findCircle(stories) {
  const free = new Set(
    layersOf(stories).flat().map(({ id }) => id)
  );
  const held = new Map(stories.filter(({ id }) => !free.has(id)).map((story) => [story.id, story]));
  const way = [];
  let at = held.keys().next().value;
  while (at !== void 0) {
    const back = way.indexOf(at);
    if (back >= 0) return way.slice(back);
    way.push(at);
    at = held.get(at)?.dependsOn.find((id) => held.has(id));
  }
  return void 0;
}

// src/tasks/list.ts
function isBlank(text2) {
  return text2.trim() === "";
}

// src/tasks/invariants.ts
function invariantFaults(list, rules) {
  if (rules.skipReview) return [];
  return list.userStories.flatMap(
    (story, index) => [...storyFaults(story, rules.reviewCap)].map(([field, message]) => ({
      path: `userStories[${index}].${field}`,
      message
    }))
  );
}
function* storyFaults(story, cap) {
  const { id, passes, reviewStatus, reviewCount } = story;
  if (passes && reviewStatus !== "approved") {
    yield [
      "passes",
      `Story ${id} has passes=true but reviewStatus is '${reviewStatus}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`
    ];
  }
  if (!passes && reviewStatus === "approved") {
    yield [
      "reviewStatus",
      `Story ${id} has reviewStatus 'approved' but passes=false: they are out of sync. An approved story has passes=true.`
    ];
  }
  if (reviewStatus === "changes_requested" && isBlank(story.reviewFeedback)) {
    yield [
      "reviewFeedback",
      `Story ${id} has reviewStatus 'changes_requested' but an empty reviewFeedback: feedback required. Say what needs fixing.`
    ];
  }
  if (reviewCount > cap + 1) {
    yield [
      "reviewCount",
      `Story ${id} has reviewCount ${reviewCount}, which is more than the review cap of ${cap} allows. Mend the list, or raise --review-cap.`
    ];
  }
}

// node_modules/valibot/dist/index.mjs
var store$4;
var DEFAULT_CONFIG = {
  lang: void 0,
  message: void 0,
  abortEarly: void 0,
  abortPipeEarly: void 0
};
// @__NO_SIDE_EFFECTS__
function getGlobalConfig(config$1) {
  if (!config$1 && !store$4) return DEFAULT_CONFIG;
  return {
    lang: config$1?.lang ?? store$4?.lang,
    message: config$1?.message,
    abortEarly: config$1?.abortEarly ?? store$4?.abortEarly,
    abortPipeEarly: config$1?.abortPipeEarly ?? store$4?.abortPipeEarly
  };
}
var store$3;
// @__NO_SIDE_EFFECTS__
function getGlobalMessage(lang) {
  return store$3?.get(lang);
}
var store$2;
// @__NO_SIDE_EFFECTS__
function getSchemaMessage(lang) {
  return store$2?.get(lang);
}
var store$1;
// @__NO_SIDE_EFFECTS__
function getSpecificMessage(reference, lang) {
  return store$1?.get(reference)?.get(lang);
}
// @__NO_SIDE_EFFECTS__
function _stringify(input) {
  const type = typeof input;
  if (type === "string") return `"${input}"`;
  if (type === "number" || type === "bigint" || type === "boolean") return `${input}`;
  if (type === "object" || type === "function") return (input && Object.getPrototypeOf(input)?.constructor?.name) ?? "null";
  return type;
}
function _addIssue(context, label, dataset, config$1, other) {
  const input = other && "input" in other ? other.input : dataset.value;
  const expected = other?.expected ?? context.expects ?? null;
  const received = other?.received ?? /* @__PURE__ */ _stringify(input);
  const issue = {
    kind: context.kind,
    type: context.type,
    input,
    expected,
    received,
    message: `Invalid ${label}: ${expected ? `Expected ${expected} but r` : "R"}eceived ${received}`,
    requirement: context.requirement,
    path: other?.path,
    issues: other?.issues,
    lang: config$1.lang,
    abortEarly: config$1.abortEarly,
    abortPipeEarly: config$1.abortPipeEarly
  };
  const isSchema = context.kind === "schema";
  const message$1 = other?.message ?? context.message ?? /* @__PURE__ */ getSpecificMessage(context.reference, issue.lang) ?? (isSchema ? /* @__PURE__ */ getSchemaMessage(issue.lang) : null) ?? config$1.message ?? /* @__PURE__ */ getGlobalMessage(issue.lang);
  if (message$1 !== void 0) issue.message = typeof message$1 === "function" ? message$1(issue) : message$1;
  if (isSchema) dataset.typed = false;
  if (dataset.issues) dataset.issues.push(issue);
  else dataset.issues = [issue];
}
// @__NO_SIDE_EFFECTS__
function _isValidObjectKey(object$1, key) {
  return Object.prototype.hasOwnProperty.call(object$1, key) && key !== "__proto__" && key !== "prototype" && key !== "constructor";
}
// @__NO_SIDE_EFFECTS__
function _joinExpects(values$1, separator) {
  const list = [...new Set(values$1)];
  if (list.length > 1) return `(${list.join(` ${separator} `)})`;
  return list[0] ?? "never";
}
function _standardSchema(schema) {
  schema["~standard"] = {
    version: 1,
    vendor: "valibot",
    validate: (value$1) => schema["~run"]({ value: value$1 }, /* @__PURE__ */ getGlobalConfig())
  };
  return schema;
}
var EMOJI_REGEX = new RegExp("^(?:[\\u{1F1E6}-\\u{1F1FF}]{2}|\\u{1F3F4}[\\u{E0061}-\\u{E007A}]{2}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,3}\\u{E007F}|(?:\\p{Emoji}\\uFE0F\\u20E3?|\\p{Emoji_Modifier_Base}\\p{Emoji_Modifier}?|(?![\\p{Emoji_Modifier_Base}\\u{1F1E6}-\\u{1F1FF}])\\p{Emoji_Presentation})(?:\\u200D(?:\\p{Emoji}\\uFE0F\\u20E3?|\\p{Emoji_Modifier_Base}\\p{Emoji_Modifier}?|(?![\\p{Emoji_Modifier_Base}\\u{1F1E6}-\\u{1F1FF}])\\p{Emoji_Presentation}))*)+$", "u");
// @__NO_SIDE_EFFECTS__
function check(requirement, message$1) {
  return {
    kind: "validation",
    type: "check",
    reference: check,
    async: false,
    expects: null,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "input", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function finite(message$1) {
  return {
    kind: "validation",
    type: "finite",
    reference: finite,
    async: false,
    expects: null,
    requirement: Number.isFinite,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "finite", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function maxLength(requirement, message$1) {
  return {
    kind: "validation",
    type: "max_length",
    reference: maxLength,
    async: false,
    expects: `<=${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && dataset.value.length > this.requirement) _addIssue(this, "length", dataset, config$1, { received: `${dataset.value.length}` });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function minLength(requirement, message$1) {
  return {
    kind: "validation",
    type: "min_length",
    reference: minLength,
    async: false,
    expects: `>=${requirement}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && dataset.value.length < this.requirement) _addIssue(this, "length", dataset, config$1, { received: `${dataset.value.length}` });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function minValue(requirement, message$1) {
  return {
    kind: "validation",
    type: "min_value",
    reference: minValue,
    async: false,
    expects: `>=${requirement instanceof Date ? requirement.toJSON() : /* @__PURE__ */ _stringify(requirement)}`,
    requirement,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !(dataset.value >= this.requirement)) _addIssue(this, "value", dataset, config$1, { received: dataset.value instanceof Date ? dataset.value.toJSON() : /* @__PURE__ */ _stringify(dataset.value) });
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function safeInteger(message$1) {
  return {
    kind: "validation",
    type: "safe_integer",
    reference: safeInteger,
    async: false,
    expects: null,
    requirement: Number.isSafeInteger,
    message: message$1,
    "~run"(dataset, config$1) {
      if (dataset.typed && !this.requirement(dataset.value)) _addIssue(this, "safe integer", dataset, config$1);
      return dataset;
    }
  };
}
// @__NO_SIDE_EFFECTS__
function getFallback(schema, dataset, config$1) {
  return typeof schema.fallback === "function" ? schema.fallback(dataset, config$1) : schema.fallback;
}
// @__NO_SIDE_EFFECTS__
function getDefault(schema, dataset, config$1) {
  return typeof schema.default === "function" ? schema.default(dataset, config$1) : schema.default;
}
// @__NO_SIDE_EFFECTS__
function array(item, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "array",
    reference: array,
    expects: "Array",
    async: false,
    item,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (Array.isArray(input)) {
        dataset.typed = true;
        dataset.value = [];
        for (let key = 0; key < input.length; key++) {
          const value$1 = input[key];
          const itemDataset = this.item["~run"]({ value: value$1 }, config$1);
          if (itemDataset.issues) {
            const pathItem = {
              type: "array",
              origin: "value",
              input,
              key,
              value: value$1
            };
            for (const issue of itemDataset.issues) {
              if (issue.path) issue.path.unshift(pathItem);
              else issue.path = [pathItem];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = itemDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          if (!itemDataset.typed) dataset.typed = false;
          dataset.value.push(itemDataset.value);
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function boolean(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "boolean",
    reference: boolean,
    expects: "boolean",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "boolean") dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function exactOptional(wrapped, default_) {
  return _standardSchema({
    kind: "schema",
    type: "exact_optional",
    reference: exactOptional,
    expects: wrapped.expects,
    async: false,
    wrapped,
    default: default_,
    "~run"(dataset, config$1) {
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function looseObject(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "loose_object",
    reference: looseObject,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key in this.entries) {
          const valueSchema = this.entries[key];
          if (key in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key in input ? input[key] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({ value: value$1 }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [pathItem];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key}"`,
              path: [{
                type: "object",
                origin: "key",
                input,
                key,
                value: input[key]
              }]
            });
            if (config$1.abortEarly) break;
          }
        }
        if (!dataset.issues || !config$1.abortEarly) {
          for (const key in input) if (/* @__PURE__ */ _isValidObjectKey(input, key) && !Object.prototype.hasOwnProperty.call(this.entries, key)) dataset.value[key] = input[key];
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function nullable(wrapped, default_) {
  return _standardSchema({
    kind: "schema",
    type: "nullable",
    reference: nullable,
    expects: `(${wrapped.expects} | null)`,
    async: false,
    wrapped,
    default: default_,
    "~run"(dataset, config$1) {
      if (dataset.value === null) {
        if (this.default !== void 0) dataset.value = /* @__PURE__ */ getDefault(this, dataset, config$1);
        if (dataset.value === null) {
          dataset.typed = true;
          return dataset;
        }
      }
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function number(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "number",
    reference: number,
    expects: "number",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "number" && !isNaN(dataset.value)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function object(entries$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "object",
    reference: object,
    expects: "Object",
    async: false,
    entries: entries$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const key in this.entries) {
          const valueSchema = this.entries[key];
          if (key in input || (valueSchema.type === "exact_optional" || valueSchema.type === "optional" || valueSchema.type === "nullish") && valueSchema.default !== void 0) {
            const value$1 = key in input ? input[key] : /* @__PURE__ */ getDefault(valueSchema);
            const valueDataset = valueSchema["~run"]({ value: value$1 }, config$1);
            if (valueDataset.issues) {
              const pathItem = {
                type: "object",
                origin: "value",
                input,
                key,
                value: value$1
              };
              for (const issue of valueDataset.issues) {
                if (issue.path) issue.path.unshift(pathItem);
                else issue.path = [pathItem];
                dataset.issues?.push(issue);
              }
              if (!dataset.issues) dataset.issues = valueDataset.issues;
              if (config$1.abortEarly) {
                dataset.typed = false;
                break;
              }
            }
            if (!valueDataset.typed) dataset.typed = false;
            dataset.value[key] = valueDataset.value;
          } else if (valueSchema.fallback !== void 0) dataset.value[key] = /* @__PURE__ */ getFallback(valueSchema);
          else if (valueSchema.type !== "exact_optional" && valueSchema.type !== "optional" && valueSchema.type !== "nullish") {
            _addIssue(this, "key", dataset, config$1, {
              input: void 0,
              expected: `"${key}"`,
              path: [{
                type: "object",
                origin: "key",
                input,
                key,
                value: input[key]
              }]
            });
            if (config$1.abortEarly) break;
          }
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function optional(wrapped, default_) {
  return _standardSchema({
    kind: "schema",
    type: "optional",
    reference: optional,
    expects: `(${wrapped.expects} | undefined)`,
    async: false,
    wrapped,
    default: default_,
    "~run"(dataset, config$1) {
      if (dataset.value === void 0) {
        if (this.default !== void 0) dataset.value = /* @__PURE__ */ getDefault(this, dataset, config$1);
        if (dataset.value === void 0) {
          dataset.typed = true;
          return dataset;
        }
      }
      return this.wrapped["~run"](dataset, config$1);
    }
  });
}
// @__NO_SIDE_EFFECTS__
function picklist(options, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "picklist",
    reference: picklist,
    expects: /* @__PURE__ */ _joinExpects(options.map(_stringify), "|"),
    async: false,
    options,
    message: message$1,
    "~run"(dataset, config$1) {
      if (this.options.includes(dataset.value)) dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function record(key, value$1, message$1) {
  return _standardSchema({
    kind: "schema",
    type: "record",
    reference: record,
    expects: "Object",
    async: false,
    key,
    value: value$1,
    message: message$1,
    "~run"(dataset, config$1) {
      const input = dataset.value;
      if (input && typeof input === "object") {
        dataset.typed = true;
        dataset.value = {};
        for (const entryKey in input) if (/* @__PURE__ */ _isValidObjectKey(input, entryKey)) {
          const entryValue = input[entryKey];
          const keyDataset = this.key["~run"]({ value: entryKey }, config$1);
          if (keyDataset.issues) {
            const pathItem = {
              type: "object",
              origin: "key",
              input,
              key: entryKey,
              value: entryValue
            };
            for (const issue of keyDataset.issues) {
              issue.path = [pathItem];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = keyDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          const valueDataset = this.value["~run"]({ value: entryValue }, config$1);
          if (valueDataset.issues) {
            const pathItem = {
              type: "object",
              origin: "value",
              input,
              key: entryKey,
              value: entryValue
            };
            for (const issue of valueDataset.issues) {
              if (issue.path) issue.path.unshift(pathItem);
              else issue.path = [pathItem];
              dataset.issues?.push(issue);
            }
            if (!dataset.issues) dataset.issues = valueDataset.issues;
            if (config$1.abortEarly) {
              dataset.typed = false;
              break;
            }
          }
          if (!keyDataset.typed || !valueDataset.typed) dataset.typed = false;
          if (keyDataset.typed) dataset.value[keyDataset.value] = valueDataset.value;
        }
      } else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function string(message$1) {
  return _standardSchema({
    kind: "schema",
    type: "string",
    reference: string,
    expects: "string",
    async: false,
    message: message$1,
    "~run"(dataset, config$1) {
      if (typeof dataset.value === "string") dataset.typed = true;
      else _addIssue(this, "type", dataset, config$1);
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function unknown() {
  return _standardSchema({
    kind: "schema",
    type: "unknown",
    reference: unknown,
    expects: "unknown",
    async: false,
    "~run"(dataset) {
      dataset.typed = true;
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function pipe(...pipe$1) {
  return _standardSchema({
    ...pipe$1[0],
    pipe: pipe$1,
    "~run"(dataset, config$1) {
      for (const item of pipe$1) if (item.kind !== "metadata") {
        if (dataset.issues && (item.kind === "schema" || item.kind === "transformation")) {
          dataset.typed = false;
          break;
        }
        if (!dataset.issues || !config$1.abortEarly && !config$1.abortPipeEarly) dataset = item["~run"](dataset, config$1);
      }
      return dataset;
    }
  });
}
// @__NO_SIDE_EFFECTS__
function safeParse(schema, input, config$1) {
  const dataset = schema["~run"]({ value: input }, /* @__PURE__ */ getGlobalConfig(config$1));
  return {
    typed: dataset.typed,
    success: !dataset.issues,
    output: dataset.value,
    issues: dataset.issues
  };
}

// src/tasks/schema.ts
var MOST_STORIES = 1e3;
var MOST_LEVELS = 100;
var UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;
var NON_NEGATIVE = "must be a non-negative integer";
var STATUS = 'must be null or one of "needs_review", "changes_requested", "approved"';
var CRITERIA = "must be a non-empty array of strings";
var text = string("must be a string");
var texts = array(string("must be a string"), "must be an array of strings");
var STORY_FIELDS = {
  id: pipe(
    text,
    check((id) => !isBlank(id), "must not be blank"),
    maxLength(100, "must not be longer than 100 characters"),
    // An id stands in prompts and on screens, in ralph's own words.
    check((id) => !UNPRINTABLE.test(id), "must not hold line breaks or control characters")
  ),
  title: text,
  description: optional(text, ""),
  acceptanceCriteria: pipe(array(string("must be a string"), CRITERIA), minLength(1, CRITERIA)),
  priority: pipe(number("must be a number"), finite("must be a number")),
  passes: boolean("must be a boolean"),
  reviewStatus: nullable(picklist(["needs_review", "changes_requested", "approved"], STATUS)),
  reviewCount: pipe(number(NON_NEGATIVE), safeInteger(NON_NEGATIVE), minValue(0, NON_NEGATIVE)),
  reviewFeedback: text,
  notes: optional(text, ""),
  dependsOn: optional(texts, [])
};
var LIST_FIELDS = {
  project: text,
  branchName: text,
  description: text,
  verifyCommands: optional(texts, [])
};
var LIST = object2({
  ...LIST_FIELDS,
  userStories: pipe(
    array(object2(STORY_FIELDS), "must be an array of stories"),
    maxLength(MOST_STORIES, `must not hold more than ${MOST_STORIES} stories`)
  )
});
function parseList(json) {
  const value = parseJson(json);
  return value.ok ? checkSchema(value.value) : { ok: false, faults: [value.fault] };
}
function parseJson(json) {
  try {
    const value = JSON.parse(json.replace(/^\uFEFF/, ""));
    if (!isTooDeep(value)) return { ok: true, value };
    return { ok: false, fault: { path: "", message: `is nested more than ${MOST_LEVELS} levels deep` } };
  } catch (error) {
    return { ok: false, fault: { path: "", message: `is not valid JSON (${String(error)})` } };
  }
}
function isTooDeep(value) {
  let level = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth++) {
    level = level.flatMap((one) => typeof one === "object" && one !== null ? Object.values(one) : []);
    if (level.length === 0) return false;
  }
  return true;
}
function checkSchema(value) {
  const parsed = safeParse(LIST, value);
  const faults = [...(parsed.issues ?? []).map(faultOf), ...acrossFields(value)];
  return parsed.success && faults.length === 0 ? { ok: true, list: parsed.output } : { ok: false, faults: faults.map((fault) => naming(fault, value)) };
}
function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
function object2(entries) {
  return pipe(unknown(), check(isRecord, "must be an object"), looseObject(entries, "is required"));
}
function faultOf(issue) {
  const path = (issue.path ?? []).reduce(
    (way, { key }) => typeof key === "number" ? `${way}[${key}]` : `${way === "" ? "" : `${way}.`}${String(key)}`,
    ""
  );
  return { path, message: issue.message };
}
function acrossFields(value) {
  if (!isRecord(value) || !Array.isArray(value["userStories"])) return [];
  const first = /* @__PURE__ */ new Map();
  return value["userStories"].flatMap((story, index) => {
    if (!isRecord(story)) return [];
    const faults = [];
    const { id, notes = "" } = story;
    if (typeof id === "string") {
      const earlier = first.get(id);
      if (earlier === void 0) first.set(id, index);
      else
        faults.push({
          path: `userStories[${index}].id`,
          message: `is a duplicate of userStories[${earlier}].id`
        });
    }
    if (story["passes"] === true && typeof notes === "string" && isBlank(notes)) {
      faults.push({
        path: `userStories[${index}].notes`,
        message: "must not be empty when passes=true: say what was done"
      });
    }
    return faults;
  });
}
function naming(fault, value) {
  const index = /^userStories\[(\d+)\]/.exec(fault.path)?.[1];
  if (index === void 0 || !isRecord(value) || !Array.isArray(value["userStories"])) return fault;
  const story = value["userStories"][Number(index)];
  const id = isRecord(story) && typeof story["id"] === "string" ? story["id"] : void 0;
  return id === void 0 || isBlank(id) ? fault : { ...fault, message: `${fault.message} (story ${id})` };
}

// src/tasks/transitions.ts
function reviewFaults(before, after, iteration) {
  const mover = moverOf(before, after, iteration);
  return after.flatMap((story, index) => {
    const was = before.get(story.id);
    const messages = was === void 0 ? newFaults(story) : moveFaults(was, story, iteration.mode, mover);
    return messages.map((message) => ({ path: `userStories[${index}]`, message }));
  });
}
function moverOf(before, after, { mode, story }) {
  if (story !== void 0) return story;
  return after.find((now) => {
    const was = before.get(now.id);
    return was !== void 0 && hasMoved(was, now) && faultsByMode[mode](was, now).length === 0;
  })?.id;
}
function moveFaults(was, now, mode, mover) {
  if (!hasMoved(was, now)) return [];
  const faults = faultsByMode[mode](was, now);
  return faults.length === 0 && now.id !== mover ? [notItsTurn(now.id, mode)] : faults;
}
function newFaults({ id, passes, reviewStatus, reviewCount }) {
  if (!passes && reviewStatus === null && reviewCount === 0) return [];
  return [
    `New stories must start incomplete: passes=false, reviewStatus=null, reviewCount=0. Story ${id} starts with passes=${passes}, reviewStatus=${reviewStatus}, reviewCount=${reviewCount}.`
  ];
}
function missingVerdict(before, after, { mode, story, skipReview }) {
  if (skipReview || mode !== "review") return void 0;
  const isCounted = after.some(({ id, reviewCount }) => reviewCount > (before.get(id)?.reviewCount ?? 0));
  if (isCounted) return void 0;
  const asked = story ?? after.find(({ reviewStatus }) => reviewStatus === "needs_review")?.id ?? "(none)";
  return reviewed(asked, ["review must increment reviewCount, and approve the story or request changes"]);
}
var FIELDS = ["passes", "reviewStatus", "reviewCount"];
function hasMoved(was, now) {
  return FIELDS.some((field) => was[field] !== now[field]) || hasNewFeedback(was, now);
}
function hasNewFeedback(was, now) {
  return was.reviewFeedback !== void 0 && was.reviewFeedback !== now.reviewFeedback;
}
var faultsByMode = {
  implement(was, now) {
    const illegal = `Story ${now.id} had illegal transition:`;
    const isHandedIn = was.reviewStatus === null && now.reviewStatus === "needs_review";
    const faults = FIELDS.filter((field) => was[field] !== now[field]).flatMap((field) => {
      if (field === "reviewStatus" && isHandedIn) return [];
      const approves = now[field] === true || now[field] === "approved";
      const rule = approves ? "Implement iterations cannot set passes=true or approve stories. Only review iterations may approve." : field === "reviewCount" ? "Implement iterations cannot increment reviewCount." : "Implement iterations may only set reviewStatus from null to 'needs_review'.";
      return [`${rule} ${illegal} ${step(field, was, now)}.`];
    });
    if (hasNewFeedback(was, now) && !(isHandedIn && isBlank(now.reviewFeedback))) {
      faults.push(
        `Implement iterations cannot change reviewFeedback. ${illegal} reviewFeedback was changed.`
      );
    }
    return faults;
  },
  review(was, now) {
    const details = [];
    const added = now.reviewCount - was.reviewCount;
    const approved = now.reviewStatus === "approved";
    if (was.reviewStatus !== "needs_review") {
      details.push(`it was not waiting for a review (reviewStatus was ${was.reviewStatus})`);
    }
    if (added === 0) details.push("review must increment reviewCount");
    else if (added !== 1) details.push(`reviewCount changed by ${added}, not by 1`);
    if (approved !== now.passes) details.push("reviewStatus 'approved' and passes=true must be set together");
    if (now.reviewStatus === "changes_requested" && isBlank(now.reviewFeedback)) {
      details.push("changes were requested with an empty reviewFeedback");
    }
    if (!approved && now.reviewStatus !== "changes_requested") {
      details.push(
        `reviewStatus must become 'approved' or 'changes_requested': ${step("reviewStatus", was, now)}`
      );
    }
    return details.length === 0 ? [] : [reviewed(now.id, details)];
  },
  "review-fix"(was, now) {
    const isHandedIn = was.reviewStatus === "changes_requested" && now.reviewStatus === "needs_review";
    const faults = FIELDS.filter((field) => was[field] !== now[field]).flatMap((field) => {
      if (field === "reviewStatus" && isHandedIn) return [];
      const rule = field === "reviewCount" ? "Review-fix iterations cannot increment reviewCount." : "Review-fix iterations cannot approve stories.";
      return [
        `${rule} Story ${now.id} must go back to needs_review for re-review. Illegal transition: ${step(field, was, now)}.`
      ];
    });
    if (isHandedIn && !isBlank(now.reviewFeedback)) {
      faults.push(
        `Review-fix iterations clear reviewFeedback when they hand a story in again. Story ${now.id} still has some.`
      );
    } else if (!isHandedIn && hasNewFeedback(was, now)) {
      faults.push(
        `Review-fix iterations cannot change reviewFeedback without handing the story in again. Story ${now.id} has other feedback now.`
      );
    }
    return faults;
  }
};
function step(field, was, now) {
  return `${field} ${was[field]} \u2192 ${now[field]}`;
}
function reviewed(id, details) {
  return `Review iteration made illegal transition on story ${id}: ${details.join("; ")}.`;
}
function notItsTurn(id, mode) {
  if (mode === "review") return reviewed(id, ["review may only modify one story, the one that was selected"]);
  const name = mode === "implement" ? "Implement" : "Review-fix";
  return `${name} iterations may only hand in one story, the one that was selected. Story ${id} was not.`;
}

// src/tasks/check.ts
function checkList(json, rules) {
  const parsed = parseList(json);
  if (!parsed.ok) return { faults: parsed.faults, warnings: [] };
  const { list } = parsed;
  return { list, warnings: [], faults: [...invariantFaults(list, rules), ...dependencyFaults(list)] };
}
function checkStop(json, active) {
  const checked = checkList(json, active);
  const { list } = checked;
  if (list === void 0 || active.skipReview) return checked;
  const { iterationMode: mode, preIterationSnapshot: snapshot } = active;
  if (mode === void 0 || snapshot === void 0) {
    return {
      ...checked,
      warnings: ["There is no snapshot of the list before this iteration: its transitions were not checked."]
    };
  }
  const before = new Map(Object.entries(snapshot));
  const iteration = { mode, skipReview: false };
  const moves = reviewFaults(before, list.userStories, iteration);
  const missing = missingVerdict(before, list.userStories, iteration);
  return {
    ...checked,
    faults: [
      ...checked.faults,
      ...moves,
      ...missing === void 0 || moves.length > 0 ? [] : [{ path: "userStories", message: missing }]
    ]
  };
}

// src/tasks/files.ts
import { join as join6, posix, relative as relative2, resolve as resolve2, sep as sep2 } from "node:path";

// src/tasks/active.ts
var count = pipe(number(), safeInteger(), minValue(0));
var ACTIVE = object({
  timestamp: string(),
  pid: pipe(number(), safeInteger(), minValue(1)),
  max_iterations: count,
  mode: picklist(["sandbox", "direct"]),
  skipReview: boolean(),
  reviewCap: count,
  iterationMode: exactOptional(picklist(["implement", "review", "review-fix"])),
  preIterationSnapshot: exactOptional(
    record(
      string(),
      object({
        passes: boolean(),
        reviewStatus: nullable(picklist(["needs_review", "changes_requested", "approved"])),
        reviewCount: count
      })
    )
  )
});
function parseActive(text2) {
  const json = parseJson(text2);
  const parsed = json.ok ? safeParse(ACTIVE, json.value) : void 0;
  return parsed?.success === true ? parsed.output : void 0;
}

// src/tasks/files.ts
var RALPH_DIR = "ralph";
var MOST_BYTES = 4 * 1024 * 1024;
function taskPaths(project, dir = RALPH_DIR) {
  const way = relative2(project, resolve2(project, dir)).split(sep2).join(posix.sep);
  if (way === "" || !isInside(project, resolve2(project, dir))) {
    throw new UserError(
      `cannot use ${dir} for the task list`,
      "it must be a folder inside the project",
      "Give --ralph-dir a folder such as ralph."
    );
  }
  return {
    dir: way,
    prd: `${way}/prd.md`,
    tasks: `${way}/tasks.json`,
    progress: `${way}/progress.txt`,
    prompt: `${way}/prompt.md`
  };
}
function readProjectFile(project, path) {
  return readProjectBytes(project, path)?.toString("utf8");
}
function readProjectBytes(project, path) {
  try {
    return bytesInside(project, join6(project, path), MOST_BYTES);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return void 0;
    const why = code === "ELOOP" ? "a symbolic link stands in its place or on the way to it, and ralph does not follow it" : code === "EFBIG" ? "it is too large" : code === "ENOTFILE" ? "it is no plain file" : messageOf(error);
    throw new UserError(`cannot read ${path}`, why, "Put a plain file in its place.", { cause: error });
  }
}
function readActive(project) {
  const text2 = readProjectFile(project, ACTIVE_FILE);
  return text2 === void 0 ? void 0 : parseActive(text2);
}
function markerOf(project) {
  try {
    return readActive(project);
  } catch (error) {
    if (error instanceof UserError) return void 0;
    throw error;
  }
}

// src/hooks/log.ts
import { appendFileSync, mkdirSync as mkdirSync3, renameSync, statSync as statSync2 } from "node:fs";
import { join as join7 } from "node:path";
var LARGEST_BYTES = 1024 * 1024;
function logPath(root) {
  return join7(root, "hooks.log");
}
function log(root, line) {
  const path = logPath(root);
  try {
    mkdirSync3(root, { recursive: true, mode: 448 });
    const size = statSync2(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size > LARGEST_BYTES) renameSync(path, `${path}.1`);
    const clean = line.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, 2e3);
    appendFileSync(path, `${(/* @__PURE__ */ new Date()).toISOString()} ${clean}
`, { mode: 384 });
  } catch {
  }
}

// src/hooks/watch.ts
import { mkdirSync as mkdirSync4, renameSync as renameSync2, rmSync as rmSync2, statSync as statSync3, symlinkSync, writeFileSync as writeFileSync2 } from "node:fs";
import { join as join9 } from "node:path";

// src/config/read-file.ts
var LARGEST = 1024 * 1024;

// src/hooks/places.ts
import { join as join8 } from "node:path";
function isPlainId(id) {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}
function watchedFolder(root) {
  return join8(root, "sessions");
}
var FORGOTTEN_MS = 30 * 24 * 60 * 6e4;

// src/hooks/transcript.ts
var FIRST_BYTES = 64 * 1024;
var MOST_BYTES2 = 4 * 1024 * 1024;

// src/hooks/watch.ts
function agentOf(env) {
  const run = env["RALPH_RUN_ID"] ?? "";
  const project = env["RALPH_PROJECT"] ?? "";
  if (!isPlainId(run) || !project.startsWith("/")) return void 0;
  const marker = statSync3(join9(project, ACTIVE_FILE), { throwIfNoEntry: false });
  return marker?.isFile() === true ? { run, project } : void 0;
}
function watchFolder(root, env) {
  const agent = agentOf(env);
  const session = env["CLAUDE_CODE_SESSION_ID"] ?? "";
  const name = agent === void 0 ? session : `${agent.run}.${env["RALPH_ITERATION"] ?? ""}.${session}`;
  return isPlainId(name) ? join9(watchedFolder(root), name) : void 0;
}

// src/hooks/task-stop.ts
var MOST_TOLD = 5;
var MOST_NAMED = 10;
var GIT_MS = 2e4;
async function onTaskStop(input, root) {
  const agent = agentOf(process.env);
  const folder = watchFolder(root, process.env);
  if (agent === void 0 || folder === void 0 || input.isSub || input.background > 0) return void 0;
  const active = markerOf(agent.project);
  const turn = active === void 0 ? void 0 : turnOf(root, agent, active);
  if (active === void 0 || turn === void 0) return void 0;
  const paths = taskPaths(agent.project, turn.dir);
  const list = listFaults(agent.project, paths, active);
  const changes = turn.commits ? await uncommitted(agent, paths, turn.folder) : void 0;
  if (list.warning !== void 0) log(root, `${agent.run}: ${list.warning}`);
  const causes = [
    ["list", list.reason],
    ["uncommitted", changes]
  ];
  const told = causes.flatMap(
    ([cause, reason]) => reason !== void 0 && mayTell(folder, cause, () => log(root, givenUp(agent, cause))) ? [reason] : []
  );
  const tell = list.warning === void 0 ? {} : { tell: `ralph: ${list.warning}` };
  if (told.length === 0) return list.warning === void 0 ? void 0 : tell;
  log(root, `${agent.run}: the agent was sent back: ${told.join(" ")}`);
  return { goOn: [...told, "Then stop again."].join("\n\n"), ...tell };
}
function turnOf(root, { run, project }, active) {
  const { folder, journal } = runFolder(root, project, run);
  if (!existsSync3(journal)) {
    const isLiving = isRunningSince(active.pid, Date.parse(active.timestamp));
    return isLiving ? { dir: "ralph", commits: true, folder } : void 0;
  }
  const { phase, spec } = readJournal(journal).reduce(evolve, INITIAL);
  if (phase !== "prompted" || spec?.work.kind !== "tasks") return void 0;
  return { dir: spec.work.dir, commits: spec.gates.some(({ kind }) => kind === "clean-tree"), folder };
}
function listFaults(project, { tasks }, active) {
  let json;
  try {
    json = readProjectFile(project, tasks);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { reason: `${error.what}: ${error.why}. ${error.fix}` };
  }
  if (json === void 0) return { reason: `${tasks} is not there. Put it back.` };
  const { faults, warnings } = checkStop(json, active);
  const lines = faults.map(({ path, message }) => path === "" ? `- ${message}` : `- ${path}: ${message}`);
  const more = faults.length > MOST_NAMED ? [`- and ${faults.length - MOST_NAMED} more`] : [];
  return {
    ...faults.length === 0 ? {} : { reason: [`${tasks} is not in order:`, ...lines.slice(0, MOST_NAMED), ...more].join("\n") },
    ...warnings[0] === void 0 ? {} : { warning: warnings[0] }
  };
}
async function uncommitted({ project }, { dir }, folder) {
  const status = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const apart = RUNTIME_PATTERNS.map((pattern) => `:(exclude)${pattern}`);
  const found = await git(project, [...status, "--ignore-submodules=dirty", "--", ":/", ...apart], {
    wallMs: GIT_MS
  });
  if (found.code !== 0) return void 0;
  const theirs = new Set(uncommittedBefore(folder));
  const changed = found.stdout.split("\0").map((entry) => entry.slice(3)).filter((path) => path !== "");
  const own = changed.filter((path) => !theirs.has(path));
  if (own.length === 0) return void 0;
  const left = changed.filter((path) => theirs.has(path));
  return [
    `There are uncommitted changes: ${named(own)}`,
    `1. Update \`${dir}/progress.txt\` with what was accomplished + learnings`,
    "2. Consider if any lasting patterns belong in CLAUDE.md or `.claude/rules/`",
    "3. Commit ALL changes including progress.txt and tasks.json updates",
    ...left.length === 0 ? [] : [`These were changed before the run began, and are its user's: ${named(left)}`]
  ].join("\n");
}
function named(paths) {
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : "";
  return `${paths.slice(0, MOST_NAMED).map(shown).join(", ")}${more}`;
}
function mayTell(folder, cause, onLast) {
  const path = join10(folder, `stops-${cause}`);
  const before = existsSync3(path) ? Number(readFileSync8(path, "utf8")) : 0;
  if (!(before < MOST_TOLD)) {
    onLast();
    return false;
  }
  mkdirSync5(folder, { recursive: true, mode: 448 });
  writeFileSync3(path, String(before + 1), { mode: 384 });
  return true;
}
function givenUp({ run }, cause) {
  const what = cause === "list" ? "the task list is not in order" : "there are uncommitted changes";
  return `${run}: the agent may stop although ${what}: it was told ${MOST_TOLD} times`;
}
export {
  onTaskStop
};
