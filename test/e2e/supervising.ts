import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { World } from "./support.ts";

/** No pause that a test would have to sit through. */
export const QUICK = ["--restart-delay", "10ms", "--poll-interval", "20ms"];

/** A command `task` that counts its runs and then does what these lines say, with `$N` as the number of the run. */
export function counting(world: World, lines: string): string {
  return world.install("task", `echo x >> '${world.home}/runs'; N=$(wc -l < '${world.home}/runs')\n${lines}`);
}

/** How often it ran. */
export function runs(world: World): number {
  const file = join(world.home, "runs");
  return existsSync(file) ? readFileSync(file, "utf8").length / 2 : 0;
}

/** What was said of each attempt, in order. */
export function attempts(stderr: string): string[] {
  return stderr.split("\n").flatMap((line) => /Attempt \d+: .*/.exec(line)?.[0] ?? []);
}
