import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { UserError } from "../../src/errors.ts";

const made: string[] = [];

afterAll(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A temporary folder with these files; a value that is no text is written as JSON. Removed after the test file. */
export function project(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ralph-config-")));
  made.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(
      join(folder, name),
      typeof content === "string" ? content : JSON.stringify(content, null, 2),
    );
  }
  return folder;
}

/** The three parts of the UserError that a call ends with. */
export async function errorOf(call: () => unknown): Promise<[what: string, why: string, fix: string]> {
  try {
    await call();
  } catch (error) {
    if (error instanceof UserError) return [error.what, error.why, error.fix];
    throw error;
  }
  throw new Error("no error was thrown");
}
