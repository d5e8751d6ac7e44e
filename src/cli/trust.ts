import type { ResolvedRun } from "../config/resolve.ts";
import { visible } from "../config/say.ts";
import type { Settings } from "../config/schema.ts";
import { commandsOf, isTrusted, remember, trustByEnvironment, trustKey } from "../config/trust.ts";
import { Interrupted, UserError } from "../errors.ts";
import { stateRoot } from "../journal/paths.ts";
import type { CriterionType } from "../spec.ts";

/** May the commands that this project's settings name be run? Asks nobody. */
export function isTrustedProject(resolved: ResolvedRun, flag: boolean): boolean {
  const used = usedBy(resolved);
  const { listCommands } = resolved;
  if (commandsOf(used).length + listCommands.length === 0) return true;
  if (trustByEnvironment(process.env, flag) !== undefined) return true;
  // Who trusted the whole trusted each part of it.
  return [used, resolved.settings].some((settings) =>
    isTrusted(stateRoot(process.env), trustKey(resolved.spec.project, settings, listCommands)),
  );
}

/** The settings that name what this run would start: of a supervised one the command is the user's own. */
function usedBy({ spec, settings, sources }: ResolvedRun): Settings {
  if (spec.kind !== "supervise") return settings;
  const { guardrails } = settings;
  return guardrails === undefined || sources.get("guardrails") === "--guardrail" ? {} : { guardrails };
}

function foundFor({ spec }: ResolvedRun, type: CriterionType): string | undefined {
  return spec.gates.find(
    (gate) => gate.kind === "criterion" && gate.criterion === type && gate.foundIn !== undefined,
  )?.command;
}

/** A cloned project's settings name commands: shows them and asks, once for each content. Throws when the answer is no. */
export async function askForTrust(resolved: ResolvedRun, flag: boolean): Promise<void> {
  if (isTrustedProject(resolved, flag)) return;
  const used = usedBy(resolved);
  const { spec, listCommands } = resolved;
  const commands = [
    ...commandsOf(used, (type) => foundFor(resolved, type)),
    ...listCommands.map((command) => visible(`verify command: ${command}`)),
  ];
  const list = spec.work.kind === "tasks" && listCommands.length > 0 ? [`${spec.work.dir}/tasks.json`] : [];
  const files = [...resolved.files.map((file) => file.name), ...list].join(" and ");
  const whose = list.length > 0 ? "this project's settings and task list are" : "this project's settings are";
  await askToRun({ whose, who: files, commands });
  remember(stateRoot(process.env), trustKey(spec.project, used, listCommands));
}

/** Shows commands and asks whether to run them. Throws when the answer is no, and where nobody can be asked. */
export async function askToRun(question: {
  /** Whose commands they are, with its verb: "this receipt is". */
  readonly whose: string;
  readonly who: string;
  readonly commands: readonly string[];
}): Promise<void> {
  const { whose, who, commands } = question;
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UserError(
      `${whose} not trusted yet`,
      `${who} would run: ${commands.join("; ")}`,
      "Read them, then start again with --trust or --yes (or set RALPH_TRUST_PROJECT=1).",
    );
  }
  const { confirm, isCancel, note } = await import("@clack/prompts");
  note(commands.join("\n"), `${who} would run`, { output: process.stderr });
  const yes = await confirm({
    message: "Run these commands? (asked once; a change is asked again)",
    initialValue: false,
    output: process.stderr,
  });
  if (isCancel(yes)) throw new Interrupted("Nothing was started.");
  if (!yes) throw new UserError("not started", `${whose} not trusted`, "Change them, or answer yes.");
}
