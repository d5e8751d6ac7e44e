import { runHook } from "./run-hook.ts";
import { onStop, onStopFailure } from "./turn.ts";
import { agentOf } from "./watch.ts";

void runHook(async (input, root) => {
  if (input.event === "StopFailure") return onStopFailure(input, root);
  const answer = await onStop(input, root);
  if (answer?.goOn !== undefined || agentOf(process.env) === undefined) return answer;
  const { onTaskStop } = await import("./task-stop.ts");
  return (await onTaskStop(input, { root, env: process.env })) ?? answer;
});
