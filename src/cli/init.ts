import { KNOWN_AGENTS } from "../agents/registry.ts";
import { commandWords } from "../agents/words.ts";
import { detectChecks, suggestedChecks } from "../config/detect.ts";
import { SETTINGS_FILES } from "../config/load.ts";
import { UserError } from "../errors.ts";
import { workTree } from "../scm/git.ts";
import { which } from "../supervise/which.ts";
import { defaultAnswers } from "./init/answers.ts";
import { type Existing, lookAtExisting } from "./init/existing.ts";
import type { Offers } from "./init/interview.ts";
import { NEXT, save, WRITTEN } from "./init/save.ts";

/** `ralph init`: writes `.ralph/settings.json` after asking, or with `--yes` from what it finds. */
export async function initCommand(flags: { yes?: boolean }): Promise<void> {
  const project = process.cwd();
  if (flags.yes !== true && !(process.stdin.isTTY && process.stdout.isTTY)) {
    throw new UserError(
      "ralph init needs a terminal",
      "it asks questions, and standard input or output is no terminal",
      "Run it in a terminal, or take the defaults: ralph init --yes",
    );
  }
  const existing = await lookAtExisting(project);
  if (flags.yes === true) {
    takeDefaults(project, existing);
    return;
  }
  const { converse } = await import("./init/converse.ts");
  process.exitCode = await converse(project, existing, await offersFor(project));
}

/** No questions. What is there is never overwritten: nobody was asked. */
function takeDefaults(project: string, existing: Existing): void {
  const [main] = SETTINGS_FILES;
  if (existing.settings instanceof UserError) throw existing.settings;
  if (existing.hasMain) {
    say(`${main} is there already, and was left as it is.`);
    say(`To start over, delete it first: rm ${main} && ralph init --yes`);
    return;
  }
  const [agent] = agentsOnPath(project);
  const checks = suggestedChecks(detectChecks(project));
  const command = agent?.program ?? KNOWN_AGENTS[0]?.program ?? "claude";
  const notes = save(project, defaultAnswers(command, checks), existing);
  say(
    agent === undefined
      ? `Agent: ${command} (none was found on PATH: install it, or change agent.command)`
      : `Agent: ${command} (${agent.path})`,
  );
  if (checks.length > 0) {
    say(`Guardrails: ${checks.map((check) => `${check.command} (${check.from})`).join(", ")}`);
  }
  for (const note of notes) say(note);
  say(WRITTEN);
  say(NEXT);
}

async function offersFor(project: string): Promise<Offers> {
  return {
    agents: agentsOnPath(project),
    checks: detectChecks(project),
    inGitRepository: (await workTree(project)) !== undefined,
    // A home folder is only put in when the run starts, so such a path is taken as it is.
    canStart: (command) => command.startsWith("~/") || find(project, commandWords(command)[0]) !== undefined,
  };
}

function agentsOnPath(project: string): Offers["agents"] {
  return KNOWN_AGENTS.flatMap(({ program }) => {
    const path = find(project, program);
    return path === undefined ? [] : [{ program, path }];
  });
}

function find(project: string, program: string): string | undefined {
  return which(program, { cwd: project, path: process.env["PATH"] });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
