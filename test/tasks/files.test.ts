import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import {
  readActive,
  readProjectFile,
  removeActive,
  taskPaths,
  writeActive,
  writeProjectFile,
} from "../../src/tasks/files.ts";

let home: string;
let project: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "ralph-tasks-"));
  project = join(home, "project");
  mkdirSync(join(project, "ralph"), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (path: string) => join(project, path);
const TASKS = "ralph/tasks.json";

describe("reading", () => {
  test("what is not there is undefined", () => {
    expect(readProjectFile(project, TASKS)).toBeUndefined();
    expect(readProjectFile(project, "nowhere/tasks.json")).toBeUndefined();
  });

  test("a link is never followed, neither at the end nor out of the project on the way", () => {
    writeFileSync(join(home, "secret"), "secret");
    symlinkSync(join(home, "secret"), at(TASKS));
    expect(() => readProjectFile(project, TASKS)).toThrow(UserError);
    mkdirSync(join(home, "out"));
    writeFileSync(join(home, "out/tasks.json"), "secret");
    symlinkSync(join(home, "out"), at("linked"));
    expect(() => readProjectFile(project, "linked/tasks.json")).toThrow("symbolic link");
  });

  test("a pipe, a folder and a huge file are refused", () => {
    execFileSync("mkfifo", [at(TASKS)]);
    mkdirSync(at("ralph/prd.md"));
    writeFileSync(at("ralph/progress.txt"), "");
    truncateSync(at("ralph/progress.txt"), 5 * 1024 * 1024);
    for (const path of [TASKS, "ralph/prd.md", "ralph/progress.txt"]) {
      expect(() => readProjectFile(project, path)).toThrow(UserError);
    }
  });
});

describe("writing", () => {
  test("keeps the mode of the file, and leaves nothing else behind", () => {
    writeFileSync(at(TASKS), "old");
    chmodSync(at(TASKS), 0o600);
    writeProjectFile(project, TASKS, "new");
    expect(readFileSync(at(TASKS), "utf8")).toBe("new");
    expect(statSync(at(TASKS)).mode & 0o777).toBe(0o600);
    expect(readdirSync(at("ralph"))).toEqual(["tasks.json"]);
  });

  test("replaces a link instead of writing through it", () => {
    writeFileSync(join(home, "theirs"), "theirs");
    symlinkSync(join(home, "theirs"), at(TASKS));
    writeProjectFile(project, TASKS, "ours");
    expect(lstatSync(at(TASKS)).isFile()).toBe(true);
    expect(readFileSync(join(home, "theirs"), "utf8")).toBe("theirs");
  });

  test("does not write into a folder that is a link, nor over a folder", () => {
    mkdirSync(join(home, "out"));
    symlinkSync(join(home, "out"), at("linked"));
    expect(() => writeProjectFile(project, "linked/tasks.json", "x")).toThrow(UserError);
    expect(readdirSync(join(home, "out"))).toEqual([]);
    mkdirSync(at(TASKS));
    expect(() => writeProjectFile(project, TASKS, "x")).toThrow(UserError);
    expect(readdirSync(at("ralph"))).toEqual(["tasks.json"]);
  });
});

test("the folder of the list must be inside the project", () => {
  expect(taskPaths(project).tasks).toBe(TASKS);
  expect(taskPaths(project, "docs/loop/").prd).toBe("docs/loop/prd.md");
  for (const dir of ["..", ".", "/tmp", "../project2", "a/../.."]) {
    expect(() => taskPaths(project, dir)).toThrow(UserError);
  }
});

test("the marker of a run is written, read, and removed only by its own process", () => {
  const active = {
    timestamp: "2026-01-01T00:00:00Z",
    pid: 77,
    max_iterations: 15,
    mode: "direct",
    skipReview: false,
    reviewCap: 5,
  } as const;
  expect(readActive(project)).toBeUndefined();
  writeActive(project, active);
  expect(readActive(project)).toEqual(active);
  removeActive(project, 78);
  expect(readActive(project)).toEqual(active);
  removeActive(project, 77);
  expect(existsSync(at(".ralph-active"))).toBe(false);
});
