import { UserError } from "../errors.ts";
import type { Criterion, CriterionType } from "../spec.ts";
import { DEFAULTS } from "./defaults.ts";
import type { CheckKind } from "./detect/check.ts";
import { hasFile } from "./detect/look.ts";
import { detectChecks } from "./detect.ts";
import { parseDuration } from "./duration.ts";
import { choiceFlag, type RunFlags, textFlag } from "./flags.ts";
import type { LoadedSettings } from "./load.ts";
import { CRITERIA, type Settings } from "./schema.ts";

const FLAG = "--criteria";
const COMMAND_FLAG = "--criteria-command";

/** Which of the project's own checks answers a criterion. Nobody can find what `custom` means. */
const CHECKS: Readonly<Record<Exclude<CriterionType, "custom">, CheckKind>> = {
  test_pass: "test",
  build_success: "build",
  lint_clean: "lint",
  type_check: "type-check",
};

/** What checks types where no script says so, by the file that tells of the language. */
const TYPE_CHECKS: readonly (readonly [string, string])[] = [
  ["tsconfig.json", "npx --no-install tsc --noEmit"],
  ["Cargo.toml", "cargo check"],
  ["go.mod", "go vet ./..."],
];

/** A criterion as it was asked for. */
type Asked = Exclude<NonNullable<Settings["criteria"]>[number], string>;

/** The criteria of a run, from the command line or the settings, each with its command. Notes in `sources` who asked. */
export function chooseCriteria(
  project: string,
  flags: RunFlags,
  loaded: LoadedSettings,
  sources: Map<string, string>,
): Criterion[] {
  const byFlag = flagCriteria(flags, loaded.settings);
  const asked = byFlag ?? inSettings(loaded.settings);
  const isGiven = byFlag !== undefined;
  sources.set("criteria", isGiven ? FLAG : (loaded.sources.get("criteria") ?? "default"));
  return asked.map((one) => criterionOf(project, one, flags.judge));
}

function inSettings({ criteria = [] }: Settings): Asked[] {
  return criteria.map((one) => (typeof one === "string" ? { type: one } : one));
}

/** The types of the command line, with what the settings say about them. */
function flagCriteria(flags: RunFlags, settings: Settings): Asked[] | undefined {
  const command = textFlag(COMMAND_FLAG, flags.criteriaCommand)?.value;
  const named = flags.criteria ?? (command === undefined ? undefined : ["custom"]);
  if (named === undefined) return undefined;
  const types = new Set(named.flatMap((one) => choiceFlag(FLAG, one.trim(), CRITERIA)?.value ?? []));
  const target = types.has("custom") ? "custom" : types.size === 1 ? [...types][0] : undefined;
  if (command !== undefined && target === undefined) {
    throw new UserError(
      `${COMMAND_FLAG} belongs to no criterion`,
      `it is not told which of ${[...types].join(", ")} it is for`,
      `Give ${FLAG} custom as well, or name one criterion only.`,
    );
  }
  const known = inSettings(settings);
  return [...types].flatMap((type): Asked[] => {
    const own = known.filter((one) => one.type === type);
    if (type === target && command !== undefined) return [{ ...own[0], type, command }];
    return own.length > 0 ? own : [{ type }];
  });
}

function criterionOf(project: string, asked: Asked, judgeAll: boolean | undefined): Criterion {
  const { type } = asked;
  const found = asked.command === undefined ? ownCommand(project, type) : undefined;
  const command = asked.command ?? found?.command ?? "";
  return {
    kind: "criterion",
    criterion: type,
    name: `${type}: ${command}`,
    command,
    failAction: asked.failAction ?? DEFAULTS.failAction,
    ...(asked.hint === undefined ? {} : { hint: asked.hint }),
    timeoutMs: parseDuration(asked.timeout ?? DEFAULTS.gateTimeout) ?? DEFAULTS.gateTimeoutMs,
    flaky: asked.flaky ?? DEFAULTS.flaky,
    judged: judgeAll ?? asked.judge ?? type === "custom",
    ...(found === undefined ? {} : { foundIn: found.from }),
  };
}

/** The command of the project's own for a criterion, and the file that tells of it. */
function ownCommand(project: string, type: CriterionType): { command: string; from: string } {
  if (type === "custom") {
    throw new UserError(
      "the criterion custom has no command",
      "only you know what it should run",
      `Name one with ${COMMAND_FLAG}, or with "command" under criteria in .ralph/settings.json.`,
    );
  }
  const found = detectChecks(project).find((check) => check.kind === CHECKS[type]);
  if (found !== undefined) return found;
  const [from, command] = TYPE_CHECKS.find(([file]) => type === "type_check" && hasFile(project, file)) ?? [];
  if (from !== undefined && command !== undefined) return { command, from };
  throw new UserError(
    `no command found for the criterion ${type}`,
    "neither package.json, Cargo.toml, go.mod, pyproject.toml nor a Makefile tells of one",
    `Name it: ${FLAG} ${type} ${COMMAND_FLAG} "…", or "command" under criteria in .ralph/settings.json.`,
  );
}
