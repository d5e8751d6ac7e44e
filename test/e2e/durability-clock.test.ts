import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, ofType, processesWith, until } from "./support.ts";

const PRELOAD = fileURLToPath(new URL("../chaos/preload.mjs", import.meta.url));
const HOURS_MS = 5 * 60 * 60_000;

/** The clock of this ralph goes wrong by so much as soon as the file is there; with no file from the start. */
const clock = (byMs: number, file = "") => ({
  env: { NODE_OPTIONS: `--import=${PRELOAD}`, CHAOS_CLOCK: `${byMs}:${file}` },
});

/** A command that is restarted once, after a pause, and has then done its work. */
const RESTARTED = [
  "supervise",
  "--restart-delay",
  "1s",
  "--json",
  "--",
  "sh",
  "-c",
  'if [ "$RALPH_ITERATION" = 2 ]; then touch DONE; fi',
];

describe("a clock that is set back by hours", () => {
  test("in the middle of a run changes nothing", async () => {
    const world = makeWorld({ git: true });
    const file = join(world.home, "now");
    world.speaking(
      {
        turns: [
          { actions: [{ run: `touch '${file}'` }], final: DONE },
          { actions: [{ write: "ok", text: "" }], final: DONE },
        ],
      },
      { guardrails: [{ command: "test -e ok" }] },
    );
    expect((await world.ralph(["-p", "do it"], clock(-HOURS_MS, file))).code).toBe(0);
    const events = world.journal();
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "run.ended", outcome: { kind: "verified" }, iterations: 2 });
    expect(ofType(events, "agent.exited").every(({ wallMs }) => wallMs >= 0)).toBe(true);
    for (const command of ["list", "status", "logs"]) {
      const shown = await world.ralph([command]);
      expect(shown.code).toBe(0);
      expect(shown.stdout).not.toMatch(/-\d+(?:ms|s|m|h)\b/);
    }
  });

  test("during a wait makes the wait no longer", async () => {
    const world = makeWorld();
    const file = join(world.home, "now");
    const run = world.start(RESTARTED, clock(-HOURS_MS, file));
    await run.printed('"type":"agent.exited"');
    writeFileSync(file, "");
    expect((await run.ended).code).toBe(0);
    expect(ofType(world.journal(), "agent.exited").map(({ iteration }) => iteration)).toEqual([1, 2]);
  });

  test("between a crash and its resume makes the rest of a wait no longer", async () => {
    const world = makeWorld();
    const run = world.start(RESTARTED, clock(HOURS_MS));
    await run.printed('"type":"agent.exited"');
    run.process.kill("SIGKILL");
    await run.ended;
    expect((await world.ralph(["resume"])).code).toBe(0);
    const events = world.journal();
    expect(ofType(events, "agent.exited").map(({ iteration }) => iteration)).toEqual([1, 2]);
    expect(events.at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "claimed" }, iterations: 2 });
  });

  test("neither keeps a dead run's lock alive nor what it left running", async () => {
    const world = makeWorld();
    const hanging = join(world.home, "hanging");
    world.speaking({ turns: [{ actions: [{ hang: hanging }] }, { final: DONE }] });
    const run = world.start(["-p", "do it", "--json"], clock(HOURS_MS));
    await run.printed('"type":"agent.started"');
    await until("the turn hangs", () => existsSync(hanging));
    run.process.kill("SIGKILL");
    await run.ended;
    expect((await world.ralph(["resume"])).code).toBe(0);
    expect(processesWith(world.home)).toEqual([]);
  });
});
