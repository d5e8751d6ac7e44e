import { notice } from "./notice.ts";
import { runHook } from "./run-hook.ts";

void runHook((input, root) => notice(input, root, process.env));
