import type { RunSpec } from "../spec.ts";
import type { EventOf, LoopState } from "./state.ts";

/** What a turn adds to what is counted of a session. Pure. */
export function withSessionTurn(
  state: LoopState,
  { toolCalls, changed, spoken }: EventOf<"agent.exited">,
): Pick<LoopState, "toolCalls" | "treeChanged" | "sentBack"> {
  return {
    toolCalls: state.toolCalls + toolCalls,
    treeChanged: changed === true,
    // The program counts anew when a tool was used, and when its user said something.
    sentBack: toolCalls > 0 || spoken === true ? 0 : state.sentBack,
  };
}

/** What is to be thought of the promise of the last turn; `none` when none is asked for. Pure. */
export function promiseOf(state: LoopState, spec: RunSpec): "none" | "missing" | "without-work" | "stands" {
  if ((spec.claim.promise ?? "") === "") return "none";
  if (state.claims.promise !== true) return "missing";
  const { session } = spec;
  if (session === undefined || session.onNoWork !== "reject") return "stands";
  const worked = state.toolCalls >= session.minToolCalls || (session.uncounted === true && state.treeChanged);
  return worked ? "stands" : "without-work";
}

/** Is a promise asked for that is not there, or that nothing was done for? Pure. */
export function lacksPromise(state: LoopState): boolean {
  const { spec } = state;
  if (spec === undefined) return false;
  const promise = promiseOf(state, spec);
  return promise === "missing" || promise === "without-work";
}

/** Would the session's program end its turn whatever it is told? Pure. */
export function isCapped(state: LoopState, { session }: RunSpec): boolean {
  const most = session?.mostBlocks ?? 0;
  return state.inSession && most > 0 && state.sentBack >= most;
}
