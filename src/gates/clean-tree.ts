import type { Verdict } from "../events.ts";
import type { CleanTree } from "../spec.ts";
import type { GateMoment } from "./gate.ts";
import { keepReport, shown } from "./report.ts";

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
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : "";
  const reason = `there are uncommitted changes: ${found.slice(0, MOST_NAMED).map(shown).join(", ")}${more}`;
  return { ...verdict, pass: false, reason, ...keepReport(moment, report) };
}
