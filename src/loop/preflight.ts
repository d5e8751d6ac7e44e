import { resolve } from "node:path";
import { commandWords } from "../agents/words.ts";
import { UserError } from "../errors.ts";
import { isGit } from "../scm/commit.ts";
import { workTree } from "../scm/git.ts";
import { agentsOf, type RunSpec } from "../spec.ts";
import { missingInterpreter, which } from "../supervise/which.ts";

/** What must be true before anything starts, whoever described the run. Throws a UserError when it is not. */
export async function preflight(
  spec: RunSpec,
  env: NodeJS.ProcessEnv,
  sourceOf: (key: string) => string | undefined = () => undefined,
): Promise<void> {
  const { limits, work, scm, project } = spec;
  if (work.kind === "prompt" && work.text.trim() === "") {
    throw new UserError("the prompt is empty", "there is nothing to be done", "Say what is to be done.");
  }
  for (const [name, value, least] of [
    ["iterations", limits.iterations, 1],
    ["failures", limits.failures, 0],
    ["waits", limits.waits, 0],
    ["noProgress", limits.noProgress, 0],
  ] as const) {
    if (Number.isSafeInteger(value) && value >= least) continue;
    throw new UserError(`bad limit of ${name}`, `it is ${value}`, `Give a whole number of ${least} or more.`);
  }
  const at = { cwd: project, path: env["PATH"] };
  const judge = spec.judge?.agent;
  if (judge !== undefined) {
    const [program] = commandWords(judge.command);
    if (which(program, at) === undefined) {
      throw new UserError(
        `cannot start ${program}`,
        "no program of that name can be run (the judge's command)",
        "Install it, or name another judge.",
      );
    }
  }
  for (const [number, agent] of agentsOf(spec).entries()) {
    const [program] = commandWords(agent.command);
    if (which(program, at) !== undefined) continue;
    const interpreter = missingInterpreter(resolve(project, program));
    if (interpreter !== undefined) {
      throw new UserError(
        `cannot start ${program}`,
        `its first line asks for ${JSON.stringify(interpreter)}, which is not there`,
        interpreter.endsWith("\r")
          ? "Save it with Unix line ends (LF, not CRLF)."
          : "Install that, or mend the first line.",
      );
    }
    throw new UserError(
      `cannot start ${program}`,
      `no program of that name can be run (the ${number === 0 ? "agent" : "fallback agent"}'s command)`,
      number === 0 ? "Install it, or name another agent." : "Install it, or leave the fallback out.",
    );
  }
  if (scm === undefined) return;
  const where = sourceOf("scm.command") === undefined ? "" : ` in ${sourceOf("scm.command")}`;
  const [scmProgram] = commandWords(scm.command);
  if (which(scmProgram, at) === undefined) {
    throw new UserError(
      `cannot start ${scmProgram}`,
      `it is not on PATH (scm.command${where})`,
      "Install it, or remove `scm` from the settings.",
    );
  }
  if (isGit(scm) && (await workTree(project)) === undefined) {
    throw new UserError(
      "not a git repository",
      `scm is set${where}, but ${project} is in no git work tree`,
      "Run `git init`, or remove `scm` from the settings.",
    );
  }
}
