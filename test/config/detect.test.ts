import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { detectChecks, suggestedChecks } from "../../src/config/detect.ts";
import { costOf } from "../cost.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "ralph-detect-"));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

/** Puts files into the project; a name that ends in a slash is a folder. */
function put(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith("/")) mkdirSync(join(project, name));
    else writeFileSync(join(project, name), text);
  }
}

const found = () => detectChecks(project).map(({ kind, command, from }) => `${kind}: ${command} (${from})`);
const scripts = (names: Record<string, string>) => JSON.stringify({ scripts: names });
const placeholder = 'echo "Error: no test specified" && exit 1';
const all = scripts({
  test: "vitest run",
  lint: "eslint .",
  build: "tsc -b",
  typecheck: "tsc --noEmit",
  deploy: "x",
});

describe("what a project's files tell", () => {
  test.each<[string, Record<string, string>, string[]]>([
    ["nothing", {}, []],
    [
      "all npm scripts",
      { "package.json": all, "package-lock.json": "{}" },
      [
        "test: npm test (package.json)",
        "lint: npm run lint (package.json)",
        "type-check: npm run typecheck (package.json)",
        "build: npm run build (package.json)",
      ],
    ],
    [
      "pnpm",
      { "package.json": scripts({ test: "x", tsc: "tsc" }), "pnpm-lock.yaml": "", "package-lock.json": "" },
      ["test: pnpm test (package.json)", "type-check: pnpm run tsc (package.json)"],
    ],
    [
      "yarn",
      { "package.json": scripts({ test: "x", "type-check": "y" }), "yarn.lock": "" },
      ["test: yarn test (package.json)", "type-check: yarn run type-check (package.json)"],
    ],
    [
      "bun",
      { "package.json": scripts({ test: "x" }), "bun.lock": "" },
      ["test: bun run test (package.json)"],
    ],
    [
      "packageManager without a lock file",
      { "package.json": JSON.stringify({ packageManager: "pnpm@9.1.0", scripts: { lint: "x" } }) },
      ["lint: pnpm run lint (package.json)"],
    ],
    [
      "a packageManager that is none",
      { "package.json": JSON.stringify({ packageManager: "rm -rf /@1", scripts: { lint: "x" } }) },
      ["lint: npm run lint (package.json)"],
    ],
    ["npm's placeholder", { "package.json": scripts({ test: placeholder }) }, []],
    ["a blank script", { "package.json": scripts({ test: " " }) }, []],
    ["tests that watch for ever", { "package.json": scripts({ test: "jest --watchAll" }) }, []],
    [
      "tests that were told not to",
      { "package.json": scripts({ test: "jest --watch=false" }) },
      ["test: npm test (package.json)"],
    ],
    [
      "a byte order mark",
      { "package.json": `\ufeff${scripts({ lint: "x" })}` },
      ["lint: npm run lint (package.json)"],
    ],
    ["broken JSON", { "package.json": '{"scripts": {"test": "x"' }, []],
    ["JSON that is no object", { "package.json": '["test"]' }, []],
    ["scripts that are no object", { "package.json": '{"scripts": "test"}' }, []],
    [
      "scripts that are no texts",
      { "package.json": '{"scripts": {"test": 1, "lint": null, "build": {}}}' },
      [],
    ],
    [
      "make",
      { Makefile: ".PHONY: test lint\ntest lint: deps\n\tgo test\nbuild::\n\ttrue\ntypecheck :\n\ttrue\n" },
      [
        "test: make test (Makefile)",
        "lint: make lint (Makefile)",
        "type-check: make typecheck (Makefile)",
        "build: make build (Makefile)",
      ],
    ],
    ["make check without tests", { Makefile: "check:\n\ttrue\n" }, ["test: make check (Makefile)"]],
    [
      "make check beside tests",
      { Makefile: "check: test\ntest:\r\n\ttrue\n" },
      ["test: make test (Makefile)", "type-check: make check (Makefile)"],
    ],
    [
      "no rules of make",
      { Makefile: "test := 1\nlint ::= 2\nbuild = 3\n# check: no\n\ttypecheck: recipe\nall: test lint\n" },
      [],
    ],
    [
      "the makefile that make takes",
      { GNUmakefile: "lint:\n", Makefile: "test:\n" },
      ["lint: make lint (GNUmakefile)"],
    ],
    [
      "rust",
      { "Cargo.toml": "[package]\n" },
      ["test: cargo test (Cargo.toml)", "build: cargo build (Cargo.toml)"],
    ],
    [
      "rust with clippy",
      { "Cargo.toml": "[workspace.lints.clippy]\nall = 'deny'\n" },
      [
        "test: cargo test (Cargo.toml)",
        "lint: cargo clippy -- -D warnings (Cargo.toml)",
        "build: cargo build (Cargo.toml)",
      ],
    ],
    [
      "go",
      { "go.mod": "module example.com/x\n" },
      ["test: go test ./... (go.mod)", "lint: go vet ./... (go.mod)", "build: go build ./... (go.mod)"],
    ],
    ["python without anything", { "pyproject.toml": "[project]\n# pytest, ruff\n" }, []],
    ["python with a tests folder", { "pyproject.toml": "", "tests/": "" }, ["test: pytest (pyproject.toml)"]],
    [
      "python with tools, by uv",
      { "pyproject.toml": '[dependency-groups]\ndev = ["pytest", "ruff"]\n[tool.mypy]\n', "uv.lock": "" },
      [
        "test: uv run pytest (pyproject.toml)",
        "lint: uv run ruff check (pyproject.toml)",
        "type-check: uv run mypy . (pyproject.toml)",
      ],
    ],
    [
      "two languages",
      { "package.json": scripts({ test: "x" }), "go.mod": "", "Cargo.toml": "" },
      [
        "test: npm test (package.json)",
        "test: cargo test (Cargo.toml)",
        "build: cargo build (Cargo.toml)",
        "test: go test ./... (go.mod)",
        "lint: go vet ./... (go.mod)",
        "build: go build ./... (go.mod)",
      ],
    ],
  ])("%s", (_, files, expected) => {
    put(files);
    expect(found()).toEqual(expected);
  });
});

describe("a stranger's files", () => {
  test("links, folders and huge files are passed over", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "ralph-detect-else-"));
    try {
      writeFileSync(join(elsewhere, "package.json"), scripts({ test: "x" }));
      symlinkSync(join(elsewhere, "package.json"), join(project, "package.json"));
      symlinkSync("/dev/zero", join(project, "Makefile"));
      put({ "go.mod/": "", "Cargo.toml": "#".repeat(2 * 1024 * 1024) });
      expect(found()).toEqual([]);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  test("a file made to be slow is not", () => {
    put({
      "pyproject.toml": "\n".repeat(1_000_000),
      "Cargo.toml": "\n ".repeat(500_000),
      Makefile: "a ".repeat(500_000),
    });
    expect(costOf(() => detectChecks(project))).toBeLessThan(2_000);
  });

  test("a project that is not there has no checks", () => {
    expect(detectChecks(join(project, "gone"))).toEqual([]);
  });

  // Names come from lists of ours, so that nothing of the file can reach a shell.
  const harmless = /^[\w./-]+(?: [\w./-]+)*$/;
  const scriptName = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "test",
      "lint",
      "build",
      "tsc",
      "test; rm -rf ~",
      "lint && x",
      "$(x)",
      "`x`",
      "__proto__",
    ),
  );

  test("any package.json: never throws, and no script's name brings a command along", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record({
            scripts: fc.dictionary(scriptName, fc.oneof(fc.string(), fc.jsonValue())),
            packageManager: fc.string(),
          }),
        ),
        (manifest) => {
          put({ "package.json": JSON.stringify(manifest) });
          for (const { command } of detectChecks(project)) expect(command).toMatch(harmless);
        },
      ),
    );
  });

  test("any bytes in any manifest: never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        for (const name of ["package.json", "Makefile", "Cargo.toml", "go.mod", "pyproject.toml"]) {
          writeFileSync(join(project, name), bytes);
        }
        for (const { command } of detectChecks(project)) expect(command).toMatch(harmless);
      }),
      { numRuns: 50 },
    );
  });
});

describe("what is suggested", () => {
  const suggested = () => suggestedChecks(detectChecks(project)).map(({ command }) => command);

  test("tests, linters and type-checks, no build", () => {
    put({ "package.json": all });
    expect(suggested()).toEqual(["npm test", "npm run lint", "npm run typecheck"]);
  });

  test("a build where there is nothing else", () => {
    put({ "package.json": scripts({ build: "x" }) });
    expect(suggested()).toEqual(["npm run build"]);
  });

  test("of a Makefile only what no other file has", () => {
    put({ "package.json": scripts({ test: "x" }), Makefile: "test lint:\n" });
    expect(suggested()).toEqual(["npm test", "make lint"]);
  });
});
