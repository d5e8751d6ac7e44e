import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { definingFiles } from "../../src/config/gate-defining.ts";
import { TEST_FILES, withPristine } from "../../src/config/protection.ts";
import { commandsOf, trustKey } from "../../src/config/trust.ts";
import { readPatterns } from "../../src/gates/patterns.ts";
import type { GateSpec } from "../../src/spec.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { LOCAL, MAIN, resolved } from "./resolving.ts";

const SHEET = {
  scripts: {
    test: "npm run lint && node scripts/test.mjs",
    pretest: "sh scripts/prepare.sh",
    lint: "eslint .",
    start: "node app.js",
    "a/b~c": "true",
  },
};

function project(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const FILES = {
  "package.json": JSON.stringify(SHEET),
  Makefile: "",
  "tools.mk": "",
  "check.sh": "",
  "odd (1)*.sh": "",
  "scripts/test.mjs": "",
  "scripts/prepare.sh": "",
  "app.js": "",
  "sub/package.json": JSON.stringify({ scripts: { test: "true" } }),
};

/** A script, and what npm would run before and after it, there or not. */
function script(name: string, folder = ""): string[] {
  return ["pre", "", "post"].map((when) => `${folder}package.json#/scripts/${when}${name}`);
}

describe("what defines a gate", () => {
  const NPM_TEST = [".npmrc", ...script("lint"), ...script("test"), "scripts/prepare.sh", "scripts/test.mjs"];
  test.each<[string, string[]]>([
    ["npm test", NPM_TEST],
    ["CI=1 timeout 60 npm t -- --all", NPM_TEST],
    ["pnpm run lint", [".npmrc", "pnpm-workspace.yaml", ...script("lint")]],
    ["yarn lint", [".npmrc", ".yarnrc", ".yarnrc.yml", ...script("lint")]],
    ["bun run lint", [".npmrc", "bunfig.toml", ...script("lint")]],
    ["npm run a/b~c", [".npmrc", ...script("a~1b~0c")]],
    ["cd sub && npm test", ["sub/.npmrc", ...script("test", "sub/")]],
    ["make check", ["GNUmakefile", "Makefile", "makefile"]],
    ["make -f tools.mk check", ["tools.mk"]],
    ["./check.sh --fast", ["check.sh"]],
    ["bash -e check.sh; true", ["check.sh"]],
    ["sh -c './check.sh'", ["check.sh"]],
    [". ./check.sh", ["check.sh"]],
    ["source check.sh && true", ["check.sh"]],
    ["sh './odd (1)*.sh'", ["odd \\(1\\)\\*.sh"]],
    ["(node scripts/test.mjs | tail)", ["scripts/test.mjs"]],
    // What a command only reads or is about is the agent's to write.
    ["grep -q ok app.js", []],
    ["test -f check.sh", []],
    ["npx vitest run", []],
    // What is not there, or not in the project, is not protected.
    ["./missing.sh", []],
    ["sh ../outside.sh", []],
    ["cd .. && npm test", []],
    ["cd sub && make check", []],
    ["sh 'unclosed", []],
    ["", []],
  ])("%j", (command, wanted) => {
    const found = definingFiles(project(FILES), [command]);
    expect(found.slice(0, 2)).toEqual([MAIN, LOCAL]);
    expect(found.slice(2).sort()).toEqual(wanted.sort());
  });

  test("is a link's target too, but only inside the project", () => {
    const folder = project(FILES);
    symlinkSync("check.sh", join(folder, "link.sh"));
    symlinkSync("/bin/true", join(folder, "out.sh"));
    expect(definingFiles(folder, ["./link.sh", "./out.sh"]).slice(2)).toEqual(["link.sh", "check.sh"]);
  });

  test("is found when scripts call each other in a circle", () => {
    const scripts = { a: "npm run b", b: "npm run a" };
    const folder = project({ "package.json": JSON.stringify({ scripts }) });
    const found = [MAIN, LOCAL, ".npmrc", ...script("a"), ...script("b")];
    expect(definingFiles(folder, ["npm run a"]).sort()).toEqual(found.sort());
  });
});

describe("which gates get a pristine check", () => {
  const gate = (command: string): GateSpec => ({
    kind: "guardrail",
    name: command,
    command,
    failAction: "APPEND",
    timeoutMs: 1,
    flaky: false,
  });
  const criterion: GateSpec = { ...gate("cargo test"), kind: "criterion", criterion: "test_pass" };
  const build: GateSpec = { ...gate("cargo build"), kind: "criterion", criterion: "build_success" };
  const pristine = (gates: readonly GateSpec[], enabled?: boolean) =>
    withPristine(gates, { enabled }).filter(({ kind }) => kind === "pristine");

  test("by default those that are said to be tests", () => {
    expect(pristine([build, criterion, gate("npm test")])).toMatchObject([
      { command: "cargo test", patterns: TEST_FILES, required: false },
    ]);
    expect(pristine([gate("npm test")])).toEqual([]);
    expect(pristine([criterion], false)).toEqual([]);
  });

  test("when asked for, those that look like tests, or all", () => {
    expect(pristine([gate("npm test"), gate("npm run lint")], true)).toMatchObject([
      { command: "npm test", required: true },
    ]);
    expect(pristine([gate("./check.sh"), gate("make")], true)).toHaveLength(2);
  });

  test("they come last", () => {
    expect(withPristine([criterion, build], {}).map(({ kind }) => kind)).toEqual([
      "criterion",
      "criterion",
      "pristine",
    ]);
  });
});

test.each([
  ["test/a.js", true],
  ["packages/x/test/deep/a.js", true],
  ["src/__tests__/a.tsx", true],
  ["a.test.js", true],
  ["src/a.spec.ts", true],
  ["pkg/a_test.go", true],
  ["test_a.py", true],
  ["pkg/conftest.py", true],
  ["src/main/FooTest.java", true],
  ["src/a.js", false],
  ["latest/a.js", false],
  ["contest.py", false],
])("%s is a test: %s", (path, isTest) => {
  expect(readPatterns(TEST_FILES)(path) !== undefined).toBe(isTest);
});

test("flags and settings say what is protected and checked", async () => {
  const files = { [MAIN]: { guardrails: [{ command: "npm test" }], protect: ["test/**"] } };
  const gatesOf = async (flags: object, more: object = {}) =>
    (await resolved({ [MAIN]: { ...files[MAIN], ...more } }, flags)).spec.gates;
  expect((await gatesOf({}))[0]).toMatchObject({ kind: "protect", patterns: ["test/**"] });
  expect((await gatesOf({ protect: ["a", "b"] }))[0]).toMatchObject({ patterns: ["a", "b"] });
  expect(await gatesOf({ protect: false })).toMatchObject([{ kind: "guardrail" }]);
  expect(await gatesOf({}, { protect: false })).toMatchObject([{ kind: "guardrail" }]);
  expect((await gatesOf({}, { protect: true }))[0]).toMatchObject({ kind: "protect", patterns: [] });
  expect((await gatesOf({ pristine: true }))[2]).toMatchObject({ kind: "pristine", command: "npm test" });
  const wish = { pristine: { enabled: true, tests: ["spec/**"], setup: "npm ci" } };
  expect((await gatesOf({}, wish))[2]).toMatchObject({ patterns: ["spec/**"], setup: "npm ci" });
  expect(await gatesOf({ pristine: false }, wish)).toHaveLength(2);
  await expect(gatesOf({ protect: [" "] })).rejects.toThrow("bad value for --protect");
});

test("the set-up of tests is a command that has to be trusted", () => {
  const folder = temporaryFolder();
  const settings = { pristine: { setup: "npm ci" } };
  expect(commandsOf(settings)).toEqual(["tests' set-up: npm ci"]);
  expect(trustKey(folder, settings)).not.toBe(trustKey(folder, {}));
});
