import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareTrees, patchBetween } from "../../src/snapshot/compare.ts";
import { checkOut, scratchWorktree } from "../../src/snapshot/scratch.ts";
import { gitIn, repository, useNoGitSettings, write } from "../scm/repository.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { good, photo, shadowOf, take } from "./support.ts";

useNoGitSettings();

describe("two snapshots", () => {
  it("differ in paths, each with what became of it", async () => {
    const project = repository({
      "a.txt": "a\n",
      "b.txt": "b\n",
      "c.txt": "c\n",
      "d.txt": "d\n",
      "e.txt": "e\n",
    });
    const shadow = await shadowOf(project);
    const from = await take(shadow);
    write(project, { "a.txt": "changed\n", "new\nline": "n\n" });
    rmSync(join(project, "b.txt"));
    chmodSync(join(project, "c.txt"), 0o755);
    rmSync(join(project, "d.txt"));
    symlinkSync("a.txt", join(project, "d.txt"));
    writeFileSync(Buffer.concat([Buffer.from(`${project}/`), Buffer.from([0x7a, 0xff])]), "");
    const to = await take(shadow);
    const { changes } = good(await compareTrees(shadow, from, to));
    expect(changes.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      "modified a.txt",
      "deleted b.txt",
      "mode c.txt",
      "type d.txt",
      "added new\nline",
      "added z\udcff",
    ]);
    expect(good(await compareTrees(shadow, from, from)).changes).toEqual([]);
    expect(await compareTrees(shadow, from, "0".repeat(40))).toHaveProperty("fault");
  });

  it("are shown as a patch or as a table, and run nothing for it", async () => {
    const project = repository({ "a.txt": "one\n", ".gitattributes": "* diff=bad\n" });
    const shadow = await shadowOf(project);
    const from = await take(shadow);
    write(project, { "a.txt": "two\n" });
    gitIn(project, "config", "diff.bad.textconv", `touch ${join(project, "ran")}; cat`);
    gitIn(project, "config", "diff.external", `touch ${join(project, "ran")}`);
    const to = await take(shadow);
    expect(good(await patchBetween(shadow, from, to)).text).toMatch(
      /^diff --git a\/a\.txt[\s\S]*\n-one\n\+two\n$/,
    );
    expect(good(await patchBetween(shadow, from, to, { stat: true })).text).toContain("1 file changed");
    expect(good(await patchBetween(shadow, from, to, { color: true })).text).toContain("\u001b[32m+");
    expect(existsSync(join(project, "ran"))).toBe(false);
  });
});

describe("a scratch work tree", () => {
  it("holds the snapshot byte for byte, runs nothing, is not known to the user's repository, and goes", async () => {
    const project = repository({
      ".gitattributes": "*.txt text eol=crlf\n*.f filter=bad\n",
      ".gitignore": "kept.log\n",
      "a.txt": "a\n",
      "b.f": "b",
      "sub/run.sh": "#!/bin/sh\n",
    });
    write(project, { "kept.log": "in the index although it is ignored" });
    gitIn(project, "add", "--force", "kept.log");
    chmodSync(join(project, "sub/run.sh"), 0o755);
    symlinkSync("/nowhere", join(project, "link"));
    const before = photo(project);
    const shadow = await shadowOf(project);
    const tree = await take(shadow);
    gitIn(project, "config", "filter.bad.smudge", `touch ${join(project, "ran")}; cat`);
    write(project, { "a.txt": "changed", ".git/hooks/post-checkout": `#!/bin/sh\ntouch ${project}/ran\n` });
    chmodSync(join(project, ".git/hooks/post-checkout"), 0o755);
    const scratch = good(await scratchWorktree(shadow, tree));
    expect(photo(scratch.folder)).toEqual(before);
    expect(existsSync(join(project, "ran"))).toBe(false);
    expect(gitIn(project, "worktree", "list").trim().split("\n").length).toBe(1);
    scratch.dispose();
    expect(existsSync(scratch.folder)).toBe(false);
    expect(await take(shadow)).not.toBe(tree);
  });

  it("is not made of contents that were forged", async () => {
    const project = repository({ "a.txt": "a content to forge\n" });
    const shadow = await shadowOf(project);
    const tree = await take(shadow);
    const object = (text: string) => {
      write(project, { "b.txt": text });
      const name = gitIn(project, "hash-object", "-w", "b.txt").trim();
      return join(project, ".git/objects", name.slice(0, 2), name.slice(2));
    };
    const forged = readFileSync(object("forged, so to say\n"));
    const real = object("a content to forge\n");
    chmodSync(real, 0o644);
    writeFileSync(real, forged);
    expect(await scratchWorktree(shadow, tree)).toHaveProperty("fault");
  });

  it("can be a new work tree for a fork: with the snapshot's files on another branch", async () => {
    const project = repository({ "a.txt": "a\n" });
    write(project, { "a.txt": "mine\n", "new.txt": "n" });
    const shadow = await shadowOf(project);
    const tree = await take(shadow);
    const fork = join(temporaryFolder(), "fork");
    gitIn(project, "worktree", "add", "--quiet", "--no-checkout", "-b", "fork", fork);
    expect(await checkOut(shadow, tree, fork)).toBeUndefined();
    gitIn(fork, "reset", "--quiet");
    expect(photo(fork)).toEqual(photo(project));
    expect(gitIn(fork, "status", "--porcelain")).toBe(" M a.txt\n?? new.txt\n");
  });
});
