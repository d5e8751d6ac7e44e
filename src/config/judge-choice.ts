import { UserError } from "../errors.ts";
import type { AgentSpec, Criterion, JudgeSpec } from "../spec.ts";
import { type AgentInput, inheriting, startable } from "./agent-choice.ts";
import { DEFAULTS } from "./defaults.ts";
import { type RunFlags, textFlag } from "./flags.ts";
import type { LoadedSettings } from "./load.ts";

/** Chooses the judge of a run, or undefined where nobody needs one. Notes in `sources` where each part of it came from. */
export async function chooseJudge(
  input: AgentInput,
  loaded: LoadedSettings,
  about: { readonly main: AgentSpec; readonly criteria: readonly Criterion[] },
  sources: Map<string, string>,
): Promise<JudgeSpec | undefined> {
  const { judge = {}, progress = {} } = loaded.settings;
  const note = (key: string, flag?: string) =>
    void sources.set(key, flag ?? loaded.sources.get(key) ?? "default");
  const byFlag = textFlag("--judge-agent", input.flags.judgeAgent);
  const byModel = textFlag("--judge-model", input.flags.judgeModel);
  note("judge.agent", byFlag?.name);
  note("judge.model", byModel?.name);
  note("judge.maxChars");
  note("progress.judge");
  const isAsked = progress.judge === true || about.criteria.some(({ judged }) => judged === true);
  if (!isAsked) return nobody(input.flags);
  const named = byFlag?.value ?? judge.agent;
  // A model in the settings belongs to the judge that stands beside it, not to another one from the command line.
  const isOther = byFlag !== undefined && byFlag.value !== judge.agent;
  const model = byModel?.value ?? (isOther ? undefined : judge.model);
  const agent = named === undefined ? sameAgent(about.main, model) : await otherAgent(named);
  return {
    ...(agent === undefined ? {} : { agent }),
    maxChars: judge.maxChars ?? DEFAULTS.judge.maxChars,
    progress: progress.judge ?? DEFAULTS.progress.judge,
  };

  async function otherAgent(text: string): Promise<AgentSpec> {
    const command = await startable(text, input, {
      loaded,
      path: ["judge", "agent"],
      flag: byFlag?.name,
      source: sources.get("judge.agent") ?? "",
    });
    const kind = input.kindOf(command);
    const modelOf = model === undefined ? {} : { model };
    return { kind, command, flags: [], ...modelOf, autonomy: "none", ...inheriting(about.main) };
  }
}

/** A judge that was asked for on the command line and would never be asked is a misunderstanding. */
function nobody(flags: RunFlags): undefined {
  if (flags.judge !== true && flags.judgeAgent === undefined && flags.judgeModel === undefined)
    return undefined;
  throw new UserError(
    "there is nothing to judge",
    "a judge reads the output of criteria, and no criterion here asks for one",
    "Name a criterion, such as --criteria test_pass --judge.",
  );
}

/** With a model only, the judge is the agent itself with that model; with nothing, whoever had the turn. */
function sameAgent(main: AgentSpec, model: string | undefined): AgentSpec | undefined {
  return model === undefined ? undefined : { ...main, model };
}
