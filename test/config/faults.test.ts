import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { hasRepeatedKeys, repeatedKeys } from "../../src/config/repeated.ts";
import { errorOf, project } from "./project.ts";
import { LOCAL, MAIN } from "./resolving.ts";

describe("bad JSON", () => {
  test.each([
    ["", `bad JSON in ${MAIN}`, "the file is empty", "Write {} into it, or remove it."],
    [
      '{\n  // mine\n  "claimHint": true\n}',
      `bad JSON in ${MAIN}, line 2, column 3`,
      "here is a comment, and JSON has none",
      "Remove the comment.",
    ],
    [
      '{\n  "claimHint": true\n  "agent": {}\n}',
      `bad JSON in ${MAIN}, line 3, column 3`,
      "a comma is missing before this place",
      "Put a comma after the value before it.",
    ],
    [
      '{ "claimHint": true, }',
      `bad JSON in ${MAIN}, line 1, column 22`,
      "a name in double quotes is missing here",
      "Write the name in double quotes, or remove the comma before this place if it is the last.",
    ],
    [
      '{ "agent": {',
      `bad JSON in ${MAIN}, line 1, column 13`,
      "a closing } is missing",
      "Put a } where the object ends.",
    ],
    [
      "{ 'agent': 1 }",
      `bad JSON in ${MAIN}, line 1, column 3`,
      "this is nothing that JSON knows",
      "Put names and texts in double quotes; other values are numbers, true, false and null.",
    ],
    [
      "{} {}",
      `bad JSON in ${MAIN}, line 1, column 4`,
      "there is more text after the end of the settings",
      "Remove what stands after the last }.",
    ],
    [
      '{ "completionResponse": "a\nb" }',
      `bad JSON in ${MAIN}, line 1, column 25`,
      "a closing double quote is missing",
      'Put a " where the text ends.',
    ],
  ])("%j", async (text, ...parts) => {
    expect(await errorOf(() => loadSettings(project({ [MAIN]: text })))).toEqual(parts);
  });

  test("of the local file names the local file", async () => {
    const folder = project({ [MAIN]: {}, [LOCAL]: "{" });
    expect((await errorOf(() => loadSettings(folder)))[0]).toBe(`bad JSON in ${LOCAL}, line 1, column 2`);
  });

  test("nested deeper than any parser likes", async () => {
    expect((await errorOf(() => loadSettings(project({ [MAIN]: "[".repeat(200_000) }))))[0]).toMatch(
      /^bad JSON in /,
    );
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`;
    expect((await errorOf(() => loadSettings(project({ [MAIN]: deep }))))[0]).toMatch(
      /^unknown setting a in /,
    );
  });
});

describe("bad settings", () => {
  test.each([
    [
      "unknown key",
      '{\n  "maximumIteration": 5\n}',
      [
        `unknown setting maximumIteration in ${MAIN}, line 2, column 3`,
        "ralph has no setting of that name",
        'Did you mean "maximumIterations"?',
      ],
    ],
    [
      "unknown key far from all",
      '{ "scm": { "zzzzzz": 5 } }',
      [
        `unknown setting scm.zzzzzz in ${MAIN}, line 1, column 12`,
        "scm has no setting of that name",
        "Remove it, or use one of: command, tasks.",
      ],
    ],
    [
      "unknown key in a list",
      '{ "guardrails": [{ "command": "a", "failaction": "APPEND" }] }',
      [
        `unknown setting guardrails[0].failaction in ${MAIN}, line 1, column 36`,
        "guardrails[0] has no setting of that name",
        'Did you mean "failAction"?',
      ],
    ],
    [
      "unknown key that steers a terminal",
      '{ "\\u001b[2J": 5 }',
      [
        `unknown setting "\\u001b[2J" in ${MAIN}, line 1, column 3`,
        "ralph has no setting of that name",
        expect.stringMatching(/^Remove it, or use one of: /),
      ],
    ],
    [
      "a key of Object.prototype",
      '{ "constructor": 5 }',
      [
        `unknown setting constructor in ${MAIN}, line 1, column 3`,
        "ralph has no setting of that name",
        expect.any(String),
      ],
    ],
    [
      "__proto__",
      '{ "agent": { "__proto__": { "command": "evil" } } }',
      [
        `unknown setting agent.__proto__ in ${MAIN}, line 1, column 14`,
        "agent has no setting of that name",
        expect.any(String),
      ],
    ],
    [
      "wrong type",
      '{\n  "maximumIterations": "ten"\n}',
      [
        `bad setting maximumIterations in ${MAIN}, line 2, column 24`,
        'it is the text "ten", where a whole number of 1 or more is wanted',
        "Give maximumIterations a whole number of 1 or more.",
      ],
    ],
    [
      "zero iterations",
      '{ "maximumIterations": 0 }',
      [
        `bad setting maximumIterations in ${MAIN}, line 1, column 24`,
        "it is 0, where a whole number of 1 or more is wanted",
        "Give maximumIterations a whole number of 1 or more.",
      ],
    ],
    [
      "negative iterations",
      '{ "maximumIterations": -1.5 }',
      [
        `bad setting maximumIterations in ${MAIN}, line 1, column 24`,
        "it is -1.5, where a whole number of 1 or more is wanted",
        "Give maximumIterations a whole number of 1 or more.",
      ],
    ],
    [
      "null",
      '{ "scm": null }',
      [
        `bad setting scm in ${MAIN}, line 1, column 10`,
        "it is null, where an object is wanted",
        "Give scm an object.",
      ],
    ],
    [
      "a list for an object",
      '{ "agent": ["claude"] }',
      [
        `bad setting agent in ${MAIN}, line 1, column 12`,
        "it is a list, where an object is wanted",
        "Give agent an object.",
      ],
    ],
    [
      "an object for a list",
      '{ "guardrails": { "command": "a" } }',
      [
        `bad setting guardrails in ${MAIN}, line 1, column 17`,
        "it is an object, where a list of guardrails is wanted",
        "Give guardrails a list of guardrails.",
      ],
    ],
    [
      "a list for the file",
      "[]",
      [
        `bad settings in ${MAIN}, line 1, column 1`,
        "the file holds a list, where an object is wanted",
        "Put the settings between { and }.",
      ],
    ],
    [
      "mistyped failAction",
      '{ "guardrails": [{ "command": "a", "failAction": "apend" }] }',
      [
        `bad setting guardrails[0].failAction in ${MAIN}, line 1, column 50`,
        'it is the text "apend", where one of APPEND, PREPEND, REPLACE is wanted',
        'Did you mean "APPEND"?',
      ],
    ],
    [
      "unknown failAction",
      '{ "guardrails": [{ "command": "a", "failAction": "IGNORE" }] }',
      [
        `bad setting guardrails[0].failAction in ${MAIN}, line 1, column 50`,
        'it is the text "IGNORE", where one of APPEND, PREPEND, REPLACE is wanted',
        "Give guardrails[0].failAction one of APPEND, PREPEND, REPLACE.",
      ],
    ],
    [
      "blank command",
      '{ "guardrails": [{ "command": " " }] }',
      [
        `bad setting guardrails[0].command in ${MAIN}, line 1, column 31`,
        'it is the text " ", where a text that is not blank is wanted',
        "Give guardrails[0].command a text that is not blank.",
      ],
    ],
    [
      "no command",
      '{ "guardrails": [{ "hint": "h" }] }',
      [
        `missing setting guardrails[0].command in ${MAIN}, line 1, column 18`,
        "guardrails[0] needs it",
        'Add "command" to guardrails[0].',
      ],
    ],
    [
      "bad duration",
      '{ "guardrails": [{ "command": "a", "timeout": "10 minutes" }] }',
      [
        `bad setting guardrails[0].timeout in ${MAIN}, line 1, column 47`,
        'it is the text "10 minutes", where a duration such as "500ms", "5s", "10m" or "1h30m", more than 0 and less than 100h is wanted',
        'Give guardrails[0].timeout a duration such as "500ms", "5s", "10m" or "1h30m", more than 0 and less than 100h.',
      ],
    ],
    [
      "half an scm",
      '{ "scm": { "tasks": ["commit"] } }',
      [`missing setting scm.command in ${MAIN}, line 1, column 10`, "scm needs it", 'Add "command" to scm.'],
    ],
    [
      "a secret in the wrong place",
      '{ "agent": "claude --api-key abc" }',
      [
        `bad setting agent in ${MAIN}, line 1, column 12`,
        'it is the text "claude --api-key [redacted]", where an object is wanted',
        "Give agent an object.",
      ],
    ],
  ])("%s", async (_, text, parts) => {
    expect(await errorOf(() => loadSettings(project({ [MAIN]: text })))).toEqual(parts);
  });

  test("the first in the text is told, the others are counted, over both files", async () => {
    const folder = project({
      [MAIN]: '{\n  "zzz1": 1,\n  "maximumIterations": 0,\n  "zzz2": 2\n}',
      [LOCAL]: { claimHint: 5 },
    });
    const [what, why] = await errorOf(() => loadSettings(folder));
    expect(what).toBe(`unknown setting zzz1 in ${MAIN}, line 2, column 3`);
    expect(why).toBe("ralph has no setting of that name; 3 more faults in the settings");
  });

  test("one more is one fault", async () => {
    const folder = project({ [MAIN]: { claimHint: 1, streamAgentOutput: 2 } });
    expect((await errorOf(() => loadSettings(folder)))[1]).toBe(
      "it is 1, where true or false is wanted; 1 more fault in the settings",
    );
  });

  test("in the local file only, name the local file", async () => {
    const folder = project({ [MAIN]: { maximumIterations: 5 }, [LOCAL]: { maximumIterations: "5" } });
    expect((await errorOf(() => loadSettings(folder)))[0]).toBe(
      `bad setting maximumIterations in ${LOCAL}, line 2, column 24`,
    );
  });

  test("in the project's file are told even when the local file overrides them", async () => {
    const folder = project({ [MAIN]: { maximumIterations: "5" }, [LOCAL]: { maximumIterations: 5 } });
    expect((await errorOf(() => loadSettings(folder)))[0]).toContain(MAIN);
  });
});

describe("a key that stands twice", () => {
  const twice = (key: string, line: number, column: number, firstLine: number) => [
    `setting ${key} stands twice in ${MAIN}, line ${line}, column ${column}`,
    `line ${firstLine} has it already, and only one of them can count`,
    "Remove one of the two.",
  ];
  test.each<[string, string[]]>([
    ['{\n  "claimHint": true,\n  "claimHint": false\n}', twice("claimHint", 3, 3, 2)],
    ['{\n  "agent": {"command": "claude",\n "command": "x"}\n}', twice("agent.command", 3, 2, 2)],
    ['{"guardrails": [{"command": "a",\n"command": "a"}]}', twice("guardrails[0].command", 2, 1, 1)],
    // The first of the two holds a fault of its own: the one that comes first in the text is told.
    ['{"claimHint": 1,\n "claimHint": true, "nonsense": 2}', [...twice("claimHint", 2, 2, 1)]],
    // Escapes do not make another key of it.
    ['{"claimHint": true, "claim\\u0048int": true}', twice("claimHint", 1, 21, 1)],
    ['{"scm": {"tasks": ["a"]}, "scm": {"tasks": ["a"]}}', twice("scm", 1, 27, 1)],
  ])("%s", async (text, [what = "", why = "", fix]) => {
    const error = await errorOf(() => loadSettings(project({ [MAIN]: text })));
    expect(error[0]).toBe(what);
    expect(error[1].startsWith(why)).toBe(true);
    expect(error[2]).toBe(fix);
  });

  test("is no matter in two objects, in both files, or inside of a text", async () => {
    const folder = project({
      [MAIN]: {
        completionResponse: '"a": "a": \\" "b":',
        guardrails: [{ command: 'x "a":' }, { command: "y" }],
        agent: { command: "claude" },
        scm: { command: "git", tasks: [] },
      },
      [LOCAL]: { agent: { command: "claude" } },
    });
    expect((await loadSettings(folder)).settings.guardrails).toHaveLength(2);
  });

  test("is refused also beside a value that is nested too deep to be looked through", async () => {
    const deep = `{"agent": ${"[".repeat(200_000)}${"]".repeat(200_000)}, "agent": {}}`;
    expect((await errorOf(() => loadSettings(project({ [MAIN]: deep }))))[1]).toContain("a key twice");
  });

  test("is found wherever it is, and never where it is not", async () => {
    const key = fc.constantFrom("a", "b", '"', "\\", ":", "é");
    const { tree } = fc.letrec<{ tree: [string, boolean] }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.jsonValue({ maxDepth: 0 }).map((value): [string, boolean] => [JSON.stringify(value), false]),
        fc
          .array(tie("tree"), { maxLength: 3 })
          .map((all): [string, boolean] => [
            `[${all.map(([text]) => text).join(" , ")}]`,
            all.some(([, two]) => two),
          ]),
        fc
          .array(fc.tuple(key, tie("tree")), { maxLength: 3 })
          .map((all): [string, boolean] => [
            `{${all.map(([name, [text]]) => `${JSON.stringify(name)} :${text}`).join("\n,")}}`,
            all.some(([, [, two]]) => two) || new Set(all.map(([name]) => name)).size < all.length,
          ]),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(tree, async ([text, twice]) => {
        expect(hasRepeatedKeys(text, JSON.parse(text))).toBe(twice);
        expect((await repeatedKeys(text)).length > 0).toBe(twice);
      }),
      { numRuns: 500 },
    );
  });
});
