import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { endLeftovers } from "../../src/supervise/leftovers.ts";
import { findMeans, GROUP, type Means, type MeansName } from "../../src/supervise/means.ts";
import { startTicksOf } from "../../src/supervise/proc.ts";
import { spawnTree } from "../../src/supervise/spawn.ts";
import { which } from "../../src/supervise/which.ts";
import { endNow } from "../processes.ts";
import { programOf, temporaryFolder, until } from "./folder.ts";

/** Ways to slip out of a parent's hands; each names its process by what it sleeps for. */
const ESCAPEES: readonly [name: string, script: (word: string) => string][] = [
  ["background child", (word) => `sleep ${word} &`],
  ["setsid", (word) => `setsid sleep ${word} &`],
  ["double fork", (word) => `( setsid sh -c 'sleep ${word} & sleep ${word}' & )`],
  ["ignores TERM", (word) => `( trap "" TERM; exec nohup sleep ${word} ) &`],
  ["setsid, ignores TERM", (word) => `( trap "" TERM; exec setsid sleep ${word} ) &`],
  ["setsid, empty environment", (word) => `setsid env -i sleep ${word} &`],
];
const NAMES = ESCAPEES.map(([name]) => name);

/** A PATH on which only one of the programs that make namespaces is found. */
function onlyBubblewrap(): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  const bwrap = which("bwrap", { cwd: "/", path: process.env["PATH"] });
  if (bwrap !== undefined) symlinkSync(bwrap, join(folder, "bwrap"));
  return { ...process.env, PATH: folder };
}

const HERE = process.env;
const CASES = await Promise.all(
  (
    [
      ["namespace", HERE],
      ["namespace", onlyBubblewrap()],
      ["cgroup", HERE],
      ["group", HERE],
    ] as const
  ).map(async ([name, env]) => ({ name, env, means: await findMeans(name, env) })),
);

/** A script that lets all of them go, waits until they run, and then does what is said. */
function scriptOf(words: readonly string[], then: string): string {
  return `${ESCAPEES.map(([, script], n) => script(words[n] ?? "")).join("\n")}\n${then}`;
}

/** Words that no other process has in its command line. Seconds, so that nothing stays for ever. */
function newWords(): string[] {
  return ESCAPEES.map((_, n) => `12${n}.${BigInt(`0x${randomBytes(7).toString("hex")}`)}`);
}

const strays: { pid: number; ticks: number | undefined }[] = [];
afterAll(() => {
  for (const { pid, ticks } of strays) if (startTicksOf(pid) === ticks) endNow(pid);
});

/** Which of them run, by their names. */
function running(words: readonly string[]): string[] {
  const found = new Set<number>();
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger)) {
    const args = argumentsOf(pid);
    const which = words.findIndex((word) => args.at(-1) === word && args.includes("sleep"));
    if (which < 0) continue;
    found.add(which);
    strays.push({ pid, ticks: startTicksOf(pid) });
  }
  return NAMES.filter((_, n) => found.has(n));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

function hold(means: Means, script: string, out: Buffer[] = []) {
  return spawnTree({
    file: "sh",
    args: ["-c", script],
    cwd: temporaryFolder(),
    env: process.env,
    stdin: "",
    means,
    onStdout: (chunk) => void out.push(chunk) as undefined,
    onStderr: () => {},
  });
}

/** What gets away: a process group does not hold one that forgot everything about us. */
const GETS_AWAY: Readonly<Record<MeansName, readonly string[]>> = {
  namespace: [],
  cgroup: [],
  group: ["setsid, empty environment"],
};

const table: string[][] = [["held by", "program exits", "stopped at once", "ralph killed -9", "next start"]];
afterAll(() => {
  const width = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const lines = table.map((row) => row.map((cell, n) => cell.padEnd(width(n))).join("  "));
  process.stdout.write(`\nSurvivors of ${NAMES.length} escapees, by means\n${lines.join("\n")}\n`);
});
const told = (names: readonly string[]) => (names.length === 0 ? "none" : names.join(", "));

describe.concurrent.each(CASES)("a $name: $means.words", ({ name, env, means }) => {
  const away = GETS_AWAY[name];
  const attempt = means === undefined ? it.skip : it.concurrent;
  const row: string[] = [means?.words.split(";")[0] ?? name];
  afterAll(() => void table.push(row));

  attempt("leaves nothing when the program exits", async () => {
    const words = newWords();
    const release = join(temporaryFolder(), "release");
    const tree = hold(
      means as Means,
      scriptOf(words, `until [ -e ${release} ]; do sleep 0.02; done; exit 7`),
    );
    await until("all of them to run", () => running(words).length === NAMES.length);
    writeFileSync(release, "");
    expect(await tree.exited).toEqual({ code: 7, signal: null });
    row[1] = told(running(words));
    expect(running(words)).toEqual(away);
  });

  attempt("tells an exit code that looks like a signal nobody dies of", async () => {
    for (const code of [144, 145, 147, 173, 244]) {
      expect(await hold(means as Means, `exit ${code}`).exited).toEqual({ code, signal: null });
    }
  });

  attempt("leaves nothing when it is stopped at once", async () => {
    const words = newWords();
    const tree = hold(means as Means, scriptOf(words, 'trap "" TERM; while :; do sleep 0.2; done'));
    await until("all of them to run", () => running(words).length === NAMES.length);
    tree.stop(0);
    expect(await tree.exited).toEqual({ code: null, signal: "SIGKILL", endedBy: "stopped" });
    row[2] = told(running(words));
    expect(running(words)).toEqual(away);
  });

  attempt("leaves what the docs say when ralph itself is killed", async () => {
    const words = newWords();
    const run = `run-${words[0]}`;
    const holder = await programOf(new URL("holder.ts", import.meta.url));
    const script = scriptOf(words, "while :; do sleep 0.2; done");
    const child = spawn(process.execPath, [holder, name, script], {
      cwd: temporaryFolder(),
      env: { ...HERE, RALPH_RUN_ID: run, MEANS_PATH: env["PATH"] },
      stdio: ["ignore", "ignore", "inherit"],
    });
    await until("all of them to run", () => running(words).length === NAMES.length);
    child.kill("SIGKILL");
    await once(child, "exit");
    if (means?.diesWithUs === true) await until("none to be left", () => running(words).length === 0);
    row[3] = told(running(words));
    expect(running(words)).toEqual(means?.diesWithUs === true ? [] : NAMES);
    await endLeftovers(run);
    row[4] = told(running(words));
    expect(running(words)).toEqual(away);
  });
});

const slowly = CASES[0]?.means === undefined ? it.skip : it.concurrent;
slowly("a machine that is slow to answer is not taken for one that holds nothing", async () => {
  const folder = temporaryFolder();
  const path = (name: string) => which(name, { cwd: "/", path: process.env["PATH"] }) ?? "";
  for (const name of ["unshare", "setsid"]) symlinkSync(path(name), join(folder, name));
  writeFileSync(join(folder, "setpriv"), `#!/bin/sh\nsleep 6\nexec ${path("setpriv")} "$@"\n`);
  chmodSync(join(folder, "setpriv"), 0o755);
  const means = await findMeans("auto", { PATH: `${folder}:/usr/bin:/bin` });
  expect(means?.words).toBe("pid namespace (unshare)");
});

describe.each(CASES.slice(0, 2))("a program in a namespace: $means.words", ({ means: found }) => {
  const means = found as Means;
  const it = found === undefined ? test.skip : test;
  const run = async (script: string, stdin = "", by: Means = means) => {
    const out: Buffer[] = [];
    const tree = spawnTree({
      file: "sh",
      args: ["-c", script],
      cwd: temporaryFolder(),
      env: process.env,
      stdin,
      means: by,
      onStdout: (chunk) => void out.push(chunk) as undefined,
      onStderr: (chunk) => out.push(chunk),
    });
    return { exit: await tree.exited, out: Buffer.concat(out).toString() };
  };

  it("gets its input and nothing of ours", async () => {
    const script = "cat; ls /proc/self/fd";
    const seen = await run(script, "hello\n");
    expect(seen).toEqual(await run(script, "hello\n", GROUP));
    expect(seen).toMatchObject({ exit: { code: 0, signal: null } });
    expect(seen.out).toMatch(/^hello\n0\n/);
  });

  it("can take SIGINT, and its end by a signal is told without a word of the shell", async () => {
    expect(await run("trap 'echo caught' INT; kill -INT $$")).toMatchObject({ out: "caught\n" });
    expect(await run("kill -SEGV $$")).toEqual({ out: "", exit: { code: 139, signal: "SIGSEGV" } });
  });

  it("may end its own group without ending what holds it", async () => {
    const { exit } = await run("trap 'exit 9' TERM; sleep 100 & kill 0; wait");
    expect(exit).toEqual({ code: 9, signal: null });
  });

  it("cannot see or signal what is outside", async () => {
    const { out } = await run(`kill -0 ${process.pid} 2>&1 || echo unseen`);
    expect(out).toContain("unseen");
  });

  it("that is asked to go may tidy up first", async () => {
    const out: Buffer[] = [];
    const tree = hold(means, "trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.05; done", out);
    await until("it to be ready", () => Buffer.concat(out).includes("ready"));
    tree.stop(30_000);
    expect(await tree.exited).toEqual({ code: 0, signal: null, endedBy: "stopped" });
    expect(Buffer.concat(out).toString()).toBe("ready\ntidy\n");
  });
});

const UNPRIVILEGED = 65534;
describe.skipIf(process.getuid?.() !== 0)("a user who is not root", () => {
  it("can hold processes in a namespace too", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o777);
    const program = join(folder, "holder.mjs");
    copyFileSync(await programOf(new URL("holder.ts", import.meta.url)), program);
    const words = newWords();
    const script = scriptOf(words, "id -u; until [ -e release ]; do sleep 0.02; done; exit 3");
    const child = spawn(process.execPath, [program, "namespace", script], {
      cwd: folder,
      uid: UNPRIVILEGED,
      gid: UNPRIVILEGED,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let told = "";
    child.stdout.on("data", (chunk) => (told += chunk));
    const over = once(child, "close");
    await until(
      "all of them to run, or the end",
      () => running(words).length === NAMES.length || child.exitCode !== null,
    );
    writeFileSync(join(folder, "release"), "");
    await over;
    expect(told).toBe(`{"code":3,"signal":null,"out":"${UNPRIVILEGED}\\n"}`);
    expect(running(words)).toEqual([]);
  });
});
