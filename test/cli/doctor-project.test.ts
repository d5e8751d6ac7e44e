import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Row } from "../../src/cli/doctor/row.ts";
import { examine } from "./doctor-rows.ts";
import { makePlace, type Place } from "./init-program.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const rows = (env?: Record<string, string>) => examine(place, env);
const settings = (value: unknown) => place.write(".ralph/settings.json", JSON.stringify(value));
const claude = () => place.install("claude", 'echo "2.1.0 (Claude Code)"');

describe("the state folder", () => {
  test.each<[string, (at: Place) => Record<string, string>, Partial<Row>]>([
    ["not there yet", () => ({}), { status: "ok", detail: expect.stringContaining("will be made") }],
    [
      "there and private",
      (at) => {
        mkdirSync(at.state, { mode: 0o700 });
        return {};
      },
      { status: "ok", detail: expect.not.stringContaining("will be made") },
    ],
    [
      "a file",
      (at) => {
        writeFileSync(at.state, "");
        return {};
      },
      { status: "fail", detail: expect.stringContaining("is no folder") },
    ],
    [
      "below a file",
      (at) => {
        writeFileSync(at.state, "");
        return { RALPH_STATE_DIR: join(at.state, "below") };
      },
      { status: "fail" },
    ],
    [
      "inside the project",
      (at) => ({ RALPH_STATE_DIR: join(at.project, "deep/state") }),
      { status: "warn", detail: expect.stringContaining("inside the project") },
    ],
    [
      "inside the project by a link",
      (at) => {
        symlinkSync(at.project, join(at.home, "link"));
        return { RALPH_STATE_DIR: join(at.home, "link/state") };
      },
      { status: "warn", detail: expect.stringContaining("inside the project") },
    ],
  ])("%s", async (_, prepare, expected) => {
    expect((await rows(prepare(place))).of("state-folder")).toMatchObject(expected);
  });

  test("open to others", async () => {
    mkdirSync(place.state);
    chmodSync(place.state, 0o755);
    expect((await rows()).of("state-folder-mode")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("0755"),
      fix: `Run: chmod 700 ${place.state}`,
    });
  });
});

describe("settings", () => {
  test("none", async () => {
    const { of } = await rows();
    expect(of("settings")).toMatchObject({
      status: "ok",
      info: true,
      fix: "Run `ralph init` to write them.",
    });
  });

  test("both files", async () => {
    settings({});
    place.write(".ralph/settings.local.json", "{}");
    expect((await rows()).of("settings").detail).toBe(".ralph/settings.json + .ralph/settings.local.json");
  });

  test("invalid ones tell what, why and how to mend it", async () => {
    claude();
    settings({ maximumIteration: 3 });
    const { code, of } = await rows();
    expect(code).toBe(1);
    expect(of("settings")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("unknown setting maximumIteration in .ralph/settings.json, line 1"),
      fix: 'Did you mean "maximumIterations"?',
    });
  });

  test("what ralph init wrote is trusted", async () => {
    claude();
    place.write("package.json", JSON.stringify({ scripts: { test: "x" } }));
    expect((await place.run(["init", "--yes"])).code).toBe(0);
    const { ok, of } = await rows();
    expect(ok).toBe(true);
    expect(of("trust").status).toBe("ok");
    expect(of("guardrails").detail).toBe("1 set: npm test");
  });

  test("what others wrote is not, unless the environment vouches for it", async () => {
    settings({ guardrails: [{ command: "make" }] });
    expect((await rows()).of("trust").status).toBe("warn");
    expect((await rows({ CI: "true" })).of("trust")).toMatchObject({
      status: "ok",
      detail: "trusted, by CI=true",
    });
  });
});

describe("guardrails", () => {
  test("none set: the project's own are named", async () => {
    place.write("go.mod", "module x\n");
    const row = (await rows()).of("guardrails");
    expect(row).toMatchObject({ status: "warn", fix: expect.stringContaining("go test ./...") });
  });

  test("some set: the others are told", async () => {
    settings({ guardrails: [{ command: "go test ./..." }] });
    place.write("go.mod", "module x\n");
    const { of } = await rows();
    expect(of("guardrails").status).toBe("ok");
    expect(of("guardrails-found")).toMatchObject({
      info: true,
      detail: expect.stringContaining("go vet ./..."),
    });
  });

  test("a secret in one is not printed", async () => {
    settings({ guardrails: [{ command: "curl -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz' x" }] });
    const { stdout } = await place.run(["doctor"]);
    expect(stdout).not.toContain("abcdefghijklmnopqrstuvwxyz");
  });
});

describe("git", () => {
  const withScm = () => settings({ scm: { command: "git", tasks: ["commit"] } });

  test("no repository is fine without scm", async () => {
    expect((await rows()).of("repository")).toMatchObject({ status: "ok", info: true });
  });

  test("no repository with scm is a failure", async () => {
    claude();
    withScm();
    const { code, of } = await rows();
    expect(code).toBe(1);
    expect(of("repository")).toMatchObject({ status: "fail", fix: expect.stringContaining("git init") });
  });

  test("a repository", async () => {
    place.write(".git/HEAD", "ref: refs/heads/main\n");
    for (const folder of ["objects", "refs"]) mkdirSync(join(place.project, ".git", folder));
    withScm();
    const { of } = await rows({
      EMAIL: "",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "user.useConfigOnly",
      GIT_CONFIG_VALUE_0: "true",
    });
    expect(of("repository")).toMatchObject({ status: "ok", detail: expect.stringContaining("branch main") });
    expect(of("git-author")).toMatchObject({
      status: "fail",
      fix: expect.stringContaining("git config user.name"),
    });
  });

  test("git itself is missing", async () => {
    rmSync(join(place.bin, "git"));
    expect((await rows()).of("git")).toMatchObject({ status: "warn" });
    withScm();
    expect((await rows()).of("git")).toMatchObject({ status: "fail" });
  });
});
