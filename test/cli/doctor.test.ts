import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { checkNode } from "../../src/cli/doctor/checks/node.ts";
import type { Facts } from "../../src/cli/doctor/row.ts";
import { isRunning, pidIn } from "../supervise/folder.ts";
import { examine } from "./doctor-rows.ts";
import { makePlace, type Place, RALPH } from "./init-program.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const rows = (env?: Record<string, string>) => examine(place, env);
const settings = (value: unknown) => place.write(".ralph/settings.json", JSON.stringify(value));
const claude = () => place.install("claude", 'echo "2.1.0 (Claude Code)"');

describe("a machine that is ready", () => {
  test("says so, row by row, and how to mend what is not", async () => {
    const path = claude();
    settings({ agent: { command: "claude" }, guardrails: [{ command: "npm test" }] });
    const { code, stdout, stderr } = await place.run(["doctor"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toContain(`✓ Node           ${process.versions.node}\n`);
    expect(stdout).toMatch(/^✓ git +\d+\.\d+\.\d+ {2}\S+\/git$/m);
    expect(stdout).toContain(`✓ claude         2.1.0  ${path}\n`);
    expect(stdout).toMatch(/^· codex +not installed$/m);
    expect(stdout).toMatch(/^✓ settings +\.ralph\/settings\.json$/m);
    expect(stdout).toMatch(
      /^! trust +the commands in the settings are not trusted yet\n {4}→ Read the settings/m,
    );
    expect(stdout).toMatch(/^✓ chosen agent +claude \(\.ralph\/settings\.json\)$/m);
    expect(stdout).toContain("Ready to run. One thing could be better (!).\n");
    expect(stdout).not.toContain("\u001b");
    expect(stdout).not.toContain("✗");
  });

  test("is coloured when colour is wanted", async () => {
    claude();
    expect((await place.run(["doctor"], { FORCE_COLOR: "1" })).stdout).toContain("\u001b[32m✓");
    expect((await place.run(["doctor"], { FORCE_COLOR: "1", NO_COLOR: "1" })).stdout).not.toContain("\u001b");
  });

  test("looking changes nothing", async () => {
    claude();
    await place.run(["doctor"]);
    expect(existsSync(place.state)).toBe(false);
    expect(existsSync(join(place.project, ".ralph"))).toBe(false);
  });
});

describe("the user's own settings of an agent", () => {
  const CONFIG = "agent.config";

  test("take part, and how to keep them out is said", async () => {
    claude();
    settings({ agent: { command: "claude" } });
    expect((await rows()).of(CONFIG)).toMatchObject({
      status: "ok",
      info: true,
      detail: expect.stringContaining("agent.inheritUserConfig: false"),
    });
  });

  test("stay out when that was asked for, and an agent that cannot leave them out is named", async () => {
    claude();
    settings({ agent: { command: "claude", inheritUserConfig: false } });
    expect((await rows()).of(CONFIG)).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("stay out"),
    });
    settings({
      agent: { command: "claude", kind: "codex", inheritUserConfig: false },
      sandbox: { kind: "none" },
    });
    expect((await rows()).of(CONFIG)).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("claude cannot leave"),
    });
    settings({
      agent: { command: "claude", kind: "codex", inheritUserConfig: false },
      sandbox: { kind: "auto" },
    });
    expect((await rows()).of(CONFIG)).toMatchObject({ status: "ok" });
  });
});

describe("agents", () => {
  test("none at all is a failure", async () => {
    const { ok, code, of } = await rows();
    expect(ok).toBe(false);
    expect(code).toBe(1);
    expect(of("agents")).toMatchObject({ status: "fail", fix: expect.stringContaining("npm install -g") });
    expect(of("agent.claude")).toMatchObject({ status: "ok", info: true, detail: "not installed" });
  });

  test("unless the settings name another that is there", async () => {
    settings({ agent: { command: "my-agent --fast" } });
    place.install("my-agent", "touch was-started");
    const { ok, of } = await rows();
    expect(ok).toBe(true);
    expect(of("agent")).toMatchObject({ status: "ok", detail: "my-agent --fast (.ralph/settings.json)" });
    expect(existsSync(join(place.project, "was-started"))).toBe(false);
  });

  test("one that the settings name and that is not there", async () => {
    claude();
    settings({ agent: { command: "clod" } });
    const { code, of } = await rows();
    expect(code).toBe(1);
    expect(of("agent")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("cannot start clod"),
    });
  });

  test("one that stands in, there or not", async () => {
    claude();
    place.install("my-agent", "touch was-started");
    settings({ fallbackAgent: "my-agent:m" });
    expect((await rows()).of("agent")).toMatchObject({
      status: "ok",
      detail: "claude (found on PATH), else my-agent",
    });
    settings({ fallbackAgent: ["my-agent", "clod"] });
    const { code, of } = await rows();
    expect(code).toBe(1);
    expect(of("agent")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("cannot start clod"),
    });
  });

  test("one that fails when it is asked for its version", async () => {
    place.install("codex", "exit 3");
    const { code, of } = await rows();
    expect(code).toBe(0);
    expect(of("agent.codex")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining("exit code 3"),
    });
  });

  test("one that says odd things cannot steer the terminal or tell a secret", async () => {
    place.install("amp", "printf '\\033]0;x\\007token=abcdefghijklmnop\\n'");
    const { of } = await rows();
    expect(of("agent.amp").detail).toMatch(/^token=\[redacted\] {2}\//);
  });

  test("one inside the project is found and not started", async () => {
    const bin = join(place.project, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "claude"), "#!/bin/sh\ntouch was-started\n");
    chmodSync(join(bin, "claude"), 0o755);
    const { of } = await rows({ PATH: `${bin}:${place.bin}` });
    expect(of("agent.claude").detail).toContain("inside the project");
    expect(existsSync(join(place.project, "was-started"))).toBe(false);
  });

  test("versions are not asked for in the project", async () => {
    place.install("claude", 'pwd > "$HOME/where"; echo 1.2.3');
    await rows();
    expect(readFileSync(join(place.home, "where"), "utf8")).toBe("/\n");
  });
});

test("Ctrl-C ends it, and the program that it waits for", async () => {
  place.install("claude", 'echo $$ > "$HOME/pid"; exec sleep 60');
  const { child, ended } = place.start(["doctor"]);
  const file = join(place.home, "pid");
  const pid = await pidIn(file);
  child.kill("SIGINT");
  const { code, stdout } = await ended;
  expect(code).toBe(130);
  expect(stdout).toBe("");
  expect(isRunning(pid)).toBe(false);
});

describe("other programs of this name", () => {
  test("none", async () => {
    expect((await rows()).of("namesakes")).toMatchObject({ status: "ok", info: true });
  });

  test("this one, by a link", async () => {
    symlinkSync(RALPH, join(place.bin, "ralph"));
    expect((await rows()).of("namesakes")).toMatchObject({
      status: "ok",
      detail: `${join(place.bin, "ralph")}, no other`,
    });
  });

  test("another in front of it is a warning, and is not started", async () => {
    const other = place.install("ralph", "touch was-started");
    expect((await rows()).of("namesakes")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining(other),
      fix: expect.stringContaining("npx ralph-proof"),
    });
    expect(existsSync(join(place.project, "was-started"))).toBe(false);
  });

  test("another behind it is only told", async () => {
    const other = place.install("ralph", "exit 1");
    const front = join(place.home, "bin");
    mkdirSync(front);
    symlinkSync(RALPH, join(front, "ralph"));
    const { of } = await rows({ PATH: `${front}:${place.bin}` });
    expect(of("namesakes")).toMatchObject({
      status: "ok",
      detail: `${join(front, "ralph")}; behind it on PATH: ${other}`,
    });
  });
});

test.each([
  ["v20.19.0", "ok"],
  ["v20.18.3", "fail"],
  ["v18.20.0", "fail"],
  ["v22.1.0", "ok"],
])("Node %s: %s", async (nodeVersion, status) => {
  const [row] = await checkNode({ nodeVersion } as Facts);
  expect(row?.status).toBe(status);
  expect(row?.fix === undefined).toBe(status === "ok");
});

describe("what holds processes together", () => {
  test("is found out by using it, and the strongest is named", async () => {
    const row = (await rows()).of("processes");
    expect(row).toMatchObject({ status: "ok", detail: expect.stringMatching(/^pid namespace \(unshare\)/) });
  });

  test("is told as weaker where the programs for it are not there, with what to install", async () => {
    for (const tool of ["setpriv", "bwrap"]) rmSync(join(place.bin, tool), { force: true });
    expect((await rows()).of("processes")).toMatchObject({
      status: "warn",
      fix: expect.stringContaining("bubblewrap"),
    });
  });
});
