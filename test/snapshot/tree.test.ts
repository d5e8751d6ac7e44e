import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTreeMeter } from "../../src/snapshot/tree.ts";
import { emptyRepository, gitIn, repository, useNoGitSettings, write } from "../scm/repository.ts";
import { temporaryFolder, until } from "../supervise/folder.ts";

useNoGitSettings();

/** Names the tree with an index of its own, as a run does. */
function namer(): (project: string) => Promise<string | undefined> {
  const folder = join(temporaryFolder(), "run");
  return async (project) => {
    objects = join(folder, "objects");
    const tree = await (await openTreeMeter({ project, folder, env: {} }))?.measure();
    return tree === undefined ? undefined : "name" in tree ? tree.name : `fault: ${tree.fault}`;
  };
}

/** Where the last meter keeps what it wrote: never in the user's own store. */
let objects = "";

function filesOf(project: string, tree: string | undefined): string[] {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", String(tree)];
  const env = { ...process.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
  return execFileSync("git", args, { cwd: project, encoding: "utf8", env }).split("\0").slice(0, -1);
}

describe("the name of a tree", () => {
  it("is git's own name for a clean tree", async () => {
    const project = repository();
    expect(await namer()(project)).toBe(gitIn(project, "rev-parse", "HEAD^{tree}").trim());
  });

  it("is the same for the same content, here and in another repository", async () => {
    const files = { "a.txt": "a", "b/c.txt": "c" };
    const one = repository(files);
    const two = emptyRepository();
    write(two, files);
    const name = namer();
    const first = await name(one);
    expect(first).toMatch(/^[0-9a-f]{40}$/);
    expect(await name(one)).toBe(first);
    expect(await namer()(two)).toBe(first);
  });

  it.each<[name: string, change: (project: string) => void]>([
    ["a changed file", (project) => write(project, { "a.txt": "b\n" })],
    ["a new file", (project) => write(project, { "new.txt": "" })],
    ["a new file of an odd name", (project) => write(project, { "-new\n*": "" })],
    ["a deleted file", (project) => rmSync(join(project, "a.txt"))],
    ["a renamed file", (project) => renameSync(join(project, "a.txt"), join(project, "c.txt"))],
    ["a file that may be run now", (project) => chmodSync(join(project, "a.txt"), 0o755)],
    ["a new link", (project) => symlinkSync("a.txt", join(project, "link"))],
    [
      "a file that became a link",
      (project) => {
        rmSync(join(project, "a.txt"));
        symlinkSync("b.txt", join(project, "a.txt"));
      },
    ],
    [
      "a file that became a folder",
      (project) => {
        rmSync(join(project, "a.txt"));
        write(project, { "a.txt/inner": "" });
      },
    ],
    [
      "a staged file that was changed again",
      (project) => {
        write(project, { "a.txt": "staged\n" });
        gitIn(project, "add", "a.txt");
        write(project, { "a.txt": "on disk\n" });
      },
    ],
  ])("changes with %s, and comes back with what was", async (_, change) => {
    const project = repository({ "a.txt": "a\n", "b.txt": "b\n" });
    const name = namer();
    const before = await name(project);
    change(project);
    const after = await name(project);
    expect(after).toMatch(/^[0-9a-f]{40}$/);
    expect(after).not.toBe(before);
    expect(await name(project)).toBe(after);
    gitIn(project, "reset", "--hard", "--quiet");
    gitIn(project, "clean", "-fdq");
    expect(await name(project)).toBe(before);
  });

  it.each<[name: string, change: (project: string) => void]>([
    ["an ignored file", (project) => write(project, { "x.log": "1", "out/y": "1" })],
    ["an empty folder", (project) => mkdirSync(join(project, "empty"))],
    ["the time of a file", (project) => utimesSync(join(project, "a.txt"), 1, 1)],
    ["staging alone", (project) => gitIn(project, "add", "new.txt")],
    ["taking a file out of the index", (project) => gitIn(project, "rm", "--cached", "--quiet", "a.txt")],
    [
      "a commit",
      (project) => {
        gitIn(project, "add", "--all");
        gitIn(project, "commit", "--quiet", "-mx");
      },
    ],
    [
      "a file excluded for this clone only",
      (project) => write(project, { ".git/info/exclude": "mine\n", mine: "" }),
    ],
  ])("does not change with %s", async (_, change) => {
    const project = repository({ ".gitignore": "*.log\nout/\n", "a.txt": "a\n" });
    write(project, { "new.txt": "n" });
    const name = namer();
    const before = await name(project);
    change(project);
    expect(await name(project)).toBe(before);
  });

  it("is for the work tree, not for HEAD: another branch with the same files has it too", async () => {
    const project = repository();
    const name = namer();
    const before = await name(project);
    gitIn(project, "checkout", "--quiet", "-b", "other");
    gitIn(project, "commit", "--quiet", "--allow-empty", "-mx");
    expect(await name(project)).toBe(before);
  });

  it("can be taken before the first commit, of nothing and of something", async () => {
    const project = emptyRepository();
    const name = namer();
    const nothing = await name(project);
    expect(nothing).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904"); // git's name for an empty tree
    write(project, { "a.txt": "a" });
    const something = await name(project);
    expect(filesOf(project, something)).toEqual(["a.txt"]);
    rmSync(join(project, "a.txt"));
    expect(await name(project)).toBe(nothing);
  });

  it("is of the whole repository, from a folder below its top too", async () => {
    const top = repository({ "a.txt": "a", "sub/b.txt": "b" });
    write(top, { "new.txt": "n", "sub/deep/c.txt": "c" });
    const name = namer();
    const tree = await name(join(top, "sub", "deep"));
    expect(tree).toBe(await name(top));
    expect(filesOf(top, tree)).toEqual(["a.txt", "new.txt", "sub/b.txt", "sub/deep/c.txt"]);
  });

  it("is of its own work tree, in one of several", async () => {
    const project = repository();
    const other = join(temporaryFolder(), "other");
    gitIn(project, "worktree", "add", "--quiet", other);
    const before = await namer()(project);
    write(other, { "new.txt": "n" });
    expect(await namer()(project)).toBe(before);
    expect(filesOf(other, await namer()(other))).toEqual(["a.txt", "new.txt"]);
  });

  it("cannot be told outside git", async () => {
    expect(await namer()(temporaryFolder())).toBeUndefined();
    const bare = temporaryFolder();
    gitIn(bare, "init", "--quiet", "--bare");
    expect(await namer()(bare)).toBeUndefined();
  });

  it("sees a change of the same size in the same second as the user's own `git add`", async () => {
    // Git looks at whole seconds, and trusts an index that is younger than the file: a copy of it must stay as old.
    const project = repository();
    const name = namer();
    const second = () => Math.floor(Date.now() / 1000);
    const trees: (string | undefined)[] = [];
    while (trees.length === 0) {
      const start = second();
      await until("the next second", () => second() > start);
      write(project, { "a.txt": "one\n" });
      gitIn(project, "add", "a.txt");
      write(project, { "a.txt": "two\n" });
      if (second() > start + 1) continue; // a busy machine: it was not one second
      await until("the second after", () => second() > start + 1);
      trees.push(await name(project));
    }
    const env = { ...process.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
    const args = ["show", `${trees[0]}:a.txt`];
    expect(execFileSync("git", args, { cwd: project, encoding: "utf8", env })).toBe("two\n");
  });
});

describe("the user's own", () => {
  it("index, HEAD, branches and stash are not touched", async () => {
    const project = repository({ "a.txt": "a\n", "b.txt": "b\n" });
    write(project, { "a.txt": "staged\n", "new.txt": "n" });
    gitIn(project, "add", "a.txt");
    write(project, { "a.txt": "staged and changed\n" });
    rmSync(join(project, "b.txt"));
    const own = () => {
      const index = join(project, ".git", "index");
      return {
        index: createHash("sha256").update(readFileSync(index)).digest("hex"),
        indexTime: statSync(index).mtimeMs,
        head: readFileSync(join(project, ".git", "HEAD"), "utf8"),
        refs: gitIn(project, "for-each-ref"),
        status: gitIn(project, "--no-optional-locks", "status", "--porcelain"),
        a: readFileSync(join(project, "a.txt"), "utf8"),
      };
    };
    const before = own();
    const tree = await namer()(project);
    expect(filesOf(project, tree)).toEqual(["a.txt", "new.txt"]);
    expect(own()).toEqual(before);
  });

  it("lock on the index does not stand in the way", async () => {
    const project = repository();
    write(project, { ".git/index.lock": "" });
    expect(await namer()(project)).toBe(gitIn(project, "rev-parse", "HEAD^{tree}").trim());
  });
});

describe("what an agent does to .git", () => {
  const fault = /^fault: /;

  it.each<[name: string, change: (project: string) => void]>([
    ["--assume-unchanged", (project) => void gitIn(project, "update-index", "--assume-unchanged", "a.txt")],
    ["--skip-worktree", (project) => void gitIn(project, "update-index", "--skip-worktree", "a.txt")],
    [
      "taking it out of the index and ignoring it",
      (project) => {
        gitIn(project, "rm", "--cached", "--quiet", "a.txt");
        write(project, { ".git/info/exclude": "a.txt\n" });
      },
    ],
    ["another work tree in its config", (project) => void gitIn(project, "config", "core.worktree", "/tmp")],
    [
      "a filter with an odd name",
      (project) => {
        write(project, { ".git/info/attributes": "a.txt filter=a=b\n" });
        gitIn(project, "config", "filter.a=b.clean", "echo same");
      },
    ],
    ["a broken index", (project) => write(project, { ".git/index": "junk" })],
  ])("does not hide a change: %s", async (_, change) => {
    const project = repository();
    const name = namer();
    expect(await name(project)).not.toMatch(fault);
    change(project);
    write(project, { "a.txt": "one\n" });
    const before = await name(project);
    write(project, { "a.txt": "two\n" });
    const after = await name(project);
    expect(before).toBeDefined();
    expect(after).not.toBe(before);
  });

  it.each<[name: string, change: (project: string) => void]>([
    ["moved away", (project) => renameSync(join(project, ".git"), join(project, "elsewhere"))],
    [
      "of a format that nobody knows",
      (project) => void gitIn(project, "config", "core.repositoryformatversion", "7"),
    ],
    [
      "with a repository inside that has no commit",
      (project) => void gitIn(project, "init", "--quiet", "inner"),
    ],
  ])("is told when nothing can be measured: a .git %s", async (_, change) => {
    const project = repository();
    const name = namer();
    await name(project);
    change(project);
    expect(await name(project)).toMatch(fault);
  });

  it("does not switch off a filter that was there before", async () => {
    const project = repository({ "a.txt": "a", ".gitattributes": "*.txt filter=crypt\n" });
    gitIn(project, "config", "filter.crypt.clean", "tr a-z A-Z");
    const name = namer();
    await name(project);
    gitIn(project, "config", "filter.crypt.clean", "cat");
    write(project, { "a.txt": "secret" });
    const env = { ...process.env, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
    const args = ["show", `${await name(project)}:a.txt`];
    expect(execFileSync("git", args, { cwd: project, encoding: "utf8", env })).toBe("SECRET");
  });

  it("leaves nothing in the user's own object store", async () => {
    const project = repository();
    write(project, { ".env": "a secret that is not ignored" });
    await namer()(project);
    const blob = gitIn(project, "hash-object", ".env").trim();
    expect(() => gitIn(project, "cat-file", "-e", blob)).toThrow();
  });
});
