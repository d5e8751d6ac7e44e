import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "./support.ts";
import { THREE } from "./task-played.ts";
import { implement, makeTaskWorld, playing, review } from "./task-world.ts";

describe("ralph status and ralph list of a run on a task list", () => {
  test("the story and mode under way, and the last one when it has ended", async () => {
    const world = makeTaskWorld(THREE.slice(0, 2));
    const mark = join(world.home, "hanging");
    playing(world, [implement("A"), review("A", "approved"), { actions: [{ hang: mark }] }]);
    const run = world.start(["run", "--tasks"]);
    await until("the third turn", () => world.has("../hanging"));
    const { stdout } = await world.ralph(["status"]);
    expect(stdout).toMatch(/^stories +1 of 2 finished$/m);
    expect(stdout).toMatch(/^story now +B \(implement\): Title of B$/m);
    run.process.kill("SIGINT");
    await run.printed("Received signal");
    run.process.kill("SIGINT");
    await run.ended;
    const page = JSON.parse((await world.ralph(["status", "--json"])).stdout);
    expect(page.tasks).toEqual({
      stories: 2,
      finished: 1,
      turn: { mode: "implement", story: "B", title: "Title of B", underWay: false },
    });
    expect((await world.ralph(["status"])).stdout).toMatch(/^last story +B \(implement\)/m);
    expect((await world.ralph(["list"])).stdout).toMatch(/ralph\/tasks\.json$/m);
  });

  test("a run on a prompt has no stories", async () => {
    const world = makeTaskWorld();
    playing(world, [{ final: "no" }]);
    await world.ralph(["run", "-p", "do it", "--max-iterations", "1"]);
    expect((await world.ralph(["status"])).stdout).not.toContain("stories");
    expect(JSON.parse((await world.ralph(["status", "--json"])).stdout).tasks).toBeUndefined();
  });
});
