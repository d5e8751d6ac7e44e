import { confirm, log, multiselect, select, text } from "@clack/prompts";
import { DEFAULTS } from "../../config/defaults.ts";
import { type Check, suggestedChecks } from "../../config/detect.ts";
import type { FailAction } from "../../spec.ts";
import { type Answers, type GuardrailAnswer, guardrailFor, splitList } from "./answers.ts";
import type { Dialogue } from "./dialogue.ts";
import {
  objectToCommand,
  objectToCount,
  objectToFlags,
  objectToResponse,
  objectToShellLine,
} from "./valid.ts";

/** What the questions can offer. */
export interface Offers {
  /** Known agents that are installed, each with the path of its program. */
  readonly agents: readonly { readonly program: string; readonly path: string }[];
  readonly checks: readonly Check[];
  /** Whether a run could start this command. */
  readonly canStart: (command: string) => boolean;
  readonly inGitRepository: boolean;
}

const OTHER = Symbol("other");

/** Asks for everything that the settings need. Writes nothing. */
export async function interview(dialogue: Dialogue, offers: Offers): Promise<Answers> {
  const command = await askAgent(dialogue, offers);
  const flags = splitList(
    await askText(dialogue, "Agent flags (comma-separated, optional)", {
      placeholder: "such as: --model opus",
      validate: objectToFlags,
    }),
  );
  const iterations = await askText(dialogue, `Maximum iterations [${DEFAULTS.maximumIterations}]`, {
    defaultValue: String(DEFAULTS.maximumIterations),
    validate: objectToCount,
  });
  const completionResponse = await askText(dialogue, `Completion response [${DEFAULTS.completionResponse}]`, {
    placeholder: "the word with which the agent says that it is done",
    defaultValue: DEFAULTS.completionResponse,
    validate: objectToResponse,
  });
  const guardrails = [...(await chooseChecks(dialogue, offers)), ...(await askGuardrails(dialogue))];
  const scm = await askScm(dialogue, offers);
  return {
    command,
    flags,
    maximumIterations: Number(iterations),
    completionResponse,
    guardrails,
    ...(scm === undefined ? {} : { scm }),
  };
}

async function askAgent(dialogue: Dialogue, { agents, canStart }: Offers): Promise<string> {
  if (agents.length > 0) {
    const chosen = await dialogue.ask((signal) =>
      select<string | typeof OTHER>({
        message: "Agent command (found on this machine)",
        options: [
          ...agents.map(({ program, path }) => ({ value: program, label: program, hint: path })),
          { value: OTHER, label: "other", hint: "type a command" },
        ],
        signal,
      }),
    );
    if (typeof chosen === "string") return chosen;
  }
  const command = await askText(dialogue, "Agent command (e.g., claude, codex, amp, or other LLM CLI)", {
    validate: objectToCommand,
  });
  if (!canStart(command)) log.warn(`${command} is not on PATH yet: install it before the first run.`);
  return command;
}

async function chooseChecks(dialogue: Dialogue, { checks }: Offers): Promise<GuardrailAnswer[]> {
  if (checks.length === 0) return [];
  const chosen = await dialogue.ask((signal) =>
    multiselect<Check>({
      message: "Guardrails: which of these must pass before a run is done?",
      options: checks.map((check) => ({
        value: check,
        label: check.command,
        hint: `${check.kind}, from ${check.from}`,
      })),
      initialValues: suggestedChecks(checks),
      required: false,
      signal,
    }),
  );
  return chosen.map(guardrailFor);
}

async function askGuardrails(dialogue: Dialogue): Promise<GuardrailAnswer[]> {
  const guardrails: GuardrailAnswer[] = [];
  for (;;) {
    const command = await askText(dialogue, "Add guardrail command (leave blank to finish)", {
      placeholder: "a command that fails while the work is not good: make test",
      validate: objectToShellLine,
    });
    if (command === "") return guardrails;
    const failAction = await dialogue.ask((signal) =>
      select<FailAction>({
        message: "Fail action: where does its output go in the next prompt?",
        options: [
          { value: "APPEND", label: "APPEND", hint: "after your prompt" },
          { value: "PREPEND", label: "PREPEND", hint: "before your prompt" },
          { value: "REPLACE", label: "REPLACE", hint: "in place of your prompt" },
        ],
        signal,
      }),
    );
    const hint = await askText(dialogue, "Hint (optional, guidance for agent on failure)", {
      placeholder: "such as: Fix lint errors only. Do not change behavior.",
    });
    guardrails.push({ command, failAction, hint });
  }
}

async function askScm(dialogue: Dialogue, { inGitRepository }: Offers): Promise<Answers["scm"]> {
  const wanted = await dialogue.ask((signal) =>
    confirm({
      message: "Configure SCM? (y/N): commit when all guardrails pass",
      initialValue: false,
      signal,
    }),
  );
  if (!wanted) return undefined;
  const command = await askText(dialogue, "SCM command [git]", {
    defaultValue: "git",
    validate: objectToShellLine,
  });
  const tasks = splitList(
    await askText(dialogue, "SCM tasks (comma-separated, e.g., commit,push) [commit]", {
      defaultValue: "commit",
      validate: objectToFlags,
    }),
  );
  if (command === "git" && !inGitRepository) {
    log.warn("This folder is no git repository yet: run `git init` before the first run.");
  }
  return { command, tasks: tasks.length === 0 ? ["commit"] : tasks };
}

interface TextOptions {
  readonly placeholder?: string;
  readonly defaultValue?: string;
  validate?(answer: string | undefined): string | undefined;
}

async function askText(dialogue: Dialogue, message: string, options: TextOptions): Promise<string> {
  const answer = await dialogue.ask((signal) => text({ message, ...options, signal }));
  const trimmed = answer.trim();
  return trimmed === "" ? (options.defaultValue ?? "") : trimmed;
}
