import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { judgeCommand } from "../../src/guard/judge.ts";
import type { Place, Ruling } from "../../src/guard/ruling.ts";
import { judgeTool } from "../../src/guard/tools.ts";

/** A user's machine, with one project. */
export const PLACE: Place = {
  project: "/home/dev/project",
  cwd: "/home/dev/project",
  home: "/home/dev",
  unattended: true,
  allow: [],
  deny: [],
  protected: ["/home/dev/.local/state/ralph"],
};

/** A line of a corpus: a command, or a tool with its input. */
export interface Sample {
  readonly category?: string;
  readonly command?: string;
  readonly tool?: string;
  readonly input?: unknown;
  readonly why: string;
}

/** The samples of one corpus. */
export function corpus(name: "known" | "held-out" | "benign"): Sample[] {
  const path = fileURLToPath(new URL(`corpus/${name}.jsonl`, import.meta.url));
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Sample);
}

/** What the guard says of a sample. */
export function judge(sample: Sample, place: Place = PLACE): Ruling {
  return sample.tool === undefined
    ? judgeCommand(sample.command ?? "", place)
    : judgeTool(sample.tool, sample.input, place);
}

/** The rule that a command breaks; "allowed" when it breaks none. */
export function ruleOf(command: string, more: Partial<Place> = {}): string {
  const ruling = judgeCommand(command, { ...PLACE, ...more });
  return ruling.allowed ? "allowed" : ruling.rule;
}
