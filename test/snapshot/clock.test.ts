import { rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTreeMeter } from "../../src/snapshot/tree.ts";
import { gitIn, repository, useNoGitSettings, write } from "../scm/repository.ts";
import { temporaryFolder, until } from "../supervise/folder.ts";
import { photo, restore, shadowOf, take } from "./support.ts";

useNoGitSettings();

/** A change that a git which looks at size and time only would not see. Git looks at whole seconds, so it waits for the next. */
async function changeInSecret(project: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  await until("the next second", () => Math.floor(Date.now() / 1000) > now);
  gitIn(project, "config", "core.checkStat", "minimal");
  gitIn(project, "config", "core.trustctime", "false");
  write(project, { "a.txt": "two\n" });
  utimesSync(join(project, "a.txt"), 1000, 1000);
}

function old(): string {
  const project = repository({ "a.txt": "one\n" });
  utimesSync(join(project, "a.txt"), 1000, 1000);
  gitIn(project, "update-index", "--refresh");
  return project;
}

describe("a change of the same size, with the clock set back", () => {
  it("is seen by the measure", async () => {
    const project = old();
    const meter = await openTreeMeter({ project, folder: join(temporaryFolder(), "run"), env: {} });
    const before = await meter?.measure();
    await changeInSecret(project);
    expect(await meter?.measure()).not.toEqual(before);
  });

  it("is seen by a snapshot, and undone", async () => {
    const project = old();
    const shadow = await shadowOf(project);
    const start = await take(shadow);
    await changeInSecret(project);
    await restore(shadow, { to: start });
    expect(photo(project)).toEqual({ "a.txt": "file one\n" });
  });
});

describe("a hidden file whose folder became a file", () => {
  it("does not stop the measure", async () => {
    const project = repository({ "dir/a.txt": "a" });
    gitIn(project, "update-index", "--assume-unchanged", "dir/a.txt");
    rmSync(join(project, "dir"), { recursive: true });
    write(project, { dir: "a file" });
    const meter = await openTreeMeter({ project, folder: join(temporaryFolder(), "run"), env: {} });
    expect(await meter?.measure()).toHaveProperty("name");
  });
});
