/**
 * Errors that the user can mend. Thrown anywhere, printed in one place (`cli/exit.ts`) as three lines without a
 * stack: what happened, why, what to do. Everything else that is thrown is a fault of ours.
 */
export class UserError extends Error {
  readonly what: string;
  readonly why: string;
  readonly fix: string;

  constructor(what: string, why: string, fix: string, options?: { cause?: unknown }) {
    super(`${what}: ${why}`, options);
    this.name = "UserError";
    this.what = what;
    this.why = why;
    this.fix = fix;
  }
}

/** The user gave up at a question. Nothing was started; exit code 130. */
export class Interrupted extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Interrupted";
  }
}

/** The words of an error, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code (`ENOENT`, `EACCES`, …) of an error, if it has one. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
