import type { Command } from "commander";

const OF = ["--of <run>", "a run's id, or a part of it (default: the newest)"] as const;

/** The commands about a run's snapshots. */
export function addTravelCommands(program: Command): void {
  program.commandsGroup("Go back in time:");
  program
    .command("diff")
    .description("what the run changed, or an iteration of it")
    .argument("[from]", "an iteration (default: the whole run)")
    .argument("[to]", "from that iteration to this one, both included")
    .option("--stat", "a table of files")
    .option(...OF)
    .action(async (from: string | undefined, to: string | undefined, flags: { stat?: boolean }) => {
      const { diffCommand } = await import("./diff.ts");
      await diffCommand(from, to, flags);
    });
  program
    .command("rollback")
    .description("the files as they were before the run")
    .option("--to <n>", "as they were before this iteration")
    .option("-y, --yes", "do not ask")
    .option(...OF)
    .action(async (flags: { to?: string; yes?: boolean }) => {
      const { rollbackCommand } = await import("./rollback.ts");
      await rollbackCommand(flags);
    });
  program
    .command("undo")
    .description("take back the last rollback")
    .option("--redo", "take back the last undo")
    .option("-y, --yes", "do not ask")
    .option(...OF)
    .action(async (flags: { redo?: boolean; yes?: boolean }) => {
      const { undoCommand } = await import("./undo.ts");
      await undoCommand(flags);
    });
  program
    .command("fork")
    .description("another folder with the files as before an iteration")
    .argument("<n>", "the iteration")
    .option("--into <dir>", "the folder (default: beside the project)")
    .option("--run", "start the same run there")
    .option("--json", "with --run: one event a line on stdout, and nothing else there")
    .option(...OF)
    .action(async (typed: string, flags: { into?: string; run?: boolean }) => {
      const { forkCommand } = await import("./fork.ts");
      await forkCommand(typed, flags);
    });
  program
    .command("bisect")
    .description("the first iteration that breaks a check")
    .requiredOption("--gate <command>", "the check, a shell line: it passes when it exits with 0")
    .option("--setup <command>", "run first in each folder (default: dependencies are linked)")
    .option("--timeout <duration>", "it has failed when it takes longer (default 10m)")
    .option(...OF)
    .action(async (flags: { gate: string }) => {
      const { bisectCommand } = await import("./bisect.ts");
      await bisectCommand(flags);
    });
}
