import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";

/** A program that goes on when we are gone. */
export interface Background {
  /** Its exit code, should it end while we watch. */
  readonly exited: Promise<number | null>;
  /** Stops watching, so that we can go. */
  leave(): void;
}

/** Starts a program in a session of its own, with everything that it says in a file. */
export function startInBackground(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; logPath: string },
): Background {
  const log = openSync(options.logPath, "w", 0o600);
  try {
    const child = spawn(file, [...args], {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", log, log],
      detached: true,
      windowsHide: true,
    });
    const exited = new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(null));
      child.once("exit", (code) => resolve(code));
    });
    return { exited, leave: () => child.unref() };
  } finally {
    closeSync(log);
  }
}
