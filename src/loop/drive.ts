import type { LoopEvent, Outcome, Step } from "../events.ts";
import type { Journal } from "../journal/journal.ts";
import type { Reporter } from "../ui/reporter.ts";
import { decide } from "./decide.ts";
import { evolve } from "./evolve.ts";
import { INITIAL, type LoopState } from "./state.ts";

/** Records an event that happens while a step is under way (the agent's process runs, a stop was asked for). */
export type Record = (event: LoopEvent) => Promise<void>;

/** Does what a step says and reports what came of it. The only place with side effects. */
export type Perform = (step: Step, state: LoopState, record: Record) => Promise<LoopEvent>;

export interface Driver {
  readonly journal: Journal;
  readonly reporter: Reporter;
  readonly perform: Perform;
  /** Hands over the function that asks the run to stop, as soon as there is one. */
  readonly onStart: (stop: (by: string) => Promise<void>) => void;
}

export interface Drive extends Driver {
  /** What the journal already holds: only `run.started` for a new run, everything so far for a resumed one. */
  readonly history: readonly LoopEvent[];
}

/** THE LOOP. Decide, perform, put it on disk, fold it in, until it is over. */
export async function drive(setup: Drive): Promise<Outcome> {
  const { outcome } = await driveUntil(setup.history.reduce(evolve, INITIAL), setup, () => false);
  return outcome ?? { kind: "failed", reason: "the run ended without an outcome" };
}

/** The same, but it leaves off where the next step is another's to take: inside a session the agent's turn is its own. */
export async function driveUntil(
  from: LoopState,
  { journal, reporter, perform, onStart }: Driver,
  isAnothers: (step: Step) => boolean,
): Promise<LoopState> {
  let state = from;

  const record: Record = async (event) => {
    await journal.append(event);
    state = evolve(state, event);
    reporter.happened(event);
  };
  let isEnding = false;
  onStart(async (by) => {
    // Once the end is decided a stop comes too late: nothing may follow the run's last record.
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
