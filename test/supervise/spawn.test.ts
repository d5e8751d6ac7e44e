import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { exec } from "../../src/supervise/exec.ts";
import { MARK_VARIABLE, startTicksOf } from "../../src/supervise/proc.ts";
import { spawnTree, type Tree, type TreeExit } from "../../src/supervise/spawn.ts";
import { endNow } from "../processes.ts";
import { isRunning, pidIn, temporaryFolder, until } from "./folder.ts";

interface Started extends Tree {
  readonly folder: string;
  out(): string;
  err(): string;
}

/** Should a test fail, what it left behind must not stay: each stray by its number and its own start time. */
const strays: { pid: number; ticks: number | undefined }[] = [];

/** Runs a shell script in a folder of its own. */
function run(
  script: string,
  more: { stdin?: string; wallMs?: number; env?: NodeJS.ProcessEnv } = {},
): Started {
  const folder = temporaryFolder();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const tree = spawnTree({
    file: "sh",
    args: ["-c", script],
    cwd: folder,
    env: { ...process.env, ...more.env },
    stdin: more.stdin ?? "",
    ...(more.wallMs === undefined ? {} : { wallMs: more.wallMs }),
    onStdout: (chunk) => void out.push(chunk) as undefined,
    onStderr: (chunk) => err.push(chunk),
  });
  if (tree.process !== undefined) strays.push({ pid: tree.process.pid, ticks: tree.process.startTicks });
  return {
    ...tree,
    folder,
    out: () => Buffer.concat(out).toString(),
    err: () => Buffer.concat(err).toString(),
  };
}

/** Waits in a script until the file is there, though not for ever: a test that fails must not leave it waiting. */
const wait = (file: string) =>
  `i=0; while [ ! -s ${file} ] && [ $i -lt 6000 ]; do i=$((i+1)); sleep 0.01; done`;

/** Script that never ends by itself, its pid in `pid`. */
const FOR_EVER = "sh -c 'echo $$ > pid; exec sleep 100'";
const STUBBORN = "sh -c 'trap \"\" TERM; echo $$ > pid; exec sleep 100'";

afterAll(() => {
  for (const { pid, ticks } of strays) {
    if (isRunning(pid) && startTicksOf(pid) === ticks) endNow(pid);
  }
});

/** The pid that the script of a tree wrote, while it may still run. */
async function strayOf(tree: Started): Promise<number> {
  const pid = await pidIn(join(tree.folder, "pid"));
  strays.push({ pid, ticks: startTicksOf(pid) });
  return pid;
}

describe("a program", () => {
  it.each<[name: string, script: string, exit: Partial<TreeExit>]>([
    ["that passes", "exit 0", { code: 0, signal: null }],
    ["that fails", "exit 41", { code: 41, signal: null }],
    ["that kills itself", "kill -9 $$", { code: null, signal: "SIGKILL" }],
    ["that ends itself politely", "kill -15 $$", { code: null, signal: "SIGTERM" }],
  ])("%s is told as it is", async (_, script, exit) => {
    expect(await run(script).exited).toEqual(exit);
  });

  it("has both its streams, apart and whole", async () => {
    const tree = run('i=0; while [ $i -lt 500 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); done');
    await tree.exited;
    const lines = (word: string) => Array.from({ length: 500 }, (_, n) => `${word} ${n}\n`).join("");
    expect(tree.out()).toBe(lines("out"));
    expect(tree.err()).toBe(lines("err"));
  });

  it("leads a group of its own and carries a mark", async () => {
    const tree = run(`echo "$$ $${MARK_VARIABLE}"; ps -o pgid= -p $$`);
    await tree.exited;
    const [own = "", group = ""] = tree.out().trim().split("\n");
    expect(own).toBe(`${tree.process?.pid} ${tree.process?.mark}`);
    expect(Number(group)).toBe(tree.process?.pid);
  });

  it("adds its mark to the one it was given", async () => {
    const tree = run(`echo "$${MARK_VARIABLE}"`, { env: { [MARK_VARIABLE]: "outer" } });
    await tree.exited;
    expect(tree.out()).toBe(`outer:${tree.process?.mark}\n`);
  });
});

describe("what cannot be started", () => {
  const start = (file: string, more: { cwd?: string; args?: string[] } = {}) =>
    spawnTree({
      file,
      args: more.args ?? [],
      cwd: more.cwd ?? temporaryFolder(),
      env: process.env,
      stdin: "some input",
      onStdout: () => undefined,
      onStderr: () => {},
    });
  const plainFile = () => {
    const file = join(temporaryFolder(), "plain");
    writeFileSync(file, "echo no");
    return file;
  };

  it.each<[name: string, tree: () => Tree, code: string]>([
    ["a program that is not there", () => start("no-such-program-at-all"), "ENOENT"],
    ["a path that is not there", () => start("/no/such/program"), "ENOENT"],
    ["a file that may not be run", () => start(plainFile()), "EACCES"],
    ["a folder", () => start("/tmp"), "EACCES"],
    ["a working folder that is not there", () => start("sh", { cwd: "/no/such/folder" }), "ENOENT"],
    ["an argument that is too long", () => start("true", { args: ["x".repeat(4_000_000)] }), "E2BIG"],
    ["an argument that cannot be", () => start("true", { args: ["a\0b"] }), "ERR_INVALID_ARG_VALUE"],
  ])("is told: %s", async (_, tree, code) => {
    const started = tree();
    expect(started.process).toBeUndefined();
    started.stop(0); // to no effect, and no error
    const exit = await started.exited;
    expect(exit).toMatchObject({ code: null, signal: null, spawnError: { code } });
    expect(exit.spawnError?.message).not.toBe("");
  });
});

describe("standard input", () => {
  it("arrives whole, a megabyte of it", async () => {
    const stdin = "0123456789abcdé\n".repeat(64 * 1024);
    const tree = run("cat", { stdin });
    await tree.exited;
    expect(tree.out() === stdin).toBe(true);
  });

  it("is over for a program that reads to its end", async () => {
    const tree = run("cat; echo over");
    await tree.exited;
    expect(tree.out()).toBe("over\n");
  });

  it.each([
    ["ends without reading it", "exit 5"],
    ["closes it", "exec 0<&-; sleep 0.1; exit 5"],
  ])("does not matter to a program that %s", async (_, script) => {
    expect(await run(script, { stdin: "x".repeat(4_000_000) }).exited).toEqual({ code: 5, signal: null });
  });
});

/** Ways for a child to slip out of its parent's hands. */
const ESCAPEES: [name: string, script: string][] = [
  ["in the background", `${FOR_EVER} &`],
  ["in a session of its own", `setsid ${FOR_EVER} &`],
  ["forked twice", `( ( ${FOR_EVER} & ) & )`],
  ["that ignores SIGTERM", `${STUBBORN} &`],
  ["in a session of its own that ignores SIGTERM", `( setsid ${STUBBORN} & )`],
];

describe.concurrent("nothing is left", () => {
  it.each(ESCAPEES)("of a child %s when the program exits", async (_, script) => {
    const tree = run(`${script}\n${wait("pid")}; exit 7`);
    const pid = await strayOf(tree);
    expect(await tree.exited).toEqual({ code: 7, signal: null });
    expect(isRunning(pid)).toBe(false);
  });

  it.each(ESCAPEES)("of a child %s when the tree is stopped at once", async (_, script) => {
    const tree = run(`trap "" TERM; ${script}\n${wait("never")}`);
    const pid = await strayOf(tree);
    expect(isRunning(pid)).toBe(true);
    tree.stop(0);
    expect(await tree.exited).toEqual({ code: null, signal: "SIGKILL", endedBy: "stopped" });
    expect(isRunning(pid)).toBe(false);
  });

  it.each(ESCAPEES)("of a child %s when the tree is stopped with a grace", async (_, script) => {
    const tree = run(`${script}\n${wait("never")}`);
    const pid = await strayOf(tree);
    tree.stop(300);
    expect(await tree.exited).toMatchObject({ endedBy: "stopped" });
    expect(isRunning(pid)).toBe(false);
  });

  it.each(ESCAPEES)("of a child %s when the time is up", async (_, script) => {
    const tree = run(`${script}\n${wait("never")}`, { wallMs: 2500 });
    const pid = await strayOf(tree);
    expect(await tree.exited).toMatchObject({ endedBy: "timeout" });
    expect(isRunning(pid)).toBe(false);
  });

  it("of a whole family, though a grandchild marked itself anew", async () => {
    const inner = `${MARK_VARIABLE}="$${MARK_VARIABLE}:inner" setsid ${FOR_EVER}`;
    const tree = run(`( ${inner} & )\n${wait("pid")}; exit 0`);
    const pid = await strayOf(tree);
    await tree.exited;
    expect(isRunning(pid)).toBe(false);
  });

  it("of one that keeps forking while it is being ended", async () => {
    const forker =
      'trap "" TERM; echo $$ > pid; i=0; while [ $i -lt 2000 ]; do sleep 100 & echo $! >> all; i=$((i+1)); sleep 0.01; done';
    const tree = run(`setsid sh -c '${forker}' & ${wait("all")}; exit 0`);
    await strayOf(tree);
    await tree.exited;
    const all = readFileSync(join(tree.folder, "all"), "utf8").trim().split("\n").map(Number);
    for (const pid of all) strays.push({ pid, ticks: startTicksOf(pid) });
    expect(all.length).toBeGreaterThan(0);
    expect(all.filter(isRunning)).toEqual([]);
  });
});

describe("stopping", () => {
  it("lets a program clean up within its grace", async () => {
    const tree = run(`trap 'echo cleaned; exit 9' TERM; echo > ready; while :; do sleep 0.05; done`);
    await until("the trap", () => existsSync(join(tree.folder, "ready")));
    tree.stop(10_000);
    expect(await tree.exited).toEqual({ code: 9, signal: null, endedBy: "stopped" });
    expect(tree.out()).toBe("cleaned\n");
  });

  it("twice does not wait for the grace of the first", async () => {
    const tree = run(`trap "" TERM; echo $$ > pid; ${wait("never")}`);
    await pidIn(join(tree.folder, "pid"));
    tree.stop(1_000_000);
    tree.stop(0);
    expect(await tree.exited).toEqual({ code: null, signal: "SIGKILL", endedBy: "stopped" });
  });

  it("is told from a time limit by what came first", async () => {
    const tree = run(`trap "" TERM; echo $$ > pid; ${wait("never")}`, { wallMs: 60_000 });
    await pidIn(join(tree.folder, "pid"));
    tree.stop(0);
    expect((await tree.exited).endedBy).toBe("stopped");
  });

  it("after the end changes nothing", async () => {
    const tree = run("exit 3");
    const exit = await tree.exited;
    tree.stop(0);
    expect(await tree.exited).toBe(exit);
    expect(exit).toEqual({ code: 3, signal: null });
  });
});

describe("an escapee without the mark", () => {
  it("that holds the pipes open does not keep the run waiting", async () => {
    const tree = run(`( env -i setsid ${FOR_EVER} & )\n${wait("pid")}; echo said; exit 0`);
    await strayOf(tree);
    expect(await tree.exited).toEqual({ code: 0, signal: null });
    expect(tree.out()).toBe("said\n");
  });
});

describe("exec", () => {
  const options = () => ({ cwd: temporaryFolder(), env: process.env });

  it("collects what a program says", async () => {
    const result = await exec("sh", ["-c", "cat; echo bad >&2; exit 3"], { ...options(), stdin: "in" });
    expect(result).toEqual({ code: 3, stdout: "in", stderr: "bad\n" });
  });

  it("tells a program that is not there", async () => {
    const result = await exec("no-such-program-at-all", [], options());
    expect(result).toMatchObject({ code: null, stdout: "", stderr: "" });
    expect(result.error).toContain("ENOENT");
  });

  it("ends what takes too long, children included", async () => {
    const at = options();
    const ended = exec("sh", ["-c", `${FOR_EVER} & ${wait("never")}`], { ...at, wallMs: 2000 });
    const pid = await pidIn(join(at.cwd, "pid"));
    expect(await ended).toEqual({ code: null, stdout: "", stderr: "", error: "took too long" });
    expect(isRunning(pid)).toBe(false);
  });

  it("ends when it is told to, also when it was told before it began", async () => {
    const at = options();
    const controller = new AbortController();
    const ended = exec("sh", ["-c", `trap "" TERM; echo $$ > pid; ${wait("never")}`], {
      ...at,
      signal: controller.signal,
    });
    await pidIn(join(at.cwd, "pid"));
    controller.abort();
    expect((await ended).code).toBeNull();
    const late = await exec("sh", ["-c", wait("never")], {
      ...options(),
      signal: AbortSignal.abort(),
      wallMs: 10_000,
    });
    expect(late).toEqual({ code: null, stdout: "", stderr: "" });
  });
});
