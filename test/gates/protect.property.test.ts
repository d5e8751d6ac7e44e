import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readPatterns } from "../../src/gates/patterns.ts";
import { nameOf } from "../../src/snapshot/names.ts";
import { emptyRepository, useNoGitSettings } from "../scm/repository.ts";
import { photo } from "../snapshot/support.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { protection, Run } from "./looking-back.ts";

useNoGitSettings();

const PATTERNS = ["a/**", "b", "c/*/d"];
const extentOf = readPatterns(PATTERNS);

/** Few names, so that edits meet. */
const path = fc
  .array(fc.constantFrom("a", "b", "c", "d", "new\nline", "日本", "-rf"), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join("/"));
const edit = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("write"), path, text: fc.string({ maxLength: 5 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("link"), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("mode"), path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename"), path, to: path }) },
);
type Edit = { kind: string; path: string; to?: string; text?: string };
const edits = fc.array(edit as fc.Arbitrary<Edit>, { maxLength: 10 });

/** An edit that the file system does not take is no edit. */
function make(project: string, one: Edit): void {
  const at = join(project, one.path);
  try {
    if (one.kind === "mode") {
      if (lstatSync(at).isFile()) chmodSync(at, 0o755);
    } else if (one.kind === "rename") renameSync(at, join(project, one.to ?? ""));
    else {
      rmSync(at, { recursive: true, force: true });
      if (one.kind === "delete") return;
      mkdirSync(dirname(at), { recursive: true });
      if (one.kind === "link") symlinkSync(one.to ?? "", at);
      else writeFileSync(at, one.text ?? "");
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

type Photo = Readonly<Record<string, string>>;
const textOf = (key: string) => nameOf(Buffer.from(key, "latin1"));

function only(seen: Photo, isWanted: (path: string) => boolean): Photo {
  return Object.fromEntries(Object.entries(seen).filter(([key]) => isWanted(textOf(key))));
}

test("afterwards protected files are what they were, and all else is what the agent left", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ git: fc.boolean(), below: fc.boolean(), users: edits, agents: edits }),
      async ({ git, below, users, agents }) => {
        const top = git ? emptyRepository() : temporaryFolder();
        const project = below ? join(top, "pro ject") : top;
        mkdirSync(project, { recursive: true });
        for (const one of users) make(project, one);
        const base = photo(project);
        const run = await new Run(project, protection(PATTERNS)).begin();
        for (const one of agents) make(project, one);
        const left = photo(project);

        const verdict = await run.judge();
        rmSync(join(project, ".ralph"), { recursive: true, force: true });
        const now = photo(project);
        const isProtected = (name: string) => extentOf(name) !== undefined;
        expect(only(now, isProtected)).toEqual(only(base, isProtected));
        // A file or a link where a protected file needs a folder had to go.
        const needed = Object.keys(only(base, isProtected)).map(textOf);
        const stays = (name: string) =>
          !isProtected(name) && !needed.some((one) => one.startsWith(`${name}/`));
        expect(only(now, stays)).toEqual(only(left, stays));

        const changed = Object.keys(left).filter((key) => !stays(textOf(key)) && left[key] !== base[key]);
        const isSame = JSON.stringify(only(left, isProtected)) === JSON.stringify(only(base, isProtected));
        expect(verdict.pass).toBe(isSame);
        if (!isSame) expect(photo(join(run.folder, "protected/001"))).toEqual(pick(left, changed));
        expect(await run.judge("002")).toMatchObject({ pass: true });
      },
    ),
    { numRuns: 60 },
  );
}, 600_000);

function pick(seen: Photo, keys: readonly string[]): Photo {
  return Object.fromEntries(keys.map((key) => [key, seen[key] ?? ""]));
}
