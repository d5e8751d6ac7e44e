import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { story } from "../tasks/support.ts";
import { outcomeOf } from "./support.ts";
import { fix, implement, makeTaskWorld, playing, review } from "./task-world.ts";

const HAS_BWRAP =
  spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"], { stdio: "ignore" }).status === 0;

describe.skipIf(!HAS_BWRAP)("a task list inside bubblewrap", () => {
  test("goes through its whole review cycle, with commits, and the marker says that it is a sandbox", async () => {
    const world = makeTaskWorld([story("US-001"), story("US-002")], {
      verifyCommands: ["test -f US-001.txt"],
    });
    const home = join(world.home, "user");
    mkdirSync(home);
    const look = { run: "cp .ralph-active seen.json; echo '{}' > .ralph-active; true" };
    const first = implement("US-001");
    playing(
      world,
      [
        { ...first, actions: [look, ...(first.actions ?? [])] },
        review("US-001", "not good enough"),
        fix("US-001"),
        review("US-001", "approved"),
        implement("US-002"),
        review("US-002", "approved"),
      ],
      {},
      // The scripted agent remembers beside its script which turn it is.
      { sandbox: { rw: ["../agent-1"], ro: ["../edit.cjs"], env: ["GIT_*"] } },
    );
    const ended = await world.ralph(["run", "--tasks"], { env: { RALPH_SANDBOX: undefined, HOME: home } });
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Sandbox: bubblewrap");
    expect(outcomeOf(world).kind).toBe("verified");
    expect(world.turns().map(({ mode }) => mode)).toEqual([
      "implement",
      "review",
      "review-fix",
      "review",
      "implement",
      "review",
    ]);
    expect(JSON.parse(world.read("seen.json"))).toMatchObject({
      mode: "sandbox",
      iterationMode: "implement",
    });
    expect(world.git("log", "--format=%s")).toContain("fix: [US-001] - address review feedback");
  });
});
