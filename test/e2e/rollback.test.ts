import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectUserError, makeWorld, ofType, until } from "./support.ts";
import { openTerminal } from "./terminal.ts";
import { busyWorld, files, gitState, runDeeds } from "./travelling.ts";

describe("after agents that do what they should not, the user's work is back byte for byte", () => {
  test.each<[string, string]>([
    ["lies and changes files", "echo done; echo x >> src/a.txt; echo new > new.txt; chmod +x src/b.txt"],
    ["deletes what the user never committed", "rm notes.txt src/a.txt staged-new.txt"],
    ["writes into ignored folders", "echo agent > ignored/agent; echo x >> src/b.txt"],
    ["deletes ralph's folder", "rm -rf .ralph; echo x >> src/b.txt"],
    ["makes folders in the place of files", "rm src/a.txt; mkdir src/a.txt; echo x > src/a.txt/x"],
    ["puts links into the way", "rm -rf src; ln -s /tmp src; ln -s /etc/passwd notes.txt.lnk"],
    ["takes ignore rules away", "echo > .gitignore; echo x >> src/b.txt"],
  ])("one that %s", async (_, deed) => {
    const world = busyWorld();
    const own = gitState(world);
    const before = files(world);
    await runDeeds(world, ["echo 1 > one.txt", deed]);
    const done = await world.ralph(["rollback", "--yes"]);
    expect(done.stderr).toBe("");
    expect(done.code).toBe(0);
    const { "ignored/agent": _agents, ...after } = files(world);
    expect(after).toEqual(before);
    expect(gitState(world)).toEqual(own);
  });

  test("one that takes ignore rules away and puts them back", async () => {
    const world = busyWorld();
    const before = files(world);
    await runDeeds(world, [
      "echo > .gitignore",
      "printf 'ignored/\\n.env\\n' > .gitignore",
      "echo 3 > three.txt",
    ]);
    expect((await world.ralph(["rollback", "--yes"])).code).toBe(0);
    expect(files(world)).toEqual(before);
  });

  test.each<[string, string, RegExp]>([
    ["commits", "git add -A && git commit -qm agent", /with 1 commit made since/],
    ["resets", "git reset -q --hard HEAD~1", /HEAD is on main/],
    ["switches the branch", "git switch -qc other && git add -A && git commit -qm agent", /HEAD is on other/],
    ["adds a work tree", "git worktree add -q ../tree && git add -A && git commit -qm agent", /1 commit/],
    ["edits hooks", "echo evil > .git/hooks/pre-commit; git add -A; git commit -qnm agent", /1 commit/],
  ])("one that %s: HEAD stays, and the command to set it back works", async (_, deed, note) => {
    const world = busyWorld();
    const head = world.git("rev-parse", "HEAD").trim();
    const before = files(world);
    await runDeeds(world, [deed]);
    const moved = world.git("rev-parse", "HEAD");
    const refs = world.git("for-each-ref");
    const done = await world.ralph(["rollback", "--yes"]);
    expect(done.code).toBe(0);
    expect(files(world)).toEqual(before);
    expect(world.git("rev-parse", "HEAD")).toBe(moved);
    expect(world.git("for-each-ref")).toBe(refs);
    expect(done.stdout).toMatch(note);
    const command = /as they are now: (.*)/.exec(done.stdout)?.[1] ?? "no command";
    execFileSync("sh", ["-c", command], { cwd: world.project, stdio: "pipe" });
    expect(world.git("rev-parse", "HEAD").trim()).toBe(head);
    expect(world.git("branch", "--show-current").trim()).toBe("main");
    expect(files(world)).toEqual(before);
  });
});

describe("rollback", () => {
  test("goes to before an iteration, and to before its first try", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["echo 1 > a", "echo 2 > a", "echo 3 > a"]);
    await world.ralph(["rollback", "--to", "3", "--yes"]);
    expect(world.read("a")).toBe("2\n");
    await world.ralph(["rollback", "--to", "2", "--yes"]);
    expect(world.read("a")).toBe("1\n");
    await world.ralph(["rollback", "--yes"]);
    expect(world.has("a")).toBe(false);
  });

  test("of an iteration that was tried twice gives what stood there before the first try", async () => {
    const world = makeWorld({ git: true });
    world.speaking({
      turns: [{ actions: [{ run: "echo half > a" }, { hang: join(world.home, "hangs") }] }, {}],
    });
    const started = world.start(["run", "-p", "x", "-m", "1"]);
    await until("the agent hangs", () => existsSync(join(world.home, "hangs")));
    process.kill(started.pid, "SIGKILL");
    await started.ended;
    await world.ralph(["resume"]);
    expect(world.read("a")).toBe("half\n");
    await world.ralph(["rollback", "--to", "1", "--yes"]);
    expect(world.has("a")).toBe(false);
  });

  test("keeps and names what the user did later, and the rest goes back", async () => {
    const world = makeWorld({ git: true });
    world.write("mine", "1\n");
    await runDeeds(world, ["echo agent > a; echo agent > b"]);
    world.write("a", "the user's\n");
    world.write("mine", "2\n");
    world.write("later", "new\n");
    const { stdout, code } = await world.ralph(["rollback", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("a (you changed it after the run did)");
    expect(stdout).toContain("mine (you changed it since)");
    expect([world.read("a"), world.read("mine"), world.read("later")]).toEqual([
      "the user's\n",
      "2\n",
      "new\n",
    ]);
    expect(world.has("b")).toBe(false);
  });

  test("keeps what the user did between a stop and a resume", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["echo 1 > a", "echo 2 > b"], { maximumIterations: 1 });
    world.write("mine", "the user's\n");
    expect((await world.ralph(["resume", "-m", "2"])).code).toBe(1);
    expect(world.has("b")).toBe(true);
    await world.ralph(["rollback", "--yes"]);
    expect([world.has("a"), world.has("b"), world.read("mine")]).toEqual([false, false, "the user's\n"]);
  });

  test("then a run that goes on, then a rollback of all: the first one is not taken for the user's work", async () => {
    const world = makeWorld({ git: true });
    world.write("a", "0\n");
    await runDeeds(world, ["echo 1 > a", "echo 2 > a", "echo 3 > a"], { maximumIterations: 2 });
    await world.ralph(["rollback", "--to", "2", "--yes"]);
    expect(world.read("a")).toBe("1\n");
    await world.ralph(["resume", "-m", "3"]);
    expect(world.read("a")).toBe("3\n");
    const done = await world.ralph(["rollback", "--yes"]);
    expect(done.stdout).not.toContain("Kept");
    expect(world.read("a")).toBe("0\n");
  });

  test("refuses while the run is under way, and then nothing is changed", async () => {
    const world = makeWorld({ git: true });
    world.speaking({ turns: [{ actions: [{ run: "echo 1 > a" }, { hang: join(world.home, "hangs") }] }] });
    const started = world.start(["run", "-p", "x"]);
    await until("the agent hangs", () => existsSync(join(world.home, "hangs")));
    expectUserError(await world.ralph(["rollback", "--yes"]), "another run is under way in this folder");
    expect(world.read("a")).toBe("1\n");
    expect((await world.ralph(["diff", "--stat"])).stdout).toContain("1 file changed");
    await world.ralph(["stop", "--now"]);
    await started.ended;
  });

  test("asks on a terminal, and takes no for an answer", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["echo 1 > a"]);
    const no = openTerminal(world, ["rollback"]);
    await no.shows("Change these files?");
    no.press("n");
    const refused = await no.ended;
    expect(refused.code).toBe(130);
    expect(refused.screen).toContain("Nothing was changed.");
    expect(world.has("a")).toBe(true);
    const yes = openTerminal(world, ["rollback"]);
    await yes.shows("Change these files?");
    yes.press("y");
    expect((await yes.ended).code).toBe(0);
    expect(world.has("a")).toBe(false);
  });

  test("does not ask where nobody could answer", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["echo 1 > a"]);
    const { code, stdout, stderr } = await world.ralph(["rollback"]);
    expect(code).toBe(2);
    expect(stdout).toContain("remove    a");
    expect(stderr).toContain("add --yes");
    expect(world.has("a")).toBe(true);
  });

  test("brings the files back after a .git that is gone; its history is nobody's but git's", async () => {
    const world = busyWorld();
    const before = files(world);
    await runDeeds(world, ["rm -rf .git src"]);
    const { code, stdout } = await world.ralph(["rollback", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("cannot tell what HEAD stands on");
    expect(files(world)).toEqual(before);
  });

  test("never takes ralph's own state for the run's work", async () => {
    const world = makeWorld({ git: true });
    const env = { RALPH_STATE_DIR: join(world.project, "my [state]") };
    world.speaking({ turns: [{ actions: [{ run: "echo 1 > a" }] }] }, { guardrails: [{ command: "false" }] });
    expect((await world.ralph(["run", "-p", "x", "-m", "2"], { env })).code).toBe(1);
    const { code, stdout } = await world.ralph(["rollback", "--yes"], { env });
    expect([code, stdout]).toEqual([0, expect.not.stringContaining("state")]);
    expect(world.has("a")).toBe(false);
    expect((await world.ralph(["undo", "--yes"], { env })).code).toBe(0);
    expect(world.read("a")).toBe("1\n");
  });

  test("works outside git, from a folder inside the project", async () => {
    const world = makeWorld();
    world.write("deep/down/a", "0\n");
    await runDeeds(world, ["echo 1 > deep/down/a; echo 1 > b"]);
    const { code } = await world.ralph(["rollback", "--yes"], { cwd: join(world.project, "deep", "down") });
    expect(code).toBe(0);
    expect([world.read("deep/down/a"), world.has("b")]).toEqual(["0\n", false]);
  });

  test("killed in the middle and begun again, it ends where it should; and the undo of both too", async () => {
    const world = makeWorld({ git: true });
    const names = Array.from({ length: 1500 }, (_, n) => `f/${String(n).padStart(4, "0")}`);
    for (const name of names) world.write(name, "0\n");
    const before = files(world);
    await runDeeds(world, ["for f in f/*; do echo 1 > $f; done; echo 1 > last"]);
    const changed = files(world);
    // It gets the contents of some files, and then waits for the others.
    const slow = world.install(
      "git",
      `PATH=\${PATH#*:}; case "$*" in *"cat-file --batch") git "$@" | { head -c 3000; sleep 600; };; *) exec git "$@";; esac`,
    );
    const started = world.start(["rollback", "--yes"]);
    await until("it is under way", () => world.read(names[20] ?? "") === "0\n");
    process.kill(started.pid, "SIGKILL");
    await started.ended;
    rmSync(slow);
    expect(names.some((name) => world.read(name) === "1\n")).toBe(true);
    const again = await world.ralph(["rollback", "--yes"]);
    expect(again.code).toBe(0);
    expect(again.stdout).not.toContain("Kept");
    expect(files(world)).toEqual(before);
    for (const _ of [1, 2]) expect((await world.ralph(["undo", "--yes"])).code).toBe(0);
    expect(files(world)).toEqual(changed);
  });

  test("is not stopped by a pipe in the place of a file: the rest goes back, and the pipe is named", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["rm README; mkfifo README; echo 1 > new"]);
    const ended = await world.ralph(["rollback", "--yes"]);
    expect(ended.stdout + ended.stderr).toContain("README (a file that is in no snapshot stands there)");
    expect(world.has("new")).toBe(false);
    rmSync(join(world.project, "README"));
    await world.ralph(["rollback", "--yes"]);
    expect(world.read("README")).toBe("a project\n");
  });

  test("gives a file back to its owner alone when it was theirs alone", async () => {
    const world = makeWorld({ git: true });
    world.write("secret", "mine");
    chmodSync(join(world.project, "secret"), 0o600);
    await runDeeds(world, ["rm secret README"]);
    await world.ralph(["rollback", "--yes"]);
    expect(world.read("secret")).toBe("mine");
    expect(statSync(join(world.project, "secret")).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.project, "README")).mode & 0o044).toBe(0o044);
  });

  test("works around a repository without a commit, which stays and is named", async () => {
    const world = busyWorld();
    const before = files(world);
    const ended = await runDeeds(world, [
      "git init -q 'in ner'; echo x > 'in ner/x'; rm notes.txt",
      "echo 2 > two",
    ]);
    expect(ended.stderr).not.toContain("No snapshot");
    const done = await world.ralph(["rollback", "--yes"]);
    expect(done.code).toBe(0);
    expect(done.stdout).toContain("in ner (another repository");
    expect(world.read("in ner/x")).toBe("x\n");
    const after = Object.entries(files(world)).filter(([name]) => !name.startsWith("in ner/"));
    expect(Object.fromEntries(after)).toEqual(before);
  });

  test("says so when there is nothing to go back to", async () => {
    const world = makeWorld({ git: true });
    expectUserError(await world.ralph(["rollback", "--yes"]), "there is no run");
    await runDeeds(world, ["echo 1 > a"], { snapshots: false, protect: false });
    expect(world.stateFiles().some((path) => path.endsWith("snapshots"))).toBe(false);
    expectUserError(await world.ralph(["rollback", "--yes"]), "has no snapshots", "switched off");
    await runDeeds(world, ["echo 2 > a"]);
    expectUserError(await world.ralph(["rollback", "--to", "2", "--yes"]), "there is no iteration 2");
    await world.ralph(["rollback", "--yes"]);
    expect((await world.ralph(["rollback", "--yes"])).stdout).toContain("Nothing to change");
  });
});

test("a run without snapshots says so, though it protects files by the same means", async () => {
  const world = makeWorld({ git: true });
  await runDeeds(world, ["echo 1 > a"], { snapshots: false, protect: ["b"] });
  expectUserError(await world.ralph(["rollback", "--yes"]), "has no snapshots", "switched off");
});

describe("a snapshot that cannot be taken", () => {
  test("is told once, and the run goes on; rollback says why", async () => {
    const world = makeWorld({ git: true });
    const ended = await runDeeds(world, [
      "for n in $(seq 21); do git init -q inner$n; done",
      "echo 2 > a",
      "echo 3 > a",
    ]);
    expect(ended.stderr.split("No snapshot").length - 1).toBe(1);
    const started = ofType(world.journal(), "iteration.started");
    expect(started[0]?.snapshot).toMatch(/^[0-9a-f]{40}$/);
    expect(started[2]?.snapshotFault).toContain("inner");
    expectUserError(
      await world.ralph(["rollback", "--to", "3", "--yes"]),
      "no snapshot for iteration 3",
      "inner",
    );
  });
});
