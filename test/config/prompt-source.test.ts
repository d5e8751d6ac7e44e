import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { resolveRun } from "../../src/config/resolve.ts";
import { errorOf, project } from "./project.ts";
import { input } from "./resolving.ts";

describe("the prompt file", () => {
  const FIX = "Check the path given to --prompt-file.";
  const from = (folder: string, promptFile: string, cwd = folder) =>
    resolveRun({ ...input(folder, { promptFile }), cwd });

  test("is found from where ralph was started", async () => {
    const folder = project({ "sub/p.md": "go" });
    const run = await from(folder, "p.md", join(folder, "sub"));
    expect(run.spec.work).toEqual({ kind: "prompt-file", path: join(folder, "sub/p.md") });
    expect(run.sources.get("prompt")).toBe("--prompt-file");
  });

  test("may lie elsewhere, behind links of the user's own", async () => {
    const folder = project();
    const elsewhere = project({ "real.md": "go" });
    symlinkSync("real.md", join(elsewhere, "link.md"));
    const run = await from(folder, join(elsewhere, "link.md"));
    expect(run.spec.work).toEqual({ kind: "prompt-file", path: join(elsewhere, "link.md") });
  });

  test("may lie behind a link that stays in the project", async () => {
    const folder = project({ "real/p.md": "go" });
    symlinkSync("real", join(folder, "link"));
    await expect(from(folder, "link/p.md")).resolves.toBeDefined();
  });

  test("is missing, blank, a folder, or has no name", async () => {
    const folder = project({ "blank.md": " \n" });
    mkdirSync(join(folder, "folder"));
    expect(await errorOf(() => from(folder, "no.md"))).toEqual([
      "cannot read the prompt file no.md",
      "there is no such file",
      FIX,
    ]);
    expect(await errorOf(() => from(folder, "no/no.md"))).toEqual([
      "cannot read the prompt file no/no.md",
      "there is no such file",
      FIX,
    ]);
    expect(await errorOf(() => from(folder, "blank.md/x"))).toEqual([
      "cannot read the prompt file blank.md/x",
      "it cannot be opened (ENOTDIR)",
      FIX,
    ]);
    expect(await errorOf(() => from(folder, "blank.md"))).toEqual([
      "the prompt file blank.md is blank",
      "it has no text",
      "Write into it what is to be done.",
    ]);
    expect(await errorOf(() => from(folder, "folder"))).toEqual([
      "cannot read the prompt file folder",
      "it is not a plain file, and it is read again in each iteration",
      "Save the prompt in a file and name that.",
    ]);
    expect(await errorOf(() => from(folder, ""))).toEqual([
      "the prompt file has no name",
      "--prompt-file is blank",
      "Name a file: ralph run -f prompt.md.",
    ]);
  });

  test("is a link, or lies behind one that leaves the project", async () => {
    const folder = project({ "real.md": "go" });
    const elsewhere = project({ "p.md": "go" });
    symlinkSync("real.md", join(folder, "link.md"));
    symlinkSync(elsewhere, join(folder, "out"));
    expect(await errorOf(() => from(folder, "link.md"))).toEqual([
      "the prompt file link.md is a symbolic link",
      "an agent could have made it, so ralph does not follow it",
      "Put the real thing in its place.",
    ]);
    expect(await errorOf(() => from(folder, "out/p.md"))).toEqual([
      "the prompt file out/p.md is outside the project",
      "a symbolic link on the way to it leads out, and an agent could have made it",
      "Name the file by its real path.",
    ]);
  });

  test("is guarded also when the project is reached through a link", async () => {
    const folder = project({ "real.md": "go" });
    symlinkSync("real.md", join(folder, "link.md"));
    const alias = join(project(), "alias");
    symlinkSync(folder, alias);
    await expect(from(alias, "real.md")).resolves.toBeDefined();
    expect((await errorOf(() => from(alias, "link.md")))[0]).toBe(
      "the prompt file link.md is a symbolic link",
    );
  });
});
