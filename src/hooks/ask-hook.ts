import { spawn } from "node:child_process";
import { timeoutOf } from "./timeouts.ts";

/** How a hook ended, and what it said. */
export interface Asked {
  /** Null when it was not started, took too long or said too much. */
  readonly code: number | null;
  readonly stdout: string;
}

/** One question to a hook of ours, from inside the program whose session it is about. */
export interface Question {
  /** The plugin's `hooks/ralph.sh`. */
  readonly script: string;
  readonly event: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

const MOST_CHARS = 1024 * 1024;

/**
 * Asks a hook: a plugin is code in another program, which has no settings that would start it. Never rejects.
 */
export async function askHook(question: Question): Promise<Asked> {
  try {
    return await ended(question);
  } catch {
    return { code: null, stdout: "" };
  }
}

function ended({ script, event, input, cwd, env }: Question): Promise<Asked> {
  const text = JSON.stringify(input);
  return new Promise((resolve) => {
    const child = spawn("sh", [script, script, event], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    let stdout = "";
    const end = (code: number | null) => {
      clearTimeout(timer);
      resolve({ code, stdout });
    };
    // What the shell started may hold the pipes for ever: nobody waits until they are closed.
    const cut = () => {
      end(null);
      child.kill("SIGKILL");
      child.stdout.destroy();
      child.stdin.destroy();
    };
    const timer = setTimeout(cut, timeoutOf(event) * 1000);
    // Nobody waits for a hook whose program wants to end.
    timer.unref();
    child.on("error", () => end(null));
    child.on("close", end);
    child.stdin.on("error", () => {}); // a guard that leaves at once reads nothing
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => {
      stdout += text;
      if (stdout.length > MOST_CHARS) cut();
    });
    child.stdin.end(text);
  });
}
