import { runHook } from "./run-hook.ts";
import { onStop, onStopFailure } from "./turn.ts";

void runHook((input, root) =>
  input.event === "StopFailure" ? onStopFailure(input, root) : onStop(input, root),
);
