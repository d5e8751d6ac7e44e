import { promiseMarker } from "../claims/promise.ts";
import { sessionStatus } from "../loop/outcome.ts";
import { failureMessage } from "../loop/prompt.ts";
import { promiseOf } from "../loop/session-state.ts";
import type { LoopState } from "../loop/state.ts";
import type { RunSpec } from "../spec.ts";

const ULTRAWORK = [
  "ULTRAWORK MODE. Give this everything you have.",
  "Look into all that the task touches before you change it, plan the whole way, do every part of the work, and test what you did.",
  "Use subagents and tools in parallel where that is faster. No shortcuts, no placeholders, no part left for later.",
].join(" ");

/** What the agent is told when a loop begins: the task, and how it ends. */
export function contract(spec: RunSpec): string {
  const { promise = "", promiseLine = false } = spec.claim;
  const checks = spec.gates.map(({ command }) => `\`${command}\``).join(", ");
  const times = spec.limits.iterations - 1;
  const rules =
    promise === ""
      ? [
          checks === ""
            ? "- There is no completion promise: each time you stop you are told to go on."
            : `- The loop ends when these checks pass, which ralph runs each time you stop: ${checks}.`,
        ]
      : [
          `- Only when the task is fully complete, output exactly ${promiseMarker(promise)} in your final message${promiseLine ? ", on a line of its own" : ""}.`,
          "- STRICT: it must match letter for letter. No white space inside the tag, no other case, no variants.",
          "- If the task is not done, do not output the promise, not even to talk about it.",
          ...(checks === ""
            ? []
            : [`- A promise is believed when these checks pass, which ralph runs then: ${checks}.`]),
        ];
  return [
    ...withUltrawork(spec, ["You are in a ralph loop. Work on this task until it is fully done."]),
    taskOf(spec),
    [
      "How it ends:",
      ...rules,
      `- When you stop before that you are sent back to the task, up to ${times} ${times === 1 ? "time" : "times"}.`,
    ].join("\n"),
  ].join("\n\n");
}

/** What the agent is told when it stops too early, in the words that spec 004 fixes. */
export function continuation(spec: RunSpec, state: LoopState): string {
  return withUltrawork(spec, [reasonOf(spec, state)]).join("\n\n");
}

function reasonOf(spec: RunSpec, state: LoopState): string {
  const { promise = "" } = spec.claim;
  const marker = promiseMarker(promise);
  const original = `Original task: ${taskOf(spec)}`;
  if (state.feedback.length > 0) {
    const what =
      promise === ""
        ? "You attempted to end the loop, but its checks do not pass yet."
        : `Promise detected, but the checks that must pass before it is believed failed.`;
    const again = promise === "" ? "" : ` Only output ${marker} again when the task is fully complete.`;
    const failures = state.feedback.map((one) => failureMessage(one, spec.gates[one.gate]));
    return [`${what} Mend what they found.${again}`, ...failures, original].join("\n\n");
  }
  if (promiseOf(state, spec) === "without-work") {
    return `Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise. ${original}`;
  }
  if (promise === "") {
    return `You attempted to end the loop, but it goes on. Continue working on the original task below. ${original}`;
  }
  return `You attempted to end the loop, but you did not output the completion promise ${marker}. Continue working on the original task below. Only output the promise when the task is fully complete. ${original}`;
}

/** What the user is told each time the session goes on. */
export function progressLine(spec: RunSpec, state: LoopState): string {
  const why =
    state.feedback.length > 0
      ? "checks failed"
      : { none: "it goes on", missing: "no promise", "without-work": "promise without work", stands: "" }[
          promiseOf(state, spec)
        ];
  return `ralph: ${why}; told to go on, ${state.iteration} of ${spec.limits.iterations - 1}.`;
}

/** What the user is told when it is over. */
export function endLine({ outcome, run }: LoopState): string {
  if (outcome === undefined) return "ralph: the loop is over.";
  const { kind, reason } = outcome;
  const onward = kind === "waiting" ? ` To go on without the session: ralph resume ${run}` : "";
  return `ralph: ${sessionStatus(outcome)}: ${reason}.${onward}`;
}

/** Told when the program is about to end the turn whatever it is told. */
export function capLine({ run }: LoopState): string {
  return `ralph: the agent keeps stopping without using a tool, and its program will soon end the turn. Then say something to it, or go on without the session: ralph resume ${run}`;
}

function withUltrawork({ session }: RunSpec, texts: readonly string[]): string[] {
  return [...(session?.ultrawork === true ? [ULTRAWORK] : []), ...texts];
}

function taskOf({ work }: RunSpec): string {
  return work.kind === "prompt" ? work.text : "";
}
