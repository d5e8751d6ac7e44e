import { createHash } from "node:crypto";
import { isAbsolute, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ensureRalphFolder } from "../config/write.ts";
import { UserError } from "../errors.ts";
import { openJournal } from "../journal/journal.ts";
import { takeLock } from "../journal/lock.ts";
import { newRunId, runFolder } from "../journal/paths.ts";
import { systemClock } from "../loop/clock.ts";
import { holderOf } from "../loop/hold.ts";
import { LIVENESS } from "../loop/liveness.ts";
import { machine } from "../loop/machine.ts";
import { BEFORE, keepSnapshots, openStore } from "../loop/snapshots.ts";
import type { RunSpec } from "../spec.ts";
import { VERSION } from "../version.ts";
import { iterationStarted } from "./advance.ts";
import type { Answer } from "./answer.ts";
import { type LoopWish, parseArguments } from "./arguments.ts";
import { type HookInput, projectOf } from "./input.ts";
import { log } from "./log.ts";
import { type OpenLoop, openLoop } from "./open-loop.ts";
import { isPlainId, type Marker, readMarker, writeMarker } from "./places.ts";
import { sessionSpec } from "./session-spec.ts";
import { takeSpool } from "./spool.ts";
import { transcriptSize } from "./transcript.ts";
import { contract } from "./words.ts";
import { treeNow } from "./workbench.ts";

/** Starts a loop in this session. Throws a UserError when it cannot be. */
export async function startLoop(
  input: HookInput,
  root: string,
  asked: { readonly ultrawork: boolean; readonly args: string },
): Promise<Answer> {
  const wish = parseArguments(asked.args);
  if ("fault" in wish) throw new UserError("that is no loop yet", wish.fault, "");
  if (!isPlainId(input.session)) throw nameless();
  if (input.endsAtStop === true) throw endsTooSoon();
  mustBeFound(root, process.env);
  const lock = await takeTurn(root, input.session);
  try {
    const before = loopBefore(input.session, root);
    if (before === undefined || "why" in before) return await startAlone(input, root, { ...asked, wish });
    if (isTwin(before, wish)) return { context: contract(before.spec) };
    throw second(before.marker.run);
  } finally {
    lock.release();
  }
}

const PATIENCE_MS = 60_000;
const STEP_MS = 50;

/**
 * Two copies of this hook are asked for the same loop when the plugin is installed twice. The second waits for the first, finds
 * its loop, and repeats its words.
 */
async function takeTurn(root: string, session: string): Promise<{ readonly release: () => void }> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = takeLock(join(root, "starting", session), session, LIVENESS, Date.now());
    if (lock.held) return lock;
    if (performance.now() > deadline)
      throw new UserError(
        "another loop is being started in this session",
        "it takes long",
        "Try again when it is.",
      );
    await sleep(STEP_MS);
  }
}

/**
 * A loop with the same task that began just now, or while we waited, and whose agent has not stopped yet, is the one that is
 * asked for.
 */
function isTwin({ spec, recent }: OpenLoop, { task }: LoopWish): boolean {
  const last = recent.at(-1);
  if (last?.type !== "iteration.started" || last.iteration !== 1) return false;
  const isSame = spec.work.kind === "prompt" && spec.work.text === task;
  const aheadMs = last.at - (Date.now() - process.uptime() * 1000);
  return isSame && aheadMs > -TOGETHER_MS && aheadMs < PATIENCE_MS;
}

const TOGETHER_MS = 5_000;

async function startAlone(
  input: HookInput,
  root: string,
  { ultrawork, wish }: { readonly ultrawork: boolean; readonly wish: LoopWish },
): Promise<Answer> {
  const { env } = process;
  const project = projectOf(input, env);
  const holder = holderOf(root, project);
  if (holder !== undefined) {
    const fix = "Wait for it to end, or stop it with `ralph stop`.";
    throw new UserError("another run is under way in this folder", `run ${holder.run}`, fix);
  }
  const spec = await sessionSpec(input, { ...wish, ultrawork }, { project, root, env });
  const marker = await begin(input, root, spec);
  const { promise = "" } = spec.claim;
  const end = promise === "" ? "" : `, ends on <promise>${promise}</promise>`;
  const checks =
    spec.gates.length === 0 ? "" : `, checked by ${spec.gates.map(({ command }) => command).join("; ")}`;
  log(root, `${marker.run}: a loop began in session ${input.session} of ${input.agent}, in ${project}`);
  return {
    context: contract(spec),
    tell: `ralph: loop ${marker.run} began: sent back up to ${wish.maxIterations} times${end}${checks}. /cancel-ralph ends it.`,
  };
}

/**
 * The guards that stand before the other hooks look for the state folder with nothing but a shell, in whatever folder the session
 * stands by then. A loop that they would not find would be lost without a word.
 */
function mustBeFound(root: string, env: NodeJS.ProcessEnv): void {
  const { RALPH_STATE_DIR: own, XDG_STATE_HOME: base, HOME: home } = env;
  const [name, path] = own
    ? ["RALPH_STATE_DIR", own]
    : base
      ? ["XDG_STATE_HOME", `${base}/ralph`]
      : ["HOME", `${home ?? ""}/.local/state/ralph`];
  if (isAbsolute(path) && resolve(path) === root) return;
  throw new UserError(
    "the state of a loop would not be found again",
    `${name} is not set to a full path`,
    `Set ${name} to one that begins with a slash, and start this program again.`,
  );
}

function nameless(): UserError {
  return new UserError(
    "this session cannot be told from others",
    "the program gives it no id",
    "Use `ralph run` in a terminal.",
  );
}

function endsTooSoon(): UserError {
  return new UserError(
    "this session cannot be kept going",
    "`opencode run` ends when its agent stops",
    "Start the loop on OpenCode's own screen or in `opencode serve`, or use `ralph run --agent opencode`.",
  );
}

function second(run: string): UserError {
  const fix = "End it with /cancel-ralph first, or wait for its end.";
  return new UserError("this session has a loop already", `run ${run}`, fix);
}

/** What is damaged is no loop that anything could be waited for from: a new one takes its place. */
function loopBefore(session: string, root: string): ReturnType<typeof openLoop> | undefined {
  try {
    const before = readMarker(root, session);
    return before === undefined ? undefined : openLoop(before, session);
  } catch {
    return undefined;
  }
}

async function begin(input: HookInput, root: string, spec: RunSpec): Promise<Marker> {
  const { project } = spec;
  const at = systemClock.now();
  const run = newRunId(at);
  const { folder, journal: path } = runFolder(root, project, run);
  const other = process.env["CLAUDE_CODE_SESSION_ID"] ?? "";
  const marker: Marker = {
    run,
    folder,
    project,
    transcriptFrom: transcriptSize(input.transcript),
    // A session inside another one's: the guards know it by the name of the outer one.
    ...(isPlainId(other) && other !== input.session ? { alias: other } : {}),
  };
  if (spec.gates.length > 0) ensureRalphFolder(project);
  const journal = await openJournal(path);
  try {
    await journal.append({
      type: "run.started",
      at,
      run,
      journal: 1,
      ralph: VERSION,
      spec,
      machine: machine(),
    });
    const opening = openStore({ project, folder, run });
    const seen = await keepSnapshots({ project, folder, opening }).take(BEFORE(1));
    // What the proof, or the look for work, compares with later.
    const isMeasured = spec.gates.length > 0 || spec.session?.uncounted === true;
    const tree = isMeasured ? await treeNow(marker) : undefined;
    const words = contract(spec);
    const promptSha256 = createHash("sha256").update(words).digest("hex");
    const first = { ...iterationStarted(marker, 1, words), promptSha256 };
    await journal.append({ ...first, ...seen, ...(tree === undefined ? {} : { tree }) });
  } finally {
    await journal.close();
  }
  takeSpool(root, input.session); // tools that were used before the loop are no work for it
  writeMarker(root, input.session, marker);
  return marker;
}
