import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type LoopWish, parseArguments } from "../../src/hooks/arguments.ts";

const USUAL = {
  maxIterations: 20,
  promiseLine: false,
  minToolCalls: 1,
  onNoWork: "reject",
  gates: [],
  guardrails: false,
  criteria: [],
};

function wish(text: string): LoopWish {
  const parsed = parseArguments(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed;
}

describe("what stands after /ralph-loop", () => {
  it.each<[string, Partial<LoopWish>]>([
    ['"Fix it"', { task: "Fix it" }],
    ["Fix it", { task: "Fix it" }],
    ["'Fix it'", { task: "Fix it" }],
    ["“Fix it” --max-iterations 3", { task: "Fix it", maxIterations: 3 }],
    [
      '"Fix it" --max-iterations 3 --completion-promise ALL_DONE',
      { task: "Fix it", maxIterations: 3, promise: "ALL_DONE" },
    ],
    [
      '--max-iterations=3 --completion-promise="ALL DONE" Fix it',
      { task: "Fix it", maxIterations: 3, promise: "ALL DONE" },
    ],
    ["Fix --max-iterations 3 it", { task: "Fix it", maxIterations: 3 }],
    ['Fix "that thing" --min-tool-calls 0', { task: 'Fix "that thing"', minToolCalls: 0 }],
    ["don't break 'the' build's tests", { task: "don't break 'the' build's tests" }],
    ['say "', { task: 'say "' }],
    [
      '"a \\"quoted\\" word and a \\\\ backslash, \\n as typed"',
      { task: 'a "quoted" word and a \\ backslash, \\n as typed' },
    ],
    ['"`rm -rf x` $(rm -rf x) ; rm -rf x\n| y"', { task: "`rm -rf x` $(rm -rf x) ; rm -rf x\n| y" }],
    ["first line\n\n  second line", { task: "first line\n\n  second line" }],
    ['"x" --completion-promise ""', { task: "x", promise: "" }],
    ['"x" --gate "npm test" --gate \'npm run "lint"\'', { task: "x", gates: ["npm test", 'npm run "lint"'] }],
    ['"x" --guardrails --promise-line', { task: "x", guardrails: true, promiseLine: true }],
    ['"x" --on-promise-no-work warn', { task: "x", onNoWork: "warn" }],
    ["-- --max-iterations is an option", { task: "--max-iterations is an option" }],
    ['"the --verbose flag"', { task: "the --verbose flag" }],
    ['"x" --completion-promise "--done"', { task: "x", promise: "--done" }],
    ['"x" --completion-promise=--done', { task: "x", promise: "--done" }],
    ["mend the -v flag — and the docs — or -gates", { task: "mend the -v flag — and the docs — or -gates" }],
    ['"the —gate option"', { task: "the —gate option" }],
    ['"x" --criteria test_pass,lint_clean', { task: "x", criteria: ["test_pass", "lint_clean"] }],
  ])("%s", (text, expected) => {
    expect(wish(text)).toEqual({ ...USUAL, ...expected });
  });

  it.each([
    ["", "what is to be done"],
    ['""', "what is to be done"],
    ["--max-iterations 3", "what is to be done"],
    ["x --max-iterations", "needs a value"],
    ["x --max-iterations many", "whole number of 1 or more"],
    ["x --max-iterations 0", "whole number of 1 or more"],
    ["x --max-iterations -1", "whole number of 1 or more"],
    ["x --max-iterations 1e9", "whole number of 1 or more"],
    ["x --min-tool-calls 1.5", "whole number of 0 or more"],
    ["x --on-promise-no-work maybe", "reject, warn, accept"],
    ["x --max-iteration 3", "no option"],
    ["fix the --verbose flag", "put the task in quotes"],
    ["x --gate", "needs a value"],
    ['x --gate " "', "needs a command"],
    ['x --completion-promise --gate "npm test"', "--completion-promise needs a value"],
    ["x --gate --guardrails", "--gate needs a value"],
    ['x —gate "npm test"', "two hyphens: --gate"],
    ["x –max-iterations=3", "two hyphens: --max-iterations"],
    ["x -guardrails", "two hyphens: --guardrails"],
    ["x --completion-promise <promise>DONE</promise>", "without the tags"],
  ])("%j is answered kindly", (text, part) => {
    const parsed = parseArguments(text);
    expect("fault" in parsed ? parsed.fault : parsed).toContain(part);
  });
});

const quote = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
const text = fc.string({ unit: "grapheme-ascii", maxLength: 60 }).map((one) => one.trim());
const wild = fc
  .array(
    fc.constantFrom(
      '"',
      "'",
      "\\",
      "`",
      "$(",
      ")",
      "--",
      "--gate",
      "--max-iterations",
      "=",
      " ",
      "\n",
      "a",
      "9",
      "“",
      "”",
    ),
    {
      maxLength: 40,
    },
  )
  .map((parts) => parts.join(""));

test("a task in quotes comes out as it went in, whatever is in it, wherever the options stand", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        wild.map((one) => one.trim()),
      ),
      fc.nat(1000),
      fc.boolean(),
      (task, number, isFirst) => {
        fc.pre(task !== "");
        const options = `--max-iterations ${number + 1}`;
        const typed = isFirst ? `${options} ${quote(task)}` : `${quote(task)} ${options}`;
        expect(wish(typed)).toEqual({ ...USUAL, task, maxIterations: number + 1 });
      },
    ),
  );
});

test("gates come out as they went in", () => {
  fc.assert(
    fc.property(
      fc.array(
        text.filter((one) => one !== ""),
        { maxLength: 4 },
      ),
      (gates) => {
        expect(wish(`"x" ${gates.map((gate) => `--gate ${quote(gate)}`).join(" ")}`).gates).toEqual(gates);
      },
    ),
  );
});

test("nothing that is typed throws, and every task is part of what was typed", () => {
  fc.assert(
    fc.property(fc.oneof(wild, fc.string({ unit: "binary" })), (typed) => {
      const parsed = parseArguments(typed);
      if (!("fault" in parsed)) expect(parsed.task).not.toBe("");
    }),
  );
});

test("words without options or leading dashes are the task, as they were typed", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "b", "'", "`", "$", "\\", " ", "\n", ";", "-") }),
      (typed) => {
        fc.pre(typed.trim() !== "" && !/(?:^|\s)(?:--|')/.test(typed));
        expect(wish(typed).task).toBe(typed.trim());
      },
    ),
  );
});

test("a megabyte of open quotes is read in one go", () => {
  expect(wish('"a '.repeat(350_000)).task).toHaveLength('"a '.repeat(350_000).length - 1);
});
