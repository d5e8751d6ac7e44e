import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { UserError } from "../../src/errors.ts";
import { errorOf, project } from "./project.ts";

const MAIN = ".ralph/settings.json";
const LOCAL = ".ralph/settings.local.json";

describe("what is accepted", () => {
  test("no folder and no files", async () => {
    expect(await loadSettings(project())).toEqual({ settings: {}, files: [], sources: new Map() });
  });

  test("both files, merged, with where each value came from", async () => {
    const folder = project({
      [MAIN]: {
        maximumIterations: 5,
        agent: { command: "claude", flags: ["--model opus"] },
        guardrails: [{ command: "a" }],
      },
      [LOCAL]: { agent: { flags: ["--verbose"] }, output: { emoji: false } },
    });
    const loaded = await loadSettings(folder);
    expect(loaded.settings).toEqual({
      maximumIterations: 5,
      agent: { command: "claude", flags: ["--verbose"] },
      guardrails: [{ command: "a" }],
      output: { emoji: false },
    });
    expect(Object.fromEntries(loaded.sources)).toEqual({
      maximumIterations: MAIN,
      "agent.command": MAIN,
      "agent.flags": LOCAL,
      guardrails: MAIN,
      "output.emoji": LOCAL,
    });
    expect(loaded.files.map((file) => file.name)).toEqual([MAIN, LOCAL]);
    expect(loaded.files[1]?.text).toContain("--verbose");
  });

  test("only the local file", async () => {
    const loaded = await loadSettings(project({ [LOCAL]: { claimHint: false } }));
    expect(loaded.settings).toEqual({ claimHint: false });
  });

  test("scm in two halves", async () => {
    const folder = project({ [MAIN]: { scm: { command: "git" } }, [LOCAL]: { scm: { tasks: ["commit"] } } });
    expect((await loadSettings(folder)).settings.scm).toEqual({ command: "git", tasks: ["commit"] });
  });

  test("a byte order mark", async () => {
    expect((await loadSettings(project({ [MAIN]: '\ufeff{"claimHint": false}' }))).settings).toEqual({
      claimHint: false,
    });
  });
});

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

  test("of equal keys the one that counts is pointed at", async () => {
    const folder = project({ [MAIN]: '{\n  "claimHint": true,\n  "claimHint": 5\n}' });
    expect((await errorOf(() => loadSettings(folder)))[0]).toContain("line 3, column 16");
  });
});

describe("odd files", () => {
  const LINK_WHY = "an agent could have made it, so ralph does not follow it";

  test(".ralph is a link", async () => {
    const folder = project();
    symlinkSync(project({ "settings.json": {} }), join(folder, ".ralph"));
    expect(await errorOf(() => loadSettings(folder))).toEqual([
      ".ralph is a symbolic link",
      LINK_WHY,
      "Put the real thing in its place.",
    ]);
  });

  test.each([MAIN, LOCAL])("%s is a link, even one that leads nowhere", async (name) => {
    const folder = project({ ".ralph/keep": "" });
    symlinkSync("nowhere", join(folder, name));
    expect(await errorOf(() => loadSettings(folder))).toEqual([
      `${name} is a symbolic link`,
      LINK_WHY,
      "Put the real thing in its place.",
    ]);
  });

  test(".ralph is a file", async () => {
    expect(await errorOf(() => loadSettings(project({ ".ralph": "x" })))).toEqual([
      ".ralph is not a folder",
      "a file of that name is in its place",
      "Move it away: ralph keeps its settings and logs there.",
    ]);
  });

  test("the settings are a folder", async () => {
    expect(await errorOf(() => loadSettings(project({ [`${MAIN}/x`]: "" })))).toEqual([
      `cannot read ${MAIN}`,
      "it is not a plain file",
      "Remove it, or put a file in its place.",
    ]);
  });

  test("too large, and not text", async () => {
    expect((await errorOf(() => loadSettings(project({ [MAIN]: " ".repeat(1024 * 1024 + 1) }))))[1]).toBe(
      "it is larger than 1 MiB",
    );
    const folder = project({ [MAIN]: "" });
    writeFileSync(join(folder, MAIN), Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
    expect(await errorOf(() => loadSettings(folder))).toEqual([
      `cannot read ${MAIN}`,
      "it is not UTF-8 text",
      "Save it as UTF-8.",
    ]);
  });
});

test("any JSON is accepted or refused with a UserError, and pollutes nothing", async () => {
  const key = fc.constantFrom(
    "maximumIterations",
    "agent",
    "guardrails",
    "scm",
    "command",
    "tasks",
    "flags",
    "__proto__",
    "output",
    "zz",
  );
  const near = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(key, tie("value")),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  })).value;
  const folder = project({ [MAIN]: {} });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        near.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      near,
      async (text, local) => {
        writeFileSync(join(folder, MAIN), text);
        writeFileSync(join(folder, LOCAL), JSON.stringify(local));
        await loadSettings(folder).catch((error: unknown) => {
          expect(error).toBeInstanceOf(UserError);
          if (error instanceof UserError)
            expect(`${error.what}${error.why}${error.fix}`).not.toMatch(/[\n\u001b]|undefined|\[object/);
        });
        expect(Object.keys(Object.prototype)).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
