import fc from "fast-check";
import { expect, test } from "vitest";
import { mendKeys } from "../../src/gates/json-part.ts";

const BASE = '{\n  "name": "shop",\n  "scripts": { "test":  "node --test", "lint": "x" }\n}\n';
const KEYS = [["scripts", "test"]];

test("a changed key gets its old text back, and the rest stays as it is", async () => {
  const now = '{"scripts":{"lint":"y","test":"true"},\n\n"name":"other"}';
  expect(await mendKeys(BASE, now, KEYS)).toEqual({
    text: '{"scripts":{"lint":"y","test":"node --test"},\n\n"name":"other"}',
  });
  expect(await mendKeys(BASE, now, [["scripts"]])).toEqual({
    text: '{"scripts":{ "test":  "node --test", "lint": "x" },\n\n"name":"other"}',
  });
});

test("a key that was taken away comes back, one that was added goes", async () => {
  const gone = await mendKeys(BASE, '{"name":"other"}', KEYS);
  expect("text" in gone && JSON.parse(gone.text)).toEqual({
    name: "other",
    scripts: { test: "node --test" },
  });
  const added = await mendKeys('{"name":"a"}', '{"name":"b","scripts":{"test":"true"}}', KEYS);
  expect("text" in added && JSON.parse(added.text)).toEqual({ name: "b", scripts: {} });
});

test.each([
  ["the same in another order and look", '{"scripts":{"lint":"z","test":"node --test"}}', { kind: "same" }],
  ["no JSON", "{", { kind: "whole" }],
  ["JSON with a byte order mark", `\ufeff${BASE}`, { kind: "whole" }],
  ["no object", '"text"', { kind: "whole" }],
  ["an object in another's place", '{"scripts":"true"}', { kind: "whole" }],
  // Who finds the first would mend what nobody reads: the last one counts.
  [
    "a key that stands twice",
    '{"scripts":{"test":"node --test"},"scripts":{"test":"true"}}',
    { kind: "whole" },
  ],
])("%s", async (_, now, wanted) => {
  expect(await mendKeys(BASE, now, KEYS)).toEqual(wanted);
});

test("whatever is mended has the protected key as it was, and every other one as it is", async () => {
  const sheet = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), fc.jsonValue({ maxDepth: 2 }));
  const text = fc
    .tuple(sheet, fc.constantFrom(undefined, 2, "\t"))
    .map(([value, indent]) => JSON.stringify(value, null, indent));
  await fc.assert(
    fc.asyncProperty(text, text, async (base, now) => {
      const mended = await mendKeys(base, now, [["a"]]);
      const [before, after] = [JSON.parse(base), JSON.parse(now)];
      if (!("text" in mended)) {
        expect(mended).toEqual({ kind: "same" });
        expect(before.a).toEqual(after.a);
        return;
      }
      const { a, ...rest } = JSON.parse(mended.text);
      const { a: _a, ...others } = after;
      expect(a).toEqual(before.a);
      expect(rest).toEqual(others);
    }),
    { numRuns: 300 },
  );
});
