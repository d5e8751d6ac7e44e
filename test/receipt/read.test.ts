import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { composeReceipt } from "../../src/receipt/compose.ts";
import { readReceipt } from "../../src/receipt/read.ts";
import { temporaryFolder, userErrorOf } from "../supervise/folder.ts";
import { FACTS, id, story } from "./support.ts";

const told = story().begin().turn(1).exited(1, { response: "DONE" }).judged(1, 0, true).judged(1, 1, true);
const RECEIPT = composeReceipt(told.end().events, { ...FACTS, work: { folder: "", tree: id("1") } });
const TEXT = JSON.stringify(RECEIPT);
const DEEP = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;

function file(text: string): string {
  const path = join(temporaryFolder(), "receipt.json");
  writeFileSync(path, text);
  return path;
}

it("reads a receipt as it was written", () => {
  expect(readReceipt(file(TEXT))).toEqual(RECEIPT);
});

it.each([
  ["one that is cut off", TEXT.slice(0, -20), "cut off or no JSON"],
  ["an empty file", "", "cut off or no JSON"],
  ["a list", "[]", "no receipt"],
  ["nothing", "null", "no object"],
  ["a deep list", DEEP, "no receipt"],
  ["one with a deep value", TEXT.replace('"because"', DEEP), "`reason`"],
  ["a huge one", " ".repeat(5_000_000), "larger than 4 MB"],
  ["one of another version", TEXT.replace('"receipt":1', '"receipt":2'), "version 2"],
  ["one with a key too many", TEXT.replace('"reason"', '"extra":1,"reason"'), "`extra`"],
  ["one whose run is a path", TEXT.replace(/"run":"[^"]*"/, '"run":"../../etc"'), "`run`"],
  ["one whose folder leads out", TEXT.replace('"folder":""', '"folder":"../out"'), "`work.folder`"],
  ["one whose tree is a word of git's", TEXT.replace(id("1"), "--output=/tmp/x"), "`work.tree`"],
])("refuses %s", async (_, text, why) => {
  expect(text).not.toBe(TEXT);
  const path = file(text);
  const error = await userErrorOf(() => readReceipt(path));
  expect(`${error.what}: ${error.why}`).toContain(why);
  expect(error.why).toContain(path);
});
