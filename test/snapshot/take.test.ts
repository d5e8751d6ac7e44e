import { existsSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openShadow, pruneSnapshots, type Shadow } from "../../src/snapshot/shadow.ts";
import { findSnapshot, takeSnapshot } from "../../src/snapshot/take.ts";
import { emptyRepository, gitIn, repository, useNoGitSettings, write } from "../scm/repository.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { good, photo, restore, shadowOf, take } from "./support.ts";

useNoGitSettings();

async function filesIn(shadow: Shadow, tree: string): Promise<string[]> {
  const listed = await shadow.git(["ls-tree", "-r", "-z", "--name-only", tree]);
  return listed.stdout.split("\0").slice(0, -1);
}

async function textOf(shadow: Shadow, tree: string, path: string): Promise<string> {
  return (await shadow.git(["cat-file", "blob", `${tree}:${path}`])).stdout;
}

describe("a snapshot", () => {
  it("has tracked, staged and new files, not ignored ones, nor ralph's own, nor a half restored one", async () => {
    const project = repository({ ".gitignore": "*.tmp\n", "a.txt": "a", "b.txt": "b" });
    write(project, { ".git/info/exclude": "mine\n", mine: "", "x.tmp": "", "new.txt": "", "staged.txt": "" });
    write(project, {
      ".ralph/guardrail_001_x.log": "",
      ".ralph/prompt_001.txt": "",
      ".ralph/settings.json": "{}",
    });
    write(project, { "deep/.ralph-restoring": "" });
    gitIn(project, "add", "staged.txt");
    rmSync(join(project, "b.txt"));
    const shadow = await shadowOf(project);
    const files = await filesIn(shadow, await take(shadow));
    expect(files).toEqual([".gitignore", ".ralph/settings.json", "a.txt", "new.txt", "staged.txt"]);
  });

  it("is found again by its label, by a run that is resumed too", async () => {
    const project = repository();
    const run = join(temporaryFolder(), "run");
    const tree = await take(await shadowOf(project, run), "1");
    expect(findSnapshot(await shadowOf(project, run), "1")).toBe(tree);
    expect(findSnapshot(await shadowOf(project, run), "2")).toBeUndefined();
    pruneSnapshots(run);
    expect(existsSync(join(run, "snapshots"))).toBe(false);
    expect(photo(project)).toEqual({ "a.txt": "file a\n" });
  });

  it("holds the bytes on the disk, whatever git makes of them", async () => {
    const project = emptyRepository();
    gitIn(project, "config", "filter.up.clean", "tr a-z A-Z");
    write(project, {
      ".gitattributes":
        "*.t text=auto eol=crlf\n*.up filter=up\n*.w working-tree-encoding=UTF-16LE\n*.id ident\n",
      "crlf.t": "one\r\ntwo\r\n",
      "lf.t": "one\ntwo\n",
      "same-size.up": "secret",
      "wide.w": "a\0b\0",
      "key.id": "$Id: 1 $\n",
    });
    gitIn(project, "add", "--all");
    gitIn(project, "commit", "--quiet", "-mx");
    // So old that git need not look at it again: only its index would tell what it holds.
    for (const name of readdirSync(project)) if (name !== ".git") utimesSync(join(project, name), 1000, 1000);
    gitIn(project, "add", "--renormalize", ".");
    const before = photo(project);
    const shadow = await shadowOf(project);
    const tree = await take(shadow);
    expect(await textOf(shadow, tree, "same-size.up")).toBe("secret");
    expect(await textOf(shadow, tree, "crlf.t")).toBe("one\r\ntwo\r\n");
    for (const name of Object.keys(before)) write(project, { [name]: "gone" });
    await restore(shadow, { to: tree });
    expect(photo(project)).toEqual(before);
  });

  it("takes the user's index over, but for what it does not know byte for byte", async () => {
    const project = repository({
      ".gitattributes": "*.up filter=up\n* text=auto\n",
      "a.txt": "one\n",
      "b.up": "b\n",
      "crlf.txt": "one\r\n",
    });
    const shadow = await shadowOf(project);
    const known = await shadow.git(["ls-files"]);
    expect(known.stdout.split("\n")).toEqual([".gitattributes", "a.txt", ""]);
    expect(await filesIn(shadow, await take(shadow))).toEqual([
      ".gitattributes",
      "a.txt",
      "b.up",
      "crlf.txt",
    ]);
  });

  it.each<[name: string, hide: (project: string) => void]>([
    ["--assume-unchanged", (project) => void gitIn(project, "update-index", "--assume-unchanged", "a.txt")],
    ["--skip-worktree", (project) => void gitIn(project, "update-index", "--skip-worktree", "a.txt")],
    ["a split index", (project) => void gitIn(project, "update-index", "--split-index")],
    ["a broken index", (project) => write(project, { ".git/index": "junk" })],
  ])("sees a file that the user's index hides: %s", async (_, hide) => {
    const project = repository({ "a.txt": "one", "b.txt": "b" });
    hide(project);
    write(project, { "a.txt": "two" });
    const shadow = await shadowOf(project);
    const tree = await take(shadow);
    expect(await textOf(shadow, tree, "a.txt")).toBe("two");
    expect(await filesIn(shadow, tree)).toEqual(["a.txt", "b.txt"]);
  });

  it("is of what a sparse checkout has on the disk, and of no more", async () => {
    const project = repository({ "in/a.txt": "a", "out/b.txt": "b" });
    gitIn(project, "sparse-checkout", "set", "in");
    const shadow = await shadowOf(project);
    expect(await filesIn(shadow, await take(shadow))).toEqual(["in/a.txt"]);
  });

  it("can be taken before the first commit, in a folder below the top, in a linked work tree, with sha256", async () => {
    const empty = await shadowOf(emptyRepository());
    expect(await filesIn(empty, await take(empty))).toEqual([]);
    const top = repository({ "a.txt": "a", "sub/b.txt": "b" });
    const sub = await shadowOf(join(top, "sub"));
    expect(await filesIn(sub, await take(sub))).toEqual(["a.txt", "sub/b.txt"]);
    const other = join(temporaryFolder(), "other");
    gitIn(top, "worktree", "add", "--quiet", other);
    write(other, { "new.txt": "" });
    const linked = await shadowOf(other);
    expect(await filesIn(linked, await take(linked))).toEqual(["a.txt", "new.txt", "sub/b.txt"]);
    const long = temporaryFolder();
    gitIn(long, "init", "--quiet", "--object-format=sha256");
    write(long, { "a.txt": "a" });
    const shadow = await shadowOf(long);
    const tree = await take(shadow);
    expect(tree).toMatch(/^[0-9a-f]{64}$/);
    write(long, { "a.txt": "b" });
    await restore(shadow, { to: tree });
    expect(photo(long)).toEqual({ "a.txt": "file a" });
  });

  it("has another repository inside as the commit that it stands on, and runs nothing of it", async () => {
    const project = repository();
    const inner = join(project, "inner");
    mkdirSync(inner);
    gitIn(inner, "init", "--quiet");
    write(inner, { "a.txt": "1" });
    gitIn(inner, "add", "--all");
    gitIn(inner, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-mx");
    gitIn(inner, "config", "filter.bad.clean", `touch ${join(project, "ran")}; cat`);
    write(inner, { ".git/info/attributes": "* filter=bad\n" });
    write(project, { ".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = ./x\n' });
    const shadow = await shadowOf(project);
    const trees = [];
    for (const when of [1000, 2000]) {
      utimesSync(join(inner, "a.txt"), when, when);
      trees.push(await take(shadow));
    }
    expect(existsSync(join(project, "ran"))).toBe(false);
    expect(trees[1]).toBe(trees[0]);
    const entry = await shadow.git(["ls-tree", trees[0] ?? "", "inner"]);
    expect(entry.stdout).toBe(`160000 commit ${gitIn(inner, "rev-parse", "HEAD").trim()}\tinner\n`);
  });

  it("leaves nothing in the user's repository, and is private", async () => {
    const project = repository();
    write(project, { ".env": "a secret that is not ignored" });
    const shadow = await shadowOf(project);
    await take(shadow, "1");
    const blob = gitIn(project, "hash-object", ".env").trim();
    expect(() => gitIn(project, "cat-file", "-e", blob)).toThrow();
    expect(statSync(shadow.folder).mode & 0o777).toBe(0o700);
    expect(gitIn(project, "for-each-ref")).not.toContain("ralph");
  });
});

describe("a snapshot cannot be had", () => {
  it("of a bare repository, or from inside .git", async () => {
    const bare = temporaryFolder();
    gitIn(bare, "init", "--quiet", "--bare");
    expect(await openShadow(bare, join(temporaryFolder(), "run"))).toHaveProperty("fault");
    expect(await openShadow(join(repository(), ".git"), join(temporaryFolder(), "run"))).toHaveProperty(
      "fault",
    );
  });

  it("of a repository that git does not want to open: that is not a folder outside git", async () => {
    const project = repository();
    gitIn(project, "config", "core.repositoryformatversion", "7");
    const run = join(temporaryFolder(), "run");
    expect(await openShadow(project, run)).toEqual({ fault: expect.stringContaining("version") as string });
    gitIn(project, "--git-dir=.git", "config", "-f", ".git/config", "core.repositoryformatversion", "0");
    good(await openShadow(project, run));
  });

  it("of a repository inside that has no commit: git says so", async () => {
    const project = repository();
    gitIn(project, "init", "--quiet", "inner");
    expect(await takeSnapshot(await shadowOf(project))).toEqual({
      fault: expect.stringContaining("inner") as string,
    });
  });
});

describe("outside git", () => {
  it("a snapshot has what stands there, but for what a tool fills", async () => {
    const project = temporaryFolder();
    write(project, {
      "a.txt": "a",
      "node_modules/x/index.js": "",
      ".venv/bin/python": "",
      "b/__pycache__/c": "",
    });
    symlinkSync("/etc/hostname", join(project, "link"));
    const shadow = await shadowOf(project);
    expect(await filesIn(shadow, await take(shadow))).toEqual(["a.txt", "link"]);
    expect(existsSync(join(project, ".git"))).toBe(false);
  });
});
