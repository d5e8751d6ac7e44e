import type { ScriptedTurn } from "ralph-proof/testing";
import type { Receipt } from "../../src/receipt/schema.ts";
import { story } from "../tasks/support.ts";
import type { World } from "./support.ts";
import { fix, implement, makeTaskWorld, playing, review, type TaskWorld } from "./task-world.ts";

/** Three stories, in this order. */
export const THREE = ["A", "B", "C"].map((id, at) => story(id, { priority: at + 1 }));

/** A is approved at once, B in its second review, and C never: its two reviews are used up. */
export const PLAY: readonly ScriptedTurn[] = [
  implement("A"),
  review("A", "approved"),
  implement("B"),
  review("B", "name it better"),
  fix("B"),
  review("B", "approved"),
  implement("C"),
  review("C", "too slow"),
  fix("C"),
  review("C", "still too slow"),
].map((turn, at) => ({ ...turn, usage: { costUsd: (at + 1) / 100 } }));

/** A world in which the play was run to its verified end. */
export async function played(): Promise<TaskWorld> {
  const world = makeTaskWorld(THREE);
  playing(world, PLAY);
  const ended = await world.ralph(["run", "--tasks", "--review-cap", "2"]);
  if (ended.code !== 0) throw new Error(`the run was not verified:\n${ended.stderr}`);
  return world;
}

/** The receipt of the only run. */
export async function receiptOf(world: World): Promise<Receipt> {
  return JSON.parse((await world.ralph(["receipt", "--json"])).stdout) as Receipt;
}

/** How many iterations of each mode. */
export function iterations(implementing: number, reviews: number, fixes: number) {
  return { implement: implementing, review: reviews, "review-fix": fixes };
}
