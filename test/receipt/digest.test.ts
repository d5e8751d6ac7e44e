import fc from "fast-check";
import { expect, it } from "vitest";
import { composeReceipt } from "../../src/receipt/compose.ts";
import { canonical, changedParts, seal } from "../../src/receipt/digest.ts";
import { type Receipt, receiptFault } from "../../src/receipt/schema.ts";
import { FACTS, story } from "./support.ts";

function receipt(): Receipt {
  const told = story().begin().turn(1).exited(1, { response: "DONE" }).judged(1, 0, true).judged(1, 1, true);
  const made = composeReceipt(told.end().events, FACTS);
  if (made === undefined) throw new Error("there is no receipt");
  return made;
}

/** The paths of every plain value in a value. */
function leaves(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([key, item]) =>
    leaves(item, [...path, Array.isArray(value) ? Number(key) : key]),
  );
}

function changeAt(value: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to;
  const copy = structuredClone(value) as Record<string | number, unknown>;
  copy[key] = changeAt(copy[key], rest, to);
  return copy;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown>)[key], value);
}

it("is the same for the same values, in whatever order they stand", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).reverse());
      expect(canonical(turned)).toBe(canonical(value));
      expect(canonical(JSON.parse(canonical(value)))).toBe(canonical(value));
    }),
  );
});

it("names the part of any value that was changed, wherever it stands", () => {
  const whole = receipt();
  expect(changedParts(whole)).toEqual([]);
  expect(changedParts(JSON.parse(JSON.stringify(whole)) as Receipt)).toEqual([]);
  for (const path of leaves(whole)) {
    const before = valueAt(whole, path);
    const changed = changeAt(
      whole,
      path,
      typeof before === "number" ? before + 1 : `${String(before)}!`,
    ) as Receipt;
    const [top, , part] = path;
    const named = top !== "digest" ? top : (part ?? "digest");
    expect(changedParts(changed), path.join(".")).toEqual([named]);
  }
});

it("names a part that was taken away or put in", () => {
  const { digest, claims: _claims, ...rest } = receipt();
  expect(changedParts({ ...rest, digest } as Receipt)).toEqual(["claims"]);
  expect(changedParts({ ...receipt(), processes: "none" })).toEqual(["processes"]);
});

it("is of a form that is checked key by key", () => {
  const whole = receipt();
  expect(receiptFault(whole)).toBeUndefined();
  expect(receiptFault({ ...whole, more: 1 })).toBe("`more` is not what a receipt holds there");
  expect(receiptFault({ ...whole, gates: [] })).toBe("`gates` is not what a receipt holds there");
  expect(receiptFault({ ...whole, run: "../up" })).toBe("`run` is not what a receipt holds there");
  for (const none of [null, [], "x", 1]) expect(receiptFault(none), String(none)).toBeDefined();
  for (const folder of ["..", "a/../b", "/a", "a//b", "a/", "a\\b", "."]) {
    const { digest: _digest, ...rest } = whole;
    const work = { folder, tree: "0".repeat(40) };
    expect(receiptFault(seal({ ...rest, work })), folder).toContain("work.folder");
  }
});
