import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import { emptyRepository, gitIn, useNoGitSettings } from "../scm/repository.ts";
import { protection, put, Run } from "./looking-back.ts";

useNoGitSettings();

test("a run that was killed while it put files back goes on putting back, by the same base", async () => {
  const project = emptyRepository();
  put(project, { "test/a": "a\n", "test/b": "b\n" });
  const gate = protection(["test/**"]);
  const run = await new Run(project, gate).begin();
  put(project, { "test/a": "weak\n", "test/b": "weak\n" });
  // As far as it came: copies are kept, one file is back, another was being written.
  put(run.folder, { "protected/001/test/a": "weak\n", "protected/001/test/b": "weak\n" });
  put(project, { "test/a": "a\n", "test/.ralph-restoring": "b" });
  const again = await new Run(project, gate, run.folder).begin(false);
  expect(await again.judge()).toMatchObject({
    pass: false,
    reason: expect.stringContaining("test/b (changed)"),
  });
  expect(readFileSync(join(project, "test/b"), "utf8")).toBe("b\n");
  expect(readFileSync(join(run.folder, "protected/001/test/a"), "utf8")).toBe("weak\n");
  expect(await again.judge()).toMatchObject({ pass: true });
  expect(existsSync(join(project, "test/.ralph-restoring"))).toBe(false);
});

test("many files are counted, and the log names them all", async () => {
  const project = emptyRepository();
  const run = await new Run(project, protection(["test/**"])).begin();
  put(project, Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`test/${n}`, ""])));
  const { reason } = await run.judge();
  expect(reason).toContain("test/0 (added)");
  expect(reason).toContain("15 more; they were put back");
  expect(readFileSync(join(project, ".ralph/gate.log"), "utf8")).toContain("test/19 (added)");
});

test("a file that git ignores is protected when it is named, before and after", async () => {
  const project = emptyRepository();
  put(project, { ".gitignore": ".env\nnew.env\n", ".env": "KEY=1\n" });
  const run = await new Run(project, protection([".env", "new.env"])).begin();
  put(project, { ".env": "KEY=2\n", "new.env": "KEY=3\n" });
  expect(await run.judge()).toMatchObject({ pass: false });
  expect(readFileSync(join(project, ".env"), "utf8")).toBe("KEY=1\n");
  expect(existsSync(join(project, "new.env"))).toBe(false);
});

test("a project that cannot be compared any more is refused, not believed", async () => {
  const project = emptyRepository();
  put(project, { "test/a": "a\n" });
  const run = await new Run(project, protection([], ["test/a"])).begin();
  put(project, { "test/a": "weak\n" });
  gitIn(project, "init", "--quiet", "inner"); // without a commit git cannot name it
  expect(await run.judge()).toMatchObject({
    pass: false,
    reason: expect.stringContaining("it cannot be told whether protected files were changed"),
  });
});

test("where there never were snapshots, only what the user asked for stops the run", async () => {
  const project = emptyRepository();
  gitIn(project, "init", "--quiet", "inner");
  const usual = await new Run(project, protection([], ["Makefile"])).begin();
  expect(await usual.judge()).toMatchObject({
    pass: true,
    warnings: [expect.stringContaining("nothing is protected here")],
  });
  await expect(new Run(project, protection(["Makefile"])).begin()).rejects.toThrow(UserError);
});
