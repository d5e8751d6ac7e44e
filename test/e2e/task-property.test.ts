// The review cycle against an agent that writes anything into the list, through the built program.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { LoopEvent, TaskResult, TaskTurn } from "../../src/events.ts";
import { approveAtCap } from "../../src/tasks/cap.ts";
import type { Mode, TaskList } from "../../src/tasks/list.ts";
import { checkSchema } from "../../src/tasks/schema.ts";
import { transitionFaults } from "../../src/tasks/transitions.ts";
import { story } from "../tasks/support.ts";
import { makeTaskWorld, type TaskWorld } from "./task-world.ts";

/** What the agent says that it did in a turn. */
interface Deed {
  readonly mode: Mode;
  readonly id: string;
  readonly how: string;
  readonly meddles: boolean;
  readonly wrote: unknown;
}

async function playHostile(seed: number, cap: number): Promise<{ world: TaskWorld; deeds: Deed[] }> {
  const world = makeTaskWorld([story("A"), story("B", { dependsOn: ["A"] }), story("C")]);
  const program = join(world.home, "hostile-lister.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("hostile-lister.ts", import.meta.url))],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const log = join(world.home, "deeds");
  const command = `${process.execPath} ${program} ${seed} ${log}`;
  world.settings({ noProgressThreshold: 0, agent: { command, kind: "custom" } });
  const ended = await world.ralph(["run", "--tasks", "--review-cap", String(cap)]);
  expect([0, 1], ended.stderr).toContain(ended.code);
  const lines = readFileSync(log, "utf8").trimEnd().split("\n");
  return { world, deeds: lines.map((line) => JSON.parse(line) as Deed) };
}

/** The iterations of a run: what was believed before and after each. */
function iterations(
  world: TaskWorld,
): { turn: TaskTurn; result: TaskResult; reopened: string | undefined }[] {
  const all: { turn: TaskTurn; result: TaskResult; reopened: string | undefined }[] = [];
  let turn: TaskTurn | undefined;
  for (const event of world.journal() as LoopEvent[]) {
    if (event.type === "iteration.started") turn = event.task;
    const last = all.at(-1);
    if (event.type === "story.reopened" && last !== undefined) last.reopened = event.list;
    if (event.type === "agent.exited" && turn !== undefined && event.tasks !== undefined) {
      all.push({ turn, result: event.tasks, reopened: undefined });
    }
  }
  return all;
}

test("no sequence of iterations of a hostile agent reaches passes: true without an approving review or the cap, and legal edits are never undone", async () => {
  const ways = new Set<string>();
  let legal = 0;
  let illegal = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 1, max: 2 }), async (seed, cap) => {
      const { world, deeds } = await playHostile(seed, cap);
      const kept = (name: string) =>
        JSON.parse(readFileSync(join(world.runFolder(), "tasks", name), "utf8")) as TaskList;
      const played = iterations(world);
      expect(deeds.map(({ mode, id }) => `${mode} ${id}`)).toEqual(
        played.map(({ turn }) => `${turn.mode} ${turn.story}`),
      );
      let believed = played[0]?.turn.list;
      for (const [index, { turn, result, reopened }] of played.entries()) {
        // Nothing that is believed comes from anywhere but the iteration before.
        expect(turn.list).toBe(believed);
        believed = reopened ?? result.list;
        const before = kept(turn.list);
        const after = kept(result.list);
        const { how, meddles, wrote } = deeds[index] as Deed;

        const passed = new Set(before.userStories.filter(({ passes }) => passes).map(({ id }) => id));
        for (const now of after.userStories.filter(({ id, passes }) => passes && !passed.has(id))) {
          const was = before.userStories.find(({ id }) => id === now.id);
          expect([turn.mode, turn.story, was?.reviewStatus, meddles]).toEqual([
            "review",
            now.id,
            "needs_review",
            false,
          ]);
          expect(now.reviewCount).toBe((was?.reviewCount ?? 0) + 1);
          ways.add(result.capped?.includes(now.id) === true ? "the cap" : "a review");
        }

        const parsed = checkSchema(wrote);
        const iteration = { mode: turn.mode, story: turn.story, skipReview: false };
        const isLegal =
          !meddles &&
          (how === "as it is" || how === "edited") &&
          parsed.ok &&
          transitionFaults(before, parsed.list, iteration).length === 0;
        if (isLegal) {
          legal += 1;
          expect(after).toEqual(
            approveAtCap(before, parsed.list, { skipReview: false, reviewCap: cap }).list,
          );
          expect(result.aside).toBeUndefined();
        } else {
          illegal += 1;
          // What is not there, or is an empty file, leaves nothing to be kept.
          const isNothing = ["gone", "a link", "a folder"].includes(how) || wrote === undefined;
          expect(result.aside !== undefined || isNothing).toBe(true);
          expect(result.notes).not.toEqual([]);
        }
      }
      expect(believed).toBeDefined();
      // What stands in the project is what was believed last, and nothing that was asked for is lost.
      expect(world.list()).toEqual(kept(believed ?? ""));
      expect(world.list().userStories.map(({ id }) => id)).toEqual(expect.arrayContaining(["A", "B", "C"]));
      expect(world.read("README")).toBe("a project\n");
    }),
    // The first play takes both of the legal ways, the second writes an empty file; the others are new ones each time.
    {
      numRuns: 4,
      examples: [
        [7, 2],
        [1744368539, 2],
      ],
      endOnFailure: true,
    },
  );
  expect([...ways].sort()).toEqual(["a review", "the cap"]);
  expect(legal).toBeGreaterThan(3);
  expect(illegal).toBeGreaterThan(3);
}, 1_800_000);
