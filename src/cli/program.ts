import { Command, Help, Option } from "commander";
import { didYouMean } from "../config/did-you-mean.ts";
import { VERSION } from "../version.ts";
import { addBusCommand } from "./bus.ts";
import { addGuardCommand } from "./guard.ts";
import { addProtectOptions, addRunOptions, addSandboxOptions } from "./run-options.ts";
import { addSandboxCommand } from "./sandbox.ts";
import { addTaskCommands } from "./tasks.ts";
import { addTravelCommands } from "./travel-commands.ts";

/** The command line. Each command's own code is loaded when it is asked for, and not before. */
export function createProgram(): Command {
  const program = new Command("ralph")
    .description("Runs a coding agent again and again until the work is proven done.")
    .version(VERSION, "-v, --version", "print the version")
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      // The first page is the commands': its two options stand in its last line, so that it fits on a screen.
      visibleOptions(command) {
        return command.parent === null ? [] : Help.prototype.visibleOptions.call(this, command);
      },
    })
    .configureOutput({ writeErr: () => {} }) // errors are printed by exit.ts
    .exitOverride()
    .addHelpText(
      "after",
      `
The everyday path:
  ralph init                       write down the checks, once
  ralph run -p "fix the tests"     go on until they pass (also: ralph -p "…")
Exit codes: 0 done, 1 gave up, 2 set-up is wrong, 3 waiting on you, 130 stopped.
More: ralph <command> --help (-h), ralph --version (-v)`,
    );

  program.commandsGroup("Run:");
  const run = program
    .command("run", { isDefault: true })
    .description("run the loop (the default command)")
    .usage("[options]")
    .argument("[words...]"); // taken only to be refused with a better word than commander's
  addRunOptions(run).action(async (words: string[], flags: Record<string, unknown>) => {
    refuseWords(words, program);
    const { runCommand } = await import("./run.ts");
    await runCommand(flags);
  });
  const start = program
    .command("start")
    .description("run the loop in the background")
    .usage('"<task>" [options]')
    .argument("[task]", "what is to be done")
    .option("--foreground", "stay here and show the run");
  addRunOptions(start).action(async (task: string | undefined, flags: Record<string, unknown>) => {
    const { startCommand } = await import("./background.ts");
    await startCommand(task, flags);
  });
  program
    .command("drive", { hidden: true })
    .argument("<run>")
    .action(async (run: string) => {
      const { driveCommand } = await import("./background.ts");
      await driveCommand(run);
    });
  program
    .command("demo")
    .description("watch a run end with proof: no key, no network, no agent")
    .option("--keep", "keep the demo's folder to look around in")
    .action(async (flags: { keep?: boolean }) => {
      const { demoCommand } = await import("./demo.ts");
      await demoCommand(flags);
    });

  const supervise = program
    .command("supervise")
    .description("restart a command until its task's folder holds DONE")
    .usage("[options] -- <command...>")
    .argument("<command...>", "the command, one argument a word")
    .option("--task-dir <dir>", "the task's folder, where DONE is looked for (default: this one)")
    .option("--max-restarts <n>", "give up after so many runs (default 100)")
    .option("--restart-delay <duration>", "pause before each restart (default 1s)")
    .option("--wait-timeout <duration>", "wait so long for child runs when DONE is there (default 5m)")
    .option("--poll-interval <duration>", "how often they are looked at (default 1s)")
    .option("--timeout <duration>", "end a run of the command that takes longer (default off)")
    .option("--idle-timeout <duration>", "end one that says nothing for so long (default 15m)")
    .option("--maximum-failures <n>", "give up after so many failed runs in a row (default: never)")
    .option("--max-no-progress <n>", "give up after so many that changed nothing (default: never)")
    .option(
      "--guardrail <command...>",
      "checks that must pass before DONE is believed (default: the settings')",
    )
    .addOption(new Option("--waits").hideHelp())
    .option("--no-waits", "exit code 42 and WAIT_WITHOUT_RESTART are nothing special")
    .option("--trust", "trust the guardrails in this project's settings")
    .option("-y, --yes", "the same: there is no other question")
    .option("--json", "one event a line on stdout, and nothing else there")
    .option("-V, --verbose", "say more, in lines that begin with [ralph]");
  addSandboxOptions(supervise);
  addProtectOptions(supervise).action(async (words: string[], flags: Record<string, unknown>) => {
    const { superviseCommand } = await import("./supervise.ts");
    await superviseCommand(words, flags);
  });
  program
    .command("resume")
    .description("go on with a run after a crash, a stop or a wait")
    .argument("[run]", "its id, or a part of it (default: the newest)")
    .option("-m, --maximum-iterations <n>", "a new limit of iterations")
    .option("--sandbox [kind]", "another fence than it began with")
    .option("--no-sandbox", "without a fence from now on")
    .option("--json", "one event a line on stdout, and nothing else there")
    .option("-V, --verbose", "say more")
    .action(async (run: string | undefined, flags: Record<string, never>) => {
      const { resumeCommand } = await import("./resume.ts");
      await resumeCommand(run, flags);
    });
  program
    .command("stop")
    .description("end the run of this folder, from another terminal")
    .argument("[run]", "its id, or a part of it (default: the one that is under way)")
    .option("--now", "do not let the agent finish")
    .option("--no-wait", "do not wait until it has ended")
    .action(async (run: string | undefined, flags: { now?: boolean; wait?: boolean }) => {
      const { stopCommand } = await import("./stop.ts");
      await stopCommand(run, flags);
    });

  program.commandsGroup("Look and talk:");
  program
    .command("list")
    .description("the runs of this folder")
    .option("--json", "one run a line, as JSON")
    .action(async (flags: { json?: boolean }) => {
      const { listCommand } = await import("./list.ts");
      listCommand(flags);
    });
  program
    .command("status")
    .description("where a run stands")
    .argument("[run]", "its id, or a part of it (default: the newest)")
    .option("--json", "as JSON")
    .action(async (run: string | undefined, flags: { json?: boolean }) => {
      const { statusCommand } = await import("./status.ts");
      statusCommand(run, flags);
    });
  program
    .command("logs")
    .description("what a run showed, again")
    .argument("[run]", "its id, or a part of it (default: the newest)")
    .option("-f, --follow", "go on until it ends")
    .option("--json", "one event a line")
    .action(async (run: string | undefined, flags: { follow?: boolean; json?: boolean }) => {
      const { logsCommand } = await import("./logs.ts");
      await logsCommand(run, flags);
    });
  program
    .command("receipt")
    .description("the proof of a verified run")
    .argument("[run]", "its id, or a part of it (default: the newest)")
    .option("--json", "as JSON: what `ralph verify` takes")
    .option("--bundle [file]", "pack its trees, to verify it where they are not (default: <run>.bundle)")
    .action(async (run: string | undefined, flags: { json?: boolean; bundle?: string | true }) => {
      const { receiptCommand } = await import("./receipt.ts");
      await receiptCommand(run, flags);
    });
  program
    .command("verify")
    .description("check a receipt: run its checks again on a clean checkout")
    .argument("<receipt>", "its file")
    .option("--bundle <file>", "the trees, where this repository does not have them")
    .option("--setup <command>", "run this first: npm ci (default: verify.setup of the settings)")
    .option("--sandbox [kind]", "what its commands are fenced in by (default: the settings', or auto)")
    .option("--no-sandbox", "no fence around them")
    .option("--trust", "run the receipt's commands without asking")
    .option("-y, --yes", "the same: there is no other question")
    .option("--json", "as JSON")
    .action(async (file: string, flags: Record<string, never>) => {
      const { verifyCommand } = await import("./verify.ts");
      await verifyCommand(file, flags);
    });
  addBusCommand(program);

  addTravelCommands(program);
  addTaskCommands(program);

  program.commandsGroup("Set up:");
  program
    .command("init")
    .description("write .ralph/settings.json, with the project's own checks")
    .option("-y, --yes", "take the defaults, ask nothing")
    .option("--tasks", "instead: a task list in ralph/, with its requirements, progress log and prompt")
    .option("--name <feature>", "--tasks: what is built; the branch is called after it")
    .option("-d, --project-dir <dir>", "--tasks: the project (default: this folder)")
    .option("--ralph-dir <dir>", "--tasks: the folder of the list (default ralph)")
    .action(async (flags: { yes?: boolean; tasks?: boolean; name?: string }) => {
      if (flags.tasks === true || flags.name !== undefined) {
        const { initTasks } = await import("./init-tasks.ts");
        await initTasks(flags);
        return;
      }
      const { initCommand } = await import("./init.ts");
      await initCommand(flags);
    });
  program
    .command("agents")
    .description("the agents that ralph knows, and which are installed")
    .option("--json", "as JSON")
    .action(async (flags: { json?: boolean }) => {
      const { agentsCommand } = await import("./agents.ts");
      await agentsCommand(flags);
    });
  program
    .command("doctor")
    .description("what is installed, what is missing, how to mend it")
    .option("--json", "as JSON")
    .action(async (flags: { json?: boolean }) => {
      const { doctorCommand } = await import("./doctor.ts");
      await doctorCommand(flags);
    });
  addSandboxCommand(program);
  addGuardCommand(program);
  program
    .command("install-hooks")
    .description("the loop inside a session, for agents without the plugin")
    .argument("[agent]", "claude, codex, copilot, qwen, gemini or opencode (default: show what is in)")
    .option("--remove", "take them out again")
    .option("--user", "in your own settings (the default)")
    .option("--project", "in the settings of this folder")
    .option("-y, --yes", "do not ask")
    .action(async (agent: string | undefined, flags: Record<string, boolean>) => {
      const { installHooks } = await import("./install-hooks.ts");
      await installHooks(agent, flags);
    });
  return program;
}

/** `run` is the default command, so a mistyped command arrives there as a word that it does not take. */
function refuseWords(words: readonly string[], program: Command): void {
  const [word] = words;
  if (word === undefined) return;
  if (word === "help") program.help();
  const commands = program.commands.map((command) => command.name());
  const near = didYouMean(word, commands);
  program.error(
    `error: there is no command '${word}'\n${near === undefined ? 'To give a prompt: ralph run -p "…"' : `Did you mean: ralph ${near}?`}`,
    { exitCode: 2, code: "ralph.unknownCommand" },
  );
}
