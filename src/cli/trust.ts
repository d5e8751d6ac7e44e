import type { ResolvedRun } from "../config/resolve.ts";
import { visible } from "../config/say.ts";
import type { Settings } from "../config/schema.ts";
import { commandsOf, isTrusted, remember, trustByEnvironment, trustKey } from "../config/trust.ts";
import { Interrupted, UserError } from "../errors.ts";
import { stateRoot } from "../journal/paths.ts";
import type { CriterionType } from "../spec.ts";

/** What is to be started of the commands that a project's settings name. */
export interface Named {
  readonly project: string;
  /** The part of the settings that names it. */
  readonly used: Settings;
  /** All of them: who trusted the whole trusted each part of it. */
  readonly settings: Settings;
  readonly files: readonly { readonly name: string }[];
  /** What was found for a criterion that names no command. */
  readonly ownCommand?: (type: CriterionType) => string | undefined;
  /** The task list, where it names commands. */
  readonly list?: { readonly path: string; readonly commands: readonly string[] };
}

/** May the commands that this project's settings name be run? Asks nobody. */
export function isTrustedProject(resolved: ResolvedRun, flag: boolean): boolean {
  return isTrustedNamed(namedBy(resolved), flag);
}

function isTrustedNamed({ project, used, settings, list }: Named, flag: boolean): boolean {
  const verify = list?.commands ?? [];
  if (commandsOf(used).length + verify.length === 0) return true;
  if (trustByEnvironment(process.env, flag) !== undefined) return true;
  return [used, settings].some((one) => isTrusted(stateRoot(process.env), trustKey(project, one, verify)));
}

function namedBy(resolved: ResolvedRun): Named {
  const { spec, settings, files, listCommands } = resolved;
  const used = usedBy(resolved);
  const path = spec.work.kind === "tasks" ? `${spec.work.dir}/tasks.json` : "";
  const list = listCommands.length === 0 ? {} : { list: { path, commands: listCommands } };
  const ownCommand = (type: CriterionType) => foundFor(resolved, type);
  return { project: spec.project, used, settings, files, ownCommand, ...list };
}

/** The settings that name what this run would start: of a supervised one the command is the user's own. */
function usedBy({ spec, settings, sources }: ResolvedRun): Settings {
  if (spec.kind !== "supervise") return settings;
  const { guardrails, guard } = settings;
  const isNamed = guardrails !== undefined && sources.get("guardrails") !== "--guardrail";
  return { ...(isNamed ? { guardrails } : {}), ...(guard === undefined ? {} : { guard }) };
}

function foundFor({ spec }: ResolvedRun, type: CriterionType): string | undefined {
  return spec.gates.find(
    (gate) => gate.kind === "criterion" && gate.criterion === type && gate.foundIn !== undefined,
  )?.command;
}

/** A cloned project's settings name commands: shows them and asks, once for each content. Throws when the answer is no. */
export async function askForTrust(resolved: ResolvedRun, flag: boolean): Promise<void> {
  await askToTrust(namedBy(resolved), flag);
}

/** The same for a part of the settings, where no whole run is started. */
export async function askToTrust(named: Named, flag: boolean): Promise<void> {
  if (isTrustedNamed(named, flag)) return;
  const { list } = named;
  const verify = list?.commands ?? [];
  const commands = [
    ...commandsOf(named.used, named.ownCommand),
    ...verify.map((command) => visible(`verify command: ${command}`)),
  ];
  const files = [...named.files.map((file) => file.name), ...(list === undefined ? [] : [list.path])];
  const whose =
    list === undefined ? "this project's settings are" : "this project's settings and task list are";
  await askToRun({ whose, who: files.join(" and "), commands });
  remember(stateRoot(process.env), trustKey(named.project, named.used, verify));
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
