import { clean } from "../../ui/clean.ts";
import type { Paint } from "../../ui/style.ts";
import type { Row } from "./row.ts";

const INDENT = "    ";

/** The rows as people read them: a mark, what, how it is, and below it how to mend it. */
export function table(rows: readonly Row[], paint: Paint): string {
  const width = Math.max(0, ...rows.map(({ title }) => title.length));
  const lines = rows.flatMap((row) => {
    const line = `${mark(row, paint)} ${row.title.padEnd(width)}  ${line1(row.detail)}`;
    return row.fix === undefined ? [line] : [line, `${INDENT}${paint.faint("→")} ${line1(row.fix)}`];
  });
  return `${[...lines, "", summary(rows, paint)].join("\n")}\n`;
}

function mark(row: Row, paint: Paint): string {
  if (row.status === "fail") return paint.bad("✗");
  if (row.status === "warn") return paint.warn("!");
  return row.info === true ? paint.faint("·") : paint.good("✓");
}

function summary(rows: readonly Row[], paint: Paint): string {
  const failed = rows.filter(({ status }) => status === "fail").length;
  const warned = rows.filter(({ status }) => status === "warn").length;
  const told = warned === 0 ? "" : ` ${warned === 1 ? "One thing" : `${warned} things`} could be better (!).`;
  if (failed === 0) return `${paint.good("Ready to run.")}${told}`;
  return `${paint.bad(`${failed === 1 ? "One thing stands" : `${failed} things stand`} in the way (✗).`)}${told}`;
}

/** Paths and error texts may hold a stranger's words. */
function line1(text: string): string {
  return clean(text).replaceAll("\n", " ");
}
