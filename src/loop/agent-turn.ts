import { closeSync, openSync, writeSync } from "node:fs";
import type { AgentAdapter, AgentCommand } from "../agents/agent.ts";
import type { AgentEnding, AgentEvent, ProcessMark } from "../events.ts";
import { readNoFollow } from "../files.ts";
import type { Timeouts } from "../spec.ts";
import { LineCutter } from "../supervise/lines.ts";
import type { Means } from "../supervise/means.ts";
import { type Remains, spawnTree, type Tree } from "../supervise/spawn.ts";
import { TurnReader } from "./turn-reader.ts";

export interface Turn {
  readonly adapter: AgentAdapter;
  readonly command: AgentCommand;
  readonly cwd: string;
  readonly means: Means;
  /** The processes that may go on when the agent has ended. */
  readonly keep?: () => readonly number[];
  readonly env: NodeJS.ProcessEnv;
  /** Raw output is kept here, byte for byte: `<path>.out` and `<path>.err`. */
  readonly rawPath: string;
  /** The file that holds the final text, for an agent that was told to write it there. */
  readonly answerPath?: string;
  readonly timeouts: Timeouts;
  readonly hardStop: AbortSignal;
  readonly now: () => number;
  onEvent(event: AgentEvent): void;
  onStarted(process: ProcessMark): void;
  /** Keeps log-ins the same inside and outside; called when nothing of the turn runs. */
  readonly exchange?: (() => void) | undefined;
  /** Set while whoever shows the events has no room for more. */
  readonly full?: (() => Promise<void> | undefined) | undefined;
}

export interface TurnEnd {
  /** What goes on after it. */
  readonly kept?: Remains;
  readonly ending: AgentEnding;
  readonly finalText: string;
  /** The final text is plain standard output, which may echo the prompt. */
  readonly plain: boolean;
  readonly reader: TurnReader;
  readonly wallMs: number;
  /** It gave its result, did not exit, and was ended. */
  readonly lingered: boolean;
  readonly exitCode: number | null;
}

/** Failures to start that may be gone a moment later; all others are a matter of set-up. */
const PASSING_SPAWN_ERRORS = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ETXTBSY"]);

/** Events of an agent that is at work. */
const WORKING: ReadonlySet<AgentEvent["type"]> = new Set([
  "text",
  "thinking",
  "tool.started",
  "tool.ended",
  "session",
]);

/** A log-in may be renewed once; one that is refused again will not get better by waiting. */
const MOST_REFUSALS = 2;

const LARGEST_ANSWER_BYTES = 1024 * 1024;

/** Runs one turn of an agent and says how it ended. Never rejects for anything that the agent does. */
export async function runTurn(turn: Turn): Promise<TurnEnd> {
  const startedMs = performance.now();
  const parser = turn.adapter.parser();
  const reader = new TurnReader(turn.adapter);
  const out = new RawFile(`${turn.rawPath}.out`);
  const err = new RawFile(`${turn.rawPath}.err`);
  let refusals = 0;
  let refused: string | undefined;
  const tell = (event: AgentEvent) => {
    const shown = reader.add(event);
    // After its result an agent should go. If it goes on working instead (background tasks), that is not lingering.
    if (event.type === "result") tree.linger(turn.timeouts.lingerMs);
    else if (WORKING.has(event.type)) tree.linger(0);
    if (event.type === "notice" && event.refused === true && ++refusals === MOST_REFUSALS) {
      refused = event.text;
      tree.stop(0);
    }
    turn.onEvent(shown);
  };
  const cutter = new LineCutter({
    line: (line) => {
      for (const event of parser.line(line)) tell(event);
    },
    oversize: (head, cutBytes) => tell({ type: "unrecognised", line: head, cutBytes }),
  });
  const { turnMs, idleMs } = turn.timeouts;
  turn.exchange?.();
  const tree: Tree = spawnTree({
    ...(turnMs > 0 ? { wallMs: turnMs } : {}),
    idleMs,
    ...turn.command,
    cwd: turn.cwd,
    means: withVariables(turn),
    ...(turn.keep === undefined ? {} : { keep: turn.keep }),
    env: { ...turn.env, ...turn.command.env },
    onStdout: (chunk) => {
      out.add(chunk);
      reader.stdout(chunk);
      cutter.write(chunk);
      return turn.full?.();
    },
    onStderr: (chunk) => {
      err.add(chunk);
      reader.stderr(chunk);
    },
  });
  if (tree.process !== undefined) turn.onStarted(tree.process);
  const stop = () => tree.stop(0);
  if (turn.hardStop.aborted) stop();
  turn.hardStop.addEventListener("abort", stop, { once: true });
  const exit = await tree.exited;
  turn.exchange?.();
  turn.hardStop.removeEventListener("abort", stop);
  cutter.end();
  out.close();
  err.close();

  const wallMs = Math.round(performance.now() - startedMs);
  // One that gave its result and would not go has finished all the same: how we ended it says nothing about it.
  const lingered = exit.endedBy === "lingering";
  const seen = reader.facts({
    exitCode: lingered ? 0 : exit.code,
    signal: lingered ? null : exit.signal,
    nowMs: turn.now(),
    ...(exit.endedBy === undefined || exit.endedBy === "lingering" ? {} : { killedBy: exit.endedBy }),
    ...(exit.spawnError === undefined ? {} : { spawnError: exit.spawnError.message }),
  });
  const answer = turn.answerPath === undefined ? "" : readAnswer(turn.answerPath);
  const facts = answer === "" ? seen : { ...seen, finalText: answer };
  const ending: AgentEnding =
    exit.spawnError !== undefined && PASSING_SPAWN_ERRORS.has(exit.spawnError.code)
      ? { kind: "error", message: `could not be started just now (${exit.spawnError.message})` }
      : refused !== undefined
        ? { kind: "unauthorised", message: refused }
        : turn.adapter.classify(facts);
  return {
    ending,
    finalText: facts.finalText,
    plain: !facts.structured,
    reader,
    wallMs,
    lingered,
    exitCode: seen.exitCode,
    ...(exit.kept === undefined ? {} : { kept: exit.kept }),
  };
}

/** What an adapter tells its agent goes in, whatever is kept out of the user's own environment. */
function withVariables({ means, command }: Turn): Means {
  const { environment } = means;
  return environment === undefined
    ? means
    : { ...means, environment: (env) => ({ ...environment(env), ...command.env }) };
}

function readAnswer(path: string): string {
  try {
    return readNoFollow(path, LARGEST_ANSWER_BYTES);
  } catch {
    return ""; // it wrote none, or nothing that can be taken: what it printed counts instead
  }
}

/** A raw stream on disk. Written at once, chunk by chunk: nothing piles up in memory, whatever the agent pours out. */
class RawFile {
  #fd: number | undefined;

  constructor(path: string) {
    this.#fd = openSync(path, "w", 0o600);
  }

  add(chunk: Buffer): void {
    if (this.#fd === undefined) return;
    try {
      writeSync(this.#fd, chunk);
    } catch {
      // A full disk costs the transcript, not the run: the journal is what the run stands on, and it will tell.
      this.close();
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}
