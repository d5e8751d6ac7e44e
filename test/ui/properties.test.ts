import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { showAgentEvent } from "../../src/ui/plain/agent.ts";
import { freshMemory } from "../../src/ui/plain/memory.ts";
import { openPage } from "../../src/ui/plain/page.ts";
import { createPlainReporter } from "../../src/ui/plain/reporter.ts";
import { showLoopEvent, showStep } from "../../src/ui/plain/run.ts";
import type { Reporter } from "../../src/ui/reporter.ts";
import { agentEvent, hostile, loopEvent, step } from "./arbitrary.ts";
import { ended, FAILED, judged, OPTIONS, printed } from "./script.ts";

const options = fc.record({
  emoji: fc.boolean(),
  timestamps: fc.boolean(),
  maxOutputLines: fc.integer({ min: -1, max: 4 }),
  maxOutputChars: fc.integer({ min: -1, max: 40 }),
  verbose: fc.boolean(),
  streamAgentOutput: fc.boolean(),
});

type Call = (reporter: Reporter) => void;

const said: fc.Arbitrary<Call> = fc.oneof(
  agentEvent.map(
    (event): Call =>
      (reporter) =>
        reporter.said(1, event),
  ),
  // A call and its result meet too seldom by chance.
  hostile.map(
    (name): Call =>
      (reporter) => {
        reporter.said(1, { type: "tool.started", callId: "1", name, summary: name });
        reporter.said(1, { type: "tool.ended", callId: "1", ok: true, output: name, lines: 1, chars: 1 });
      },
  ),
);
const calls: fc.Arbitrary<readonly Call[]> = fc.array(
  fc.oneof(
    said,
    loopEvent.map(
      (event): Call =>
        (reporter) =>
          reporter.happened(event),
    ),
    step.map(
      (next): Call =>
        (reporter) =>
          reporter.doing(next),
    ),
    hostile.map(
      (line): Call =>
        (reporter) =>
          reporter.detail(line),
    ),
    hostile.map(
      (name): Call =>
        (reporter) => {
          reporter.happened(judged(1, 0, name, { ...FAILED, logPath: name }));
          reporter.happened(ended({ kind: "exhausted", reason: name, limit: name }));
        },
    ),
  ),
  { maxLength: 15, size: "max" },
);

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const OURS = /\u001b\[(?:1|2|22|31|32|33|36|39)m/g;

describe("whatever is told, in whatever order", () => {
  test("no control of anybody's is printed", () => {
    fc.assert(
      fc.property(options, calls, (look, script) => {
        const { both } = printed(look, (reporter) => {
          for (const call of script) call(reporter);
        });
        expect(both).not.toMatch(CONTROL);
      }),
      { numRuns: 1000 },
    );
  });

  test("in colour the only escapes are ours, and the output stream has none", () => {
    fc.assert(
      fc.property(options, calls, (look, script) => {
        const { out, err } = printed({ ...look, color: true }, (reporter) => {
          for (const call of script) call(reporter);
        });
        expect(out).not.toMatch(CONTROL);
        expect(err.replace(OURS, "")).not.toMatch(CONTROL);
      }),
    );
  });

  test("what an agent says can forge no line of ours on the error stream", () => {
    fc.assert(
      fc.property(options, fc.array(said, { maxLength: 10, size: "max" }), (look, script) => {
        const { err } = printed({ ...look, timestamps: false }, (reporter) => {
          for (const call of script) call(reporter);
        });
        expect(err).not.toMatch(/^(?:✅|\[OK\]) Verified/m);
      }),
    );
  });

  test("every stream ends with a whole line", () => {
    fc.assert(
      fc.property(options, calls, (look, script) => {
        const { out, err } = printed(look, (reporter) => {
          for (const call of script) call(reporter);
        });
        for (const text of [out, err]) expect(text === "" || text.endsWith("\n")).toBe(true);
      }),
    );
  });

  test("nothing throws, not even on a closed terminal", () => {
    const closed = {
      write() {
        throw new Error("EPIPE");
      },
    };
    fc.assert(
      fc.property(options, calls, (look, script) => {
        const setup = { out: closed, err: closed, options: { ...OPTIONS, ...look }, now: () => 0 };
        const reporter = createPlainReporter(setup);
        for (const call of script) call(reporter);
      }),
    );
  });

  test("nothing would throw without the safety net either, whatever the clock says", () => {
    const silent = { write() {} };
    fc.assert(
      fc.property(options, calls, fc.double(), (look, script, clock) => {
        const page = openPage({
          out: silent,
          err: silent,
          options: { ...OPTIONS, ...look },
          now: () => clock,
        });
        const memory = freshMemory();
        const netless: Reporter = {
          doing: (next) => showStep(page, memory, next),
          happened: (event) => showLoopEvent(page, memory, event),
          said: (_iteration, event) => showAgentEvent(page, memory, event),
          detail: (line) => page.detail(line),
        };
        for (const call of script) call(netless);
      }),
      { numRuns: 1000 },
    );
  });
});
