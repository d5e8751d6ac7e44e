import { runHook } from "./run-hook.ts";
import { onStop, onStopFailure } from "./turn.ts";

await runHook((input, root) =>
  input.event === "StopFailure" ? onStopFailure(input, root) : onStop(input, root),
);
