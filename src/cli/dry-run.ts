import { quote } from "shlex";
import type { AgentCommand } from "../agents/agent.ts";
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
import { isFenced } from "../sandbox/sandbox.ts";
import { agentsOf, checksWork } from "../spec.ts";
import { clean } from "../ui/clean.ts";

/** `--dry-run`: the run as it would be, where each value came from, the first prompt and the exact commands. */
export async function dryRun(
  resolved: ResolvedRun,
  options: { mayAskAgent: boolean; json: boolean },
): Promise<void> {
  const { spec } = resolved;
  const prompt = composePrompt(basePrompt({ spec }), spec, INITIAL, 1);
  const where = { cwd: spec.project, env: process.env, signal: new AbortController().signal };
  const folder = runFolder(stateRoot(process.env), spec.project, "<run>");
  const commands = await Promise.all(
    agentsOf(spec).map(async (agent) => {
      const help = options.mayAskAgent ? await askHelp(agent, where) : "";
      return commandFor(
        { spec, folder, fenced: isFenced(spec) },
        { spec: agent, adapter: adapterFor(agent.kind), help },
        prompt,
      );
    }),
  );
  const [command, ...fallback] = commands;
  if (command === undefined) throw new Error("a run without an agent");
  const logs = logPaths(spec.gates, 1);
  if (options.json) {
    const others = fallback.length === 0 ? {} : { fallback };
    const shown = { spec, sources: Object.fromEntries(resolved.sources), command, ...others, prompt };
    process.stdout.write(`${JSON.stringify(redactValue(shown))}\n`);
    return;
  }
  const say = (line = "") => process.stdout.write(`${clean(redact(line))}\n`);

  say("Nothing is started. This run would be:");
  say();
  for (const line of explain(resolved)) say(`  ${line}`);
  say();
  const sayCommand = ({ file, args, env }: AgentCommand) => {
    say(`  ${[file, ...args].map(quote).join(" ")}`);
    for (const [name, value] of Object.entries(env)) say(`  with ${name}=${value}`);
  };
  say("Agent command (the prompt goes to its standard input):");
  sayCommand(command);
  if (fallback.length > 0) say("While its service holds it back:");
  for (const one of fallback) sayCommand(one);
  say();
  say(
    spec.gates.some(checksWork)
      ? `${spec.gates.some(({ kind }) => kind === "criterion") ? "Guardrails and criteria" : "Guardrails"}, in order:`
      : "No guardrails: a claim would end the run unchecked.",
  );
  spec.gates.forEach((gate, index) => {
    if (!checksWork(gate)) return;
    const how = gate.kind === "pristine" ? ", in a scratch folder with the tests as they were" : "";
    say(`  sh -c ${quote(gate.command)}${how}`);
    if (gate.kind === "criterion") {
      const found = gate.foundIn === undefined ? "" : `, found in ${gate.foundIn}`;
      say(`    criterion ${gate.criterion}${found}${gate.judged === true ? ", read by the judge" : ""}`);
    }
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
