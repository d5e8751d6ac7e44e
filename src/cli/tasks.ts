import type { Command } from "commander";

/** Adds `ralph plan`, `ralph tasks` with its commands, and `ralph archive`. Their own code is loaded when one of them is asked for. */
export function addTaskCommands(program: Command): void {
  program.commandsGroup("Task lists:");
  addPlace(program.command("plan"))
    .description("plan with an agent: requirements and stories")
    .option("--agent <command>", "the agent's command (default: from the settings, or found on PATH)")
    .option("--model <name>", "the model it should use")
    .option("--rounds <n>", "open it so often at most, until the list is valid (default 3)")
    .option("--print", "print the instructions for the agent, and start nothing")
    .option("--trust", "trust the agent's command in this project's settings")
    .option("-y, --yes", "answer every question of ralph's with yes")
    .action(async (flags: Record<string, never>) => {
      const { planCommand } = await import("./plan.ts");
      await planCommand(flags);
    });
  addTasksCommand(program);
  addPlace(program.command("archive"))
    .description("put the task list away with a summary, and start a fresh one")
    .option("--label <label>", "what it is called there (default: its branch)")
    .option("-y, --yes", "also when stories are not done")
    .action(async (flags: { label?: string; yes?: boolean }) => {
      const { archiveCommand } = await import("./archive.ts");
      await archiveCommand(flags);
    });
}

function addTasksCommand(program: Command): void {
  const tasks = addRules(addPlace(program.command("tasks")))
    .description("the task list: its stories, check, next, graph, stats, import")
    .usage("[check|next|graph|stats|import] [options]")
    .argument("[words...]") // taken only to be refused with a better word than commander's
    .option("--json", "as JSON")
    .enablePositionalOptions()
    .action(async (words: string[], flags: Record<string, never>) => {
      if (words[0] !== undefined) {
        tasks.error(`error: there is no command 'tasks ${words[0]}'`, {
          exitCode: 2,
          code: "ralph.unknownCommand",
        });
      }
      const { listTasks } = await import("./tasks-list.ts");
      listTasks(flags);
    });
  addRules(addPlace(tasks.command("check")))
    .description("validate the list: exit code 1 and every fault with its path")
    .option("--json", "as JSON")
    .action(async (_flags: unknown, command: Command) => {
      const { checkTasks } = await import("./tasks-check.ts");
      checkTasks(command.optsWithGlobals());
    });
  addRules(addPlace(tasks.command("next")))
    .description("the mode and the story of the next iteration")
    .option("--json", "as JSON")
    .action(async (_flags: unknown, command: Command) => {
      const { nextTask } = await import("./tasks-next.ts");
      nextTask(command.optsWithGlobals());
    });
  addRules(addPlace(tasks.command("graph")))
    .description("the order that the dependencies ask for")
    .option("--mermaid", "as a Mermaid graph")
    .action(async (_flags: unknown, command: Command) => {
      const { graphTasks } = await import("./tasks-graph.ts");
      graphTasks(command.optsWithGlobals());
    });
  addRules(addPlace(tasks.command("stats")))
    .description("what the reviews were good for")
    .option("--json", "as JSON")
    .action(async (_flags: unknown, command: Command) => {
      const { statsOfTasks } = await import("./tasks-stats.ts");
      statsOfTasks(command.optsWithGlobals());
    });
  addPlace(tasks.command("import"))
    .description("add stories from a prd.json, a Markdown checklist, or the open issues on GitHub (gh)")
    .argument("<file|gh>", "a file, or gh")
    .option("--label <label>", "gh: only issues with this label")
    .option("--limit <n>", "gh: at most so many issues (default 30)")
    .action(async (source: string, _flags: unknown, command: Command) => {
      const { importTasks } = await import("./tasks-import.ts");
      await importTasks(source, command.optsWithGlobals());
    });
}

/** Adds the flags that say which list is meant. */
function addPlace(command: Command): Command {
  return command
    .option(
      "-d, --project-dir <dir>",
      "the project (default: this folder, or the nearest around it with a list)",
    )
    .option("--ralph-dir <dir>", "the folder of the list, inside the project (default ralph)");
}

function addRules(command: Command): Command {
  return command
    .option("--skip-review", "judge it without a review cycle")
    .option("--review-cap <n>", "reviews a story may have (default 5)");
}
