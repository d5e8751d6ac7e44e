import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { MARK_VARIABLE, startTicksOf } from "../../src/supervise/proc.ts";
import { spawnTree } from "../../src/supervise/spawn.ts";
import { endTree, signalTree } from "../../src/supervise/tree.ts";
import { which, whichAll } from "../../src/supervise/which.ts";
import { DEADLINE_MS } from "../deadline.ts";
import { isRunning, pidIn, programOf, temporaryFolder, until } from "./folder.ts";

const strangers: ChildProcess[] = [];
afterEach(() => {
  for (const child of strangers.splice(0)) child.kill("SIGKILL");
});

/** A process that is none of ralph's, in a group of its own, and will not end by itself. */
async function stranger(mark?: string): Promise<number> {
  const child = spawn(
    "sh",
    ["-c", 'trap "echo hit; exit 1" TERM; echo ready; while :; do sleep 0.05; done'],
    {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, ...(mark === undefined ? {} : { [MARK_VARIABLE]: mark }) },
    },
  );
  strangers.push(child);
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await until("the stranger", () => said.includes("ready"));
  if (child.pid === undefined) throw new Error("no stranger");
  return child.pid;
}

function tree(script: string, mark: string) {
  const folder = temporaryFolder();
  const silent = { stdin: "", onStdout: () => undefined, onStderr: () => {} };
  const env = { ...process.env, [MARK_VARIABLE]: mark };
  return { folder, ...spawnTree({ file: "sh", args: ["-c", script], cwd: folder, env, ...silent }) };
}

describe("a stranger", () => {
  it("is never signalled: not one beside the tree, not a tree of the same ralph", async () => {
    const beside = await stranger();
    const marked = await stranger("outer:another");
    const sibling = tree("echo $$ > pid; exec sleep 100", "outer");
    await pidIn(join(sibling.folder, "pid"));
    const ended = tree("setsid sleep 100 & echo $$ > pid; exec sleep 100", "outer");
    const pid = await pidIn(join(ended.folder, "pid"));
    ended.stop(0);
    await ended.exited;
    expect(isRunning(pid)).toBe(false);
    expect([beside, marked, sibling.process?.pid ?? 0].map(isRunning)).toEqual([true, true, true]);
    sibling.stop(0);
    await sibling.exited;
    expect([beside, marked].map(isRunning)).toEqual([true, true]);
  });

  it("that was given the number of a process of ours is left alone", async () => {
    const pid = await stranger();
    const startTicks = startTicksOf(pid);
    if (startTicks === undefined) throw new Error("no start time");
    const ours = { pid, mark: "0123456789abcdef01", startTicks: startTicks - 1 };
    expect(signalTree(ours, "SIGTERM")).toBe(0);
    expect(await endTree(ours, 50)).toEqual([]);
    expect(await endTree(ours, 0)).toEqual([]);
    expect(isRunning(pid)).toBe(true);
  });

  it("would be found if the number and the time were its own", async () => {
    const pid = await stranger();
    const startTicks = startTicksOf(pid);
    const ours = { pid, mark: "0123456789abcdef01", ...(startTicks === undefined ? {} : { startTicks }) };
    expect(await endTree(ours, 0)).toEqual([]);
    expect(isRunning(pid)).toBe(false);
  });
});

describe("the children of a process that is gone", () => {
  it("are found by their mark when its number belongs to another now", async () => {
    const child = await stranger("outer:0123456789abcdef02");
    const other = await stranger();
    const startTicks = startTicksOf(other);
    if (startTicks === undefined) throw new Error("no start time");
    const gone = { pid: other, mark: "0123456789abcdef02", startTicks: startTicks - 1 };
    expect(await endTree(gone, 0)).toEqual([]);
    expect([child, other].map(isRunning)).toEqual([false, true]);
  });

  // In a process namespace of its own, where the next number can be chosen.
  const inNamespace = (...command: string[]) =>
    spawnSync("sh", ["-c", 'exec unshare -Urpf --mount-proc "$@"', "sh", ...command], {
      encoding: "utf8",
      timeout: DEADLINE_MS,
    });
  const hasNamespaces = inNamespace("true").status === 0;
  it.skipIf(!hasNamespaces)("are found when the numbers have started over since", async () => {
    const program = await programOf(new URL("./numbers.ts", import.meta.url));
    const result = inNamespace(process.execPath, program, temporaryFolder());
    expect(result.stderr).toBe("");
    expect(JSON.parse(result.stdout)).toEqual({ isLower: true, isPassed: true, isLeft: false });
  });
});

describe("which", () => {
  const folder = temporaryFolder();
  const put = (name: string, mode: number) => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), "#!/bin/sh\n");
    chmodSync(join(folder, name), mode);
  };
  put("a/tool", 0o755);
  put("b/tool", 0o755);
  put("c/tool", 0o644);
  mkdirSync(join(folder, "d/tool"), { recursive: true });
  const at = (...parts: string[]) => parts.map((part) => join(folder, part)).join(":");

  it.each<[name: string, program: string, path: string | undefined, found: string[]]>([
    ["in the order of PATH", "tool", at("b", "a"), ["b/tool", "a/tool"]],
    ["once, though a folder comes twice", "tool", at("a", "a"), ["a/tool"]],
    ["past files that may not be run and folders", "tool", at("c", "d", "nowhere", "a"), ["a/tool"]],
    ["in folders of PATH that are relative", "tool", "a:./b", ["a/tool", "b/tool"]],
    ["nowhere, with an empty PATH", "tool", "", []],
    ["nowhere, without PATH", "tool", undefined, []],
    ["from the working folder, with a slash", "./a/tool", at("b"), ["a/tool"]],
    ["by its full path", join(folder, "a/tool"), undefined, ["a/tool"]],
    ["not by a path that is no program", "./c/tool", undefined, []],
  ])("finds a program %s", (_, program, path, found) => {
    expect(whichAll(program, { cwd: folder, path })).toEqual(found.map((name) => join(folder, name)));
    expect(which(program, { cwd: folder, path })).toBe(
      found[0] === undefined ? undefined : join(folder, found[0]),
    );
  });
});
