import { describe, expect, test } from "vitest";
import { outcomeOf } from "./support.ts";
import { fix, implement, makeTaskWorld, playing, review } from "./task-world.ts";

describe("Review loop lifecycle", () => {
  test("implement, review with changes requested, fix, re-review, approval", async () => {
    const world = makeTaskWorld();
    playing(world, [
      implement("US-001"),
      review("US-001", "name the file better"),
      fix("US-001"),
      review("US-001", "approved", "All done. <promise>COMPLETE</promise>"),
    ]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.turns().map(({ mode, story }) => `${mode} ${story}`)).toEqual([
      "implement US-001",
      "review US-001",
      "review-fix US-001",
      "review US-001",
    ]);
    expect(outcomeOf(world).kind).toBe("verified");
    expect(world.story("US-001")).toMatchObject({ passes: true, reviewStatus: "approved", reviewCount: 2 });
  });
});
