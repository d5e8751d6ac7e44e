import { lstatSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../errors.ts";
import { gitError } from "../scm/git.ts";
import type { Change } from "../snapshot/compare.ts";
import { isText } from "../snapshot/names.ts";
import type { Fault, Shadow } from "../snapshot/shadow.ts";

/** What package managers fill. What a build fills is not among them: an old one must not get into a check. */
const DEPENDENCIES = ["node_modules", ".venv", "venv", "vendor"];

/** A tree with these changes made to it. Nothing in the project is touched. */
export async function mixTree(
  shadow: Shadow,
  tree: string,
  changes: readonly Change[],
): Promise<{ readonly name: string } | Fault> {
  const odd = changes.find(({ path }) => !isText(path));
  if (odd !== undefined) return { fault: `a test has a name that is no text: ${JSON.stringify(odd.path)}` };
  const own = mkdtempSync(join(shadow.folder, "mix-"));
  const index = join(basename(own), "index");
  // What goes makes room for what comes: a folder may have been a file.
  const stdin = [
    ...changes.flatMap(({ path, from }) =>
      from === undefined ? [] : [`0 ${"0".repeat(from.id.length)}\t${path}\0`],
    ),
    ...changes.flatMap(({ path, to }) => (to === undefined ? [] : [`${to.mode} ${to.id}\t${path}\0`])),
  ].join("");
  try {
    for (const [args, input] of [
      [["read-tree", tree], ""],
      [["update-index", "-z", "--index-info"], stdin],
    ] as const) {
      const done = await shadow.git(args, { index, stdin: input });
      if (done.code !== 0) return { fault: `git ${args[0]}: ${gitError(done)}` };
    }
    const written = await shadow.git(["write-tree"], { index });
    return written.code === 0
      ? { name: written.stdout.trim() }
      : { fault: `git write-tree: ${gitError(written)}` };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Links what is installed in a folder, and in those around it up to the top, to the same places below another top. */
export function linkDependencies(top: string, otherTop: string, folder: string): void {
  for (let way = folder; ; way = dirname(way)) {
    for (const name of DEPENDENCIES) {
      const from = join(top, way, name);
      if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
      try {
        symlinkSync(from, join(otherTop, way, name));
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error; // it is part of the work, and there already
      }
    }
    if (way === "" || way === ".") return;
  }
}
