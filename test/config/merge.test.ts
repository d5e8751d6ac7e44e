import fc from "fast-check";
import { expect, test } from "vitest";
import { deepMerge, leafKeys } from "../../src/config/merge.ts";

test.each([
  ["a scalar replaces", { a: 1 }, { a: 2 }, { a: 2 }],
  ["a list replaces", { a: [1, 2] }, { a: [3] }, { a: [3] }],
  ["objects merge", { a: { b: 1, c: 2 } }, { a: { c: 3, d: 4 } }, { a: { b: 1, c: 3, d: 4 } }],
  ["an object replaces a scalar", { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
  ["null replaces", { a: { b: 1 } }, { a: null }, { a: null }],
  ["false and 0 replace", { a: true, b: 1 }, { a: false, b: 0 }, { a: false, b: 0 }],
  [
    "the example of the specification",
    { agent: { command: "claude", flags: ["--model opus"] } },
    { agent: { flags: ["--verbose"] } },
    { agent: { command: "claude", flags: ["--verbose"] } },
  ],
])("%s", (_, base, local, merged) => {
  expect(deepMerge(base, local)).toEqual(merged);
});

const json = fc.dictionary(
  fc.constantFrom("a", "b", "c", "__proto__", "constructor"),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(fc.constantFrom("a", "b", "__proto__"), tie("value")),
    ),
  })).value,
);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The rules of the specification, said of one key at a time. */
function check(base: unknown, local: unknown, merged: unknown): void {
  if (!isObject(base) || !isObject(local)) {
    expect(merged).toEqual(local);
    return;
  }
  if (!isObject(merged)) throw new Error("objects merge into an object");
  expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(base), ...Object.keys(local)]));
  for (const key of Object.keys(merged)) {
    if (!Object.hasOwn(local, key)) expect(merged[key]).toEqual(base[key]);
    else if (!Object.hasOwn(base, key)) expect(merged[key]).toEqual(local[key]);
    else check(base[key], local[key], merged[key]);
  }
}

test("merging is what the specification says, of any two objects, and pollutes nothing", () => {
  fc.assert(
    fc.property(json, json, (base, local) => {
      check(base, local, deepMerge(base, local));
      expect(Object.keys(Object.prototype)).toEqual([]);
    }),
  );
});

test("leaves are named by their dotted path; a list is one leaf", () => {
  expect(leafKeys({ a: 1, b: { c: [1], d: { e: null } }, f: {} })).toEqual(["a", "b.c", "b.d.e"]);
});
