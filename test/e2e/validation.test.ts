import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, expectUserError, makeWorld, ofType, outcomeOf, prompts } from "./support.ts";

const SETTINGS = ".ralph/settings.json";

/** Runs on settings that are wrong; nothing may be started, written or lost. */
async function refused(text: string, parts: (string | RegExp)[], args = ["-p", "x", "--agent", "true"]) {
  const world = makeWorld();
  world.write(SETTINGS, text);
  expectUserError(await world.ralph(args), ...parts);
  expect(world.read(SETTINGS)).toBe(text);
  expect(world.ralphFiles()).toEqual(["settings.json"]);
  expect(world.hasJournal()).toBe(false);
}

describe("bad settings are a clear error of three lines, exit code 2", () => {
  test.each([
    [
      "an unknown setting",
      '{\n  "maximumIteratons": 3\n}',
      ["maximumIteratons", /line 2, column 3/, 'Did you mean "maximumIterations"'],
    ],
    [
      "an unknown setting in a section",
      '{"agent":\n{"comand":"x"}}',
      ["agent.comand", /line 2/, 'Did you mean "command"'],
    ],
    [
      "an unknown setting that is like no other",
      '{"zebra":1}',
      ["zebra", /line 1/, /Remove it, or use one of: .*guardrails/],
    ],
    [
      "a wrong type",
      '{\n\n"maximumIterations": "ten"\n}',
      ["maximumIterations", /line 3, column 22/, /whole number/],
    ],
    ["a number that is no count", '{"maximumIterations": 0}', ["maximumIterations", /line 1/, /1 or more/]],
    ["a flag that is no boolean", '{"streamAgentOutput": 1}', ["streamAgentOutput", /true or false/]],
    ["a list that is none", '{"guardrails": {"command":"x"}}', ["guardrails", /a list of guardrails/]],
    [
      "flags that are one text",
      '{"agent":{"command":"true","flags":"--x"}}',
      ["agent.flags", /a list of texts/],
    ],
    ["bad JSON", '{\n  "maximumIterations": 3,\n  oops\n}', [/bad JSON/, /line 3/]],
    ["JSON that breaks off", '{\n  "agent": {', [/bad JSON/, /line 2/]],
    ["an empty file", "", [/bad JSON/]],
    ["a list instead of an object", "[]", [/settings\.json/, /a list/]],
    [
      "an unknown failAction",
      '{"guardrails":[{"command":"x"},\n{"command":"y","failAction":"APEND"}]}',
      ["guardrails[1].failAction", /line 2/, 'Did you mean "APPEND"'],
    ],
    [
      "a guardrail without a command",
      '{"guardrails":[\n{"failAction":"APPEND"}]}',
      [/guardrails\[0\]\.command/, /line 2/],
    ],
    [
      "a timeout that is none",
      '{"guardrails":[{"command":"x","timeout":"soon"}]}',
      ["guardrails[0].timeout", /duration/],
    ],
    ["an scm without tasks", '{"scm":{"command":"git"}}', ["scm.tasks", /line 1/]],
    [
      "a quote that is not closed",
      '{"agent":{"command":"true",\n"flags":["--x \'y"]}}',
      ["agent.flags[0]", /line 2/, /not closed/],
    ],
  ] as [string, string, (string | RegExp)[]][])("%s", async (_what, text, parts) => {
    const args = text.includes('"command":"true"') ? ["-p", "x"] : undefined;
    await refused(text, [...parts, SETTINGS], args);
  });

  test("several faults are counted", async () => {
    await refused('{"maximumIterations":-1,"a":1,"b":2}', [/2 more faults/]);
  });

  test("a fault in settings.local.json names that file", async () => {
    const world = makeWorld();
    world.settings({ maximumIterations: 3 });
    world.localSettings('{"maximumIterations":\n"x"}');
    expectUserError(await world.ralph(["-p", "x", "--agent", "true"]), /settings\.local\.json, line 2/);
  });

  test("control characters in them do not reach the terminal", async () => {
    await refused('{"\\u001b[31mred\\u0007":1}', [/\\u001b/]);
  });
});

describe("a bad command line is the same", () => {
  test.each([
    ["neither -p nor -f", [], [/--prompt/, /--prompt-file/]],
    ["both -p and -f", ["-p", "x", "-f", "y"], [/--prompt/, /--prompt-file/]],
    ["a blank prompt", ["-p", "  "], [/blank/]],
    ["a prompt file that is not there", ["-f", "gone.md"], ["gone.md", /no such file/]],
    ["a prompt file that is a folder", ["-f", "."], [/not a plain file/]],
    ["zero iterations", ["-p", "x", "-m", "0"], ["--maximum-iterations", /1 or more/]],
    ["negative iterations", ["-p", "x", "-m", "-3"], ["--maximum-iterations", "-3"]],
    ["iterations that are no whole number", ["-p", "x", "-n", "1.5"], ["1.5"]],
    ["a model where iterations are wanted", ["-p", "x", "-m", "opus"], [/--model opus/]],
    [
      "a mistyped flag",
      ["-p", "x", "--maximum-iteration", "3"],
      ["--maximum-iteration", /Did you mean --maximum-iterations/],
    ],
    ["a mistyped flag of run", ["run", "--promt", "x"], [/Did you mean --prompt/]],
    ["a mistyped command", ["rnu"], ["rnu", /ralph run/]],
    ["another mistyped command", ["doctr"], [/ralph doctor/]],
    ["a mistyped flag of another command", ["demo", "--kepe"], [/Did you mean --keep/]],
    ["words that are no prompt", ["run", "fix", "it"], [/ralph run -p/]],
    ["a flag without its value", ["--agent", "true", "-p"], [/--prompt/]],
    ["an unknown autonomy", ["-p", "x", "--autonomy", "ful"], [/--autonomy full/]],
    ["an unknown colour mode", ["-p", "x", "--color", "alway"], [/--color always/]],
    ["a blank agent", ["-p", "x", "--agent", " "], ["--agent"]],
  ] as [string, string[], (string | RegExp)[]][])("%s", async (_what, args, parts) => {
    const world = makeWorld();
    const known =
      args.includes("--agent") || args[0] === "demo" || args[0] === "rnu" ? [] : ["--agent", "true"];
    expectUserError(await world.ralph([...args, ...known]), ...parts);
    expect(world.hasJournal()).toBe(false);
    expect(world.ralphFiles()).toEqual([]);
  });
});

describe("a prompt file that is bad in the middle of a run", () => {
  test.each([
    ["is gone", "rm prompt.md", /is not there/],
    ["is blank", "echo > prompt.md", /no text/],
    ["is a link", "ln -sf /etc/hostname prompt.md", /prompt\.md/],
    ["is a folder", "rm prompt.md; mkdir prompt.md", /prompt\.md/],
    ["is a pipe", "rm prompt.md; mkfifo prompt.md", /prompt\.md/],
  ])("ends it with exit code 2 when it %s", async (_how, run, why) => {
    const world = makeWorld();
    world.write("prompt.md", "the work");
    const agent = world.speaking({ turns: [{ actions: [{ run }], final: "Hm." }] });
    const ended = await world.ralph(["-f", "prompt.md"]);
    expect(ended.code).toBe(2);
    expect(prompts(agent)).toEqual(["the work"]);
    const block = ended.stderr.split("\n\n").find((part) => part.includes("the prompt file")) ?? "";
    expect(block.trimEnd().split("\n")).toHaveLength(3);
    expect(block).toMatch(why);
    expect(ended.stderr).not.toMatch(/\n\s+at .*:\d+/);
    expect(ofType(world.journal(), "run.faulted")).toHaveLength(1);
    expect(outcomeOf(world).kind).toBe("failed");
  });
});

describe("a .ralph that cannot be written", () => {
  test("because a file stands in its place", async () => {
    const world = makeWorld();
    world.write(".ralph", "mine");
    expectUserError(await world.ralph(["-p", "x", "--agent", "true"]), ".ralph");
    expect(world.read(".ralph")).toBe("mine");
    expect(world.hasJournal()).toBe(false);
  });

  test("because it is a symbolic link", async () => {
    const world = makeWorld();
    const elsewhere = join(world.home, "elsewhere");
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(world.project, ".ralph"));
    expectUserError(await world.ralph(["-p", "x", "--agent", "true"]), ".ralph", "symbolic link");
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(world.hasJournal()).toBe(false);
  });

  test("settings that are a symbolic link are not followed", async () => {
    const world = makeWorld();
    writeFileSync(join(world.home, "settings.json"), "{}");
    mkdirSync(join(world.project, ".ralph"));
    symlinkSync("../../settings.json", join(world.project, SETTINGS));
    expectUserError(await world.ralph(["-p", "x", "--agent", "true"]), SETTINGS, "symbolic link");
  });

  test("a state folder that cannot be written is an error of the same kind", async () => {
    const world = makeWorld();
    writeFileSync(world.state, "a file");
    expectUserError(await world.ralph(["-p", "x", "--agent", "true"]), "state", "RALPH_STATE_DIR");
  });

  test("a folder in the place of a file that ralph writes ends the run with exit code 2", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ run: "mkdir .ralph/prompt_002.txt" }], final: "Hm." }] });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("cannot write .ralph/prompt_002.txt");
  });
});

describe("scm without the repository that it needs", () => {
  test("is an error before anything starts", async () => {
    const world = makeWorld();
    const agent = world.speaking(
      { turns: [{ final: DONE }] },
      { scm: { command: "git", tasks: ["commit"] } },
    );
    expectUserError(await world.ralph(["-p", "x"]), /not a git repository/, SETTINGS, /git init/);
    expect(agent.calls()).toEqual([]);
    expect(world.hasJournal()).toBe(false);
  });

  test("and without git itself too", async () => {
    const world = makeWorld();
    world.installAgent("mine", { voice: "text", turns: [{ final: DONE }] });
    world.settings({ scm: { command: "git", tasks: ["commit"] } });
    const ended = await world.ralph(["-p", "x", "--agent", "mine"], { env: { PATH: world.bin } });
    expectUserError(ended, /cannot start git/, "PATH");
  });
});

test("an error with --json leaves standard output empty too", async () => {
  const world = makeWorld();
  expectUserError(await world.ralph(["--json", "-p", "x", "-m", "0", "--agent", "true"]));
});
