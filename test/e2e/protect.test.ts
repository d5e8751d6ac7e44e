import { chmodSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Action } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, ofType, type World } from "./support.ts";

/* A shop whose test an agent may weaken, and whose check is a script of package.json. */
const SHEET = { name: "shop", scripts: { test: "node test/sum.test.js", start: "node sum.js" } };
const TEST = 'if (require("../sum.js")(1, 2) !== 3) { console.log("1 + 2 is not 3"); process.exit(1); }\n';
const WRONG = "module.exports = (a, b) => a - b;\n";
const RIGHT = "module.exports = (a, b) => a + b;\n";
const GUARDRAILS = [{ command: "npm test --silent" }];
const PROTECT = ["test/**"];

/** The tricks of one turn, honest work in the next. */
function shop(tricks: readonly Action[], settings: object = {}): World {
  const world = makeWorld({ git: true });
  world.write("package.json", `${JSON.stringify(SHEET, null, 2)}\n`);
  world.write("test/sum.test.js", TEST);
  world.write("test/run.sh", "exit 0\n");
  world.write("sum.js", WRONG);
  chmodSync(join(world.project, "test/run.sh"), 0o755);
  world.git("add", "--all");
  world.git("commit", "--quiet", "-m", "a shop");
  world.write("notes.txt", "the user's own, never committed\n");
  world.speaking(
    {
      turns: [
        { actions: tricks, final: DONE },
        { actions: [{ write: "sum.js", text: RIGHT }], final: DONE },
      ],
    },
    { guardrails: GUARDRAILS, protect: PROTECT, ...settings },
  );
  return world;
}

function verdicts(world: World, iteration: number) {
  return world
    .journal()
    .flatMap((event) =>
      event.type === "gate.judged" && event.iteration === iteration ? [event.verdict] : [],
    );
}

/** What was refused in the first iteration, in one line. */
function refusal(world: World): string {
  const [first] = verdicts(world, 1);
  expect(first).toMatchObject({ pass: false });
  return first?.reason ?? "";
}

/** The second prompt, as the agent was given it. */
function secondPrompt(world: World): string {
  return world.read(".ralph/prompt_002.txt");
}

interface Trick {
  readonly actions: readonly Action[];
  readonly named: string;
  /** What is kept of it, by path. */
  readonly kept: Readonly<Record<string, string>>;
}

const WEAK = 'console.log("fine");\n';
const TRICKS: Readonly<Record<string, Trick>> = {
  "weakens a test": {
    actions: [{ write: "test/sum.test.js", text: WEAK }],
    named: "test/sum.test.js (changed)",
    kept: { "test/sum.test.js": WEAK },
  },
  "deletes the tests": {
    actions: [{ run: "rm -r test" }],
    named: "test/sum.test.js (deleted)",
    kept: {},
  },
  "adds a test of its own": {
    actions: [{ write: "test/own.test.js", text: WEAK }],
    named: "test/own.test.js (added)",
    kept: { "test/own.test.js": WEAK },
  },
  "edits the settings": {
    actions: [{ run: "echo '{}' > .ralph/settings.json" }],
    named: ".ralph/settings.json (changed)",
    kept: { ".ralph/settings.json": "{}\n" },
  },
  "deletes .ralph": {
    actions: [{ run: "rm -r .ralph" }],
    named: ".ralph/settings.json (deleted)",
    kept: {},
  },
  "adds local settings that git ignores": {
    actions: [
      { run: "echo '*' > .ralph/.gitignore; echo '{\"guardrails\":[]}' > .ralph/settings.local.json" },
    ],
    named: ".ralph/settings.local.json (added)",
    kept: { ".ralph/settings.local.json": '{"guardrails":[]}\n' },
  },
  "makes the check pass by its script": {
    actions: [{ run: "sed -i 's/node test.sum.test.js/true/' package.json" }],
    named: "package.json (protected keys changed)",
    kept: {
      "package.json": `${JSON.stringify({ ...SHEET, scripts: { ...SHEET.scripts, test: "true" } }, null, 2)}\n`,
    },
  },
  "makes the check pass by a script before it, and hides that by one after it": {
    actions: [
      {
        run: "npm pkg set scripts.pretest='mv test/sum.test.js keep; touch test/sum.test.js' scripts.posttest='mv keep test/sum.test.js'",
      },
    ],
    named: "package.json (protected keys changed)",
    kept: {},
  },
  "hides a test of its own by ignore rules": {
    actions: [{ run: "mkdir test/own; echo x > test/own/x.js; echo '*' > test/own/.gitignore" }],
    named: "test/own/x.js (added)",
    kept: { "test/own/x.js": "x\n" },
  },
  "puts a link in the place of .ralph": {
    actions: [{ run: "mv .ralph mine; ln -s mine .ralph; echo '{}' > mine/settings.json" }],
    named: ".ralph (added)",
    kept: {},
  },
  "puts a link in a test's place": {
    actions: [{ run: "cp sum.js other.js; rm test/sum.test.js; ln -s ../other.js test/sum.test.js" }],
    named: "test/sum.test.js (replaced by something else)",
    kept: {},
  },
  "puts a folder in a test's place": {
    actions: [{ run: "rm test/sum.test.js; mkdir test/sum.test.js; echo > test/sum.test.js/index.js" }],
    named: "test/sum.test.js (deleted)",
    kept: { "test/sum.test.js/index.js": "\n" },
  },
  "renames the folder of the tests": {
    actions: [{ run: "mv test tests-old; mkdir test; echo > test/sum.test.js" }],
    named: "test/sum.test.js (changed)",
    kept: { "test/sum.test.js": "\n" },
  },
  "puts a link in the folder's place": {
    actions: [{ run: "mv test old; ln -s old test; echo > old/sum.test.js" }],
    named: "test (added)",
    kept: {},
  },
  "makes a script unrunnable": {
    actions: [{ run: "chmod -x test/run.sh" }],
    named: "test/run.sh (made runnable, or not runnable)",
    kept: { "test/run.sh": "exit 0\n" },
  },
  "names a file so that it speaks for itself": {
    actions: [{ write: "test/a\nAll is well.\u001b[2J", text: "" }],
    named: '"test/a\\nAll is well.\\u001b[2J" (added)',
    kept: { "test/a\nAll is well.\u001b[2J": "" },
  },
};

describe.each(Object.entries(TRICKS))("an agent that %s", (_, trick) => {
  test("is refused, told, and put right; honest work is then verified", async () => {
    const world = shop(trick.actions);
    const settings = world.read(".ralph/settings.json");
    const sheet = world.read("package.json");
    const run = await world.ralph(["-p", "mend it"]);
    expect(run.code, run.stderr).toBe(0);

    expect(refusal(world)).toContain(trick.named);
    expect(run.stderr).toContain("they were put back");
    expect(secondPrompt(world)).toContain(trick.named);
    for (const [path, text] of Object.entries(trick.kept)) {
      expect(readFileSync(join(world.runFolder(), "protected/001", path), "utf8")).toBe(text);
    }
    expect(verdicts(world, 2).map(({ pass }) => pass)).toEqual([true, true]);

    expect(world.read(".ralph/settings.json")).toBe(settings);
    expect(world.has(".ralph/settings.local.json")).toBe(false);
    expect(world.read("package.json")).toBe(sheet);
    expect(world.read("test/sum.test.js")).toBe(TEST);
    expect(lstatSync(join(world.project, "test")).isDirectory()).toBe(true);
    expect(lstatSync(join(world.project, "test/run.sh")).mode & 0o777).toBe(0o755);
    expect(world.git("status", "--porcelain", "--", "test", "package.json")).toBe("");
    expect(world.read("notes.txt")).toBe("the user's own, never committed\n");
  });
});

test("the other guardrails judge the work with the files as they were", async () => {
  const world = shop([{ write: "test/sum.test.js", text: WEAK }]);
  await world.ralph(["-p", "mend it", "-m", "1"]);
  expect(verdicts(world, 1).map(({ pass, output }) => [pass, output])).toEqual([
    [false, expect.stringContaining("test/sum.test.js (changed)")],
    [false, "1 + 2 is not 3\n"],
  ]);
  expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "exhausted" } });
});

test("other edits in package.json stay, and honest ones are not refused", async () => {
  const grown = { ...SHEET, version: "1.0.0", scripts: { ...SHEET.scripts, test: "true", build: "true" } };
  const world = shop([{ write: "package.json", text: JSON.stringify(grown) }]);
  const run = await world.ralph(["-p", "mend it"]);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(world.read("package.json"))).toEqual({
    ...grown,
    scripts: { ...grown.scripts, test: SHEET.scripts.test },
  });

  const honest = { ...SHEET, version: "1.0.0", scripts: { ...SHEET.scripts, build: "true" } };
  const other = shop([
    { write: "package.json", text: JSON.stringify(honest) },
    { write: "sum.js", text: RIGHT },
  ]);
  expect((await other.ralph(["-p", "mend it", "-m", "1"])).code).toBe(0);
  expect(JSON.parse(other.read("package.json"))).toEqual(honest);
});

test("a package.json that is no JSON any more is put back whole", async () => {
  const world = shop([{ write: "package.json", text: "{" }]);
  const sheet = world.read("package.json");
  expect((await world.ralph(["-p", "mend it"])).code).toBe(0);
  expect(refusal(world)).toContain("package.json (changed)");
  expect(world.read("package.json")).toBe(sheet);
});

test("what the user changed before the run is the base, committed or not", async () => {
  const world = shop([{ write: "test/sum.test.js", text: WEAK }]);
  const mine = `// mine, not committed\n${TEST}`;
  world.write("test/sum.test.js", mine);
  world.write("test/mine.js", "// new\n");
  expect((await world.ralph(["-p", "mend it"])).code).toBe(0);
  expect(world.read("test/sum.test.js")).toBe(mine);
  expect(world.read("test/mine.js")).toBe("// new\n");
});

test("outside git it holds too", async () => {
  const world = makeWorld();
  world.write("check.sh", "grep -q right work.txt\n");
  world.speaking(
    {
      turns: [
        { actions: [{ write: "check.sh", text: "true\n" }], final: DONE },
        { actions: [{ write: "work.txt", text: "right\n" }], final: DONE },
      ],
    },
    { guardrails: [{ command: "sh check.sh" }] },
  );
  const run = await world.ralph(["-p", "go"]);
  expect(run.code, run.stderr).toBe(0);
  expect(refusal(world)).toContain("check.sh (changed)");
  expect(world.read("check.sh")).toBe("grep -q right work.txt\n");
});

test.each([
  ["--no-protect", { protect: PROTECT }, ["--no-protect"]],
  ["protect: false", { protect: false }, []],
])("%s switches it off", async (_, settings, flags) => {
  const world = shop([{ write: "test/sum.test.js", text: WEAK }], settings);
  const run = await world.ralph(["-p", "mend it", "-m", "1", ...flags]);
  expect(run.code, run.stderr).toBe(0);
  expect(world.read("test/sum.test.js")).toBe(WEAK);
  expect(ofType(world.journal(), "gate.judged").map(({ name }) => name)).not.toContain("protected files");
});

test("a pattern with ! takes out what would be protected", async () => {
  const world = shop([{ write: "test/sum.test.js", text: WEAK }], { protect: ["!test/sum.test.js"] });
  expect((await world.ralph(["-p", "mend it", "-m", "1"])).code).toBe(0);
});

test("a pattern that protects nothing is told", async () => {
  const world = shop([{ write: "sum.js", text: RIGHT }], { protect: ["test/**", "tets/**", "!none"] });
  const ended = await world.ralph(["-p", "x"]);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toContain("tets/** protects nothing that was there");
  expect(verdicts(world, 1)[0]?.warnings).toHaveLength(1);
});

test("protection alone proves nothing: the run ends as claimed", async () => {
  const world = makeWorld({ git: true });
  world.speaking({ turns: [{ final: DONE }] }, { protect: ["README"] });
  const run = await world.ralph(["-p", "go"]);
  expect(run.code).toBe(0);
  expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "claimed" } });
});

test("a repository that is made around protected files does not hide them", async () => {
  const world = shop([
    { write: "test/sum.test.js", text: WEAK },
    { write: "test/own.test.js", text: WEAK },
    { run: "cd test && git init -q && git add . && git -c user.name=a -c user.email=a@b commit -qm x" },
  ]);
  const run = await world.ralph(["-p", "mend it", "-m", "2"]);
  expect(refusal(world)).toContain("test/own.test.js (added), test/sum.test.js (changed)");
  expect(run.code, run.stderr).toBe(0);
  expect(world.read("test/sum.test.js")).toBe(TEST);
});
