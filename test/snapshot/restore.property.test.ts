import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOf, nameOf } from "../../src/snapshot/names.ts";
import { emptyRepository, gitIn, useNoGitSettings } from "../scm/repository.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { gitPhoto, photo, restore, shadowOf, take } from "./support.ts";

useNoGitSettings();

/** Few names, so that edits meet: plain and odd ones, text and bytes that are none. */
const part = fc.constantFrom(
  ...'a|b|c.x|a b|new\nline|ünï|日本|-rf|*|"q"|back\\slash|.hidden|\ttab|:(top)'
    .split("|")
    .map((name) => Buffer.from(name)),
  Buffer.from([0xff, 0x41]),
  Buffer.from([0x63, 0xc3]),
);
const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => joined(parts));
const content = fc.oneof(
  fc.constantFrom("", "one\n", "one\r\n", "mixed\r\nline\n", "$Id$\n", "$Id: 123 $\n", "SAME\n", "same\n"),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);
const edit = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("write"), path, content, run: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("delete"), path }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("link"), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("mode"), path, run: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename"), path, to: path }) },
);
type Edit = { kind: string; path: Buffer; to?: Buffer; content?: string | Buffer; run?: boolean };
const edits = fc.array(edit as fc.Arbitrary<Edit>, { maxLength: 12 });
/** Converts on the way in and out of git, and is not its own inverse: what git stores is not what stands there. */
const ATTRIBUTES = "* text=auto eol=crlf ident\n*.x filter=up\n";

function joined(parts: readonly Buffer[]): Buffer {
  return Buffer.concat(parts.flatMap((one, at) => (at === 0 ? [one] : [Buffer.from("/"), one])));
}

/** An edit as an agent or a person would make it; one that the file system does not take is no edit. */
function make(top: string, one: Edit): void {
  const at = Buffer.concat([Buffer.from(`${top}/`), one.path]);
  const folder = at.subarray(0, at.lastIndexOf("/"));
  const mode = one.run === true ? 0o755 : 0o644;
  try {
    if (one.kind === "mode") {
      if (lstatSync(at).isFile()) chmodSync(at, mode);
    } else if (one.kind === "rename") {
      renameSync(at, Buffer.concat([Buffer.from(`${top}/`), one.to ?? at]));
    } else {
      rmSync(at, { recursive: true, force: true });
      if (one.kind === "delete") return;
      mkdirSync(folder, { recursive: true });
      if (one.kind === "link") symlinkSync(one.to ?? "", at);
      else writeFileSync(at, one.content ?? "", { mode });
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
  }
}

describe("snapshot and restore", () => {
  it("come back to the very same files, and forth again; index, HEAD and stash are not touched", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          committed: edits,
          staged: edits,
          uncommitted: edits,
          byRun: edits,
          isConverted: fc.boolean(),
          agentCommits: fc.boolean(),
        }),
        async ({ committed, staged, uncommitted, byRun, isConverted, agentCommits }) => {
          const top = emptyRepository();
          if (isConverted) {
            gitIn(top, "config", "filter.up.clean", "tr a-z A-Z");
            gitIn(top, "config", "filter.up.smudge", "tr A-Z a-z");
            writeFileSync(join(top, ".gitattributes"), ATTRIBUTES);
          }
          for (const one of committed) make(top, one);
          gitIn(top, "add", "--all");
          gitIn(top, "commit", "--quiet", "--allow-empty", "-mx");
          for (const one of staged) make(top, one);
          gitIn(top, "add", "--all");
          for (const one of uncommitted) make(top, one);

          const shadow = await shadowOf(top);
          const before = photo(top);
          const start = await take(shadow, "1");
          expect(photo(top)).toEqual(before);

          for (const one of byRun) make(top, one);
          if (agentCommits) {
            gitIn(top, "add", "--all");
            gitIn(top, "commit", "--quiet", "--allow-empty", "-mx");
          }
          const after = photo(top);
          const own = gitPhoto(top);
          const back = await restore(shadow, { to: start });
          expect(back.done.left).toEqual([]);
          expect(photo(top)).toEqual(before);
          expect(await take(shadow)).toBe(start);

          const forth = await restore(shadow, { to: back.from, last: start });
          expect(forth.done.left).toEqual([]);
          expect(photo(top)).toEqual(after);
          expect(gitPhoto(top)).toEqual(own);
        },
      ),
      { numRuns: 40 },
    );
  }, 600_000);

  it("do the same in a folder outside git", async () => {
    await fc.assert(
      fc.asyncProperty(fc.tuple(edits, edits), async ([first, byRun]) => {
        const top = temporaryFolder();
        for (const one of first) make(top, one);
        const shadow = await shadowOf(top);
        const before = photo(top);
        const start = await take(shadow);
        for (const one of byRun) make(top, one);
        const after = photo(top);
        const back = await restore(shadow, { to: start });
        expect(back.done.left).toEqual([]);
        expect(photo(top)).toEqual(before);
        await restore(shadow, { to: back.from, last: start });
        expect(photo(top)).toEqual(after);
      }),
      { numRuns: 25 },
    );
  }, 600_000);
});

describe("names", () => {
  it("are the same bytes again", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), (bytes) => {
        expect(bytesOf(nameOf(Buffer.from(bytes))).equals(Buffer.from(bytes))).toBe(true);
      }),
      { numRuns: 3000 },
    );
    expect(nameOf(Buffer.from("日本/ünï"))).toBe("日本/ünï");
    expect(dirname(nameOf(Buffer.from("a/\ufffd")))).toBe("a");
  });
});
