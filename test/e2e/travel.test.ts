import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { photo } from "../snapshot/support.ts";
import { events, expectUserError, makeWorld, ofType, until, type World } from "./support.ts";
import { openTerminal } from "./terminal.ts";
import { busyWorld, files, gitState, runDeeds } from "./travelling.ts";

/** Folders that a look into the past needs for a while. */
function leftFolders(world: World): string[] {
  return readdirSync(join(world.runFolder(), "snapshots")).filter((name) =>
    /^(?:scratch|look|out|rules)-/.test(name),
  );
}

describe("undo", () => {
  test("brings back what stood there, repeatedly, and an undo can be undone", async () => {
    const world = busyWorld();
    const own = gitState(world);
    await runDeeds(world, ["echo 1 > n; rm notes.txt", "echo 2 > n", "echo 3 > n; echo more > m"]);
    const states = [files(world)];
    for (const to of ["3", "2", "1"]) {
      await world.ralph(["rollback", "--to", to, "--yes"]);
      states.push(files(world));
    }
    for (const state of states.slice(0, -1).reverse()) {
      expect((await world.ralph(["undo", "--yes"])).code).toBe(0);
      expect(files(world)).toEqual(state);
    }
    expectUserError(await world.ralph(["undo", "--yes"]), "there is nothing to undo");
    const redone = await world.ralph(["undo", "--redo", "--yes"]);
    expect(redone.stdout).toContain("Back to before iteration 3");
    expect(files(world)).toEqual(states[1]);
    await world.ralph(["undo", "--yes"]);
    expect(files(world)).toEqual(states[0]);
    expect(gitState(world)).toEqual(own);
  });

  test("keeps what the user did after the rollback", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["echo 1 > a; echo 1 > b"]);
    await world.ralph(["rollback", "--yes"]);
    world.write("a", "the user's\n");
    const { stdout } = await world.ralph(["undo", "--yes"]);
    expect(stdout).toContain("a (you changed it after the rollback did)");
    expect([world.read("a"), world.read("b")]).toEqual(["the user's\n", "1\n"]);
  });
});

describe("diff", () => {
  test("of the run, of an iteration, and from one to another", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["echo 1 > a", "echo 2 > b", "echo 3 > a"]);
    const changed = async (...args: string[]) =>
      [...(await world.ralph(["diff", ...args])).stdout.matchAll(/^\+(\w.*)$/gm)].map((match) => match[1]);
    expect(await changed()).toEqual(["3", "2"]);
    expect(await changed("1")).toEqual(["1"]);
    expect(await changed("2")).toEqual(["2"]);
    expect(await changed("1", "2")).toEqual(["1", "2"]);
    expect(await changed("2", "3")).toEqual(["3", "2"]);
    expect((await world.ralph(["diff", "2", "--stat"])).stdout).toContain("1 file changed, 1 insertion");
    expectUserError(await world.ralph(["diff", "2", "1"]), "wrong way round", "ralph diff 1 2");
    expectUserError(await world.ralph(["diff", "x"]), "there is no iteration x");
    expectUserError(await world.ralph(["diff", "4"]), "there is no iteration 4", "1 to 3");
    expect(leftFolders(world)).toEqual([]);
  });

  test("in a pipe is byte for byte what git apply takes: binaries, odd bytes and all", async () => {
    const world = makeWorld({ git: true });
    world.write("text", "a\n");
    const deed =
      "printf 'latin \\351 \\033[31m\\r\\n' > text; head -c 3000 /dev/urandom > binary; chmod +x text";
    await runDeeds(world, [deed]);
    const wanted = [readFileSync(join(world.project, "text")), readFileSync(join(world.project, "binary"))];
    const patch = execFileSync(
      "sh",
      ["-c", `"$0" "$1" diff`, process.execPath, join(import.meta.dirname, "../../bin/ralph")],
      {
        cwd: world.project,
        env: { ...process.env, RALPH_STATE_DIR: world.state },
      },
    );
    await world.ralph(["rollback", "--yes"]);
    execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: world.project, input: patch });
    expect([readFileSync(join(world.project, "text")), readFileSync(join(world.project, "binary"))]).toEqual(
      wanted,
    );
  });

  test("on a terminal has colours of ours, and nothing of the agent's steers it", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["printf 'x\\033[2J\\033]0;owned\\007y\\n' > a"]);
    const { raw, screen } = await openTerminal(world, ["diff"], { NO_COLOR: undefined }).ended;
    expect(screen).toContain("+xy");
    expect(raw).toContain("\u001b[32m+xy");
    expect(raw).not.toContain("\u001b[2J");
    expect(raw).not.toContain("owned");
  });
});

describe("fork", () => {
  test("is a work tree with the files as before an iteration, and leaves the project alone", async () => {
    const world = busyWorld();
    const { ".env": _env, "ignored/cache": _cache, ...before } = files(world);
    await runDeeds(world, ["echo 1 > n; rm notes.txt", "git add -A; git commit -qm agent"]);
    const [own, here] = [world.git("rev-parse", "HEAD"), files(world)];
    const { code, stdout } = await world.ralph(["fork", "1"]);
    expect(code).toBe(0);
    const fork = `${world.project}-fork-1`;
    const there = Object.fromEntries(
      Object.entries(photo(fork)).filter(([name]) => !name.startsWith(".ralph/")),
    );
    expect(there).toEqual(before);
    expect(git(fork, "branch", "--show-current")).toMatch(/^ralph\/fork-.*-1$/m);
    expect(git(fork, "log", "--format=%s", "-1").trim()).toBe("second");
    expect(stdout).toContain(`cd ${fork} && ralph run -p x`);
    expect([world.git("rev-parse", "HEAD"), files(world)]).toEqual([own, here]);
    expect((await world.ralph(["fork", "1"])).stdout).toContain("-fork-1-2");
  });

  test("with --run starts the same run there, once more", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["echo 1 >> a", "echo 2 >> a"]);
    const into = join(world.home, "elsewhere");
    const { code, stdout } = await world.ralph(["fork", "2", "--into", into, "--run", "--json"]);
    expect(code).toBe(1);
    const [started] = ofType(events(stdout), "run.started");
    expect(started?.spec).toMatchObject({
      project: into,
      taskDir: into,
      work: { text: "x" },
      limits: { iterations: 2 },
    });
    expect(readFileSync(join(into, "a"), "utf8").split("\n")[0]).toBe("1");
    expect(world.runs()).toHaveLength(2);
    expect((await world.ralph(["rollback", "--yes"], { cwd: into })).code).toBe(0);
    expect(readFileSync(join(into, "a"), "utf8")).toBe("1\n");
  });

  test("outside git is a copy; an odd place is refused", async () => {
    const world = makeWorld();
    world.write("a", "0\n");
    await runDeeds(world, ["echo 1 > a"]);
    expectUserError(await world.ralph(["fork", "1", "--into", "inner"]), "cannot be in the project");
    expectUserError(await world.ralph(["fork", "1", "--into", world.home]), "not empty");
    expectUserError(await world.ralph(["fork", "7"]), "there is no iteration 7");
    expect((await world.ralph(["fork", "1"])).code).toBe(0);
    expect(readFileSync(join(`${world.project}-fork-1`, "a"), "utf8")).toBe("0\n");
  });
});

describe("bisect", () => {
  const deeds = ["echo 1 > a", "echo 2 > b", "touch BAD", "echo 4 > a", "echo 5 > a", "echo 6 > a"];

  test("finds the first iteration that breaks a gate, with few looks, and changes nothing", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, deeds);
    const before = files(world);
    const trace = join(world.home, "looks");
    const { code, stdout } = await world.ralph(["bisect", "--gate", `echo x >> ${trace}; test ! -e BAD`]);
    expect(code).toBe(0);
    expect(stdout).toContain("The gate broke in iteration 3:");
    expect(stdout).toMatch(/BAD \| 0/);
    expect(stdout).toContain("ralph diff 3");
    expect(readFileSync(trace, "utf8").length / 2).toBeLessThanOrEqual(5);
    expect(files(world)).toEqual(before);
    expect(leftFolders(world)).toEqual([]);
  });

  test("says so when there is nothing to find", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, deeds.slice(0, 2));
    const red = await world.ralph(["bisect", "--gate", "false"]);
    expect([red.code, red.stdout]).toEqual([1, expect.stringContaining("fails before the run already")]);
    const green = await world.ralph(["bisect", "--gate", "true"]);
    expect([green.code, green.stdout]).toEqual([1, expect.stringContaining("passes at the end too")]);
  });

  test("lends the dependencies, or sets up; what fails to set up is told; a gate has a time limit", async () => {
    const world = makeWorld({ git: true });
    world.write(".gitignore", "node_modules/\n");
    world.write("node_modules/dep", "x");
    await runDeeds(world, ["touch BAD"]);
    const lent = await world.ralph(["bisect", "--gate", "test -e node_modules/dep && test ! -e BAD"]);
    expect(lent.stdout).toContain("broke in iteration 1");
    const setUp = ["--setup", "test ! -e node_modules && touch ready"];
    expect((await world.ralph(["bisect", "--gate", "test -e ready && test ! -e BAD", ...setUp])).code).toBe(
      0,
    );
    expectUserError(
      await world.ralph(["bisect", "--gate", "true", "--setup", "echo no; exit 3"]),
      "set-up fails",
      "exit code 3: no",
    );
    const slow = await world.ralph(["bisect", "--gate", "test ! -e BAD || sleep 60", "--timeout", "2s"]);
    expect([slow.code, slow.stdout]).toEqual([0, expect.stringContaining("longer than its limit of 2 s")]);
  });

  test("leaves no folder and no process behind when it is stopped", async () => {
    const world = makeWorld({ git: true });
    await runDeeds(world, ["touch BAD"]);
    const mark = join(world.home, "gate-runs");
    const started = world.start(["bisect", "--gate", `touch ${mark}; sleep 300`]);
    await until("the gate runs", () => existsSync(mark));
    process.kill(started.pid, "SIGINT");
    const { code, stderr } = await started.ended;
    expect([code, stderr]).toEqual([130, "Stopped. Nothing was changed.\n"]);
    expect(leftFolders(world)).toEqual([]);
  });
});

describe("the way back at the end of a run", () => {
  test("is printed when it failed, and its commands work", async () => {
    const world = makeWorld({ git: true });
    world.write("a", "0\n");
    const { stderr } = await runDeeds(world, ["echo 1 > a"]);
    const store = join(world.runFolder(), "snapshots");
    expect(stderr).toContain(`Snapshots: ${store}`);
    for (const command of ["ralph diff", "ralph rollback"]) expect(stderr).toContain(`: ${command}\n`);
    const manual = /Manual: (.*)/.exec(stderr)?.[1] ?? "false";
    execFileSync("sh", ["-c", manual], { cwd: world.project, stdio: "pipe" });
    expect(world.read("a")).toBe("0\n");
    expect(JSON.parse((await world.ralph(["status", "--json"])).stdout)).toMatchObject({
      snapshotPath: store,
    });
    expect((await world.ralph(["rollback", "--yes"])).code).toBe(0);
  });

  test("is not printed when nothing changed, or when it succeeded", async () => {
    const world = makeWorld({ git: true });
    expect((await runDeeds(world, ["true"])).stderr).not.toContain("Snapshots:");
    world.speaking({ turns: [{ actions: [{ run: "echo 1 > a" }], final: "<response>DONE</response>" }] });
    const done = await world.ralph(["run", "-p", "x"]);
    expect([done.code, done.stderr.includes("Snapshots:")]).toEqual([0, false]);
    expect((await world.ralph(["rollback", "--yes"])).code).toBe(0);
    expect(world.has("a")).toBe(false);
  });
});

function git(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8" });
}
