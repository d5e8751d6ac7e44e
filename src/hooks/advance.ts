import type { LoopEvent } from "../events.ts";
import { openJournalShortly } from "../journal/short.ts";
import { systemClock } from "../loop/clock.ts";
import { driveUntil, type Perform } from "../loop/drive.ts";
import { evolve } from "../loop/evolve.ts";
import { endedEvent } from "../loop/outcome.ts";
import { keepPrompt, promptCopy } from "../loop/prompt-copy.ts";
import type { LoopState } from "../loop/state.ts";
import type { RunSpec } from "../spec.ts";
import type { OpenLoop } from "./open-loop.ts";
import type { Marker } from "./places.ts";
import { SILENT } from "./silent.ts";
import { journalOf, keepStanding } from "./standing.ts";
import { continuation } from "./words.ts";

/** Where a loop stands, and where it stood when the last turn had been judged: why it goes on. */
export interface Advanced {
  readonly state: LoopState;
  readonly judged: LoopState;
}

/**
 * Puts what happened into the journal and takes the steps that follow from it, by the same core as every other run, until it is
 * the agent's turn again or the run is over.
 */
export async function advance(loop: OpenLoop, happened: readonly LoopEvent[]): Promise<Advanced> {
  const { marker, spec } = loop;
  const journal = openJournalShortly(journalOf(marker));
  let judged = loop.state;
  let last = loop.recent.at(-1);
  const perform = performer(marker, spec);
  try {
    for (const event of happened) await journal.append(event);
    const state = await driveUntil(
      happened.reduce(evolve, loop.state),
      {
        journal,
        reporter: {
          ...SILENT,
          happened: (event) => {
            last = event;
          },
        },
        perform: (step, now, record) => {
          if (step.do === "start-iteration" || step.do === "end") judged = now;
          return perform(step, now, record);
        },
        onStart: () => {},
      },
      (step) => step.do === "run-agent",
    );
    if (last?.type === "iteration.started") keepStanding(marker, state, last);
    return { state, judged };
  } finally {
    await journal.close();
  }
}

/** The iteration that a continuation begins, with its words kept for whoever asks again or goes on without the session. */
export function iterationStarted(
  marker: Marker,
  iteration: number,
  prompt: string,
): Extract<LoopEvent, { type: "iteration.started" }> {
  // A continuation is made of what the journal holds, and is not worth the wait for the disk.
  keepPrompt(marker.folder, iteration, prompt, { flush: iteration === 1 });
  return {
    type: "iteration.started",
    at: systemClock.now(),
    run: marker.run,
    iteration,
    promptPath: promptCopy(marker.folder, iteration),
    // Of a run only the first prompt is ever compared with anything; hashing the others would cost each stop Node's crypto.
    promptSha256: "",
  };
}

/** Most turns need neither a check nor a look at the tree, so what those need is loaded when they come. */
function performer(marker: Marker, spec: RunSpec): Perform {
  let heavy: Promise<Perform> | undefined;
  return async (step, state, record) => {
    if (step.do === "start-iteration") {
      return iterationStarted(marker, step.iteration, continuation(spec, state));
    }
    if (step.do === "end") {
      // What is changed from now on is its user's work, which a rollback keeps.
      const { takeEndSnapshot } = await import("./workbench.ts");
      const seen = await takeEndSnapshot(marker);
      return { ...endedEvent(state, step.outcome, systemClock.now()), ...seen };
    }
    heavy ??= import("./workbench.ts").then(({ openWorkbench }) => openWorkbench(marker, spec));
    return (await heavy)(step, state, record);
  };
}
