import { closeSync, writeFileSync } from "node:fs";
import type { Verdict } from "../events.ts";
import { createInside } from "../files.ts";
import type { CleanTree } from "../spec.ts";
import { truncate } from "../text.ts";
import type { GateMoment } from "./gate.ts";

const MOST_NAMED = 5;

/** Whoever comes next looks at commits: what an iteration did must be in one. */
export async function judgeCleanTree(moment: GateMoment<CleanTree>): Promise<Verdict> {
  const startedMs = performance.now();
  const found = (await moment.uncommitted?.()) ?? [];
  const verdict = {
    exitCode: null,
    wallMs: Math.round(performance.now() - startedMs),
    logPath: "",
    output: "",
    truncated: false,
  };
  if ("fault" in found)
    return { ...verdict, pass: false, reason: `git cannot tell what is committed (${found.fault})` };
  if (found.length === 0) return { ...verdict, pass: true };
  const report = [
    "There are uncommitted changes:",
    ...found,
    "",
    "1. Add what was done and learned to the progress log.",
    "2. Consider whether a lasting pattern belongs into CLAUDE.md, AGENTS.md or .claude/rules/.",
    "3. Commit ALL changes, the progress log and the task list included. What is not to be committed belongs into .gitignore.",
    "",
  ].join("\n");
  const log = createInside(moment.project, moment.logPath);
  try {
    writeFileSync(log, report);
  } finally {
    closeSync(log);
  }
  const { text, truncated } = truncate(report, moment.truncateChars);
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : "";
  const reason = `there are uncommitted changes: ${found.slice(0, MOST_NAMED).map(shown).join(", ")}${more}`;
  return { ...verdict, pass: false, reason, logPath: moment.logPath, output: text, truncated };
}

/** A name that an agent chose, on one line. */
export function shown(path: string): string {
  return /^[^\p{C}\p{Zl}\p{Zp}"]+$/u.test(path) ? path : JSON.stringify(path);
}
