import type { AgentSpec } from "../spec.ts";
import { type AgentInput, inheriting, startable, words } from "./agent-choice.ts";
import { textFlag } from "./flags.ts";
import type { LoadedSettings } from "./load.ts";
import type { KeyPath } from "./locate.ts";
import type { Settings } from "./schema.ts";

const FLAG = "--fallback-agent";

/** One stand-in as it was asked for, and where. */
interface Asked {
  readonly agent: NonNullable<Settings["agent"]>;
  readonly path: KeyPath;
  readonly flag: string | undefined;
}

/** Chooses who stands in for the agent, in order; notes in `sources` where that came from. Nothing is started. */
export async function chooseFallback(
  input: AgentInput,
  loaded: LoadedSettings,
  main: AgentSpec,
  sources: Map<string, string>,
): Promise<AgentSpec[]> {
  const asked = input.flags.fallbackAgent === undefined ? inSettings(loaded.settings) : byFlag(input);
  const source = asked[0]?.flag ?? sourceIn(loaded) ?? "default";
  sources.set("fallbackAgent", source);
  const chosen: AgentSpec[] = [];
  for (const { agent, path, flag } of asked) {
    const from = { loaded, path: [...path, "command"], flag, source };
    // An object need not name a program: then it is the main agent with another model, or with other flags.
    const isMain = agent.command === undefined;
    const command = isMain ? main.command : await startable(agent.command ?? "", input, from);
    const flags: string[] = isMain && agent.flags === undefined ? [...main.flags] : [];
    for (const [index, text] of (agent.flags ?? []).entries()) {
      flags.push(...(await words(text, { ...from, path: [...path, "flags", index] })));
    }
    chosen.push({
      kind: agent.kind ?? (isMain ? main.kind : input.kindOf(command)),
      command,
      flags,
      ...(agent.model === undefined ? {} : { model: agent.model }),
      // What an agent may do is the user's rule for the run, whoever has the turn.
      autonomy: agent.autonomy ?? main.autonomy,
      ...inheriting(agent, main),
    });
  }
  return chosen;
}

function byFlag({ flags }: AgentInput): Asked[] {
  return (flags.fallbackAgent ?? []).flatMap((text, index) => {
    const given = textFlag(FLAG, text);
    return given === undefined
      ? []
      : [{ agent: named(given.value), path: ["fallbackAgent", index], flag: FLAG }];
  });
}

function inSettings({ fallbackAgent }: Settings): Asked[] {
  if (fallbackAgent === undefined) return [];
  const asked = (one: string | Asked["agent"], path: KeyPath): Asked => ({
    agent: typeof one === "string" ? named(one) : one,
    path,
    flag: undefined,
  });
  if (!Array.isArray(fallbackAgent)) return [asked(fallbackAgent, ["fallbackAgent"])];
  return fallbackAgent.map((one, index) => asked(one, ["fallbackAgent", index]));
}

/** `codex`, or `codex:gpt-5`. The colon of a drive letter parts nothing. */
function named(text: string): Asked["agent"] {
  const match = /^\s*((?:[A-Za-z]:\\)?[^:]+):\s*(\S.*?)\s*$/s.exec(text);
  const [, command, model] = match ?? [];
  return command === undefined || model === undefined ? { command: text } : { command, model };
}

/** An object is merged key by key: any of its keys tells the file. */
function sourceIn(loaded: LoadedSettings): string | undefined {
  const key = [...loaded.sources.keys()].find((one) => /^fallbackAgent(?:\.|$)/.test(one));
  return key === undefined ? undefined : loaded.sources.get(key);
}
