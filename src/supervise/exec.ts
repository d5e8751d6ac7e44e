import { spawnTree } from "./spawn.ts";

export interface ExecResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Set when it could not be started or took too long. */
  readonly error?: string;
}

const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;

/** Runs a short command of our own (git, `agent --help`) and collects what it says. Never rejects. */
export async function exec(
  file: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; stdin?: string; wallMs?: number; signal?: AbortSignal },
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
    own: true,
    onStdout: (chunk) => {
      out.add(chunk);
      return undefined;
    },
    onStderr: (chunk) => err.add(chunk),
  });
  const stop = () => tree.stop(0);
  if (options.signal?.aborted) stop();
  options.signal?.addEventListener("abort", stop, { once: true });
  const exit = await tree.exited;
  options.signal?.removeEventListener("abort", stop);
  const error = exit.spawnError?.message ?? (exit.endedBy === "timeout" ? "took too long" : undefined);
  return {
    code: exit.code,
    stdout: out.text(),
    stderr: err.text(),
    ...(error === undefined ? {} : { error }),
  };
}

class Bounded {
  #chunks: Buffer[] = [];
  #size = 0;

  add(chunk: Buffer): void {
    if (this.#size >= MOST_OUTPUT_BYTES) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString("utf8");
  }
}
