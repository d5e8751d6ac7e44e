import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planRestore } from "../../src/snapshot/plan.ts";
import { applyRestore } from "../../src/snapshot/restore.ts";
import { gitIn, repository, useNoGitSettings, write } from "../scm/repository.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { gitPhoto, good, photo, restore, shadowOf, take } from "./support.ts";

useNoGitSettings();

/** A project with work of the user's that is in no commit: changed, staged, new, deleted. */
function withWork(): string {
  const project = repository({
    ".gitignore": "*.log\n.env\n",
    "a.txt": "a\n",
    "b.txt": "b\n",
    "src/c.txt": "c\n",
  });
  write(project, { "a.txt": "staged\n" });
  gitIn(project, "add", "a.txt");
  write(project, {
    "a.txt": "staged, then changed\n",
    "notes.txt": "mine\r\n",
    ".env": "secret",
    "x.log": "old",
  });
  rmSync(join(project, "b.txt"));
  return project;
}

describe("the user's uncommitted work comes back, byte for byte, after an agent that", () => {
  it.each<[name: string, act: (project: string) => void]>([
    [
      "edits, deletes and adds",
      (project) => write(project, { "a.txt": "bad", "src/new.txt": "", "notes.txt": "" }),
    ],
    [
      "commits it",
      (project) => {
        gitIn(project, "add", "--all");
        gitIn(project, "commit", "--quiet", "-mx");
      },
    ],
    ["resets it", (project) => void gitIn(project, "reset", "--hard", "--quiet")],
    ["stashes it", (project) => void gitIn(project, "stash", "--include-untracked", "--quiet")],
    [
      "switches to another branch",
      (project) => {
        gitIn(project, "checkout", "--quiet", "--force", "-b", "other");
        gitIn(project, "rm", "-r", "--quiet", "src");
        gitIn(project, "commit", "--quiet", "-mx");
      },
    ],
    [
      "edits hooks, config and attributes",
      (project) => {
        write(project, {
          ".git/hooks/post-checkout": "#!/bin/sh\ntouch ran\n",
          ".git/info/attributes": "* filter=x\n",
        });
        chmodSync(join(project, ".git/hooks/post-checkout"), 0o755);
        gitIn(project, "config", "filter.x.smudge", "touch ran; cat");
        gitIn(project, "config", "core.autocrlf", "true");
        write(project, { ".gitattributes": "* text eol=crlf\n", "a.txt": "bad" });
      },
    ],
    [
      "throws its history away",
      (project) => {
        gitIn(project, "checkout", "--quiet", "--orphan", "x");
        gitIn(project, "rm", "-rfq", ".");
        gitIn(project, "branch", "-D", "main");
        gitIn(project, "reflog", "expire", "--expire=now", "--all");
        gitIn(project, "gc", "--prune=now", "--quiet");
      },
    ],
    [
      "deletes .git and everything else",
      (project) => {
        for (const name of readdirSync(project))
          if (name !== ".env" && name !== "x.log") rmSync(join(project, name), { recursive: true });
      },
    ],
  ])("%s", async (_, act) => {
    const project = withWork();
    const before = photo(project);
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    act(project);
    const own = existsSync(join(project, ".git", "index")) ? gitPhoto(project) : undefined;
    const { done } = await restore(shadow, { to: start });
    expect(done.left).toEqual([]);
    expect(photo(project)).toEqual(before);
    if (own !== undefined) expect(gitPhoto(project)).toEqual(own);
  });

  it("makes a work tree inside: that is left, and told", async () => {
    const project = withWork();
    const before = photo(project);
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    gitIn(project, "worktree", "add", "--quiet", "-b", "other", "wt");
    write(project, { "a.txt": "bad" });
    const { plan } = await restore(shadow, { to: start });
    expect(plan.kept).toEqual([{ path: "wt", why: "repository" }]);
    rmSync(join(project, "wt"), { recursive: true });
    expect(photo(project)).toEqual(before);
  });
});

describe("a restore never deletes or overwrites", () => {
  it("what the user did after the run; it says what of that was in the way", async () => {
    const project = repository({ "a.txt": "a", "b.txt": "b", "c.txt": "c", "d.txt": "d" });
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    write(project, { "a.txt": "by the run", "b.txt": "by the run", "made.txt": "by the run" });
    const last = await take(shadow);
    write(project, {
      "b.txt": "by both",
      "c.txt": "by the user",
      "made.txt": "by both",
      "own.txt": "by the user",
    });
    rmSync(join(project, "d.txt"));
    const { plan } = await restore(shadow, { to: start, last });
    expect(plan.kept).toEqual([
      { path: "b.txt", why: "conflict" },
      { path: "c.txt", why: "yours" },
      { path: "d.txt", why: "yours" },
      { path: "made.txt", why: "conflict" },
      { path: "own.txt", why: "yours" },
    ]);
    expect(photo(project)).toEqual({
      "a.txt": "file a",
      "b.txt": "file by both",
      "c.txt": "file by the user",
      "made.txt": "file by both",
      "own.txt": "file by the user",
    });
  });

  it("what would stand in the place of a file of the user's", async () => {
    const project = repository({ "dir/a.txt": "a", "file.txt": "f" });
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    rmSync(join(project, "dir"), { recursive: true });
    rmSync(join(project, "file.txt"));
    const last = await take(shadow);
    write(project, { dir: "the user's file", "file.txt/own.txt": "the user's folder" });
    const now = photo(project);
    const { plan, done } = await restore(shadow, { to: start, last });
    expect(plan.kept).toEqual(
      expect.arrayContaining([
        { path: "dir/a.txt", why: "in-the-way" },
        { path: "file.txt", why: "in-the-way" },
      ]),
    );
    expect(done).toEqual({ written: [], removed: [], left: [] });
    expect(photo(project)).toEqual(now);
  });

  it("an ignored file, also when the run took the rule away that ignored it", async () => {
    const project = repository({ ".gitignore": ".env\n/data/\n", "sub/.gitignore": "*.key\n", "a.txt": "a" });
    write(project, { ".env": "secret", "data/1": "1", "sub/x.key": "key" });
    const before = photo(project);
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    rmSync(join(project, ".gitignore"));
    write(project, { "sub/.gitignore": "", "made.txt": "by the run", "data/2": "2" });
    const { plan } = await restore(shadow, { to: start });
    expect(plan.kept.map((one) => `${one.why} ${one.path}`)).toEqual(
      [".env", "data/1", "data/2", "sub/x.key"].map((path) => `ignored ${path}`),
    );
    expect(photo(project)).toEqual({ ...before, "data/2": "file 2" });
  });

  it("a file that changed between the plan and the deed", async () => {
    const project = repository({ "a.txt": "a", "b.txt": "b" });
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    write(project, { "a.txt": "run", "b.txt": "run", "new.txt": "run" });
    const plan = good(await planRestore(shadow, { from: await take(shadow), to: start }));
    write(project, { "a.txt": "typed while the question stood", "new.txt": "and this" });
    const done = good(await applyRestore(shadow, plan));
    expect(done.left.map((one) => one.path).sort()).toEqual(["a.txt", "new.txt"]);
    expect(photo(project)).toEqual({
      "a.txt": "file typed while the question stood",
      "b.txt": "file b",
      "new.txt": "file and this",
    });
  });

  it("a `.git` that the agent moved away", async () => {
    const project = repository();
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    renameSync(join(project, ".git"), join(project, "elsewhere"));
    write(project, { "made.txt": "" });
    await restore(shadow, { to: start });
    expect(existsSync(join(project, "made.txt"))).toBe(false);
    renameSync(join(project, "elsewhere"), join(project, ".git"));
    expect(gitIn(project, "status", "--porcelain")).toBe("");
  });

  it("anything behind a link that stands where a folder was", async () => {
    const outside = temporaryFolder();
    write(outside, { "a.txt": "not yours", "b.txt": "not yours" });
    const project = repository({ "dir/a.txt": "a", "dir/b.txt": "b" });
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    write(project, { "dir/a.txt": "run", "dir/b.txt": "run", "dir/c.txt": "run" });
    const plan = good(await planRestore(shadow, { from: await take(shadow), to: start }));
    rmSync(join(project, "dir"), { recursive: true });
    symlinkSync(outside, join(project, "dir"));
    const done = good(await applyRestore(shadow, plan));
    expect(done.left.length).toBe(3);
    expect(photo(outside)).toEqual({ "a.txt": "file not yours", "b.txt": "file not yours" });
    // Planned anew, the link itself is what the run made, and goes.
    await restore(shadow, { to: start });
    expect(photo(project)).toEqual({ "dir/a.txt": "file a", "dir/b.txt": "file b" });
    expect(photo(outside)).toEqual({ "a.txt": "file not yours", "b.txt": "file not yours" });
  });

  it("anything outside the project, or in .git, whatever a tree says", async () => {
    const project = repository();
    const shadow = await shadowOf(project);
    const from = await take(shadow);
    const id = (await shadow.git(["hash-object", "-w", "--stdin"], { stdin: "evil" })).stdout.trim();
    const to = { mode: "100644", id };
    const write = ["../out.txt", ".git/hooks/pre-commit", "a/../../out.txt", ".GIT/config", "/tmp/x"].map(
      (path) => ({
        path,
        kind: "added" as const,
        to,
      }),
    );
    const done = good(await applyRestore(shadow, { from, to: from, write, remove: [], kept: [] }));
    expect(done.written).toEqual([]);
    expect(done.left.length).toBe(write.length);
    expect(existsSync(join(project, "..", "out.txt"))).toBe(false);
  });
});

describe("a restore", () => {
  it("keeps the rights of a file, and removes folders that the run made, no others", async () => {
    const project = repository({ "a.txt": "a", "run.sh": "#!/bin/sh\n" });
    chmodSync(join(project, "a.txt"), 0o600);
    chmodSync(join(project, "run.sh"), 0o750);
    mkdirSync(join(project, "empty"));
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    write(project, {
      "a.txt": "run",
      "run.sh": "run",
      "empty/made.txt": "",
      "made/deep/x": "",
      "half/x": "",
    });
    chmodSync(join(project, "run.sh"), 0o640);
    write(project, { "half/x.log": "", ".git/info/exclude": "*.log\n" });
    write(project, { ".gitignore": "*.log\n" });
    await restore(shadow, { to: start });
    expect(statSync(join(project, "a.txt")).mode & 0o777).toBe(0o600);
    expect(statSync(join(project, "run.sh")).mode & 0o777).toBe(0o750);
    expect(existsSync(join(project, "empty"))).toBe(true);
    expect(existsSync(join(project, "made"))).toBe(false);
    expect(readdirSync(join(project, "half"))).toEqual(["x.log"]);
  });

  it("that was killed half-way is done again, and leaves nothing behind", async () => {
    const project = repository({ "a.txt": "a", "b.txt": "b", "dir/c.txt": "c" });
    const before = photo(project);
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    write(project, { "a.txt": "run", "b.txt": "run", "dir/c.txt": "run", "new/d.txt": "run" });
    const last = await take(shadow);
    const plan = good(await planRestore(shadow, { from: last, to: start, last }));
    const half = { ...plan, write: plan.write.slice(0, 1), remove: [] };
    good(await applyRestore(shadow, half));
    writeFileSync(join(project, "dir", ".ralph-restoring"), "half a fi");
    const again = await restore(shadow, { to: start, last });
    expect(again.plan.kept).toEqual([]);
    expect(photo(project)).toEqual(before);
    expect(await take(shadow)).toBe(start);
  });

  it("does not write what is not what the snapshot's name says", async () => {
    const project = repository({ "a.txt": "a content to forge\n" });
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    const id = gitIn(project, "hash-object", "a.txt").trim();
    write(project, { "b.txt": "forged, so to say\n" });
    const forged = gitIn(project, "hash-object", "-w", "b.txt").trim();
    rmSync(join(project, "b.txt"));
    const object = (name: string) => join(project, ".git/objects", name.slice(0, 2), name.slice(2));
    write(project, { "a.txt": "run" });
    const from = await take(shadow);
    chmodSync(object(id), 0o644);
    // Written in place: our second name for the file shows the same.
    writeFileSync(object(id), readFileSync(object(forged)));
    const plan = good(await planRestore(shadow, { from, to: start }));
    const done = await applyRestore(shadow, plan);
    expect("fault" in done || done.left.length === 1).toBe(true);
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("run");
    expect(lstatSync(join(project, "a.txt")).isFile()).toBe(true);
  });
});
