import { expect, test } from "vitest";
import { live } from "../chaos/life.ts";
import type { Point } from "../chaos/plan.ts";
import { story } from "../tasks/support.ts";
import { ofType, outcomeOf } from "./support.ts";
import { makeTaskWorld, type TaskWorld } from "./task-world.ts";

/** What it does depends on the mode that it is told, never on how often it was called. It sends the story back once. */
const AGENT = `PATH=$(dirname "$0"):$PATH
case "$*" in *--help*) exit 0;; esac
case "$(cat)" in
*"Mode: implement."*)
  echo work > US-001.txt
  edit 's("US-001").reviewStatus = "needs_review"; s("US-001").notes = "done"';;
*"Mode: review-fix."*)
  echo mended > US-001.txt
  edit 's("US-001").reviewStatus = "needs_review"; s("US-001").reviewFeedback = ""';;
*"so far: 0 of"*)
  edit 'const t = s("US-001"); t.reviewCount += 1; t.reviewStatus = "changes_requested"; t.reviewFeedback = "mend it"';;
*)
  edit 'const t = s("US-001"); t.reviewCount += 1; t.reviewStatus = "approved"; t.passes = true';;
esac
git add --all; git commit --quiet -m turn; echo done`;

function readyWorld(): TaskWorld {
  const world = makeTaskWorld([story("US-001")], { verifyCommands: ["test -e ralph/tasks.json"] });
  world.settings({ agent: { command: world.install("lister", AGENT) } });
  return world;
}

/** The beginning, and four turns: an iteration and an agent begun, its end, and two gates. Killed after its end a run is done. */
const WRITES = 1 + 4 * (3 + 2);
const POINTS: readonly Point[] = ["before", "torn", "written", "synced"];

async function killedAt(write: number): Promise<void> {
  const world = readyWorld();
  const point = POINTS[write % POINTS.length] ?? "before";
  const first = await live(world, ["run", "--tasks", "--no-protect", "--no-baseline"], { write, point });
  expect(first.killed, `write ${write} ${point}: ${first.stderr}`).toBe(true);
  const ended = await world.ralph(["resume"]);
  expect(ended.code, `write ${write} ${point}: ${ended.stderr}`).toBe(0);
  expect(outcomeOf(world).kind).toBe("verified");
  expect(world.story("US-001")).toMatchObject({ passes: true, reviewStatus: "approved", reviewCount: 2 });
  const turns = ofType(world.journal(), "iteration.started");
  const modes = new Map(turns.map(({ iteration, task }) => [iteration, task?.mode]));
  expect([...modes.values()]).toEqual(["implement", "review", "review-fix", "review"]);
  expect(world.read("US-001.txt")).toBe("mended\n");
  expect(world.has(".ralph-active")).toBe(false);
}

test("killed at any write of its journal and resumed, a run on a task list comes to the same list", async () => {
  for (let write = 2; write <= WRITES; write += 2) {
    await Promise.all([killedAt(write), ...(write < WRITES ? [killedAt(write + 1)] : [])]);
  }
}, 1_800_000);
