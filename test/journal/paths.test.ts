import { mkdirSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { newRunId, projectFolder, runFolder, stateRoot } from "../../src/journal/paths.ts";
import { temporaryFolder } from "../supervise/folder.ts";

describe("the state folder", () => {
  it.each<[name: string, env: NodeJS.ProcessEnv, root: string]>([
    ["RALPH_STATE_DIR", { RALPH_STATE_DIR: "/s", XDG_STATE_HOME: "/x", HOME: "/h" }, "/s"],
    ["a relative RALPH_STATE_DIR", { RALPH_STATE_DIR: "s", HOME: "/h" }, resolve("s")],
    ["an empty RALPH_STATE_DIR", { RALPH_STATE_DIR: "", XDG_STATE_HOME: "/x", HOME: "/h" }, "/x/ralph"],
    ["XDG_STATE_HOME", { XDG_STATE_HOME: "/x", HOME: "/h" }, "/x/ralph"],
    [
      "a relative XDG_STATE_HOME, which does not count",
      { XDG_STATE_HOME: "x", HOME: "/h" },
      "/h/.local/state/ralph",
    ],
    ["an empty XDG_STATE_HOME", { XDG_STATE_HOME: "", HOME: "/h" }, "/h/.local/state/ralph"],
    ["HOME", { HOME: "/h" }, "/h/.local/state/ralph"],
    ["an empty HOME", { HOME: "" }, join(homedir(), ".local/state/ralph")],
    ["nothing at all", {}, join(homedir(), ".local/state/ralph")],
  ])("is told by %s", (_, env, root) => {
    expect(stateRoot(env)).toBe(root);
  });
});

describe("the folder of a project", () => {
  it("differs for two projects of the same name, and is the same for a link to one", () => {
    const folder = temporaryFolder();
    for (const place of ["one", "two"]) mkdirSync(join(folder, place, "app"), { recursive: true });
    symlinkSync(join(folder, "one", "app"), join(folder, "link"));
    const one = projectFolder("/s", join(folder, "one", "app"));
    const two = projectFolder("/s", join(folder, "two", "app"));
    expect(basename(one)).toMatch(/^app-[0-9a-f]{12}$/);
    expect(basename(two)).toMatch(/^app-[0-9a-f]{12}$/);
    expect(one).not.toBe(two);
    expect(projectFolder("/s", join(folder, "link"))).toBe(one);
    expect(projectFolder("/s", join(folder, "one", "app", "..", "app", "."))).toBe(one);
  });

  it.each(["a b", "ünï", "-rf", "x".repeat(200), "a\nb", "..."])(
    "stays below its root for the name %j",
    (name) => {
      const project = join(temporaryFolder(), name);
      mkdirSync(project);
      const way = relative("/s", projectFolder("/s", project));
      expect(way).toMatch(/^projects\/[A-Za-z0-9._-]{1,40}-[0-9a-f]{12}$/);
    },
  );

  it("has a name for the root of the file system too", () => {
    expect(basename(projectFolder("/s", "/"))).toMatch(/^root-[0-9a-f]{12}$/);
  });
});

describe("a run", () => {
  it("keeps everything in its own folder", () => {
    const project = temporaryFolder();
    const run = runFolder("/s", project, "id");
    expect(run.folder).toBe(join(projectFolder("/s", project), "id"));
    expect(run.journal).toBe(join(run.folder, "journal.ndjson"));
    expect(run.streams).toBe(join(run.folder, "streams"));
  });

  it("has an id that sorts by time and differs within one moment", () => {
    const atMs = Date.UTC(2025, 0, 2, 3, 4, 5);
    expect(newRunId(atMs)).toMatch(/^20250102-030405-[0-9a-f]{6}$/);
    expect(newRunId(atMs) < newRunId(atMs + 1000)).toBe(true);
    expect(new Set(Array.from({ length: 50 }, () => newRunId(atMs))).size).toBe(50);
  });
});
