import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A number as it stands in the names of files. */
export function threeDigits(n: number): string {
  return String(n).padStart(3, "0");
}

/** Where a run keeps the prompt of an iteration, out of the agent's reach. */
export function promptCopy(folder: string, iteration: number): string {
  return join(folder, "prompts", `${threeDigits(iteration)}.txt`);
}

/**
 * Keeps it. With `flush`, on disk before the journal says so: after a power cut the turn is had on this very prompt.
 */
export function keepPrompt(
  folder: string,
  iteration: number,
  prompt: string,
  { flush }: { readonly flush: boolean } = { flush: true },
): void {
  const path = promptCopy(folder, iteration);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, prompt, { mode: 0o600, flush });
}
