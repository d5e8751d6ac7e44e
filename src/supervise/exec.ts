import type { Means } from "./means.ts";
import { spawnTree } from "./spawn.ts";

export interface ExecResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Set when it could not be started, took too long, or said more than we can hold. */
  readonly error?: string;
}

const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a short command of our own (git, `agent --help`) and collects what it says. Never rejects. */
export async function exec(
  file: string,
  args: readonly string[],
  options: {
    cwd: string;
    env: NodeJS.ProcessEnv;
    stdin?: string;
    wallMs?: number;
    signal?: AbortSignal;
    means?: Means;
  },
): Promise<ExecResult> {
  const out = new Bounded();
  const err = new Bounded();
  const tree = spawnTree({
    file,
    args,
    cwd: options.cwd,
    env: options.env,
    stdin: options.stdin ?? "",
    wallMs: options.wallMs ?? 120_000,
    ...(options.means === undefined ? { own: true } : { means: options.means }),
    onStdout: (chunk) => {
      if (!out.add(chunk)) tree.stop(0);
      return undefined;
    },
    onStderr: (chunk) => err.add(chunk),
  });
  const stop = () => tree.stop(0);
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  const exit = await tree.exited;
  options.signal?.removeEventListener("abort", stop);
  const late = exit.endedBy === "timeout" ? "took too long" : undefined;
  // Half an answer would be taken for a whole one.
  const error = exit.spawnError?.message ?? (out.isFull ? "said more than 16 MB" : late);
  return {
    code: out.isFull ? null : exit.code,
    stdout: out.text(),
    stderr: err.text(),
    ...(error === undefined ? {} : { error }),
  };
}

class Bounded {
  #chunks: Buffer[] = [];
  #size = 0;

  get isFull(): boolean {
    return this.#size > MOST_OUTPUT_BYTES;
  }

  /** Is there room for more? */
  add(chunk: Buffer): boolean {
    if (this.isFull) return false;
    this.#size += chunk.length;
    if (!this.isFull) this.#chunks.push(chunk);
    return !this.isFull;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
