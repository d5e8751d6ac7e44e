import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentEvent, LoopEvent } from "../../src/events.ts";
import { createJsonReporter } from "../../src/ui/jsonl.ts";
import { agentEvent, loopEvent } from "./arbitrary.ts";
import { ended, specOf, started } from "./script.ts";

type Told = { readonly loop: LoopEvent } | { readonly agent: AgentEvent };

function linesOf(told: readonly Told[]): string[] {
  let text = "";
  const reporter = createJsonReporter({
    write: (piece) => {
      text += piece;
    },
  });
  for (const item of told) {
    if ("loop" in item) reporter.happened(item.loop);
    else reporter.said(2, item.agent);
    reporter.doing({ do: "run-agent", iteration: 2 });
    reporter.detail("not for programs");
  }
  return text.split("\n").slice(0, -1);
}

test("loop events stand as they are, agent events are wrapped with their run", () => {
  const begun = started(specOf(["npm test"]));
  const text: AgentEvent = { type: "text", text: "hello\u2028" };
  const done = ended({ kind: "verified", reason: "1 gate passed" });
  const lines = linesOf([{ loop: begun }, { agent: text }, { loop: done }]);
  expect(lines[1]).toBe(
    '{"type":"agent","run":"run-7","iteration":2,"event":{"type":"text","text":"hello\\u2028"}}',
  );
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    begun,
    { type: "agent", run: "run-7", iteration: 2, event: text },
    done,
  ]);
});

test("every line parses back to its event, and none holds a character that steers a terminal", () => {
  const told = fc.oneof(
    loopEvent.map((loop): Told => ({ loop })),
    agentEvent.map((agent): Told => ({ agent })),
  );
  fc.assert(
    fc.property(fc.array(told, { maxLength: 8 }), (items) => {
      const lines = linesOf(items);
      expect(lines).toHaveLength(items.length);
      for (const [index, item] of items.entries()) {
        const line = lines[index] ?? "";
        expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
        const parsed = JSON.parse(line);
        // Through JSON once more, because NaN is null there.
        expect("loop" in item ? parsed : parsed.event).toEqual(
          JSON.parse(JSON.stringify("loop" in item ? item.loop : item.agent)),
        );
      }
    }),
  );
});

test("a reader that went away is no concern of the run", () => {
  const reporter = createJsonReporter({
    write() {
      throw new Error("EPIPE");
    },
  });
  expect(() => reporter.said(1, { type: "text", text: "x" })).not.toThrow();
});
