/**
 * An agent of its own, bundled by the test that needs it: in each turn it reads the list and writes something else in its place,
 * honest or not, decided by a seed. What it did is kept for the test: `hostile-lister.mjs SEED LOG`.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import fc from "fast-check";
import type { Mode, TaskList } from "../../src/tasks/list.ts";
import { selectStory } from "../../src/tasks/select.ts";
import { dice, honest, hostileEdit } from "../tasks/support.ts";

const [seed = "0", log = ""] = process.argv.slice(2);
const turn = existsSync(log) ? readFileSync(log, "utf8").split("\n").length : 1;
const roll = dice(Number(seed) + turn * 104_729);

const LIST = "ralph/tasks.json";
const before = JSON.parse(readFileSync(LIST, "utf8")) as TaskList;
const { iterationMode: mode } = JSON.parse(readFileSync(".ralph-active", "utf8")) as { iterationMode: Mode };
const next = selectStory(before, { skipReview: false });
const id = next.kind === "story" ? next.story.id : "";

const move = roll(fc.integer({ max: 3, min: 0 })) > 0 ? honest(before, mode, id, roll(fc.boolean())) : before;
const how = roll(
  fc.constantFrom("as it is", "as it is", "edited", "edited", "garbage", "gone", "a link", "a folder"),
);
const wrote = how === "edited" ? roll(hostileEdit(move)) : move;
// Only a review may not do this, and then its verdict does not count.
const meddles = mode === "review" && roll(fc.integer({ min: 0, max: 4 })) === 0;

rmSync(LIST);
if (how === "garbage") writeFileSync(LIST, '{"project": ');
else if (how === "a link") symlinkSync("../README", LIST);
else if (how === "a folder") mkdirSync(LIST);
// JSON has no word for undefined: then there is nothing to write.
else if (how !== "gone") writeFileSync(LIST, JSON.stringify(wrote) ?? "");
if (meddles) appendFileSync("README", "and more\n");
appendFileSync(log, `${JSON.stringify({ mode, id, how, meddles, wrote })}\n`);
process.stdout.write("<promise>COMPLETE</promise>\n");
