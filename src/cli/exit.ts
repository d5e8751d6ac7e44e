import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommanderError } from "commander";
import { BrokenOff, codeOf, Interrupted, messageOf, UserError } from "../errors.ts";
import { stateRoot } from "../journal/paths.ts";
import { VERSION } from "../version.ts";

/** The exit code for a fault of ours. */
export const FAULT = 70;

/** Says what went wrong, and returns the exit code. The only place where an error is printed. */
export function report(error: unknown, argv: readonly string[]): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0; // help or version, already printed
    return reportUser(fromCommander(error, argv));
  }
  if (error instanceof UserError) return reportUser(error);
  if (error instanceof Interrupted) {
    process.stderr.write(`${error.message}\n`);
    return 130;
  }
  if (codeOf(error) === "ENOENT" && error instanceof Error && error.message.includes("uv_cwd")) {
    return reportUser(
      new UserError("the current folder is gone", "it was removed or renamed", "Go to another folder.", {
        cause: error,
      }),
    );
  }
  return reportFault(error);
}

/** Three lines: what happened, why, what to do. */
export function userErrorText(error: { what: string; why: string; fix: string }): string {
  return `ralph: ${error.what}\n  ${error.why}\n  ${error.fix}\n`;
}

function reportUser(error: UserError): number {
  process.stderr.write(userErrorText(error));
  return 2;
}

function fromCommander(error: CommanderError, argv: readonly string[]): UserError {
  const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  const hint = rest
    .join(" ")
    .replace(/^\(|\)$/g, "")
    .trim();
  const help = `Run \`ralph ${argv[0]?.startsWith("-") === false ? `${argv[0]} ` : ""}--help\` to see what it takes.`;
  return new UserError("cannot understand the command line", first, hint === "" ? help : hint, {
    cause: error,
  });
}

function reportFault(thrown: unknown): number {
  const error = thrown instanceof BrokenOff ? thrown.cause : thrown;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const path = keepStack(stack);
  const where = path === undefined ? stack : `Details: ${path}`;
  process.stderr.write(`ralph: a fault of ours: ${messageOf(error).split("\n")[0]}. ${where}\n`);
  if (thrown instanceof BrokenOff)
    process.stderr.write(`  Nothing is lost. Go on: ralph resume ${thrown.run}\n`);
  return FAULT;
}

function keepStack(stack: string): string | undefined {
  try {
    const folder = join(stateRoot(process.env), "faults");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, `${new Date().toISOString().replace(/[:.]/g, "-")}.log`);
    writeFileSync(path, `ralph ${VERSION}, node ${process.version}, ${process.platform}\n${stack}\n`, {
      mode: 0o600,
    });
    return path;
  } catch {
    return undefined; // the state folder may be what is broken: the stack is printed instead
  }
}
