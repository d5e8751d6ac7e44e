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

/** A fault of ours broke a run off. Its journal is whole up to there, so the run can be gone on with. */
export class BrokenOff extends Error {
  readonly run: string;

  constructor(run: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = "BrokenOff";
    this.run = run;
  }
}

const DISK_TROUBLE: Readonly<Record<string, readonly [why: string, fix: string]>> = {
  ENOSPC: ["the disk is full", "Make room on the disk."],
  EDQUOT: ["your share of the disk is used up", "Make room on the disk."],
  EFBIG: ["the file is as large as it may be", "Allow larger files."],
  EROFS: ["the disk is read-only", "Make it writable."],
  EIO: ["the disk fails", "Look after the disk."],
};

/** The user's error when it is the disk that does not take what is written, else undefined. */
export function diskError(what: string, error: unknown, path?: string): UserError | undefined {
  const [why, fix] = DISK_TROUBLE[codeOf(error) ?? ""] ?? [];
  if (why === undefined || fix === undefined) return undefined;
  return new UserError(what, path === undefined ? `${why} (${messageOf(error)})` : `${why} (${path})`, fix, {
    cause: error,
  });
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
