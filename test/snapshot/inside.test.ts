import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTreeMeter } from "../../src/snapshot/tree.ts";
import { gitIn, repository, useNoGitSettings, write } from "../scm/repository.ts";
import { temporaryFolder } from "../supervise/folder.ts";

useNoGitSettings();

async function meterOf(project: string) {
  const meter = await openTreeMeter({ project, folder: join(temporaryFolder(), "run"), env: {} });
  if (meter === undefined) throw new Error("no repository");
  return meter;
}

/** A repository inside, of the agent's making, with a program of its own for every file. */
function plant(project: string, name: string, trace: string): void {
  const inner = join(project, name);
  mkdirSync(inner);
  gitIn(inner, "init", "--quiet");
  for (const [key, value] of [
    ["user.name", "x"],
    ["user.email", "x@example.invalid"],
    ["filter.x.clean", `touch ${trace}; cat`],
    ["core.fsmonitor", `touch ${trace}.monitor; false`],
  ] as const)
    gitIn(inner, "config", key, value);
  write(inner, { f: "1\n" });
  gitIn(inner, "-c", "core.fsmonitor=false", "add", "f");
  gitIn(inner, "-c", "core.fsmonitor=false", "commit", "--quiet", "-mx");
  write(inner, { ".git/info/attributes": "* filter=x\n", f: "2\n" });
  rmSync(trace, { force: true });
}

/** A project with a submodule that has a commit. */
function withSubmodule(): { project: string; inner: string } {
  const library = repository({ "l.txt": "l\n" });
  const project = repository();
  gitIn(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
  gitIn(project, "commit", "--quiet", "-msub");
  const inner = join(project, "lib");
  gitIn(inner, "config", "user.name", "Test");
  gitIn(inner, "config", "user.email", "test@example.invalid");
  return { project, inner };
}

describe("a repository inside", () => {
  it("never has its programs run by the measure", async () => {
    const project = repository();
    const meter = await meterOf(project);
    const trace = join(temporaryFolder(), "ran");
    plant(project, "inner", trace);
    const names = [await meter.measure(), await meter.measure(), await meter.measure()];
    expect(names[0]).toHaveProperty("name");
    expect(names[2]).toEqual(names[0]);
    expect(existsSync(trace)).toBe(false);
    expect(existsSync(`${trace}.monitor`)).toBe(false);
  });

  it("neither when the project has submodules", async () => {
    const { project } = withSubmodule();
    const meter = await meterOf(project);
    const trace = join(temporaryFolder(), "ran");
    plant(project, "inner", trace);
    await meter.measure();
    await meter.measure();
    expect(existsSync(trace)).toBe(false);
  });

  it("is in the tree by its commit", async () => {
    const { project, inner } = withSubmodule();
    const meter = await meterOf(project);
    const before = await meter.measure();
    expect(before).toEqual({ name: gitIn(project, "rev-parse", "HEAD^{tree}").trim() });
    write(inner, { "l.txt": "changed\n" });
    gitIn(inner, "commit", "--quiet", "-am", "x");
    const after = await meter.measure();
    expect(after).toHaveProperty("name");
    expect(after).not.toEqual(before);
  });

  it.each<[string, (inner: string) => void]>([
    ["changed files", (inner) => write(inner, { "l.txt": "changed\n" })],
    [
      "staged files",
      (inner) => {
        write(inner, { "n.txt": "new\n" });
        gitIn(inner, "add", "n.txt");
      },
    ],
    ["a missing file", (inner) => rmSync(join(inner, "l.txt"))],
  ])("that is a submodule with %s is a fault", async (_, change) => {
    const { project, inner } = withSubmodule();
    const meter = await meterOf(project);
    expect(await meter.measure()).toHaveProperty("name");
    change(inner);
    expect(await meter.measure()).toEqual({
      fault: "the submodule lib holds changes that are in no commit of its own",
    });
  });

  it("that is a submodule is asked with the filter that it had before the agent ran, and with no other", async () => {
    const { project, inner } = withSubmodule();
    const trace = join(temporaryFolder(), "ran");
    gitIn(inner, "config", "filter.up.clean", "tr A-Z a-z");
    write(inner, { ".gitattributes": "*.txt filter=up\n" });
    gitIn(inner, "add", "--all");
    gitIn(inner, "commit", "--quiet", "-mf");
    gitIn(project, "commit", "--quiet", "-am", "f");
    const meter = await meterOf(project);
    write(inner, { "l.txt": "L\n" }); // the same content, once it went through the filter
    expect(await meter.measure()).toHaveProperty("name");
    gitIn(inner, "config", "filter.up.clean", `touch ${trace}; tr A-Z a-z`);
    write(inner, { "l.txt": "L\n" });
    expect(await meter.measure()).toHaveProperty("name");
    expect(existsSync(trace)).toBe(false);
  });

  it("does not take git away from the filters of the project", async () => {
    const project = repository({ "a.txt": "a", ".gitattributes": "*.txt filter=strip\n" });
    gitIn(project, "config", "filter.strip.clean", "git stripspace");
    const meter = await meterOf(project);
    const names: unknown[] = [];
    for (const text of ["b", "b  ", "c"]) {
      write(project, { "a.txt": text });
      names.push(await meter.measure());
    }
    expect(names[0]).toHaveProperty("name");
    expect(names[1]).toEqual(names[0]);
    expect(names[2]).not.toEqual(names[0]);
  });
});
