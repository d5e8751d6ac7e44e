import { spawn } from "node:child_process";

/** Somebody outside who acts when we are gone without a word. */
export interface Lifeline {
  /** Sends them home: we go in good order. */
  release(): void;
}

/** Waits for a word on standard input; when none comes before the end of it, becomes a program. */
const WAITS = 'read -r _ && exit 0; exec "$@"';

/**
 * Starts a program when this process dies, however it dies: a shell in a session of its own waits at a pipe that only we hold
 * open.
 */
export function holdLifeline(command: readonly string[], env: NodeJS.ProcessEnv): Lifeline {
  const child = spawn("/bin/sh", ["-c", WAITS, "sh", ...command], {
    cwd: "/",
    env,
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  child.on("error", () => {}); // no shell: then nobody waits, and the next start clears up
  child.stdin.on("error", () => {}); // it was ended from outside
  child.unref();
  // The pipe alone must not keep us here.
  (child.stdin as { unref?: () => void }).unref?.();
  return { release: () => void child.stdin.end("\n") };
}
