import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { settleOnBranch } from "../../src/scm/branch.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { emptyRepository, gitIn, repository, useNoGitSettings, write } from "./repository.ts";

useNoGitSettings();

const OWN = ["ralph", ".gitignore", ".ralph", ".ralph-active"];
const settle = (project: string, name: string, own: readonly string[] = OWN) =>
  settleOnBranch(project, name, own);
const branch = (project: string) => gitIn(project, "symbolic-ref", "HEAD").trim();

/** Everything in the work tree, byte for byte, with where HEAD stands and what git says of it. */
function everything(project: string): unknown {
  const files = readdirSync(project, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^\.git(?:\/|$)/.test(name))
    .sort()
    .map((name) => {
      const info = lstatSync(join(project, name));
      return [name, info.mode, info.isFile() ? readFileSync(join(project, name), "latin1") : ""];
    });
  return {
    files,
    head: gitIn(project, "rev-parse", "HEAD", "--symbolic-full-name", "HEAD"),
    ...status(project),
  };
}

const status = (project: string) => ({
  status: gitIn(project, "status", "--porcelain", "--ignored"),
  index: gitIn(project, "ls-files", "--stage"),
});

/** A repository on main with a branch `feature`, which has these files besides or instead. */
function twoBranches(
  feature: Readonly<Record<string, string>>,
  main?: Readonly<Record<string, string>>,
): string {
  const project = repository(main);
  gitIn(project, "switch", "--quiet", "--create", "feature");
  write(project, feature);
  gitIn(project, "add", "--all", "--force");
  gitIn(project, "commit", "--quiet", "--message=feature");
  gitIn(project, "switch", "--quiet", "main");
  return project;
}

/** A program that leaves a trace, and then does what it is told. */
function tracer(then = "cat"): { file: string; ran: () => boolean } {
  const folder = temporaryFolder();
  const file = join(folder, "program");
  writeFileSync(file, `#!/bin/sh\ntouch '${folder}/ran'\n${then}\n`, { mode: 0o755 });
  return { file, ran: () => existsSync(join(folder, "ran")) };
}

async function expectStayed(project: string, name: string, why: string | RegExp): Promise<void> {
  const before = everything(project);
  expect(await settle(project, name)).toEqual({
    kind: "stayed",
    why: typeof why === "string" ? why : expect.stringMatching(why),
  });
  expect(everything(project)).toEqual(before);
}

describe("a branch that is not there", () => {
  it("is made at HEAD and checked out, and no file changes", async () => {
    const project = repository();
    const head = gitIn(project, "rev-parse", "HEAD");
    write(project, { "ralph/tasks.json": "{}", ".gitignore": "x\n", ".ralph-active": "1" });
    const files = status(project);
    expect(await settle(project, "ralph/search")).toEqual({ kind: "made", branch: "ralph/search" });
    expect(branch(project)).toBe("refs/heads/ralph/search");
    expect(gitIn(project, "rev-parse", "HEAD")).toBe(head);
    expect(status(project)).toEqual(files);
  });

  it("does not follow a remote branch of that name, nor track anything", async () => {
    const project = twoBranches({ "b.txt": "b" });
    const clone = join(temporaryFolder(), "clone");
    gitIn(project, "clone", "--quiet", project, clone);
    gitIn(clone, "config", "branch.autoSetupMerge", "always");
    expect(await settle(clone, "feature")).toEqual({ kind: "made", branch: "feature" });
    expect(existsSync(join(clone, "b.txt"))).toBe(false);
    expect(gitIn(clone, "config", "--list")).not.toContain("branch.feature");
  });

  it("is made from a HEAD without a branch", async () => {
    const project = repository();
    gitIn(project, "switch", "--quiet", "--detach");
    expect(await settle(project, "x")).toEqual({ kind: "made", branch: "x" });
  });

  it("is made before the first commit", async () => {
    const project = emptyRepository();
    write(project, { "ralph/tasks.json": "{}" });
    expect(await settle(project, "x")).toEqual({ kind: "made", branch: "x" });
    expect(branch(project)).toBe("refs/heads/x");
    expect(readdirSync(project).sort()).toEqual([".git", "ralph"]);
  });

  it("is not made where another branch is in its way", async () => {
    const project = repository();
    gitIn(project, "branch", "ralph");
    await expectStayed(project, "ralph/search", /ralph/);
  });

  it("is not made in the middle of a merge", async () => {
    const project = twoBranches({ "b.txt": "b" });
    gitIn(project, "merge", "--quiet", "--no-ff", "--no-commit", "--strategy=ours", "feature");
    await expectStayed(project, "x", /while merging/);
    await expectStayed(project, "feature", /while merging/);
  });
});

describe("a branch that is there", () => {
  it("is checked out", async () => {
    const project = twoBranches({ "a.txt": "other\n", "new/b.txt": "b\n" });
    write(project, { "ralph/tasks.json": "{}" });
    expect(await settle(project, "feature")).toEqual({ kind: "switched", branch: "feature" });
    expect(branch(project)).toBe("refs/heads/feature");
    expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("other\n");
    expect(gitIn(project, "status", "--porcelain")).toBe("?? ralph/\n");
  });

  it("is taken, and not a tag or a file of that name", async () => {
    const project = twoBranches({ "b.txt": "b" }, { "a.txt": "a", feature: "a file" });
    gitIn(project, "tag", "feature", "main");
    expect(await settle(project, "feature")).toEqual({ kind: "switched", branch: "feature" });
    expect(branch(project)).toBe("refs/heads/feature");
    expect(existsSync(join(project, "b.txt"))).toBe(true);
  });

  it("is nothing to do when HEAD stands on it, whatever the tree", async () => {
    const project = repository();
    write(project, { "a.txt": "changed" });
    expect(await settle(project, "main")).toEqual({ kind: "already" });
  });

  it("is checked out although its rules ignore less", async () => {
    const project = twoBranches({ ".gitignore": "" }, { ".gitignore": "dist\n" });
    write(project, { "dist/x": "built" });
    expect(await settle(project, "feature")).toEqual({ kind: "switched", branch: "feature" });
    expect(readFileSync(join(project, "dist/x"), "utf8")).toBe("built");
  });

  it("is left when it would overwrite the task list", async () => {
    const project = twoBranches({ "ralph/tasks.json": "theirs" }, { "ralph/tasks.json": "first" });
    write(project, { "ralph/tasks.json": "edited" });
    await expectStayed(project, "feature", /overwritten by checkout: ralph\/tasks\.json$/);
  });

  it("is left when it would overwrite an ignored file", async () => {
    const project = twoBranches({ ".env": "theirs" }, { ".gitignore": ".env\n" });
    write(project, { ".env": "secret" });
    await expectStayed(project, "feature", /overwritten by checkout: \.env$/);
  });

  it("is left when another worktree has it", async () => {
    const project = twoBranches({ "b.txt": "b" });
    const other = join(temporaryFolder(), "other");
    gitIn(project, "worktree", "add", "--quiet", other, "feature");
    await expectStayed(project, "feature", new RegExp(other));
  });

  it("is left when HEAD has no commit yet", async () => {
    const project = twoBranches({ "b.txt": "b" });
    gitIn(project, "switch", "--quiet", "--orphan", "empty");
    expect(await settle(project, "feature")).toMatchObject({
      kind: "stayed",
      why: expect.stringMatching(/no commit/),
    });
    expect(branch(project)).toBe("refs/heads/empty");
  });
});

describe("a tree with changes", () => {
  it("stays where it is, and some of them are named", async () => {
    const project = repository({ "a.txt": "a", "b.txt": "b" });
    gitIn(project, "branch", "feature");
    write(project, { "a.txt": "1", "c.txt": "c", "d/e.txt": "e", "d/f.txt": "f" });
    rmSync(join(project, "b.txt"));
    const why = "the tree has uncommitted changes: a.txt, b.txt and 3 more";
    await expectStayed(project, "feature", why);
    await expectStayed(project, "absent", why);
  });

  it("sees what is staged, and names that steer a terminal cannot", async () => {
    const project = repository();
    write(project, { "x\u001b[2J\ny": "" });
    gitIn(project, "add", "--all");
    await expectStayed(project, "x", "the tree has uncommitted changes: x [2J y");
  });

  it("counts what only begins like a path of ours, and not what is ours in a folder of the repository", async () => {
    const project = repository({ "sub/a.txt": "a", "ralph/b.txt": "b" });
    write(project, { "sub/ralph/tasks.json": "{}", "sub/ralphs": "" });
    expect(await settle(join(project, "sub"), "x")).toMatchObject({
      why: expect.stringMatching(/: sub\/ralphs$/),
    });
    rmSync(join(project, "sub/ralphs"));
    write(project, { "ralph/b.txt": "not the project's" });
    expect(await settle(join(project, "sub"), "x")).toMatchObject({
      why: expect.stringMatching(/: ralph\/b\.txt$/),
    });
    gitIn(project, "checkout", "--quiet", "ralph");
    expect(await settle(join(project, "sub"), "x", ["./ralph/"])).toEqual({ kind: "made", branch: "x" });
  });

  it("is seen whatever the repository's settings hide", async () => {
    const project = repository();
    gitIn(project, "config", "status.showUntrackedFiles", "no");
    write(project, { "new.txt": "" });
    await expectStayed(project, "x", /new\.txt/);
  });
});

describe("a name", () => {
  const hostile = [
    "--orphan",
    "-f",
    "--help",
    "@{-1}",
    "@",
    "HEAD",
    "a..b",
    "x\ny",
    "x\0y",
    "refs/heads/x",
    "a b",
    "x~1",
  ];
  it.each([...hostile, "main:x", "x.lock", "/x", "x/", "\ud800", `-c${"x".repeat(300)}`, "0".repeat(40)])(
    "%j is refused",
    async (name) => {
      const project = repository();
      gitIn(project, "switch", "--quiet", "--create", "second");
      await expectStayed(project, name, /is no name for a branch$/);
      expect(gitIn(project, "branch", "--format=%(refname)")).toBe("refs/heads/main\nrefs/heads/second\n");
    },
  );

  it.each(["", " ", "\n"])("%j is none", (name) => expectStayed(repository(), name, "no branch is named"));
});

describe("where there is nothing to switch", () => {
  it("says so", async () => {
    const why = expect.stringMatching(/^there is no git work tree here/);
    expect(await settle(temporaryFolder(), "x")).toEqual({ kind: "stayed", why });
    expect(await settle(join(repository(), ".git"), "x")).toEqual({ kind: "stayed", why });
    expect(await settle("/no/such/folder", "x")).toEqual({ kind: "stayed", why });
  });

  it("does so without git", async () => {
    const project = repository();
    vi.stubEnv("PATH", temporaryFolder());
    const settled = await settle(project, "x").finally(() => vi.unstubAllEnvs());
    expect(settled).toEqual({ kind: "stayed", why: expect.stringMatching(/no git work tree here .*git/) });
  });
});

describe("programs that the repository names", () => {
  const HOOKS = ["post-checkout", "reference-transaction", "post-index-change"];

  it("are not run as hooks, monitors or filters", async () => {
    const project = twoBranches({ "b.txt": "b" }, { "a.txt": "a", ".gitattributes": "* filter=planted\n" });
    gitIn(project, "branch", "same");
    const { file, ran } = tracer();
    for (const hook of HOOKS) {
      writeFileSync(join(project, ".git/hooks", hook), readFileSync(file));
      chmodSync(join(project, ".git/hooks", hook), 0o755);
    }
    gitIn(project, "config", "core.fsmonitor", file);
    gitIn(project, "config", "filter.planted.clean", file);
    gitIn(project, "config", "filter.planted.smudge", file);
    write(project, { "a.txt": "a" }); // git looks at it again, by the filter
    const why = `the repository's own config names programs that a checkout would run (filter.planted.clean, filter.planted.smudge); if they are yours, switch yourself: git switch feature`;
    expect(await settle(project, "feature")).toEqual({ kind: "stayed", why });
    expect(await settle(project, "made")).toEqual({ kind: "made", branch: "made" });
    expect(await settle(project, "same")).toEqual({ kind: "switched", branch: "same" });
    expect(ran()).toBe(false);
  });

  it("are not run in a submodule", async () => {
    const inner = repository({ "i.txt": "i", ".gitattributes": "* filter=planted\n" });
    const project = repository();
    gitIn(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "inner");
    gitIn(project, "commit", "--quiet", "--all", "--message=inner");
    gitIn(project, "branch", "feature", "HEAD~1");
    gitIn(project, "config", "submodule.recurse", "true");
    const { file, ran } = tracer();
    for (const key of ["filter.planted.clean", "filter.planted.smudge", "core.fsmonitor"]) {
      gitIn(join(project, "inner"), "config", key, file);
    }
    write(project, { "inner/i.txt": "j" });
    expect(await settle(project, "made")).toEqual({ kind: "made", branch: "made" });
    expect(await settle(project, "feature")).toEqual({ kind: "switched", branch: "feature" });
    expect(readFileSync(join(project, "inner/i.txt"), "utf8")).toBe("j");
    expect(ran()).toBe(false);
  });

  it("are not run to fetch what a partial clone lacks, and the tree stays whole", async () => {
    const project = twoBranches({ "a.txt": "changed", "new/deep/c.txt": "c" });
    const { file, ran } = tracer("exit 1");
    gitIn(project, "config", "core.repositoryFormatVersion", "1");
    gitIn(project, "config", "extensions.partialClone", "origin");
    gitIn(project, "config", "remote.origin.promisor", "true");
    gitIn(project, "config", "remote.origin.url", `ext::${file}`);
    gitIn(project, "config", "protocol.ext.allow", "always");
    const id = gitIn(project, "rev-parse", "feature:a.txt").trim();
    rmSync(join(project, ".git/objects", id.slice(0, 2), id.slice(2)));
    await expectStayed(project, "feature", /a\.txt|read/);
    expect(branch(project)).toBe("refs/heads/main");
    expect(ran()).toBe(false);
  });
});

describe("filters of the user's own", () => {
  afterEach(() => vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null"));

  function ownFilter(then: string): () => boolean {
    const { file, ran } = tracer(then);
    const config = join(temporaryFolder(), "config");
    writeFileSync(config, `[filter "own"]\n\tsmudge = ${file}\n\trequired = true\n\tclean = cat\n`);
    vi.stubEnv("GIT_CONFIG_GLOBAL", config);
    return ran;
  }

  const FILES = { ".gitattributes": "*.big filter=own\n", "a.txt": "a" };
  const CHANGES = { "a.txt": "changed", "new/b.txt": "b", "x.big": "big", "z.txt": "z" };

  it("are used", async () => {
    const project = twoBranches(CHANGES, FILES);
    const ran = ownFilter("tr a-z A-Z");
    expect(await settle(project, "feature")).toEqual({ kind: "switched", branch: "feature" });
    expect(readFileSync(join(project, "x.big"), "utf8")).toBe("BIG");
    expect(ran()).toBe(true);
  });

  it.each(["main", "no branch"])("that fail half-way leave the tree as it was (%s)", async (from) => {
    const project = twoBranches(CHANGES, FILES);
    if (from !== "main") gitIn(project, "switch", "--quiet", "--detach");
    write(project, { "ralph/tasks.json": "{}" });
    const ran = ownFilter("cat > /dev/null; exit 1");
    await expectStayed(project, "feature", /smudge filter own failed/);
    expect(ran()).toBe(true);
  });
});
