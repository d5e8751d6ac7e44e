import { homedir } from "node:os";
import type { Command } from "commander";
import type { Place, Ruling } from "../guard/ruling.ts";

/** Adds `ralph guard` and its commands. The guard's own code is loaded when one of them is asked for. */
export function addGuardCommand(program: Command): void {
  const guard = program
    .command("guard")
    .description("what agents may not do: check a command, list the rules")
    .usage("<check|rules> [options]")
    .argument("[words...]") // taken only to be refused with a better word than commander's
    .action((words: string[]) => {
      if (words[0] === undefined) return guard.outputHelp();
      guard.error(`error: there is no command 'guard ${words[0]}'`, {
        exitCode: 2,
        code: "ralph.unknownCommand",
      });
    });
  guard
    .command("check")
    .description("would the guard let this command pass? Exit code 0: yes, 1: no")
    .argument("<command>", "a shell line, in quotes")
    .option("--watched", "as if somebody watched: what cannot be known passes")
    .option("--json", "as JSON")
    .action(check);
  guard.command("rules").description("every rule of the guard").option("--json", "as JSON").action(rules);
}

async function check(command: string, flags: { watched?: boolean; json?: boolean }): Promise<void> {
  const { judgeCommand } = await import("../guard/judge.ts");
  const ruling = judgeCommand(command, await placeHere(flags.watched !== true));
  process.stdout.write(flags.json === true ? `${JSON.stringify(ruling)}\n` : inWords(ruling));
  process.exitCode = ruling.allowed ? 0 : 1;
}

function inWords(ruling: Ruling): string {
  if (ruling.allowed) return "allowed\n";
  const { rule, category, why, instead } = ruling;
  return `denied: ${why}\nrule: ${rule} (${category})\ninstead: ${instead}\n`;
}

/** The place that a run here would have, with the settings of the project. */
async function placeHere(unattended: boolean): Promise<Place> {
  const { loadSettings } = await import("../config/load.ts");
  const { stateRoot } = await import("../journal/paths.ts");
  const { projectHere } = await import("./project.ts");
  const project = projectHere();
  const { guard = {} } = (await loadSettings(project)).settings;
  return {
    project,
    cwd: process.cwd(),
    home: process.env["HOME"] || homedir(),
    unattended,
    allow: guard.allow ?? [],
    deny: guard.deny ?? [],
    protected: [stateRoot(process.env)],
  };
}

async function rules(flags: { json?: boolean }): Promise<void> {
  const { CATEGORIES, RULES } = await import("../guard/rules.ts");
  const all = Object.entries(RULES).map(([rule, about]) => ({ rule, ...about }));
  if (flags.json === true) {
    process.stdout.write(`${JSON.stringify({ rules: all }, null, 2)}\n`);
    return;
  }
  const width = Math.max(...all.map(({ rule }) => rule.length));
  for (const [category, about] of Object.entries(CATEGORIES)) {
    process.stdout.write(`${category}: ${about}\n`);
    for (const { rule, why, instead } of all.filter((one) => one.category === category)) {
      process.stdout.write(`  ${rule.padEnd(width)}  ${why}\n  ${" ".repeat(width)}  ${instead}\n`);
    }
  }
}
