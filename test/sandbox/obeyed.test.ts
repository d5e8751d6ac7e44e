import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { watchRepository } from "../../src/sandbox/planted.ts";
import { DONE, makeWorld, type World } from "../e2e/support.ts";
import { hasProgram } from "./engines.ts";

/*
 * What an agent puts into `.git`, or into a repository that the user's git goes into by itself, and whose programs that git would run.
 * `$MARK` is a file outside that such a program makes.
 */

const GIT = "git -c user.name=T -c user.email=t@example.invalid -c protocol.file.allow=always";
const REPOSITORY = (name: string) => `git init -q ${name}; ${GIT} -C ${name} commit -q --allow-empty -m x`;
const EVIL = '"touch $MARK; false"';
const PLANTS: Readonly<Record<string, string>> = {
  "another common folder": `cp -r .git evil; git config -f evil/config core.fsmonitor ${EVIL}; echo ../evil > .git/commondir`,
  "a config of a repository in the index": `${REPOSITORY("sub")}; git -C sub config core.fsmonitor ${EVIL}; git add sub 2>/dev/null`,
  "a config of one that it leads to": `${REPOSITORY("sub")}; mv sub/.git far; echo "gitdir: ../far" > sub/.git
    git config -f far/config core.fsmonitor ${EVIL}; git add sub 2>/dev/null`,
  "a config in its submodule's repository": `${REPOSITORY("sub")}; mkdir -p .git/modules; mv sub/.git .git/modules/sub
    echo "gitdir: ../.git/modules/sub" > sub/.git; git config -f .git/modules/sub/config core.fsmonitor ${EVIL}; git add sub 2>/dev/null`,
  "an include in a config": `${REPOSITORY("sub")}; git config -f more core.fsmonitor ${EVIL}
    git -C sub config include.path ../../more; git add sub 2>/dev/null`,
  "a hook": `${REPOSITORY("sub")}; echo x > sub/x; ${GIT} -C sub add x; ${GIT} -C sub commit -qm x; touch -d 2001-01-01 sub/x
    printf '#!/bin/sh\\ntouch "%s"\\n' "$MARK" > sub/.git/hooks/post-index-change; chmod +x sub/.git/hooks/post-index-change; git add sub 2>/dev/null`,
  "a config in a submodule of a submodule": `${REPOSITORY("sub")}; ${REPOSITORY("sub/deep")}; git -C sub/deep config core.fsmonitor ${EVIL}
    git -C sub add deep 2>/dev/null; mkdir -p .git/modules; mv sub/.git .git/modules/sub; echo "gitdir: ../.git/modules/sub" > sub/.git; git add sub 2>/dev/null`,
  "a config in what a worktree holds": `${GIT} commit -q --allow-empty -m x; ${GIT} worktree add -q tree; ${REPOSITORY("tree/deep")}
    git -C tree/deep config core.fsmonitor ${EVIL}; git -C tree add deep 2>/dev/null; git add tree 2>/dev/null`,
  "a command that hands out what is missing": `${REPOSITORY("sub")}; mkdir sub/a sub/b; echo 1 > sub/a/x; echo 2 > sub/b/y; ${GIT} -C sub add .; ${GIT} -C sub commit -qm x
    ${GIT} -C sub sparse-checkout set --cone --sparse-index a; rm -f "sub/.git/objects/$(git -C sub rev-parse HEAD:b | sed 's,..,&/,')"
    git -C sub config remote.o.url ../; git -C sub config remote.o.promisor true; git -C sub config core.repositoryformatversion 1
    git -C sub config extensions.partialClone o; git -C sub config remote.o.uploadpack ${EVIL}; mkdir sub/b; echo 3 > sub/b/y; git add sub 2>/dev/null`,
  "a link in the place of submodules": `${REPOSITORY("sub")}; mkdir elsewhere; mv sub/.git elsewhere/sub; ln -s ../elsewhere .git/modules
    echo "gitdir: ../.git/modules/sub" > sub/.git; git config -f elsewhere/sub/config core.fsmonitor ${EVIL}; git add sub 2>/dev/null`,
};

function scene(script: string): { world: World; mark: string } {
  const world = makeWorld({ git: true });
  const mark = join(world.home, "mark");
  world.write("agent.sh", `MARK=${mark}\n${script}\necho '${DONE}'\n`);
  return { world, mark };
}

/** Does the user's own git run what was planted, when it is asked how things are? */
function runs({ world, mark }: { world: World; mark: string }): boolean {
  spawnSync("git", ["status"], { cwd: world.project });
  return existsSync(mark);
}

const planted = ({ state }: World) =>
  execFileSync("find", [state, "-path", "*/planted/*"], { encoding: "utf8" })
    .trim()
    .split("\n")
    .filter(Boolean);

describe.skipIf(!hasProgram("bwrap"))("what an agent in bubblewrap leaves", () => {
  test.each(Object.keys(PLANTS))("is not obeyed by the user's git: %s", async (name) => {
    const open = scene(PLANTS[name] ?? "");
    spawnSync("/bin/sh", ["agent.sh"], { cwd: open.world.project });
    expect(runs(open)).toBe(true);

    const fenced = scene(PLANTS[name] ?? "");
    const words = ["run", "-p", "x", "-n", "1", "--sandbox=bubblewrap", "--agent", "/bin/sh agent.sh"];
    const { stderr } = await fenced.world.ralph(words);
    expect(runs(fenced)).toBe(false);
    expect(stderr).toContain("which your git would obey; it is in");
    expect(planted(fenced.world).length).toBeGreaterThan(0);
  });

  test("stays, where it is a worktree, a submodule or a repository like any other", async () => {
    const { world } = scene(`${REPOSITORY("source")}
      ${GIT} worktree add -q tree; ${REPOSITORY("sub")}; git -C sub config user.name Me; git add sub 2>/dev/null
      ${REPOSITORY("apart")}; git -C apart config core.fsmonitor true
      ${GIT} submodule --quiet add ./source module || ${GIT} clone -q --separate-git-dir .git/modules/module ./source module
      git -C tree status > said; git -C module status >> said; git worktree list >> said`);
    const words = ["run", "-p", "x", "-n", "1", "--sandbox=bubblewrap", "--agent", "/bin/sh agent.sh"];
    const { stderr } = await world.ralph(words);
    expect(stderr).not.toContain("would obey");
    expect(planted(world)).toEqual([]);
    const said = world.read("said");
    expect(said.match(/^On branch/gm)).toHaveLength(2);
    expect(spawnSync("git", ["-C", join(world.project, "tree"), "status"]).status).toBe(0);
    expect(spawnSync("git", ["-C", join(world.project, "module"), "status"]).status).toBe(0);
  });

  test.each(["agent.sh", "check.sh"])("is not obeyed by the git that commits it: by %s", async (name) => {
    const { world, mark } = scene("echo 1 > work");
    const plant = `test -e apart || { ${REPOSITORY("apart")}; cd apart; echo 'x filter=e' > .gitattributes; echo 1 > x; ${GIT} add .; ${GIT} commit -qm x; cd ..; }
      git config -f apart/.git/config filter.e.clean "touch ${mark}; cat"; touch -d 2001-01-01 apart/x`;
    world.write(name, `${plant}\n${name === "agent.sh" ? world.read(name) : ""}`);
    world.settings({
      scm: { command: "git", tasks: ["commit"] },
      ...(name === "agent.sh" ? {} : { guardrails: [{ command: "/bin/sh check.sh" }] }),
    });
    world.git("commit", "-q", "--allow-empty", "-m", "x");
    const words = ["run", "-p", "x", "-n", "1", "--sandbox=bubblewrap", "--agent", "/bin/sh agent.sh"];
    const { stdout, stderr } = await world.ralph(words);
    expect(stdout + stderr).toContain("Committed");
    expect(world.git("ls-files", "apart")).not.toBe("");
    expect(existsSync(mark)).toBe(false);
  });

  test("is taken away when its run was killed in the turn and is resumed", async () => {
    const { world, mark } = scene(
      `test -e second && { echo '${DONE}'; exit; }; touch second; ${PLANTS["a config in its submodule's repository"]}
      git config -f .git/config.worktree core.fsmonitor x; echo planted; sleep 60`,
    );
    const words = ["run", "-p", "x", "-n", "3", "--sandbox=bubblewrap", "--agent", "/bin/sh agent.sh"];
    const started = world.start(words);
    await started.printed("planted");
    started.process.kill("SIGKILL");
    await started.ended;
    const { stderr } = await world.ralph(["resume"]);
    expect(stderr).toContain("which your git would obey");
    expect(planted(world)).toHaveLength(2);
    expect(runs({ world, mark })).toBe(false);
  });

  test("is told from what the user set up between the end of a run and its resumption", async () => {
    const { world } = scene("true");
    world.write("agent.sh", "echo on it\n");
    const words = ["run", "-p", "x", "-n", "1", "--sandbox=bubblewrap", "--agent", "/bin/sh agent.sh"];
    expect((await world.ralph(words)).code).toBe(1);
    execFileSync(
      "/bin/sh",
      ["-c", `${REPOSITORY("mine")}; git -C mine config core.editor vi; git add mine`],
      {
        cwd: world.project,
        stdio: "ignore",
      },
    );
    const { stderr } = await world.ralph(["resume", "-m", "2"]);
    expect(stderr).toContain("2 iterations used");
    expect(stderr).not.toContain("would obey");
    expect(planted(world)).toEqual([]);
    expect(world.git("-C", "mine", "config", "core.editor").trim()).toBe("vi");
  });

  test("by a check is not obeyed either", async () => {
    const { world, mark } = scene("true");
    world.write("check.sh", `MARK=${mark}\n${PLANTS["another common folder"]}\n`);
    world.settings({ guardrails: [{ command: "/bin/sh check.sh" }] });
    const words = ["run", "-p", "x", "-n", "1", "--sandbox=bubblewrap", "--agent", "/bin/sh agent.sh"];
    await world.ralph(words, { env: { RALPH_TRUST_PROJECT: "1" } });
    expect(runs({ world, mark })).toBe(false);
    expect(planted(world).length).toBeGreaterThan(0);
    expect(world.has(".git/commondir")).toBe(false);
  });
});

describe("what is watched", () => {
  async function watching(world: World, ro: readonly string[] = []) {
    const told: string[] = [];
    const folder = join(world.state, "run");
    const project = realpathSync(world.project);
    const policy = { project, rw: [join(project, ".git")], ro };
    const { tidy } = await watchRepository({ policy, folder, tell: (words) => told.push(words) });
    const kept = () =>
      existsSync(join(folder, "planted")) ? readdirSync(join(folder, "planted")).sort() : [];
    return { tidy, told, kept };
  }
  const put = (world: World, path: string, text: string) => {
    mkdirSync(dirname(join(world.project, path)), { recursive: true });
    writeFileSync(join(world.project, path), text);
  };
  const PAGER = "[core]\n\tpager = evil\n";

  test("is left as it was when the run began, and what no agent can write is the user's", async () => {
    const world = makeWorld({ git: true });
    put(world, ".git/modules/old/HEAD", "ref: refs/heads/main\n");
    put(world, ".git/modules/old/config", PAGER);
    put(world, ".git/config.worktree", PAGER);
    const { tidy, kept } = await watching(world, [join(world.project, ".git/config")]);
    world.git("config", "core.pager", "mine");
    await tidy();
    expect(kept()).toEqual([]);
    put(world, ".git/modules/old/config", `${PAGER}\tfsmonitor = evil\n`);
    await tidy();
    expect(kept()).toEqual([".git_modules_old_config"]);
  });

  test("that is the user's stays when an agent adds what is usual, and what could not be written is only told of", async () => {
    const world = makeWorld({ git: true });
    execFileSync("git", ["init", "-q", join(world.project, "own")]);
    world.git("-C", "own", "config", "core.pager", "mine");
    world.git("commit", "-q", "--allow-empty", "-m", "x");
    const { tidy, told, kept } = await watching(world, [join(world.project, ".git/config")]);
    world.git("-C", "own", "config", "branch.a.remote", "origin");
    await tidy();
    expect([kept(), told]).toEqual([[], []]);
    world.git("-C", "own", "config", "core.sshCommand", "evil");
    world.git("config", "branch.a.remote", "origin");
    await tidy();
    expect(kept()).toEqual(["own_.git_config"]);
    world.git("config", "core.sshCommand", "evil");
    await tidy();
    await tidy();
    expect(kept()).toEqual(["own_.git_config"]);
    expect(told.slice(1)).toEqual([
      ".git/config has changed while the agent was at work, and names more than it did. If that was not you, look at it before you use git here.",
    ]);
  });

  test("is what the user's config names and was not there", async () => {
    const world = makeWorld({ git: true });
    world.git("config", "core.hooksPath", ".husky/_");
    world.git("config", "include.path", "../more");
    world.git("config", "includeIf.onbranch:other.path", "../other");
    const { tidy, kept } = await watching(world, [join(world.project, ".git/config")]);
    put(world, ".husky/_/pre-commit", "#!/bin/sh\n");
    chmodSync(join(world.project, ".husky/_/pre-commit"), 0o755);
    put(world, ".husky/pre-commit", "npm test\n");
    put(world, "more", PAGER);
    put(world, "other", PAGER);
    await tidy();
    expect(kept()).toEqual([".husky___pre-commit", "more", "other"]);
    expect(world.has(".husky/pre-commit")).toBe(true);
  });

  test.each([".git/index", "sub/.git/index", "sub/.git/config"])(
    "is a pipe at %s, for which git would wait",
    async (path) => {
      const world = makeWorld({ git: true });
      const { tidy, kept } = await watching(world);
      execFileSync(
        "/bin/sh",
        ["-c", `${REPOSITORY("sub")}; git add sub 2>/dev/null; rm -f ${path}; mkfifo ${path}`],
        {
          cwd: world.project,
        },
      );
      await tidy();
      expect(kept()).toEqual([path.replaceAll("/", "_")]);
    },
  );

  test("is a repository that the project has become, also where its parts are elsewhere", async () => {
    const world = makeWorld();
    const { tidy, kept } = await watching(world);
    execFileSync("git", ["init", "-q", "--bare", join(world.project, "evil")]);
    symlinkSync("refs/heads/none", join(world.project, "HEAD"));
    put(world, "commondir", "evil\n");
    expect(world.git("rev-parse", "--git-dir").trim()).toBe(".");
    await tidy();
    expect(kept()).toEqual(["commondir"]);
  });

  test("behind an index that is a link is looked for again when what it leads to has changed", async () => {
    const world = makeWorld({ git: true });
    const { tidy, kept } = await watching(world);
    renameSync(join(world.project, ".git/index"), join(world.project, "there"));
    symlinkSync("../there", join(world.project, ".git/index"));
    await tidy();
    execFileSync("git", ["init", "-q", join(world.project, "sub")]);
    world.write(".gitignore", "sub\n");
    world.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "x");
    world.git("-C", "sub", "config", "core.sshCommand", "evil");
    world.git("-c", "advice.addEmbeddedRepo=false", "add", "-f", "sub");
    await tidy();
    expect(kept()).toEqual(["sub_.git_config"]);
  });

  test("by a run that is resumed is what was there when it began", async () => {
    const world = makeWorld({ git: true });
    await watching(world);
    put(world, ".git/commondir", "../evil\n");
    const { told, kept } = await watching(world);
    expect(kept()).toEqual([".git_commondir"]);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("The agent put .git/commondir there, which your git would obey; it is in ");
  });

  test.each([
    [".git/worktrees/w/commondir", "../../../evil\n", true],
    [".git/worktrees/w/commondir", "../..\n", false],
    [".git/worktrees/w/config.worktree", PAGER, true],
    [".git/config.worktree", PAGER, true],
    [".git/modules/a/b/HEAD", "", false],
    [".git/modules/a/b/config", "[core]\n\tworktree = ../../../../c\n\tbare = false\n", false],
    [".git/modules/a/b/config", "[core]\n\tworktree = ../../../../../c\n", true],
    [".git/modules/a/b/config", "[alias]\n\tst = !evil\n", true],
    [".git/modules/a/b/config", '[remote]\n\turl = x\n[remote "o"]\n\turl = x\n\tfetch = y\n', false],
    [".git/modules/a/b/config", '[remote "o"]\n\tuploadpack = evil\n', true],
    [".git/modules/a/b/config", "[half", true],
    [".git/modules/a/b/config", "[gc]\n\tauto = 0\n\trecentObjectsHook = evil\n", true],
    [".git/modules/a/b/config", '[gc]\n\tauto = 0\n[lfs "https://a.example"]\n\taccess = basic\n', false],
    [".git/modules/a/b/commondir", "../..\n", true],
    [".git/modules/worktrees/b/commondir", "../..\n", true],
  ])("%s: %j", async (path, text, isTaken) => {
    const world = makeWorld({ git: true });
    const { tidy, kept } = await watching(world);
    put(world, join(dirname(path), "HEAD"), "ref: refs/heads/main\n");
    put(world, path, text);
    await tidy();
    expect(kept()).toEqual(isTaken ? [path.replaceAll("/", "_")] : []);
    expect(existsSync(join(world.project, path))).toBe(!isTaken);
  });

  test("is a repository that the project itself has become", async () => {
    const world = makeWorld();
    const { tidy, kept } = await watching(world);
    execFileSync("git", ["init", "-q", "--bare", world.project]);
    execFileSync("git", ["init", "-q", world.project]);
    await tidy();
    expect(kept()).toEqual([]);
    put(world, "config", PAGER);
    put(world, ".git/config", PAGER);
    await tidy();
    expect(kept()).toEqual([".git_config", "config"]);
  });

  test("is the part of a larger repository that is the project", async () => {
    const whole = makeWorld({ git: true });
    whole.write("part/file", "1");
    const project = join(realpathSync(whole.project), "part");
    const { tidy, kept } = await watching({ ...whole, project }, [dirname(project)]);
    execFileSync("git", ["init", "-q", project]);
    execFileSync("git", ["-C", project, "config", "core.fsmonitor", "evil"]);
    await tidy();
    expect(kept()).toEqual([".git_config"]);
  });

  test("is also what cannot be looked at or named, and keeps nobody from the rest", async () => {
    const world = makeWorld({ git: true });
    const { tidy, told, kept } = await watching(world);
    const modules = join(world.project, ".git/modules");
    mkdirSync(Buffer.concat([Buffer.from(`${modules}/`), Buffer.from([0xff])]), { recursive: true });
    symlinkSync("/nowhere", join(modules, "link"));
    put(world, ".git/modules/m/HEAD", "");
    put(world, ".git/modules/m/hooks/post-checkout", "#!/bin/sh\n");
    chmodSync(join(modules, "m/hooks/post-checkout"), 0o755);
    await tidy();
    await tidy();
    expect(kept()).toEqual([".git_modules_link", ".git_modules_m_hooks_post-checkout"]);
    expect(told).toHaveLength(2);
    expect(told[1]).toContain("remove it before you use git here");
  });
});
