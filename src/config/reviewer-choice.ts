import type { AgentSpec } from "../spec.ts";
import { type AgentInput, inheriting, startable } from "./agent-choice.ts";
import type { LoadedSettings } from "./load.ts";

/** Who reviews the stories of a task list, or undefined when that is whoever implements them. */
export async function chooseReviewer(
  input: AgentInput,
  loaded: LoadedSettings,
  main: AgentSpec,
  sources: Map<string, string>,
): Promise<AgentSpec | undefined> {
  const { agent: named, model } = loaded.settings.review ?? {};
  for (const key of ["review.agent", "review.model"]) sources.set(key, loaded.sources.get(key) ?? "default");
  if (named === undefined) return model === undefined ? undefined : { ...main, model };
  const command = await startable(named, input, {
    loaded,
    path: ["review", "agent"],
    flag: undefined,
    source: sources.get("review.agent") ?? "",
  });
  const kind = input.kindOf(command);
  const { autonomy } = main;
  return {
    kind,
    command,
    flags: [],
    ...(model === undefined ? {} : { model }),
    autonomy,
    ...inheriting(main),
  };
}
