import { busPath, post } from "../bus/bus.ts";
import { messageOf } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import type { RunSpec } from "../spec.ts";
import type { Reporter } from "../ui/reporter.ts";

/** A reporter that also posts the start and the end of a run. A failure to post never harms the run. */
export function postingToBus(shown: Reporter, spec: RunSpec): Reporter {
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
      if (event.type === "run.started") say(event, "task", "start", "run started");
      if (event.type !== "run.ended") return;
      const { kind, reason } = event.outcome;
      if (kind === "verified" || kind === "claimed") {
        const done = "task completed (DONE marker present, no active children)";
        say(event, "task", "done", done);
        say(event, "project", "done", done);
      } else {
        say(event, "task", kind === "waiting" || kind === "stopped" ? "fact" : "error", `${kind}: ${reason}`);
      }
    },
  };
}
