import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { ensureRalphFolder, RALPH_GITIGNORE, writeSettings } from "../../src/config/write.ts";
import { errorOf, project } from "./project.ts";

const MAIN = ".ralph/settings.json";
const UNWRITABLE = "Make the folder writable for you, or run ralph in another one.";

test("what is written can be loaded, and names its schema first", async () => {
  const folder = project();
  const settings = { agent: { command: "claude" }, guardrails: [{ command: "make test" }] };
  expect(writeSettings(folder, settings)).toBe(join(folder, MAIN));
  const text = readFileSync(join(folder, MAIN), "utf8");
  expect(text).toMatch(
    /^\{\n {2}"\$schema": "https:\/\/unpkg.com\/ralph-proof\/schema\/settings.schema.json",\n/,
  );
  expect(text).toMatch(/\n\}\n$/);
  expect((await loadSettings(folder)).settings).toMatchObject(settings);
  expect(readdirSync(join(folder, ".ralph")).sort()).toEqual([".gitignore", "settings.json"]);
});

test("replaces settings that are there", async () => {
  const folder = project({ [MAIN]: { maximumIterations: 5 } });
  writeSettings(folder, { maximumIterations: 6 });
  expect((await loadSettings(folder)).settings.maximumIterations).toBe(6);
});

describe("the folder", () => {
  test("is made once, and its .gitignore is not overwritten", () => {
    const folder = project();
    expect(ensureRalphFolder(folder)).toBe(join(folder, ".ralph"));
    expect(statSync(join(folder, ".ralph")).mode & 0o777).toBe(0o755 & ~process.umask());
    expect(readFileSync(join(folder, ".ralph/.gitignore"), "utf8")).toBe(RALPH_GITIGNORE);
    const own = project({ ".ralph/.gitignore": "mine\n" });
    ensureRalphFolder(own);
    expect(readFileSync(join(own, ".ralph/.gitignore"), "utf8")).toBe("mine\n");
  });

  test("ignores what a run leaves what is local, and itself", () => {
    const lines = RALPH_GITIGNORE.split("\n");
    expect(lines).toEqual(
      expect.arrayContaining(["*.log", "prompt_*.txt", "answer_*.txt", "spool/", "settings.local.json"]),
    );
    expect(lines).not.toContain("settings.json");
    expect(lines).toContain(".gitignore");
    expect(lines).not.toContain("*");
  });

  test("does not follow a link in place of the .gitignore", () => {
    const folder = project({ victim: "x", ".ralph/keep": "" });
    symlinkSync("../victim", join(folder, ".ralph/.gitignore"));
    ensureRalphFolder(folder);
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("x");
  });
});

describe("refuses", () => {
  test("a file in place of the folder", async () => {
    const parts = [
      ".ralph is not a folder",
      "a file of that name is in its place",
      "Move it away: ralph keeps its settings and logs there.",
    ];
    expect(await errorOf(() => ensureRalphFolder(project({ ".ralph": "x" })))).toEqual(parts);
    expect(await errorOf(() => writeSettings(project({ ".ralph": "x" }), {}))).toEqual(parts);
  });

  test("a project that is not there, or is a file", async () => {
    const folder = join(project({ file: "" }), "gone");
    expect(await errorOf(() => ensureRalphFolder(folder))).toEqual([
      "cannot write .ralph",
      "the project folder does not allow it (ENOENT)",
      UNWRITABLE,
    ]);
    expect((await errorOf(() => ensureRalphFolder(join(folder, "../file"))))[0]).toBe("cannot read .ralph");
  });

  test("links", async () => {
    const folder = project();
    symlinkSync(project(), join(folder, ".ralph"));
    expect((await errorOf(() => ensureRalphFolder(folder)))[0]).toBe(".ralph is a symbolic link");
    const other = project({ victim: "x", ".ralph/keep": "" });
    symlinkSync("../victim", join(other, MAIN));
    expect((await errorOf(() => writeSettings(other, {})))[0]).toBe(`${MAIN} is a symbolic link`);
    expect(lstatSync(join(other, MAIN)).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(other, "victim"), "utf8")).toBe("x");
  });

  test("a folder in place of the file, and leaves nothing behind", async () => {
    const folder = project();
    mkdirSync(join(folder, MAIN), { recursive: true });
    expect(await errorOf(() => writeSettings(folder, {}))).toEqual([
      `cannot write ${MAIN}`,
      "the project folder does not allow it (EISDIR)",
      UNWRITABLE,
    ]);
    expect(readdirSync(join(folder, ".ralph")).sort()).toEqual([".gitignore", "settings.json"]);
  });
});
