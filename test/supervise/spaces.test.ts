import { expect, test } from "vitest";
import { locate, nameSelf, ownSpaces, SPACES_VARIABLE } from "../../src/supervise/spaces.ts";

const self = nameSelf({});

test("a process that named itself is found, by its own number", () => {
  expect(locate(self)).toBe(process.pid);
});

test("one whose number belongs to another now, or that names no start, is not taken for it", () => {
  expect(locate({ ...self, startTicks: (self.startTicks ?? 0) + 1 })).toBeUndefined();
  expect(locate({ pid: process.pid })).toBeUndefined();
  expect(locate({ pid: 1 })).toBeUndefined();
});

test("one in a namespace inside ours that is gone is gone", () => {
  expect(locate({ ...self, spaces: ["pid:[1]", ...(self.spaces ?? [])] })).toBeUndefined();
});

test("the namespaces around are those that were told, the nearest first, each once", () => {
  const [own = ""] = ownSpaces({});
  expect(ownSpaces({ [SPACES_VARIABLE]: `pid:[7] ${own} pid:[8]` })).toEqual([own, "pid:[7]", "pid:[8]"]);
});
