import { busPath, post } from "../bus/bus.ts";
import { messageOf } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import type { RunSpec } from "../spec.ts";
import type { Reporter } from "../ui/reporter.ts";

/**
 * A reporter that also posts the start and the end of a run. A failure to post never harms the run. A resumed run tells again
 * how it began, which was posted already.
 */
export function postingToBus(shown: Reporter, spec: RunSpec, isResumed = false): Reporter {
  let stillActive: readonly string[] = [];
  const say = (event: LoopEvent, kind: "project" | "task", type: string, body: string) => {
    try {
      const folder = kind === "task" ? spec.taskDir : spec.project;
      post(busPath(folder, kind), { type, body, run: event.run, from: "ralph", nowMs: event.at });
    } catch (error) {
      shown.detail(`Could not post to the bus: ${messageOf(error)}`);
    }
  };
  return {
    ...shown,
    happened: (event) => {
      shown.happened(event);
      if (event.type === "run.started" && !isResumed) say(event, "task", "start", "run started");
      if (event.type === "run.resumed") say(event, "task", "start", "run resumed");
      if (event.type === "children.settled") stillActive = event.stillActive;
      if (event.type !== "run.ended") return;
      const { kind, reason } = event.outcome;
      if (kind === "verified" || kind === "claimed") {
        const children =
          stillActive.length === 0 ? "no active children" : `still active: ${stillActive.join(", ")}`;
        const done = `task completed (DONE marker present, ${children})`;
        say(event, "task", "done", done);
        say(event, "project", "done", done);
      } else {
        say(event, "task", kind === "waiting" || kind === "stopped" ? "fact" : "error", `${kind}: ${reason}`);
      }
    },
  };
}
