import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeWorld, processesWith, type World } from "./support.ts";

/** A folder for temporary files of its own, so that what is left in it is the demo's. */
function temporary(world: World): string {
  const folder = join(world.home, "tmp");
  mkdirSync(folder);
  return folder;
}

function expectTheStory(stderr: string): void {
  const story = [
    "Baseline failed: node --test",
    "Iteration 1/5",
    "Guardrail failed: node --test",
    "Iteration 2/5",
    "Guardrail passed: node --test",
    "Verified: 1 gate passed",
  ];
  let at = 0;
  for (const part of story) {
    at = stderr.indexOf(part, at);
    expect(at, `${part}\n${stderr}`).toBeGreaterThanOrEqual(0);
  }
}

describe("ralph demo", () => {
  test("claims too early, is refused by a real test, mends the code, is verified, and commits", async () => {
    const world = makeWorld();
    const tmp = temporary(world);
    const ended = await world.ralph(["demo"], { env: { TMPDIR: tmp } });
    expect(ended.code, ended.stderr).toBe(0);
    expectTheStory(ended.stderr);
    expect(ended.stderr).toContain("Claim refused");
    expect(ended.stderr).toMatch(/Committed [0-9a-f]{7}/);
    expect(ended.stderr).toContain("Count every price of the basket");
    expect(ended.stderr).toMatch(/Ralph-Run: .*\/2/);
    expect(readdirSync(tmp)).toEqual([]);
    expect(readdirSync(world.project)).toEqual([]);
    expect(world.stateFiles()).toEqual([]);
    expect(processesWith(world.home)).toEqual([]);
  });

  test("says that there is no git, and goes on without commits", async () => {
    const world = makeWorld();
    const tmp = temporary(world);
    for (const tool of ["sh", "cat", "tail"]) symlinkSync(`/bin/${tool}`, join(world.bin, tool));
    symlinkSync(process.execPath, join(world.bin, "node"));
    const ended = await world.ralph(["demo"], { env: { TMPDIR: tmp, PATH: world.bin } });
    expect(ended.code, ended.stderr).toBe(0);
    expectTheStory(ended.stderr);
    expect(ended.stderr).toContain("git was not found, so nothing is committed.");
    expect(ended.stderr).not.toContain("Committed");
    expect(readdirSync(tmp)).toEqual([]);
  });

  test("--keep keeps its folder and says where it is", async () => {
    const world = makeWorld();
    const tmp = temporary(world);
    const ended = await world.ralph(["demo", "--keep"], { env: { TMPDIR: tmp } });
    expect(ended.code).toBe(0);
    const [folder = ""] = readdirSync(tmp);
    expect(ended.stderr).toContain(join(tmp, folder));
    expect(readdirSync(join(tmp, folder, "basket"))).toContain("basket.test.js");
  });

  test("ends at Ctrl-C with exit code 130 and leaves nothing behind", async () => {
    const world = makeWorld();
    const tmp = temporary(world);
    const run = world.start(["demo"], { env: { TMPDIR: tmp } });
    await run.printed("Baseline");
    run.process.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect(readdirSync(tmp)).toEqual([]);
    expect(processesWith(world.home)).toEqual([]);
  });
});
