import type { Claims, LoopEvent } from "../events.ts";
import { redact } from "../redact.ts";
import type { RunSpec } from "../spec.ts";
import type { Receipt } from "./schema.ts";

type Claim = Receipt["claims"][number];

/** Every claim of a run to be done, and what became of it: the gates of the same turn have the word. */
export function claimsIn(spec: RunSpec, events: readonly LoopEvent[]): Receipt["claims"] {
  const found: { iteration: number; said: string; failed: Set<string> }[] = [];
  let open: (typeof found)[number] | undefined;
  for (const event of events) {
    if (event.type === "agent.exited" || event.type === "done.found") {
      const said = event.type === "done.found" ? "the file DONE" : saidIn(spec, event.claims);
      open = said === undefined ? undefined : { iteration: event.iteration, said, failed: new Set() };
      if (open !== undefined) found.push(open);
    } else if (event.type === "gate.judged" && open !== undefined) {
      if (event.gate === 0) open.failed.clear();
      if (!event.verdict.pass) open.failed.add(event.name);
    }
  }
  return found.map(({ iteration, said, failed }, at) =>
    judged({ iteration, said }, failed, at === found.length - 1),
  );
}

/** The claim that the run ended on was believed; one before it was not, or the run would have ended there. */
function judged(
  claim: Pick<Claim, "iteration" | "said">,
  failed: ReadonlySet<string>,
  isLast: boolean,
): Claim {
  if (failed.size === 0 && isLast) return { ...claim, judged: "believed" };
  const why =
    failed.size === 0 ? "what stood there was not what was judged" : `failed: ${[...failed].join(", ")}`;
  return { ...claim, judged: "refused", why: redact(why) };
}

function saidIn({ claim }: RunSpec, { response, done }: Claims): string | undefined {
  if (claim.done && done === true) return "the file DONE";
  const wanted = claim.response.trim().toLowerCase();
  return wanted !== "" && response?.trim().toLowerCase() === wanted
    ? `<response>${redact(claim.response)}</response>`
    : undefined;
}
