import { execFileSync } from "node:child_process";
import { closeSync, openSync, readdirSync, readlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type RunSpec, run } from "ralph-proof";
import { expect, test } from "vitest";
import { environmentOf, makeWorld, processesWith, until, type World } from "./support.ts";

const LOOPS = 200;

/** How a supervised loop goes, and what it must come to. Each leaves a process behind in every turn. */
const KINDS = [
  { command: 'test "$RALPH_ITERATION" != 2 || touch DONE', gates: [], ends: "claimed", turns: 2 },
  {
    command: 'test "$RALPH_ITERATION" != 2 || touch DONE',
    gates: ["test -e DONE"],
    ends: "verified",
    turns: 2,
  },
  { command: 'test "$RALPH_ITERATION" != 2 || exit 42', gates: [], ends: "waiting", turns: 2 },
  { command: "exit 1", gates: [], ends: "exhausted", turns: 2 },
] as const;

/** What stands for an open file, so that one of a kind is not taken for another. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`).replace(/\d+/g, "#")];
    } catch {
      return []; // the one by which we look
    }
  });
}

function specOf(world: World, index: number, kind: (typeof KINDS)[number]): RunSpec {
  const project = join(world.project, String(index));
  world.write(`${index}/README`, "");
  const left = "setsid sleep 300 </dev/null >/dev/null 2>&1";
  const line = `${left} & test "$RALPH_ITERATION" != 1 || read go < ../gate; ${kind.command}`;
  return {
    kind: "supervise",
    project,
    agent: { kind: "custom", command: `sh -c '${line}'`, flags: [], autonomy: "full" },
    work: { kind: "none" },
    claim: { response: "", hint: false, done: true },
    taskDir: project,
    restart: { delayMs: 0, honoursWaits: true, childWaitMs: 0, pollMs: 10 },
    gates: kind.gates.map((command) => ({
      kind: "guardrail",
      name: command,
      command,
      failAction: "APPEND",
      timeoutMs: 60_000,
      flaky: false,
    })),
    limits: { iterations: 2, failures: 0, waits: 0, noProgress: 0 },
    timeouts: { turnMs: 0, idleMs: 0, lingerMs: 0 },
    prompt: { includeIterationCount: false, outputTruncateChars: 100, baselineFeedback: false },
    baseline: false,
  };
}

test(`${LOOPS} supervised loops at once all end right, and leave neither files open nor processes`, async () => {
  const world = makeWorld();
  const env = environmentOf(world);
  const before = openFiles().sort();
  // Every first turn reads a line from here, and none is written before all of them have started.
  execFileSync("mkfifo", [join(world.project, "gate")]);
  const gate = openSync(join(world.project, "gate"), "r+");
  let started = 0;
  const loops = Array.from({ length: LOOPS }, (_, index) => {
    const kind = KINDS[index % KINDS.length] ?? KINDS[0];
    return { kind, running: run(specOf(world, index, kind), { env }) };
  });
  const ended = await Promise.all(
    loops.map(async ({ kind, running }) => {
      let turns = 0;
      for await (const event of running) {
        if (event.type === "agent.started" && ++started === LOOPS) writeSync(gate, "\n".repeat(LOOPS));
        if (event.type === "agent.exited") turns++;
      }
      return { wanted: [kind.ends, kind.turns], found: [(await running.outcome).kind, turns] };
    }),
  );
  closeSync(gate);
  for (const { wanted, found } of ended) expect(found).toEqual(wanted);
  expect(processesWith(world.home)).toEqual([]);
  expect(world.stateFiles().filter((path) => /\/lock/.test(path))).toEqual([]);
  // Closing a file is asked for at once and done a moment later.
  await until("no more files are open than before", () => openFiles().length <= before.length);
  expect(openFiles().sort()).toEqual(before);
}, 1_800_000);
