import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { describeRun } from "../../src/config/describe.ts";
import { ensureRalphFolder } from "../../src/config/write.ts";
import type { LoopEvent } from "../../src/events.ts";
import { launch } from "../../src/loop/launch.ts";
import type { RunSpec } from "../../src/spec.ts";
import { fakeClock } from "../../src/testing/clock.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Supervises a shell script with these lines, on a clock that jumps instead of waiting. */
async function supervise(lines: string, delayMs: number) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "ralph-clock-")));
  made.push(home);
  const task = join(home, "task");
  writeFileSync(task, `#!/bin/sh\necho x >> runs; N=$(wc -l < runs)\n${lines}\n`);
  chmodSync(task, 0o755);
  ensureRalphFolder(home);
  const base = describeRun({ project: home, agent: task, prompt: "" }, () => "custom");
  const spec: RunSpec = {
    ...base,
    kind: "supervise",
    work: { kind: "none" },
    claim: { response: "", hint: false, done: true },
    restart: { ...base.restart, delayMs, honoursWaits: true },
    limits: { ...base.limits, failures: 0, noProgress: 0 },
  };
  const events: LoopEvent[] = [];
  const clock = fakeClock();
  const reporter = {
    happened: (event: LoopEvent) => void events.push(event),
    doing() {},
    said() {},
    detail() {},
  };
  const env = { ...process.env, RALPH_STATE_DIR: join(home, "state") };
  const { outcome } = await launch({ spec, reporter, env, clock });
  return { outcome, events, slept: clock.slept };
}

test("the whole delay is slept before each restart, after exit code 0 as after any other", async () => {
  const { outcome, slept } = await supervise("[ $N -eq 4 ] && touch DONE; exit $((N % 2))", 3_600_000);
  expect(outcome.kind).toBe("claimed");
  expect(slept).toEqual([3_600_000, 3_600_000, 3_600_000]);
});

test("there is no sleep before the first attempt, nor after the last one", async () => {
  expect((await supervise("touch DONE", 5_000)).slept).toEqual([]);
  expect((await supervise("exit 42", 5_000)).slept).toEqual([]);
});

test("a command that is held back by a service is waited for, started again, and not charged", async () => {
  const lines = `[ $N -eq 1 ] && echo "Error: too many requests" >&2 && exit 1; touch DONE`;
  const { outcome, events, slept } = await supervise(lines, 1_000);
  expect(outcome.kind).toBe("claimed");
  expect(slept[0]).toBe(1_000); // the pause, and then the wait
  expect(slept[1]).toBeGreaterThan(1_000);
  expect(events.at(-1)).toMatchObject({ iterations: 1 });
});
