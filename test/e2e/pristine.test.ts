import { expect, test } from "vitest";
import { DONE, makeWorld, ofType, type World } from "./support.ts";

/* A source and a test of lines: a test passes when the source holds its line. */
const COMMAND = "for t in test/*; do grep -qxf $t source || exit 1; done";

function shop(turns: Parameters<World["speaking"]>[0]["turns"], settings: object = {}): World {
  const world = makeWorld({ git: true });
  world.write("source", "wrong\n");
  world.write("test/one", "right\n");
  world.git("add", "--all");
  world.git("commit", "--quiet", "-m", "a shop");
  world.speaking({ turns }, { guardrails: [{ command: COMMAND }], ...settings });
  return world;
}

const WEAKEN = { write: "test/one", text: "wrong\n" };
const MEND = { write: "source", text: "right\n" };

test("--pristine refuses a run that a weakened test let through, and honest work ends it", async () => {
  const world = shop([
    { actions: [WEAKEN], final: DONE },
    { actions: [MEND, { write: "test/one", text: "right\n" }], final: DONE },
  ]);
  const run = await world.ralph(["-p", "mend it", "--pristine"]);
  expect(run.code, run.stderr).toBe(0);
  const verdicts = ofType(world.journal(), "gate.judged").map(({ iteration, verdict }) => [
    iteration,
    verdict.skipped ?? verdict.pass,
  ]);
  expect(verdicts).toEqual([
    [0, "the agent has changed nothing yet"],
    [0, false],
    [0, "the agent has changed nothing yet"],
    [1, true],
    [1, true],
    [1, false],
    [2, true],
    [2, true],
    [2, true],
  ]);
  const told = world.read(".ralph/prompt_002.txt");
  expect(told).toContain(
    "the tests as they were when the run began fail against the new sources (exit code 1)",
  );
  expect(run.stderr).toContain("Guardrail 2/2");
  expect(run.stderr).toContain("2 gates passed");
});

test("without it, and with --no-pristine, it does not", async () => {
  const world = shop([{ actions: [WEAKEN], final: DONE }], { pristine: { enabled: true } });
  expect((await world.ralph(["-p", "mend it", "--no-pristine", "-m", "1"])).code).toBe(0);
});

test("it is not run when another check failed, and the agent hears nothing of it", async () => {
  const world = shop([{ final: DONE }], { pristine: { enabled: true } });
  const run = await world.ralph(["-p", "mend it", "-m", "2"]);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain("was not run: another check failed");
  expect(world.read(".ralph/prompt_002.txt").match(/Guardrail "/g)).toHaveLength(1);
});

test("new tests that pass on the old sources too are shown, and recorded", async () => {
  const world = shop(
    [
      {
        actions: [MEND, { write: "test/two", text: "wrong\n" }, { run: "rm test/one; echo wrong >> source" }],
        final: DONE,
      },
    ],
    {
      pristine: { enabled: true },
    },
  );
  const run = await world.ralph(["-p", "mend it", "-m", "1"]);
  expect(run.code, run.stderr).toBe(0);
  expect(run.stderr).toContain("so they prove nothing about this work");
  const last = ofType(world.journal(), "gate.judged").at(-1);
  expect(last?.verdict).toMatchObject({ pass: true, warnings: [expect.stringContaining("test/two")] });
});
