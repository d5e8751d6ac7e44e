import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedTurn } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { story } from "../tasks/support.ts";
import { iterations, PLAY, played } from "./task-played.ts";
import { implement, makeTaskWorld, playing, review } from "./task-world.ts";

describe("ralph tasks stats", () => {
  test("agrees with what happened in a play", async () => {
    const world = await played();
    const stats = JSON.parse((await world.ralph(["tasks", "stats", "--json"])).stdout);
    expect(stats).toMatchObject({ finished: 3, capHits: ["C"], runs: 1, iterations: 10 });
    expect(stats.byStory).toMatchObject([
      { id: "A", reviews: 1, iterations: iterations(1, 1, 0) },
      { id: "B", reviews: 2, iterations: iterations(1, 2, 1) },
      { id: "C", reviews: 2, iterations: iterations(1, 2, 1), capHit: true },
    ]);
    const costs = stats.byStory.map(({ costUsd }: { costUsd: number }) => costUsd);
    expect(costs.map((cost: number) => cost.toFixed(6))).toEqual(["0.030000", "0.180000", "0.340000"]);
    const end = world.journal().at(-1);
    expect(end?.type === "run.ended" && end.costUsd).toBeCloseTo(stats.costUsd);
    const { stdout } = await world.ralph(["tasks", "stats"]);
    expect(stdout.slice(stdout.indexOf("\n\n") + 2)).toBe(
      [
        "10 iterations in 1 run on this list, $0.55:",
        "story  implement  review  review-fix   cost",
        "A              1       1           0  $0.03",
        "B              1       2           1  $0.18",
        "C              1       2           1  $0.34",
        "total          3       5           2  $0.55",
        "",
      ].join("\n"),
    );
  });

  test("adds up the runs on this list, and only those; a damaged journal hides none", async () => {
    const world = makeTaskWorld([story("A")], { branchName: "main" });
    playing(world, PLAY);
    expect((await world.ralph(["run", "--tasks", "--max-iterations", "1"])).code).toBe(1);
    expect((await world.ralph(["run", "--tasks"])).code).toBe(0);
    expect((await world.ralph(["run", "-p", "something else", "--max-iterations", "1"])).code).not.toBe(0);
    const stats = async () => {
      const ended = await world.ralph(["tasks", "stats", "--json"]);
      return { ...ended, page: JSON.parse(ended.stdout) };
    };
    expect((await stats()).page).toMatchObject({ runs: 2, byStory: [{ iterations: iterations(1, 1, 0) }] });
    const projects = join(world.state, "projects");
    const folder = join(projects, readdirSync(projects)[0] ?? "");
    const [first = ""] = readdirSync(folder).sort();
    appendFileSync(join(folder, first, "journal.ndjson"), "no event\n");
    const damaged = await stats();
    expect(damaged.stderr).toContain(first);
    expect(damaged.page).toMatchObject({ runs: 1, byStory: [{ iterations: iterations(0, 1, 0) }] });
    // A new list in the same folder, for another branch, begins with nothing.
    world.write("ralph/tasks.json", JSON.stringify({ ...world.list(), branchName: "ralph/next" }));
    expect((await stats()).page).toMatchObject({ runs: 0, iterations: 0, costUsd: 0 });
    expect((await world.ralph(["tasks", "stats"])).stdout).not.toContain("iteration");
  });

  test("a turn that was not charged costs its story money, and no iteration", async () => {
    const world = makeTaskWorld([story("A")]);
    const empty: ScriptedTurn = { final: "", usage: { costUsd: 0.5 } };
    playing(world, [empty, implement("A"), review("A", "approved")]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    const stats = JSON.parse((await world.ralph(["tasks", "stats", "--json"])).stdout);
    expect(stats).toMatchObject({ iterations: 2, byStory: [{ iterations: iterations(1, 1, 0) }] });
    expect(stats.costUsd).toBeGreaterThanOrEqual(0.5);
    const [started] = world.turns();
    expect(world.turns()).toHaveLength(3);
    expect(started).toMatchObject({ mode: "implement", story: "A" });
  });
});
