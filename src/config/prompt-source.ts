import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";
import type { RunSpec } from "../spec.ts";
import { symlinkError } from "./read-file.ts";
import { visible } from "./say.ts";

/** Where a prompt comes from: exactly one of a text and a file. */
export function promptSource(input: {
  readonly prompt: string | undefined;
  readonly promptFile: string | undefined;
  readonly project: string;
  readonly cwd: string;
}): RunSpec["work"] {
  const { prompt, promptFile } = input;
  if (prompt !== undefined && promptFile !== undefined) {
    throw new UserError(
      "both --prompt and --prompt-file were given",
      "a run has one prompt",
      "Leave one of them out.",
    );
  }
  if (prompt !== undefined) {
    if (prompt.trim() === "") {
      throw new UserError(
        "the prompt is blank",
        "--prompt has no text",
        'Say what is to be done: ralph run -p "fix the tests".',
      );
    }
    return { kind: "prompt", text: prompt };
  }
  if (promptFile === undefined) {
    throw new UserError(
      "there is no prompt",
      "neither --prompt nor --prompt-file was given",
      'Say what is to be done: ralph run -p "fix the tests", or ralph run -f prompt.md.',
    );
  }
  if (promptFile.trim() === "") {
    throw new UserError(
      "the prompt file has no name",
      "--prompt-file is blank",
      "Name a file: ralph run -f prompt.md.",
    );
  }
  const path = resolve(input.cwd, promptFile);
  checkPromptFile(path, visible(promptFile), input.project);
  return { kind: "prompt-file", path };
}

function checkPromptFile(path: string, name: string, project: string): void {
  const insideProject = refuseLinks(path, name, project);
  let fd: number;
  try {
    const noFollow = insideProject ? (constants.O_NOFOLLOW ?? 0) : 0;
    fd = openSync(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw unreadable(name, error);
  }
  try {
    if (!fstatSync(fd).isFile()) {
      throw new UserError(
        `cannot read the prompt file ${name}`,
        "it is not a plain file, and it is read again in each iteration",
        "Save the prompt in a file and name that.",
      );
    }
    if (isBlank(fd)) {
      throw new UserError(
        `the prompt file ${name} is blank`,
        "it has no text",
        "Write into it what is to be done.",
      );
    }
  } finally {
    closeSync(fd);
  }
}

/**
 * A prompt file in the project is the agent's to replace, so it may be no link, and no link on the way to it may lead
 * out of the project. A file elsewhere is the user's own, links and all. Tells whether it lies inside.
 */
function refuseLinks(path: string, name: string, project: string): boolean {
  try {
    const realProject = realpathSync(project);
    const named = isInside(project, path) || isInside(realProject, path);
    const real = isInside(realProject, join(realpathSync(dirname(path)), basename(path)));
    if (!named && !real) return false;
    if (lstatSync(path).isSymbolicLink()) throw symlinkError(`the prompt file ${name}`);
    if (real) return true;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw unreadable(name, error);
  }
  throw new UserError(
    `the prompt file ${name} is outside the project`,
    "a symbolic link on the way to it leads out, and an agent could have made it",
    "Name the file by its real path.",
  );
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function unreadable(name: string, error: unknown): UserError {
  const code = codeOf(error);
  const why =
    code === "ENOENT" ? "there is no such file" : `it cannot be opened (${code ?? messageOf(error)})`;
  return new UserError(`cannot read the prompt file ${name}`, why, "Check the path given to --prompt-file.", {
    cause: error,
  });
}

/** Whether a file holds nothing but white space. Only its beginning is read: a longer one is taken to say something. */
function isBlank(fd: number): boolean {
  const bytes = Buffer.alloc(64 * 1024);
  const size = readSync(fd, bytes, 0, bytes.length, 0);
  return size < bytes.length && bytes.toString("utf8", 0, size).trim() === "";
}
