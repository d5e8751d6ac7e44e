import { describe, expect, test } from "vitest";
import type { RunFlags } from "../../src/config/resolve.ts";
import { errorOf } from "./project.ts";
import { resolved } from "./resolving.ts";

describe("bad flags", () => {
  const NUMBER = "a whole number of 1 or more";
  test.each<[RunFlags, [string, string, string]]>([
    [
      { maximumIterations: "opus" },
      [
        "bad value for --maximum-iterations",
        `it is "opus", where ${NUMBER} is wanted`,
        "Did you mean --model opus?",
      ],
    ],
    [
      { maximumIterations: "0" },
      [
        "bad value for --maximum-iterations",
        `it is 0, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumIterations: -3 },
      [
        "bad value for --maximum-iterations",
        `it is -3, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumIterations: "1.5" },
      [
        "bad value for --maximum-iterations",
        `it is 1.5, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumIterations: "1e999" },
      [
        "bad value for --maximum-iterations",
        `it is 1e999, where ${NUMBER} is wanted`,
        `Give --maximum-iterations ${NUMBER}.`,
      ],
    ],
    [
      { maximumFailures: "x" },
      [
        "bad value for --maximum-failures",
        `it is "x", where ${NUMBER} is wanted`,
        `Give --maximum-failures ${NUMBER}.`,
      ],
    ],
    [
      { maxOutputLines: "-1" },
      [
        "bad value for --max-output-lines",
        "it is -1, where a whole number of 0 or more is wanted",
        "Give --max-output-lines a whole number of 0 or more.",
      ],
    ],
    [
      { color: "alway" },
      [
        "bad value for --color",
        'it is "alway", where one of auto, always, never is wanted',
        "Did you mean --color always?",
      ],
    ],
    [
      { autonomy: "zzz" },
      [
        "bad value for --autonomy",
        'it is "zzz", where one of full, edits, none is wanted',
        "Give --autonomy one of full, edits, none.",
      ],
    ],
    [
      { model: " " },
      ["bad value for --model", "it is blank", "Write it after --model, or leave --model out."],
    ],
    [
      { agent: "" },
      ["bad value for --agent", "it is blank", "Write it after --agent, or leave --agent out."],
    ],
    [
      { prompt: "\n" },
      [
        "the prompt is blank",
        "--prompt has no text",
        'Say what is to be done: ralph run -p "fix the tests".',
      ],
    ],
    [
      { promptFile: "p" },
      ["both --prompt and --prompt-file were given", "a run has one prompt", "Leave one of them out."],
    ],
    [
      { prompt: undefined },
      [
        "there is no prompt",
        "neither --prompt nor --prompt-file was given",
        'Say what is to be done: ralph run -p "fix the tests", or ralph run -f prompt.md.',
      ],
    ],
  ])("%j", async (flags, parts) => {
    expect(await errorOf(() => resolved({}, flags))).toEqual(parts);
  });
});
