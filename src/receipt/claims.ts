import type { Claims, LoopEvent } from "../events.ts";
import { redact } from "../redact.ts";
import type { RunSpec } from "../spec.ts";
import type { Receipt } from "./schema.ts";

type Claim = Receipt["claims"][number];

/** What was said, and the gates that failed on it. */
interface Said {
  readonly iteration: number;
  readonly said: string;
  /** Why it counted for nothing, whatever the gates say. */
  readonly idle?: string;
  readonly failed: Set<string>;
}

/** Every claim of a run to be done, and what became of it: the gates of the same turn have the word. */
export function claimsIn(spec: RunSpec, events: readonly LoopEvent[]): Receipt["claims"] {
  const found: Said[] = [];
  let open: Said | undefined;
  for (const event of events) {
    if (event.type === "agent.exited" || event.type === "done.found") {
      const claim =
        event.type === "agent.exited"
          ? saidIn(spec, event.claims)
          : { said: event.list === undefined ? "the file DONE" : FINISHED };
      open =
        claim === undefined ? undefined : { iteration: event.iteration, ...claim, failed: new Set<string>() };
      if (open !== undefined) found.push(open);
    } else if (event.type === "gate.judged" && open !== undefined) {
      if (event.gate === 0) open.failed.clear();
      if (!event.verdict.pass) open.failed.add(event.name);
    }
  }
  return found.map((claim, at) => judged(claim, at === found.length - 1));
}

/** The claim that the run ended on was believed; one before it was not, or the run would have ended there. */
function judged({ iteration, said, idle, failed }: Said, isLast: boolean): Claim {
  const claim = { iteration, said };
  if (failed.size === 0 && isLast && idle === undefined) return { ...claim, judged: "believed" };
  const gates = failed.size === 0 ? undefined : `failed: ${[...failed].join(", ")}`;
  const why = idle ?? gates ?? "what stood there was not what was judged";
  return { ...claim, judged: "refused", why: redact(why) };
}

const FINISHED = "every story is finished";

function saidIn({ claim, work }: RunSpec, claims: Claims): Pick<Said, "said" | "idle"> | undefined {
  const { response, done, tasks, promised } = claims;
  if (work.kind === "tasks") {
    if (tasks === true) return { said: `${FINISHED}${promised === true ? ", as the agent promised" : ""}` };
    return promised === true ? { said: "the agent promised it", idle: "the list says otherwise" } : undefined;
  }
  if (claim.done && done === true) return { said: "the file DONE" };
  const wanted = claim.response.trim().toLowerCase();
  return wanted !== "" && response?.trim().toLowerCase() === wanted
    ? { said: `<response>${redact(claim.response)}</response>` }
    : undefined;
}
