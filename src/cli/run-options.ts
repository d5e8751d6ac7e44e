import { type Command, Option } from "commander";

/** The options of everything that runs the loop. Values are checked where they are used, so that errors name the key. */
export function addRunOptions(command: Command): Command {
  command
    .optionsGroup("The work:")
    .option("-p, --prompt <text>", "what is to be done")
    .option("-f, --prompt-file <path>", "a file that says it; read anew each iteration")
    .option("--tasks", "the task list ralph/tasks.json (the default where there is one, and no prompt)")
    .option("--skip-review", "tasks: no review cycle")
    .option("--review-cap <n>", "tasks: reviews that a story may have (default 5)")
    .option("--ralph-dir <dir>", "tasks: the folder of the list, inside the project (default ralph)")
    .option("--worktree <name>", "tasks: in a git worktree and on a branch of that name, made or used again")
    .option("-d, --project-dir <dir>", "the project (default: this folder)")
    .optionsGroup("When it ends:")
    .option("-m, --maximum-iterations <n>", "give up after so many iterations (default 10, tasks 15)")
    .option("-n, --max-iterations <n>", "the same")
    .option(
      "-c, --completion-response <word>",
      "the word in <response>…</response> that claims done (default DONE)",
    )
    .option(
      "--criteria <type>",
      "end when it is met, without a claim: test_pass, build_success, lint_clean, type_check or custom; may be given again",
      (given: string, before: string[] | undefined) => [...(before ?? []), ...given.split(",")],
    )
    .option(
      "--criteria-command <command>",
      "the shell line of the criterion (of custom, where there are several)",
    )
    .option("--judge", "let a judge read the output of every criterion (--no-judge: of none)")
    .addOption(new Option("--no-judge").hideHelp())
    .option("--judge-agent <command>", "who judges (default: whoever had the turn)")
    .option("--judge-model <name>", "the model that the judge should use")
    .option("--maximum-failures <n>", "give up after so many failed agent turns in a row (default 3)")
    .option(
      "--max-no-progress <n>",
      "give up after so many iterations without progress (default 3, 0: never)",
    )
    .option(
      "--max-duration <duration>",
      "give up when it has worked for so long, waits apart (default off; ralph start: 30m)",
    )
    .option("--timeout <duration>", "end an agent's turn that takes longer: 90s, 30m, 2h (default off)")
    .option("--idle-timeout <duration>", "end an agent that says nothing for so long (default 15m)")
    .option("--no-claim-hint", "do not tell the agent how to claim")
    .option("--no-baseline", "do not run the guardrails before the first iteration")
    .optionsGroup("The task's folder:")
    .option("--done", "a file DONE in it claims done (--no-done: it does not)")
    .addOption(new Option("--no-done").hideHelp())
    .option("--waits", "exit code 42 or a file WAIT_WITHOUT_RESTART in it end the run as waiting")
    .addOption(new Option("--no-waits").hideHelp())
    .option("--task-dir <dir>", "which folder it is (default: this one)")
    .option("--restart-delay <duration>", "pause before each next turn (default off)")
    .option("--wait-timeout <duration>", "with DONE, wait so long for child runs (default 5m)")
    .option("--poll-interval <duration>", "how often they are looked at (default 1s)")
    .optionsGroup("The agent:")
    .option("--agent <command>", "the agent's command (default: from the settings, or found on PATH)")
    .option("--model <name>", "the model it should use")
    .option(
      "--fallback-agent <name[:model]>",
      "who takes over while its service holds the agent back; may be given again",
      (one: string, before: string[] | undefined) => [...(before ?? []), one],
    )
    .option("--autonomy <level>", "full, edits or none: what it may do without asking (default full)")
    .optionsGroup("What you see:")
    .option("--stream-agent-output", "show the agent's work (default)")
    .option("--no-stream-agent-output", "show only the loop")
    .option("--json", "one event a line on stdout, and nothing else there")
    .option("-V, --verbose", "say more, in lines that begin with [ralph]")
    .option("--emoji", "use emoji (default)")
    .option("--no-emoji", "use plain markers")
    .option("--color [when]", "auto, always or never")
    .option("--no-color", "the same as --color never")
    .option("--timestamps", "put the time before each line")
    .option("--no-timestamps", "do not (default)")
    .option("--max-output-lines <n>", "lines of a tool's output that are shown (default 10)")
    .option("--max-output-chars <n>", "characters of it (default 1000)")
    .optionsGroup("Safety:");
  addSandboxOptions(command)
    .option("--dry-run", "show what would be run, and start nothing")
    .option("--trust", "trust the commands in this project's settings")
    .option("-y, --yes", "answer every question with yes; the only one is whether to trust them");
  return addProtectOptions(command);
}

/** The options that say what keeps agents in. */
export function addSandboxOptions(command: Command): Command {
  return command
    .option(
      "--sandbox [kind]",
      "what agents and checks are fenced in by: auto (default), bubblewrap, container, sbx, srt or none",
    )
    .option("--no-sandbox", "no fence; the guard watches over dangerous commands instead");
}

/** The options that say what the agent may not change. */
export function addProtectOptions(command: Command): Command {
  return command
    .optionsGroup("What is believed:")
    .option(
      "--protect <pattern>",
      "a file that the agent may not change; may be given again (--no-protect: no file)",
      (one: string, before: string[] | false | undefined) => [...(before || []), one],
    )
    .addOption(new Option("--no-protect").hideHelp())
    .option("--pristine", "the tests as they were must pass too (--no-pristine: they need not)")
    .addOption(new Option("--no-pristine").hideHelp());
}
