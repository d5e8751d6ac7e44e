import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyRepository, gitIn, useNoGitSettings } from "../scm/repository.ts";
import { photo } from "../snapshot/support.ts";
import { temporaryFolder } from "../supervise/folder.ts";
import { pristine, put, Run } from "./looking-back.ts";

useNoGitSettings();

/* Sources and tests are lines of text: a test passes when the source holds its line. */
const COMMAND = 'for t in test/*; do grep -qxf "$t" source || { echo "$t fails"; exit 1; }; done';

function project(files: Readonly<Record<string, string>>, folder = emptyRepository()): string {
  put(folder, files);
  return folder;
}

test("a weakened test cannot make it pass", async () => {
  const folder = project({ source: "wrong\n", "test/one": "right\n" });
  const run = await new Run(folder, pristine(COMMAND)).begin();
  put(folder, { "test/one": "wrong\n" });
  expect(await run.judge()).toMatchObject({
    pass: false,
    exitCode: 1,
    reason: "the tests as they were when the run began fail against the new sources (exit code 1)",
    output: expect.stringContaining("test/one fails"),
  });
});

test.each([
  ["deleted", { "test/one": undefined }],
  ["moved away", { test: undefined, "spec/one": "wrong\n" }],
  ["replaced by a file", { test: undefined }],
])("nor can one that was %s", async (_, trick) => {
  const folder = project({ source: "wrong\n", "test/one": "right\n" });
  const run = await new Run(folder, pristine(COMMAND)).begin();
  put(folder, trick);
  if (!existsSync(join(folder, "test"))) put(folder, { test: "wrong\n" });
  expect(await run.judge()).toMatchObject({ pass: false, exitCode: 1 });
});

test("nor can a helper among the tests", async () => {
  const folder = project({ source: "wrong\n", "test/one": "right\n" });
  const run = await new Run(folder, pristine(`[ -e test/skip ] || { ${COMMAND}; }`)).begin();
  put(folder, { "test/skip": "" });
  expect(await run.judge()).toMatchObject({ pass: false });
});

test("honest work passes; the project and its git are not touched, and nothing is left behind", async () => {
  const folder = project({ source: "right\n", "test/one": "right\n" });
  const run = await new Run(folder, pristine(COMMAND)).begin();
  put(folder, { source: "right\nnew\n", "test/two": "new\n" });
  const before = photo(folder);
  const verdict = await run.judge();
  expect(verdict).toMatchObject({ pass: true, exitCode: 0 });
  expect(verdict).not.toHaveProperty("warnings");
  const { ".ralph/gate.log": log, ...after } = photo(folder);
  expect(after).toEqual(before);
  expect(log).toContain("test/two fails"); // on the old sources, as it should
  expect(gitIn(folder, "worktree", "list").trim().split("\n")).toHaveLength(1);
  expect(readdirSync(join(run.folder, "snapshots")).filter((name) => /^(?:scratch|mix)-/.test(name))).toEqual(
    [],
  );
});

test("new tests that pass on the old sources too are a warning, and no refusal", async () => {
  const folder = project({ source: "right\n", "test/one": "right\n" });
  const run = await new Run(folder, pristine(COMMAND)).begin();
  put(folder, { source: "right\nmore\n", "test/two": "right\n" });
  expect(await run.judge()).toMatchObject({
    pass: true,
    warnings: [
      expect.stringContaining('on the old sources too, so they prove nothing about this work: "test/two"'),
    ],
  });
});

test("without tests at the base only the new ones are tried, which is said", async () => {
  const folder = project({ source: "wrong\n" });
  const run = await new Run(folder, pristine(COMMAND)).begin();
  put(folder, { source: "right\n", "test/one": "right\n" });
  expect(await run.judge()).toMatchObject({
    pass: true,
    warnings: [expect.stringContaining("there were no tests when the run began")],
  });
});

test("installed dependencies are linked, those around a project in a folder too", async () => {
  const top = emptyRepository();
  const folder = join(top, "pkg");
  mkdirSync(folder);
  put(top, { ".gitignore": "node_modules\n", "node_modules/x": "outer\n" });
  put(folder, { "node_modules/y": "inner\n", "test/one": "" });
  const run = await new Run(folder, pristine("cat ../node_modules/x node_modules/y; pwd")).begin();
  const { output } = await run.judge();
  expect(output).toContain("outer\ninner\n");
  expect(output).toMatch(/scratch-\w+\/pkg\n/);
});

test("with a set-up nothing is linked, and its failure is one of the check", async () => {
  const folder = project({ ".gitignore": "node_modules\n", "node_modules/x": "tampered\n", "test/one": "" });
  const gate = pristine("cat node_modules/x", { setup: "mkdir node_modules; echo fresh > node_modules/x" });
  const run = await new Run(folder, gate).begin();
  expect((await run.judge()).output).toContain("fresh\n");
  const broken = await new Run(folder, pristine("true", { setup: "exit 3" })).begin();
  expect(await broken.judge()).toMatchObject({
    pass: false,
    reason: "the set-up of the tests failed (exit code 3)",
  });
});

test("a git of the tests' does not find the repository of the snapshots", async () => {
  const folder = project({ "test/one": "" });
  const run = await new Run(folder, pristine("git rev-parse --git-dir")).begin();
  expect(await run.judge()).toMatchObject({
    pass: false,
    output: expect.stringContaining("not a git repository"),
  });
});

test("outside git it works too; a link in the sources stays a link", async () => {
  const folder = project({ source: "wrong\n", "test/one": "right\n" }, temporaryFolder());
  const run = await new Run(folder, pristine(COMMAND)).begin();
  put(folder, { source: undefined, real: "right\n" });
  symlinkSync("real", join(folder, "source"));
  expect(await run.judge()).toMatchObject({ pass: true });
  expect(readFileSync(join(folder, "source"), "utf8")).toBe("right\n");
});

test("a test whose name is no text is no way around it", async () => {
  const folder = project({ source: "wrong\n", "test/one": "right\n" }, temporaryFolder());
  const run = await new Run(folder, pristine(COMMAND)).begin();
  symlinkSync("one", Buffer.concat([Buffer.from(`${folder}/test/`), Buffer.from([0xff])]));
  expect(await run.judge()).toMatchObject({ pass: false });
});
