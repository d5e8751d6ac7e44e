import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Place } from "../guard/ruling.ts";
import { stateRoot } from "../journal/paths.ts";
import type { RunSpec } from "../spec.ts";

/**
 * Writes down what the guard of a run has to know, out of the agent's reach, and gives the path: it stands in the agent's
 * environment as RALPH_GUARD. Undefined when the run has no guard.
 */
export function keepGuard(spec: RunSpec, folder: string, env: NodeJS.ProcessEnv): string | undefined {
  if (spec.guard?.on !== true) return undefined;
  const path = join(folder, "guard.json");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(placeOf(spec, env)), { mode: 0o600 });
  return path;
}

/** Where the commands of a run's agent would run. Nobody answers an agent in a loop, so nobody watches. */
export function placeOf({ project, guard }: RunSpec, env: NodeJS.ProcessEnv): Place {
  return {
    project,
    cwd: project,
    home: env["HOME"] || homedir(),
    unattended: true,
    allow: guard?.allow ?? [],
    deny: guard?.deny ?? [],
    protected: [stateRoot(env)],
  };
}
