import { quote } from "shlex";
import { adapterFor } from "../agents/registry.ts";
import { explain } from "../config/explain.ts";
import type { ResolvedRun } from "../config/resolve.ts";
import { logPaths } from "../gates/log-name.ts";
import { runFolder, stateRoot } from "../journal/paths.ts";
import { basePrompt, commandFor } from "../loop/iteration.ts";
import { askHelp } from "../loop/launch.ts";
import { composePrompt } from "../loop/prompt.ts";
import { INITIAL } from "../loop/state.ts";
import { redact, redactValue } from "../redact.ts";
import { clean } from "../ui/clean.ts";

/** `--dry-run`: the run as it would be, where each value came from, the first prompt and the exact commands. */
export async function dryRun(
  resolved: ResolvedRun,
  options: { mayAskAgent: boolean; json: boolean },
): Promise<void> {
  const { spec } = resolved;
  const prompt = composePrompt(basePrompt({ spec }), spec, INITIAL, 1);
  const adapter = adapterFor(spec.agent.kind);
  const help = options.mayAskAgent ? await askHelp(spec, process.env, new AbortController().signal) : "";
  const folder = runFolder(stateRoot(process.env), spec.project, "<run>");
  const command = commandFor({ spec, adapter, help, folder }, prompt);
  const logs = logPaths(spec.gates, 1);
  if (options.json) {
    const shown = { spec, sources: Object.fromEntries(resolved.sources), command, prompt };
    process.stdout.write(`${JSON.stringify(redactValue(shown))}\n`);
    return;
  }
  const say = (line = "") => process.stdout.write(`${clean(redact(line))}\n`);

  say("Nothing is started. This run would be:");
  say();
  for (const line of explain(resolved)) say(`  ${line}`);
  say();
  say("Agent command (the prompt goes to its standard input):");
  say(`  ${[command.file, ...command.args].map(quote).join(" ")}`);
  for (const [name, value] of Object.entries(command.env)) say(`  with ${name}=${value}`);
  say();
  say(
    spec.gates.length === 0 ? "No guardrails: a claim would end the run unchecked." : "Guardrails, in order:",
  );
  spec.gates.forEach((gate, index) => {
    say(`  sh -c ${quote(gate.command)}`);
    say(`    on failure ${gate.failAction}, log ${logs[index] ?? ""}`);
  });
  if (spec.scm !== undefined) {
    say();
    say("When all guardrails passed:");
    for (const task of spec.scm.tasks) {
      say(`  ${spec.scm.command} ${task === "commit" ? "commit -am <message of the agent's>" : task}`);
    }
  }
  say();
  say("First prompt:");
  for (const line of command.stdin.split("\n")) say(`  | ${line}`);
}
