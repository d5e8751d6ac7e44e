import type { Verdict } from "../events.ts";
import type { Protection } from "../spec.ts";
import type { Fault, FileChange, GateMoment, Mending, PutBack, Trees } from "./gate.ts";
import { mendKeys } from "./json-part.ts";
import { type Extent, readPatterns } from "./patterns.ts";
import { keepReport, shown } from "./report.ts";

/** More files than these are only counted in the one line that says why. */
const MOST_NAMED = 5;
const COMMIT = "160000";

/**
 * Compares the protected files with what they were when the run began, and puts back what was changed: the gate fails, and says
 * what it was. The other gates of the round then judge the work with the files as they should be.
 */
export async function judgeProtection(moment: GateMoment<Protection>): Promise<Verdict> {
  const { gate, trees } = moment;
  const startedMs = performance.now();
  const say = (facts: Pick<Verdict, "pass"> & Partial<Verdict>): Verdict => ({
    exitCode: null,
    wallMs: Math.round(performance.now() - startedMs),
    logPath: "",
    output: "",
    truncated: false,
    ...facts,
  });
  if (trees === undefined) throw new Error("a protection needs to know how things were");
  if (trees.unavailable !== undefined && gate.patterns.length === 0) {
    return say({ pass: true, warnings: [`nothing is protected here: ${trees.unavailable}`] });
  }
  const found = await findChanged(trees, [...gate.defining, ...gate.patterns]);
  if ("fault" in found) return say({ pass: false, reason: `${CANNOT_TELL} (${found.fault})` });
  if (found.files.length === 0) {
    const idle = await idlePatterns(trees, gate.patterns);
    return say({ pass: true, ...(idle.length === 0 ? {} : { warnings: idle.map(idleWarning) }) });
  }
  const done = await trees.putBack(found.files);
  const report = describe(found.files, done);
  const reason = reasonFor(found.files, done);
  return say({ pass: false, reason, ...keepReport(moment, report) });
}

/** Patterns that mean none of the files that were there when the run began: a slip, or a path that leads out of the project. */
async function idlePatterns(trees: Trees, patterns: readonly string[]): Promise<string[]> {
  const wanted = patterns.filter((pattern) => !pattern.startsWith("!"));
  const before = wanted.length === 0 ? { paths: [] } : await trees.files();
  if ("fault" in before) return [];
  return wanted.filter((pattern) => {
    const extentOf = readPatterns([pattern]);
    return !before.paths.some((path) => extentOf(path) !== undefined);
  });
}

function idleWarning(pattern: string): string {
  return `${shown(pattern)} protects nothing that was there when the run began; paths are relative to the project`;
}

const CANNOT_TELL = "it cannot be told whether protected files were changed";

/** The protected files that were changed, and what each is to become. */
async function findChanged(
  trees: Trees,
  patterns: readonly string[],
): Promise<{ readonly files: readonly Mending[] } | Fault> {
  const compared = await trees.changes(patterns);
  if ("fault" in compared) return compared;
  const extentOf = readPatterns(patterns);
  const files: Mending[] = [];
  for (const change of compared.changes) {
    const extent = extentOf(change.path);
    const mending = extent === undefined ? undefined : await mendingFor(trees, change, extent);
    if (mending !== undefined) files.push(mending);
  }
  return { files: [...inTheWay(compared.changes, files), ...files] };
}

async function mendingFor(trees: Trees, change: FileChange, extent: Extent): Promise<Mending | undefined> {
  if (extent === "whole") return { change };
  const { from, to } = change;
  const isFile = (mode = "100644") => mode.startsWith("100");
  if (to === undefined || !isFile(to.mode) || !isFile(from?.mode)) return { change };
  const base = from === undefined ? undefined : await trees.text(from.id);
  const now = await trees.text(to.id);
  if (now === undefined || (from !== undefined && base === undefined)) return { change };
  const mended = await mendKeys(base, now, extent);
  if ("text" in mended) return { change, text: mended.text };
  return mended.kind === "whole" ? { change } : undefined;
}

/** Links and files that stand where a folder of a protected file was. */
function inTheWay(changes: readonly FileChange[], files: readonly Mending[]): Mending[] {
  const chosen = new Set(files.map(({ change }) => change.path));
  const needed = new Set(
    files.filter(({ change }) => change.from !== undefined).flatMap(({ change }) => foldersOf(change.path)),
  );
  return changes
    .filter(({ path, to }) => to !== undefined && needed.has(path) && !chosen.has(path))
    .map((change) => ({ change }));
}

function foldersOf(path: string): string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

const WHAT_HAPPENED: Readonly<Record<FileChange["kind"], string>> = {
  added: "added",
  deleted: "deleted",
  modified: "changed",
  type: "replaced by something else",
  mode: "made runnable, or not runnable",
};

function lineFor({ change, text }: Mending): string {
  return `${shown(change.path)} (${text === undefined ? WHAT_HAPPENED[change.kind] : "protected keys changed"})`;
}

function reasonFor(files: readonly Mending[], done: PutBack | Fault): string {
  const named = files.slice(0, MOST_NAMED).map(lineFor);
  const more = files.length > named.length ? [`${files.length - named.length} more`] : [];
  const what = `files were changed that this run may not change: ${[...named, ...more].join(", ")}`;
  const isAllBack = !("fault" in done) && done.left.length === 0;
  return `${what}; ${isAllBack ? "they were put back" : "not all could be put back"}`;
}

function describe(files: readonly Mending[], done: PutBack | Fault): string {
  const lines = [
    "These files are protected: they say how the work is judged, or were named by the user.",
    "Do the work without changing them.",
    "",
    ...files.map(lineFor),
    "",
  ];
  if ("fault" in done) return [...lines, `They could not be put back: ${done.fault}`, ""].join("\n");
  return [
    ...lines,
    ...(done.left.length === 0
      ? ["All of them were put back."]
      : ["These could not be put back; put them back yourself:"]),
    ...done.left.map(({ path, why }) => `${shown(path)}: ${why}`),
    `What stood there is kept in ${done.kept}`,
    ...(files.some(({ change }) => change.to?.mode === COMMIT)
      ? ["(but for what is inside other repositories)"]
      : []),
    "",
  ].join("\n");
}
