import { split } from "shlex";
import { messageOf, UserError } from "../errors.ts";

/** A path that begins with a drive letter: its backslashes part folders and quote nothing. */
const WINDOWS_PATH = /^\s*["']?[A-Za-z]:\\/;

/** The words of an agent command, split as a POSIX shell would, but never run by one. There is at least one. */
export function commandWords(command: string): [string, ...string[]] {
  const [first, ...rest] = splitWords(command);
  if (first === undefined || first === "") {
    throw new UserError(
      "The agent command is empty",
      "no program is named in it",
      'set "agent.command" to a program, for example "claude"',
    );
  }
  return [first, ...rest];
}

/** The name of a program without its folder and without the endings that Windows adds. */
export function programName(word: string): string {
  const name = word.split(/[\\/]/).at(-1) ?? "";
  return name.replace(/\.(?:exe|cmd|bat|ps1)$/i, "").toLowerCase();
}

function splitWords(command: string): string[] {
  try {
    return split(WINDOWS_PATH.test(command) ? command.replaceAll("\\", "\\\\") : command);
  } catch (error) {
    throw new UserError(
      `The agent command cannot be split into words: ${command}`,
      messageOf(error),
      'close the quote in "agent.command", or leave the quotes out',
      { cause: error },
    );
  }
}
