import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { worktreeFor } from "../../src/scm/worktree.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { emptyRepository, gitIn, repository, useNoGitSettings, write } from "./repository.ts";

useNoGitSettings();

/** A repository in a folder of its own, so that what is made beside it goes away with it. */
function alone(made = repository({ "a.txt": "a\n", "sub/b.txt": "b\n" })): string {
  const project = join(temporaryFolder(), "shop");
  renameSync(made, project);
  return project;
}

const placeOf = (project: string, slug = "search") => join(`${project}.worktrees`, slug);
const branches = (project: string) =>
  gitIn(project, "branch", "--format=%(refname:short)").trim().split("\n");
const search = (project: string, made: boolean) => ({
  path: placeOf(project),
  project: placeOf(project),
  branch: "ralph/search",
  made,
});

describe("a worktree for a feature", () => {
  it("is made beside the repository, on a branch of its own at HEAD", async () => {
    const project = alone();
    write(project, { "a.txt": "not committed", "new.txt": "" });
    const before = gitIn(project, "status", "--porcelain");
    expect(await worktreeFor(project, "search")).toEqual(search(project, true));
    expect(gitIn(placeOf(project), "symbolic-ref", "HEAD")).toBe("refs/heads/ralph/search\n");
    expect(gitIn(placeOf(project), "rev-parse", "HEAD")).toBe(gitIn(project, "rev-parse", "main"));
    expect(readFileSync(join(placeOf(project), "a.txt"), "utf8")).toBe("a\n");
    expect(gitIn(project, "status", "--porcelain")).toBe(before);
    expect(readdirSync(dirname(project)).sort()).toEqual(["shop", "shop.worktrees"]);
  });

  it("is found again, and nothing in it changes", async () => {
    const project = alone();
    await worktreeFor(project, "search");
    write(placeOf(project), { "a.txt": "work under way" });
    expect(await worktreeFor(project, "search")).toEqual(search(project, false));
    expect(readFileSync(join(placeOf(project), "a.txt"), "utf8")).toBe("work under way");
    gitIn(placeOf(project), "switch", "--quiet", "--create", "feature/x");
    expect(await worktreeFor(project, "search")).toEqual({ ...search(project, false), branch: "feature/x" });
  });

  it("takes the branch that is there", async () => {
    const project = alone();
    gitIn(project, "branch", "ralph/search");
    gitIn(project, "commit", "--quiet", "--allow-empty", "--message=second");
    expect(await worktreeFor(project, "search")).toEqual(search(project, true));
    expect(gitIn(placeOf(project), "rev-parse", "HEAD")).toBe(gitIn(project, "rev-parse", "HEAD~1"));
  });

  it("has the main repository's place also when asked for in another worktree", async () => {
    const project = alone();
    await worktreeFor(project, "search");
    gitIn(placeOf(project), "commit", "--quiet", "--allow-empty", "--message=second");
    expect(await worktreeFor(placeOf(project), "other")).toMatchObject({
      path: placeOf(project, "other"),
      made: true,
    });
    expect(gitIn(placeOf(project, "other"), "rev-parse", "HEAD")).toBe(
      gitIn(placeOf(project), "rev-parse", "HEAD"),
    );
    expect(await worktreeFor(placeOf(project), "search")).toEqual(search(project, false));
  });

  it("knows where in it a project is that is a folder of its repository", async () => {
    const project = alone();
    expect(await worktreeFor(join(project, "sub"), "search")).toEqual({
      ...search(project, true),
      project: `${placeOf(project)}/sub`,
    });
  });

  it("is made beside a bare repository, and beside a work tree whose git folder is elsewhere", async () => {
    const bare = join(temporaryFolder(), "shop.git");
    gitIn(dirname(bare), "clone", "--quiet", "--bare", alone(), bare);
    gitIn(bare, "worktree", "add", "--quiet", join(dirname(bare), "main"), "main");
    expect(await worktreeFor(join(dirname(bare), "main"), "search")).toMatchObject({
      path: placeOf(bare),
      made: true,
    });

    const project = alone();
    gitIn(project, "init", "--quiet", `--separate-git-dir=${join(temporaryFolder(), "elsewhere")}`);
    expect(await worktreeFor(project, "search")).toEqual(search(project, true));
    expect(await worktreeFor(placeOf(project), "search")).toEqual({
      fault: expect.stringMatching(/start from there$/),
    });
  });

  it("that is gone is made anew, and others that are gone stay registered", async () => {
    const project = alone();
    await worktreeFor(project, "search");
    await worktreeFor(project, "other");
    gitIn(placeOf(project), "commit", "--quiet", "--allow-empty", "--message=kept");
    rmSync(`${project}.worktrees`, { recursive: true });
    expect(await worktreeFor(project, "search")).toEqual(search(project, true));
    expect(gitIn(placeOf(project), "log", "-n1", "--format=%s")).toBe("kept\n");
    expect(gitIn(project, "worktree", "list")).toContain(placeOf(project, "other"));
  });
});

describe("what stands in the way of a worktree", () => {
  async function expectFault(project: string, why: RegExp): Promise<void> {
    const before = branches(project);
    expect(await worktreeFor(project, "search")).toEqual({ fault: expect.stringMatching(why) });
    expect(branches(project)).toEqual(before);
  }

  it.each(["empty", "full"])("a folder that is not ours stays as it is (%s)", async (how) => {
    const project = alone();
    mkdirSync(placeOf(project), { recursive: true });
    if (how === "full") write(placeOf(project), { "mine.txt": "mine" });
    await expectFault(project, /is there already, and is no worktree/);
    expect(readdirSync(placeOf(project))).toEqual(how === "full" ? ["mine.txt"] : []);
  });

  it("another repository's worktree is not ours", async () => {
    const project = alone();
    gitIn(alone(), "worktree", "add", "--quiet", "-b", "ralph/search", placeOf(project));
    await expectFault(project, /no worktree of this repository/);
  });

  it("links and files in its place are not followed", async () => {
    const target = temporaryFolder();
    const inPlace = alone();
    mkdirSync(`${inPlace}.worktrees`);
    symlinkSync(target, placeOf(inPlace));
    const above = alone();
    symlinkSync(target, `${above}.worktrees`);
    const broken = alone();
    symlinkSync(join(target, "absent"), `${broken}.worktrees`);
    const file = alone();
    writeFileSync(`${file}.worktrees`, "");
    for (const project of [inPlace, above, broken, file])
      await expectFault(project, /not a folder of its own/);
    expect(readdirSync(target)).toEqual([]);
    expect(lstatSync(placeOf(inPlace)).isSymbolicLink()).toBe(true);
  });

  it("a link that took the place of ours is not followed", async () => {
    const project = alone();
    await worktreeFor(project, "search");
    const moved = join(temporaryFolder(), "moved");
    renameSync(placeOf(project), moved);
    symlinkSync(moved, placeOf(project));
    await expectFault(project, /not a folder of its own/);
  });

  it("a folder whose .git leads elsewhere now", async () => {
    const project = alone();
    await worktreeFor(project, "search");
    writeFileSync(join(placeOf(project), ".git"), `gitdir: ${join(alone(), ".git")}\n`);
    await expectFault(project, /leads elsewhere/);
    rmSync(join(placeOf(project), ".git"));
    await expectFault(project, /leads elsewhere/);
  });

  it("its branch in another folder, which is named", async () => {
    const project = alone();
    const other = join(temporaryFolder(), "other");
    gitIn(project, "worktree", "add", "--quiet", "-b", "ralph/search", other);
    await expectFault(project, new RegExp(`checked out in ${other}$`));
    expect(existsSync(`${project}.worktrees`)).toBe(false);
  });

  it("a worktree that is gone but locked, and one without a branch", async () => {
    const project = alone();
    await worktreeFor(project, "search");
    gitIn(placeOf(project), "switch", "--quiet", "--detach");
    await expectFault(project, /stands on no branch/);
    gitIn(project, "worktree", "lock", "--reason=on a stick", placeOf(project));
    rmSync(placeOf(project), { recursive: true });
    await expectFault(project, /gone, but locked/);
  });

  it("a branch called ralph, and no folder is left behind", async () => {
    const project = alone();
    gitIn(project, "branch", "ralph");
    await expectFault(project, /ralph/);
    expect(existsSync(`${project}.worktrees`)).toBe(false);
  });

  it("no repository, no commit, a submodule", async () => {
    expect(await worktreeFor(temporaryFolder(), "x")).toEqual({
      fault: expect.stringMatching(/^there is no git repo/),
    });
    expect(await worktreeFor(alone(emptyRepository()), "x")).toEqual({
      fault: expect.stringMatching(/no commit/),
    });
    const project = alone();
    gitIn(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", alone(), "inner");
    expect(await worktreeFor(join(project, "inner"), "x")).toEqual({
      fault: expect.stringMatching(/submodule/),
    });
  });

  it.each(["", ".", "..", "../x", "a/b", "-f", "--orphan", "a b", "x\n", "x\0", "a--b", "x-"])(
    "a name like %j",
    async (name) => {
      const project = alone();
      expect(await worktreeFor(project, name)).toEqual({
        fault: expect.stringMatching(/is no name for a worktree/),
      });
      expect(readdirSync(dirname(project))).toEqual([basename(project)]);
    },
  );
});

describe("programs that the repository names", () => {
  function planted(files: Readonly<Record<string, string>>): {
    project: string;
    file: string;
    ran: () => boolean;
  } {
    const project = alone(repository(files));
    const folder = temporaryFolder();
    const file = join(folder, "program");
    writeFileSync(file, `#!/bin/sh\ntouch '${folder}/ran'\ncat\n`, { mode: 0o755 });
    return { project, file, ran: () => existsSync(join(folder, "ran")) };
  }

  it("are not run as hooks or monitors", async () => {
    const { project, file, ran } = planted({ "a.txt": "a" });
    for (const hook of ["post-checkout", "reference-transaction", "post-index-change"]) {
      writeFileSync(join(project, ".git/hooks", hook), readFileSync(file));
      chmodSync(join(project, ".git/hooks", hook), 0o755);
    }
    gitIn(project, "config", "core.fsmonitor", file);
    expect(await worktreeFor(project, "search")).toEqual(search(project, true));
    expect(ran()).toBe(false);
  });

  it("are not run as filters, and the user is told how to make it", async () => {
    const { project, file, ran } = planted({ ".gitattributes": "* filter=planted\n", "a.txt": "a" });
    gitIn(project, "config", "filter.planted.smudge", file);
    const made = await worktreeFor(project, "search");
    const command = `git worktree add --no-track -b ralph/search ${placeOf(project)} HEAD`;
    expect(made).toEqual({
      fault: expect.stringMatching(/\(filter\.planted\.smudge\); if they are yours, make it yourself: /),
    });
    expect("fault" in made && made.fault.endsWith(command)).toBe(true);
    expect(ran()).toBe(false);
    gitIn(project, ...command.split(" ").slice(1));
    expect(await worktreeFor(project, "search")).toEqual(search(project, false));
  });
});
