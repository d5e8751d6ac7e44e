import { mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { adapterFor } from "../agents/registry.ts";
import type { Place } from "../guard/ruling.ts";
import { stateRoot } from "../journal/paths.ts";
import type { AgentSpec, RunSpec } from "../spec.ts";
import type { Workshop } from "./workshop.ts";

/** Is what the agent does judged before it does it? */
export function isGuarded({ guard }: RunSpec, fenced: boolean): boolean {
  return guard !== undefined && (guard.mode === "on" || (guard.mode === "auto" && !fenced));
}

/**
 * Writes down what the guard of a run has to know, and gives the path: it stands in the agent's environment as RALPH_GUARD. So it
 * is not in the folder of the run, where the journal is.
 */
export function keepGuard(spec: RunSpec, run: string, env: NodeJS.ProcessEnv): string {
  const folder = join(stateRoot(env), "guards", run);
  const path = join(folder, "guard.json");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(placeOf(spec, env)), { mode: 0o600 });
  return path;
}

/** Which agents of a run can be watched over by the guard, for people: only some of them ask ralph itself. */
export function guardWords(agents: readonly AgentSpec[], isOn: boolean): string {
  if (!isOn) return "no guard";
  const others = [...new Set(agents.map(({ kind }) => kind))].filter(
    (kind) => adapterFor(kind).asksByHttp !== true,
  );
  if (others.length === 0) return "the guard judges its commands";
  return `the guard judges commands only where ralph's hooks are in (ralph install-hooks); not known for ${others.join(", ")}`;
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

/**
 * A question that does not reach ralph is none to the agent, which goes on. So it is looked whether the guard was asked about what
 * was done, and told when it was not.
 */
export function tellUnguarded(
  { guard, desk, reporter }: Pick<Workshop, "guard" | "desk" | "reporter">,
  turn: { readonly iteration: number; readonly made: ReadonlySet<string>; readonly asks: boolean },
): void {
  if (guard === undefined || desk === undefined || !turn.asks) return;
  const unasked = [...turn.made].filter((call) => !desk.asked.has(call)).length;
  if (unasked === 0) return;
  const calls = unasked === 1 ? "a tool call" : `${unasked} tool calls`;
  const text = `The guard was not asked about ${calls} of this turn: the agent did not reach it, or is too old to ask`;
  reporter.said(turn.iteration, { type: "notice", level: "warning", text });
}
