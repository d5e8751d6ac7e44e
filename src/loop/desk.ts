import type { HookAddress } from "../agents/agent.ts";
import { adapterFor } from "../agents/registry.ts";
import { messageOf } from "../errors.ts";
import type { Place as GuardPlace } from "../guard/ruling.ts";
import type { RunFolder } from "../journal/paths.ts";
import type { AgentSpec, RunSpec } from "../spec.ts";
import type { Reporter } from "../ui/reporter.ts";

/** What the hooks of a run's agents are answered from. */
export interface DeskPlace {
  readonly run: string;
  readonly spec: RunSpec;
  readonly folder: RunFolder;
  /** The folder of everything that ralph believes. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where the guard judges; undefined while there is none. */
  readonly guard: () => GuardPlace | undefined;
}

/** Answers the hooks of a run's agents for as long as it is driven. */
export interface HookDesk {
  /** Where the agent of an iteration asks. */
  at(iteration: number): HookAddress;
  /** The tool calls that it was asked about before they were made, in the turn that is under way. */
  readonly asked: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Opens one. A port: how hooks are answered is another room's work. */
export type OpenDesk = (place: DeskPlace) => Promise<HookDesk>;

/** Opens it where an agent of the run can ask. A run whose hooks cannot be answered is checked after each turn all the same. */
export async function openDeskFor(
  agents: readonly AgentSpec[],
  place: DeskPlace,
  { hooks, reporter }: { readonly hooks?: OpenDesk; readonly reporter: Reporter },
): Promise<HookDesk | undefined> {
  if (hooks === undefined || !agents.some(({ kind }) => adapterFor(kind).asksByHttp === true))
    return undefined;
  try {
    return await hooks(place);
  } catch (error) {
    reporter.detail(`No hooks for the agent: ${messageOf(error)}`);
    return undefined;
  }
}
