import { closeSync, writeFileSync } from "node:fs";
import type { Verdict } from "../events.ts";
import { createInside } from "../files.ts";
import { truncate } from "../text.ts";
import type { GateMoment } from "./gate.ts";

/** Keeps what a gate has to say in its log, and gives what the next prompt may quote of it. */
export function keepReport(
  { project, logPath, truncateChars }: Pick<GateMoment, "project" | "logPath" | "truncateChars">,
  report: string,
): Pick<Verdict, "logPath" | "output" | "truncated"> {
  const log = createInside(project, logPath);
  try {
    writeFileSync(log, report);
  } finally {
    closeSync(log);
  }
  const { text, truncated } = truncate(report, truncateChars);
  return { logPath, output: text, truncated };
}

/** A name that an agent chose, on one line. */
export function shown(path: string): string {
  return /^[^\p{C}\p{Zl}\p{Zp}"]+$/u.test(path) ? path : JSON.stringify(path);
}
