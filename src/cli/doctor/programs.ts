import { realpathSync } from "node:fs";
import { parse } from "node:path";
import { isInside } from "../../files.ts";
import { redact } from "../../redact.ts";
import { exec } from "../../supervise/exec.ts";
import { which } from "../../supervise/which.ts";
import { cleanLine } from "../../ui/clean.ts";
import type { Facts } from "./row.ts";

const ANSWER_WITHIN_MS = 10_000;
const LONGEST_VERSION = 60;

/** What a program on PATH says about itself. */
export type ProgramState =
  | { readonly kind: "absent" }
  | { readonly kind: "answers"; readonly path: string; readonly version: string }
  /** It lies inside the project, so it may be a stranger's: it was not started. */
  | { readonly kind: "not-asked"; readonly path: string }
  | { readonly kind: "silent"; readonly path: string; readonly why: string };

/** Where a program is looked for, and what ends the question. */
export type Surroundings = Pick<Facts, "project" | "env" | "signal">;

/** Finds a program and asks it for its version. */
export async function askVersion(program: string, facts: Surroundings): Promise<ProgramState> {
  const path = findProgram(program, facts);
  if (path === undefined) return { kind: "absent" };
  if (isInside(facts.project, path) || isInside(realOf(facts.project), realOf(path))) {
    return { kind: "not-asked", path };
  }
  const result = await exec(path, ["--version"], {
    // Not in the project: agents read files there, and these may be a stranger's.
    cwd: parse(process.execPath).root,
    env: facts.env,
    wallMs: ANSWER_WITHIN_MS,
    signal: facts.signal,
  });
  if (result.error !== undefined) return { kind: "silent", path, why: result.error };
  if (result.code !== 0) return { kind: "silent", path, why: `exit code ${result.code}` };
  return { kind: "answers", path, version: versionIn(result.stdout) };
}

/** The program that a run would start, or undefined. */
export function findProgram(
  program: string,
  { project, env }: Pick<Facts, "project" | "env">,
): string | undefined {
  return which(program, { cwd: project, path: env["PATH"] });
}

/** A path without links, or as it is when it cannot be followed. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The number alone where there is one: every program puts other words around it. */
function versionIn(output: string): string {
  const line = cleanLine(redact(output.trimStart().split("\n")[0] ?? ""), LONGEST_VERSION, "…");
  return /\d+(?:\.\d+)+(?:[\w.+-]*\w)?/.exec(line)?.[0] ?? (line === "" ? "version unknown" : line);
}
