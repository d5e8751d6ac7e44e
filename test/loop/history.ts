import type { AgentEnding, LoopEvent, Outcome } from "../../src/events.ts";
import type { EventOf } from "../../src/loop/state.ts";
import type { RunSpec } from "../../src/spec.ts";

/*
 * What a journal says, worked out from the events alone and without the core: the other opinion that the properties
 * compare the core with.
 */

/** One try at an iteration: from its `iteration.started` up to the next one. */
export interface Try {
  readonly iteration: number;
  readonly exit?: EventOf<"agent.exited">;
  readonly events: readonly LoopEvent[];
}

export function triesOf(events: readonly LoopEvent[]): Try[] {
  const starts = events.flatMap((event, index) => (event.type === "iteration.started" ? [index] : []));
  return starts.map((start, nth) => {
    const own = events.slice(start, starts[nth + 1] ?? events.length);
    const exit = only(own, "agent.exited")[0];
    const first = own[0];
    return {
      iteration: first?.type === "iteration.started" ? first.iteration : -1,
      ...(exit === undefined ? {} : { exit }),
      events: own,
    };
  });
}

export function only<T extends LoopEvent["type"]>(events: readonly LoopEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

export function outcomeOf(events: readonly LoopEvent[]): Outcome | undefined {
  return only(events, "run.ended")[0]?.outcome;
}

/** The verdicts of the last round in these events. */
export function lastRound(events: readonly LoopEvent[]): EventOf<"gate.judged">[] {
  const judged = only(events, "gate.judged");
  const round = judged.at(-1)?.round;
  return judged.filter((event) => event.round === round);
}

/** Held back, and worth waiting for. */
export function isHeld(ending: AgentEnding): ending is Extract<AgentEnding, { kind: "limited" }> {
  return ending.kind === "limited" && ending.scope !== "context";
}

export function isRefused(ending: AgentEnding): boolean {
  return ending.kind === "unauthorised" || ending.kind === "not-started";
}

/** A turn that counts as a failure of the agent. */
export function isFailure(ending: AgentEnding): boolean {
  return ending.kind !== "finished" && !isHeld(ending) && !isRefused(ending);
}

/** Set-up broke, or the agent can never work. */
export function isFatal(events: readonly LoopEvent[]): boolean {
  return events.some(
    (event) => event.type === "run.faulted" || (event.type === "agent.exited" && isRefused(event.ending)),
  );
}

export function isStopped(events: readonly LoopEvent[]): boolean {
  return events.some((event) => event.type === "stop.requested");
}

/** Did this turn, by its own word, do the whole task? */
export function saysDone(spec: RunSpec, one: Try): boolean {
  const wanted = spec.claim.response.trim();
  const said = one.exit?.claims.response?.trim();
  if (one.exit?.ending.kind !== "finished" || wanted === "" || said === undefined) return false;
  return said.localeCompare(wanted, "en", { sensitivity: "accent" }) === 0;
}

/** Every gate, once, in order, passed, and the tree at the end was the tree at the start and the one committed. */
export function isProven(spec: RunSpec, one: Try): boolean {
  const round = lastRound(one.events);
  if (spec.gates.length === 0 || round.length !== spec.gates.length) return false;
  if (!round.every((event, index) => event.gate === index && event.verdict.pass)) return false;
  const judged = round[0]?.treeBefore;
  const last = round.at(-1);
  const after = last === undefined ? -1 : one.events.indexOf(last);
  const intended = only(one.events.slice(after), "commit.intended").at(-1);
  return [...round.map(({ treeAfter }) => treeAfter), intended?.tree].every(
    (tree) => judged === undefined || tree === undefined || tree === judged,
  );
}

/** The iteration came to its end: judged, and committed where that is asked for. */
export function isSettled(spec: RunSpec, one: Try): boolean {
  if (one.exit?.ending.kind !== "finished") return false;
  const round = lastRound(one.events);
  if (round.length < spec.gates.length) return false;
  const passed = round.every((event) => event.verdict.pass);
  return !passed || spec.scm === undefined || only(one.events, "committed").length > 0;
}

/** Failed turns at the end of these events, turns that were held back not counted in either way. */
export function failuresInARow(events: readonly LoopEvent[]): number {
  const counted = only(events, "agent.exited").filter((event) => !isHeld(event.ending));
  const lastGood = counted.findLastIndex((event) => !isFailure(event.ending));
  return counted.length - 1 - lastGood;
}

/** Questions beside the work that were held back in a row at the end of these events. */
export function heldAnswers(events: readonly LoopEvent[]): EventOf<"answer.held">[] {
  const answered = ["gate.judged", "commit.intended", "committed", "agent.exited"];
  const last = events.findLastIndex(({ type }) => answered.includes(type));
  return only(events.slice(last + 1), "answer.held");
}

/** The run ended because somebody who was asked beside the work was held back too often. */
export function gaveUpAsking({ limits }: RunSpec, events: readonly LoopEvent[]): boolean {
  return heldAnswers(events).length > limits.waits;
}
