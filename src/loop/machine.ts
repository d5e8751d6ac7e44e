import { release } from "node:os";
import type { Machine } from "../events.ts";

/** What of this machine can change what a check finds. */
export function machine(): Machine {
  return { platform: process.platform, arch: process.arch, release: release(), node: process.version };
}
