import { agentsOf, type RunSpec } from "../spec.ts";
import { isWaitable, waitUntil } from "./limits.ts";
import type { EventOf, Hold, LoopState } from "./state.ts";

/** Who is held back after a turn: the agent that had it, for longer each time, or no more. Pure. */
export function heldAfter(state: LoopState, event: EventOf<"agent.exited">): readonly Hold[] {
  const { agent } = state;
  const { ending } = event;
  // A turn that we cut off says nothing about the service.
  if (ending.kind === "killed" && ending.why === "stopped") return state.held;
  const others = state.held.filter((hold) => hold.agent !== agent);
  if (agent > 0 && (ending.kind === "unauthorised" || ending.kind === "not-started")) {
    const never = { untilMs: event.at, times: Number.POSITIVE_INFINITY, offline: false };
    return [...others, { agent, why: ending.message, ...never }];
  }
  if (!isWaitable(ending)) return others;
  const earlier = state.held.find((hold) => hold.agent === agent);
  return [...others, { agent, ...heldFor({ ...event, ending }, earlier, `${event.run} ${agent}`) }];
}

/** Who was asked beside the work is held back, for longer each time. Pure. */
export function answerHeld(
  state: LoopState,
  event: EventOf<"answer.held">,
): Pick<Required<LoopState>, "answerHeld"> {
  const { from } = event;
  return { answerHeld: { ...heldFor(event, state.answerHeld, `${event.run} ${from}`), from } };
}

function heldFor(
  { at, ending }: Pick<EventOf<"answer.held">, "at" | "ending">,
  before: Pick<Hold, "times"> | undefined,
  seed: string,
): Omit<Hold, "agent"> {
  const earlier = before?.times ?? 0;
  const untilMs = waitUntil({ atMs: at, retryAtMs: ending.retryAtMs, earlier, seed });
  return { untilMs, why: ending.message, offline: ending.scope === "offline", times: earlier + 1 };
}

/** Whose turn it is, or until when nobody's is. */
type NextTurn =
  | { readonly kind: "turn"; readonly agent: number }
  | { readonly kind: "wait"; readonly hold: Hold }
  /** Every agent was held back too often in a row. */
  | { readonly kind: "nobody"; readonly why: string };

/** The first agent that nothing holds back; without a connection that is none. Pure. */
export function nextTurn({ held, nowMs }: LoopState, spec: RunSpec): NextTurn {
  const isGivenUp = (hold: Hold) => hold.times > spec.limits.waits;
  const isInForce = (hold: Hold) => hold.untilMs > nowMs;
  const offline = held.find((hold) => hold.offline && isInForce(hold));
  const free = agentsOf(spec).findIndex(
    (_, agent) => !held.some((hold) => hold.agent === agent && (isGivenUp(hold) || isInForce(hold))),
  );
  if (free >= 0 && offline === undefined) return { kind: "turn", agent: free };
  const awaited = offline ?? earliest(held.filter((hold) => !isGivenUp(hold)));
  if (awaited === undefined || (free < 0 && held.every(isGivenUp))) {
    return { kind: "nobody", why: held.at(-1)?.why ?? "" };
  }
  return { kind: "wait", hold: awaited };
}

function earliest(holds: readonly Hold[]): Hold | undefined {
  return holds.reduce<Hold | undefined>(
    (first, hold) => (first === undefined || hold.untilMs < first.untilMs ? hold : first),
    undefined,
  );
}
