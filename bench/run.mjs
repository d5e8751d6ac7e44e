// Ratios, all inside one run and interleaved, so that a noisy machine hits every case alike. No absolute goals.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { guardCase, measureHooks } from "./hooks.mjs";
import { measureServed } from "./served.mjs";
import { measureSnapshots } from "./snapshot.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const ralph = join(root, "bin/ralph");
const home = mkdtempSync(join(tmpdir(), "ralph-bench-"));
const env = {
  ...process.env,
  RALPH_STATE_DIR: join(home, "state"),
  RALPH_TRUST_PROJECT: "1",
  NO_COLOR: "1",
  RALPH_SANDBOX: "none",
};
const rows = [];

const PARTS = { startUp, iterationOverhead, stream, snapshots, hooks, served, guard, sandbox };

try {
  // One part can be asked for by its name: npm run bench -- hooks
  const wanted = process.argv.slice(2);
  for (const [name, measure] of Object.entries(PARTS)) {
    if (wanted.length === 0 || wanted.includes(name)) await measure();
  }
  for (const row of rows) console.log(row.map((cell, index) => cell.padEnd([44, 14, 14, 0][index])).join(""));
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** CPU of `ralph --version` and `--help` beside a node that does nothing. */
function startUp() {
  const cases = {
    "node -e 0": ["-e", "0"],
    "ralph --version": [ralph, "--version"],
    "ralph --help": [ralph, "--help"],
  };
  const cpu = Object.fromEntries(Object.keys(cases).map((name) => [name, 0]));
  const rounds = 40;
  for (let round = 0; round < rounds; round++) {
    for (const [name, args] of shuffled(Object.entries(cases))) {
      const before = childCpuMs();
      spawnSync(process.execPath, args, { env, stdio: "ignore" });
      cpu[name] += childCpuMs() - before;
    }
  }
  heading("start-up, CPU", "ms each", "ratio");
  for (const name of Object.keys(cases)) {
    rows.push([
      name,
      (cpu[name] / rounds).toFixed(1),
      ratio(cpu[name], cpu["node -e 0"]),
      name === "ralph --version" ? "goal: at most 1.10" : "",
    ]);
  }
}

/** One more iteration, beside one more turn of a shell loop with the same 5 ms agent: the slope, not the start-up. */
function iterationOverhead() {
  const project = join(home, "project");
  mkdirSync(project);
  const agent = join(home, "agent");
  writeFileSync(agent, "#!/bin/sh\ncat >/dev/null\nsleep 0.005\necho working\n", { mode: 0o755 });
  const [few, many] = [2, 62];
  const cases = {
    "sh loop": (n) => [
      "sh",
      ["-c", `i=0; while [ $i -lt ${n} ]; do echo prompt | ${agent}; i=$((i+1)); done`],
    ],
    "ralph, no guardrail": (n) => [
      ralph,
      ["run", "-p", "work", "--agent", agent, "-m", String(n), "--max-no-progress", "0"],
    ],
  };
  const slopes = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < 7; round++) {
    for (const [name, command] of shuffled(Object.entries(cases))) {
      const slope = (wallMs(project, command(many)) - wallMs(project, command(few))) / (many - few);
      slopes[name].push(slope);
    }
  }
  heading("one iteration with a 5 ms agent, wall", "ms each", "ratio");
  for (const name of Object.keys(cases)) {
    rows.push([
      name,
      median(slopes[name]).toFixed(1),
      ratio(median(slopes[name]), median(slopes["sh loop"])),
      "",
    ]);
  }
}

/** What the fence adds to an iteration: bubblewrap, and with an allowlist also the launcher, which is a Node. */
function sandbox() {
  const agent = join(home, "fenced-agent");
  writeFileSync(agent, "#!/bin/sh\ncat >/dev/null\nsleep 0.005\necho working\n", { mode: 0o755 });
  const modes = {
    "without a sandbox": undefined,
    "bubblewrap, no network": "none",
    "bubblewrap, allowlist": "allowlist",
  };
  const projects = Object.entries(modes).map(([name, mode], index) => {
    const project = join(home, `fenced-${index}`);
    mkdirSync(join(project, ".ralph"), { recursive: true });
    const settings = mode === undefined ? {} : { sandbox: { kind: "bubblewrap", network: { mode } } };
    writeFileSync(join(project, ".ralph", "settings.json"), JSON.stringify(settings));
    return [name, project];
  });
  const [few, many] = [2, 22];
  const command = (n) => [
    ralph,
    ["run", "-p", "work", "--agent", agent, "-m", String(n), "--max-no-progress", "0"],
  ];
  const slopes = Object.fromEntries(projects.map(([name]) => [name, []]));
  const starts = Object.fromEntries(projects.map(([name]) => [name, []]));
  const node = [];
  for (let round = 0; round < 7; round++) {
    node.push(wallMs(home, [process.execPath, ["-e", "0"]]));
    for (const [name, project] of shuffled(projects)) {
      const short = wallMs(project, command(few));
      const slope = (wallMs(project, command(many)) - short) / (many - few);
      slopes[name].push(slope);
      starts[name].push(short - few * slope);
    }
  }
  const free = "without a sandbox";
  heading("one iteration with a 5 ms agent, wall", "ms each", "ratio");
  for (const [name] of projects) {
    rows.push([name, median(slopes[name]).toFixed(1), ratio(median(slopes[name]), median(slopes[free])), ""]);
    if (name === free) continue;
    const more = median(slopes[name]) - median(slopes[free]);
    rows.push(["  more, beside node -e 0", more.toFixed(1), ratio(more, median(node)), ""]);
    const once = median(starts[name]) - median(starts[free]);
    rows.push(["  once a run (opened and tried)", once.toFixed(1), ratio(once, median(node)), ""]);
  }
}

/** A stream of 1 GB, beside `wc -l` on the same: time, and the most memory that ralph ever held. */
function stream() {
  const project = join(home, "project");
  const agent = join(home, "talker");
  const line = JSON.stringify({
    type: "item.completed",
    item: { id: "m", type: "agent_message", text: "é".repeat(400) },
  });
  writeFileSync(join(home, "line"), `${line}\n`.repeat(1000));
  const block = Buffer.byteLength(`${line}\n`) * 1000;
  const cat = `i=0; while [ $i -lt ${Math.round(1e9 / block)} ]; do cat ${join(home, "line")}; i=$((i+1)); done`;
  writeFileSync(agent, `#!/bin/sh\n[ "$2" = --help ] && exit 0\n${cat}\n`, { mode: 0o755 });
  writeFileSync(join(home, "codex"), readFileSync(agent), { mode: 0o755 });
  const wc = wallMs(project, ["sh", ["-c", `(${cat}) | wc -l`]]);
  const args = ["run", "-p", "work", "--agent", join(home, "codex"), "-m", "1", "--no-stream-agent-output"];
  const started = performance.now();
  const timed = spawnSync("/usr/bin/time", ["-f", "%M", process.execPath, ralph, ...args], {
    cwd: project,
    env,
    encoding: "utf8",
  });
  const wall = performance.now() - started;
  heading("a stream of 1 GB, wall", "s", "ratio");
  rows.push(["wc -l", (wc / 1000).toFixed(2), "1.00", ""]);
  rows.push(["ralph, parsed and kept", (wall / 1000).toFixed(2), ratio(wall, wc), ""]);
  const kib = Number(timed.stderr?.trim().split("\n").at(-1));
  if (Number.isFinite(kib))
    rows.push(["  most memory held, MB", (kib / 1024).toFixed(0), "", "flat: does not grow with the stream"]);
}

/** Snapshots of 10,000 files with 20 changes, beside `git status`. */
async function snapshots() {
  const ms = await measureSnapshots(root, home);
  for (const what of ["wall", "cpu"]) {
    heading(`a snapshot, 10,000 files, 20 changes, ${what === "cpu" ? "CPU" : what}`, "ms each", "ratio");
    const row = (name, at, goal) =>
      rows.push([name, ms[at][what].toFixed(1), ratio(ms[at][what], ms.status[what]), goal]);
    row("git status", "status", "");
    row("begin (once a run)", "begin", "");
    row("take", "take", "goal: at most 2.00");
    row("restore", "restore", "goal: at most 1.30");
  }
}

/** The plugin's hooks, with and without a loop in the session. */
function hooks() {
  const ms = measureHooks(root, home);
  const row = (name, at, beside, goal = "") =>
    rows.push([name, ms[at].toFixed(1), ratio(ms[at], ms[beside]), goal]);
  heading("a hook without a loop, wall", "ms each", "ratio");
  row("true", "true", "true");
  row("Stop", "idleStop", "true", "goal: at most 1.50");
  row("PostToolUse", "idleTool", "true", "goal: at most 1.50");
  row("UserPromptSubmit", "idlePrompt", "true", "goal: at most 1.50");
  row("PreToolUse", "idleGuard", "true", "goal: at most 1.50");
  row("SessionStart", "idleStart", "true", "goal: at most 1.50");
  heading("a hook with a loop, wall", "ms each", "ratio");
  row("PostToolUse, beside true", "tool", "true", "goal: at most 3.50");
  row("  at 560 KB, beside its small input", "largeTool", "tool", "goal: at most 1.50");
  row("Stop, beside node -e 0", "stop", "node", "goal: at most 1.10");
  row("  at 50 MB of transcript, beside 1 MB", "longStop", "stop", "goal: at most 1.10");
  row("  after 1000 turns, beside the first", "lateStop", "stop", "goal: at most 1.10");
  row("Stop in a task run, beside node -e 0", "taskStop", "node");
  row("bash + jq at each stop, beside node -e 0", "bash", "node");
  row("  at 50 MB of transcript, beside 1 MB", "bashLong", "bash");
}

/** The hooks that a running ralph answers itself. */
function served() {
  const ms = measureServed(root, home, env);
  const row = (name, at, goal = "") => rows.push([name, ms[at].toFixed(1), ratio(ms[at], ms.true), goal]);
  heading("a hook asked of a running ralph, wall", "ms each", "ratio");
  row("true", "true");
  row("Stop, all checks", "servedStop", "goal: at most 5.00");
  row("PreToolUse", "servedGuard", "goal: at most 5.00");
  row("PostToolUse", "servedTool", "goal: at most 5.00");
}

/** CPU of the guard before a tool, beside a node that does nothing. */
function guard() {
  const { file, args, env: own, input } = guardCase(root, home);
  const cpu = { node: 0, guard: 0 };
  const rounds = 60;
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffled(Object.keys(cpu))) {
      const before = childCpuMs();
      if (name === "node") spawnSync(process.execPath, ["-e", "0"], { env, stdio: "ignore" });
      else spawnSync(file, args, { env: own, input, cwd: home });
      cpu[name] += childCpuMs() - before;
    }
  }
  heading("the guard before a tool, CPU", "ms each", "ratio");
  rows.push(["node -e 0", (cpu.node / rounds).toFixed(1), "1.00", ""]);
  rows.push(["PreToolUse, guarded", (cpu.guard / rounds).toFixed(1), ratio(cpu.guard, cpu.node), ""]);
  const more = (cpu.guard - cpu.node) / rounds;
  rows.push(["  more than node -e 0", more.toFixed(1), "", "goal: at most 15 ms"]);
}

function wallMs(cwd, [file, args]) {
  const started = performance.now();
  const done = spawnSync(file, args, { cwd, env, stdio: "ignore" });
  if (done.error) throw done.error;
  return performance.now() - started;
}

/** CPU of all children so far, in ms (10 ms steps, which average out over the rounds). */
function childCpuMs() {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  childCpuMs.tick ??= 1000 / Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return (Number(fields[13]) + Number(fields[14])) * childCpuMs.tick;
}

function heading(...cells) {
  if (rows.length > 0) rows.push([""]);
  rows.push([cells[0], cells[1], cells[2], ""]);
}

function shuffled(list) {
  return list
    .map((item) => [Math.random(), item])
    .sort((a, b) => a[0] - b[0])
    .map(([, item]) => item);
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

function ratio(a, b) {
  return (a / b).toFixed(2);
}
