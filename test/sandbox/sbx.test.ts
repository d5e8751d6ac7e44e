import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createWords, policyWords, readAbilities, sandboxName } from "../../src/sandbox/sbx.ts";
import { sbx } from "../../src/sandbox/sbx-open.ts";
import { expectUserError, makeWorld, ofType, until, type World } from "../e2e/support.ts";
import { hasProgram } from "./engines.ts";

const TINY = join(dirname(fileURLToPath(import.meta.url)), "tiny-sbx.cjs");
const SECRET = "a-value-of-the-user";
const canRun = hasProgram("bwrap");

/** A world with a tiny sbx on PATH, and an agent that does what this program says. */
function machineWorld(program: string, settings: Record<string, unknown> = {}): World {
  const world = makeWorld({ git: true });
  world.git("config", "user.name", "Ada");
  world.git("config", "user.email", "ada@example.invalid");
  copyFileSync(TINY, join(world.bin, "sbx"));
  chmodSync(join(world.bin, "sbx"), 0o755);
  mkdirSync(join(world.home, "home"));
  world.write("agent.cjs", program);
  world.settings({
    agent: { command: `node ${world.project}/agent.cjs`, kind: "custom" },
    noProgressThreshold: 0,
    ...settings,
  });
  world.git("add", "--all");
  world.git("commit", "--quiet", "-m", "agent");
  return world;
}

const how = (world: World, env: Record<string, string | undefined> = {}) => ({
  env: { HOME: join(world.home, "home"), MY_KEY: SECRET, ...env },
});

const run = (world: World, env: Record<string, string | undefined> = {}, ...more: string[]) =>
  world.ralph(["run", "-p", "x", "--sandbox=sbx", "-n", "1", ...more], how(world, env));

/** How sbx was called, one line a call. */
function calls(world: World): string[] {
  const path = join(world.bin, "tiny-sbx/calls.ndjson");
  return readFileSync(path, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as string[]).join(" "));
}

const DONE = 'console.log("<response>DONE</response>");';

describe.skipIf(!canRun)("a run in a machine of its own", () => {
  test("it is made once for a project, and set up; each turn and check is run in it", async () => {
    const program = `require("node:fs").writeFileSync("seen.json", JSON.stringify(process.env)); ${DONE}`;
    const world = machineWorld(program, {
      guardrails: [{ command: "test -s seen.json && git log -1 --format=%an" }],
      sandbox: { env: ["MY_KEY"], network: { allow: ["registry.npmjs.org", "db.example.com:5432"] } },
    });
    const ended = await run(world);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const made = calls(world).filter((line) => line.startsWith("create --name"));
    expect(made).toHaveLength(1);
    const name = `ralph-${world.project.replace(/[^A-Za-z0-9.-]/g, "-")}`;
    expect(made[0]).toContain(`create --name ${name} shell ${world.project} ${world.state}/sbx/${name}`);
    for (const path of [".git/hooks", ".git/config", ".ralph"])
      expect(made[0]).toContain(`${world.project}/${path}:ro`);
    expect(calls(world)).toContain(
      `policy allow network ${name} registry.npmjs.org:443,registry.npmjs.org:80,db.example.com:5432`,
    );
    const seen = JSON.parse(world.read("seen.json")) as Record<string, string>;
    expect(seen["MY_KEY"]).toBe(SECRET);
    expect(calls(world).join("\n")).not.toContain(SECRET);
    const home = seen["HOME"] ?? "";
    expect(home.startsWith(`${world.state}/sbx/${name}/`)).toBe(true);

    const again = await run(world);
    expect(again, again.stderr).toMatchObject({ code: 0 });
    expect(calls(world).filter((line) => line.startsWith("create --name"))).toHaveLength(1);
  });

  test("it is made anew when the rules are others", async () => {
    const world = machineWorld(DONE);
    await run(world);
    world.settings({
      ...JSON.parse(world.read(".ralph/settings.json")),
      sandbox: { network: { allow: ["a.example.com"] } },
    });
    await run(world);
    const made = calls(world)
      .filter((line) => /^(create --name|rm) /.test(line))
      .map((line) => line.split(" ")[0]);
    expect(made).toEqual(["create", "rm", "create"]);
  });

  test("an agent can commit in it, and leaves a state file that can be read", async () => {
    const program = `
      const { execFileSync } = require("node:child_process");
      const fs = require("node:fs");
      fs.writeFileSync("work.txt", fs.readFileSync(process.env.HOME + "/.claude.json", "utf8"));
      execFileSync("git", ["add", "work.txt"]);
      execFileSync("git", ["commit", "-q", "-m", "work"]);
      ${DONE}`;
    const world = machineWorld(program);
    // Only in the user's own configuration: it has to get inside.
    world.git("config", "--unset", "user.name");
    writeFileSync(join(world.home, "gitconfig"), '[user]\n\tname = Grace "the" Hopper\n');
    const ended = await run(world, {
      GIT_CONFIG_GLOBAL: join(world.home, "gitconfig"),
      GIT_AUTHOR_NAME: undefined,
      GIT_COMMITTER_NAME: undefined,
    });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(world.git("log", "-1", "--format=%an %s")).toBe("Grace the Hopper work\n");
    expect(world.read("work.txt")).toBe("{}");
  });

  test("where files are copied, a turn waits for what was written, and begins with what was changed outside", async () => {
    const program = `
      const fs = require("node:fs");
      fs.writeFileSync("heard.txt", fs.readFileSync("word.txt", "utf8"));
      fs.writeFileSync("DONE", "");`;
    const world = machineWorld(program, { guardrails: [] });
    world.write("word.txt", "first");
    const env = { TINY_SBX_COPIES: "1" };
    const ended = await run(world, env, "--done");
    expect(ended.stdout + ended.stderr).toContain("files are copied");
    // The claim is a file, which is not there yet when the agent ends.
    expect(ofType(world.journal(), "agent.exited")[0]?.claims.done).toBe(true);
    expect(world.read("heard.txt")).toBe("first");
    rmSync(join(world.project, "DONE"));
    world.write("word.txt", "second");
    await run(world, env, "--done");
    await until("the second word", () => world.read("heard.txt") === "second");
  });

  test("variables go in by a file where sbx takes no names alone", async () => {
    const program = `require("node:fs").writeFileSync("key.txt", String(process.env.MY_KEY)); ${DONE}`;
    const world = machineWorld(program, { sandbox: { env: ["MY_KEY"] } });
    const ended = await run(world, { TINY_SBX_NAMELESS: "1" });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(world.read("key.txt")).toBe(SECRET);
    expect(calls(world).join("\n")).not.toContain(SECRET);
    expect(readdirSync(join(world.state, "sandbox"))).toEqual([]);
  });

  test.each(["SIGTERM", "SIGKILL"] as const)("after a %s to ralph the machine is stopped", async (signal) => {
    const program = `
      process.on("SIGTERM", () => {});
      require("node:fs").writeFileSync("ready", "");
      setInterval(() => {}, 1000);`;
    const world = machineWorld(program);
    const started = world.start(["run", "-p", "x", "--sandbox=sbx", "-n", "1"], how(world));
    await until("the agent works", () => world.has("ready"));
    started.process.kill(signal);
    if (signal === "SIGTERM") {
      await started.printed("Received signal");
      started.process.kill(signal);
    }
    await started.ended;
    const before = calls(world).findLastIndex((line) => line.startsWith("exec -i"));
    await until("a stop", () =>
      calls(world)
        .slice(before)
        .some((line) => line.startsWith("stop ")),
    );
  });

  test("one whose rules are for the whole machine is refused", async () => {
    const world = machineWorld(DONE);
    expectUserError(
      await run(world, { TINY_SBX_OLD: "1" }),
      "this sbx cannot fence in one project",
      "Update sbx",
    );
    expect(world.has("ready")).toBe(false);
  });
});

describe("the command lines", () => {
  const abilities = {
    underscores: true,
    agents: ["claude", "shell"],
    files: true,
    scoped: true,
    limits: true,
  };
  const policy = {
    kind: "sbx",
    project: "/a/project",
    rw: ["/elsewhere"],
    ro: [],
    hide: ["/home"],
    home: "/home/u",
    copies: [],
    env: { agent: [], check: [] },
    network: { mode: "none", hosts: { agent: [], check: [] } },
    limits: { memoryMb: 2048, cpus: 1.5 },
    agents: ["codex", "claude"],
    image: "some/image",
  } as const;

  test("a name is the project's path, with another character where sbx does not take the usual one", () => {
    expect(sandboxName("/a/my project", { underscores: true })).toBe("ralph-_a_my_project");
    expect(sandboxName("/a/my project", { underscores: false })).toBe("ralph--a-my-project");
    const long = `/${"x".repeat(300)}`;
    expect(sandboxName(`${long}/a`, abilities)).not.toBe(
      sandboxName(`${long.replace("x", "y")}/a`, abilities),
    );
  });

  test("limits, an image, the first agent that there is a template for", () => {
    expect(createWords(policy, { name: "n", state: "/s", abilities }).join(" ")).toBe(
      "create --name n --cpus 2 --memory 2048m --template some/image claude /a/project /s /elsewhere",
    );
  });

  test("what cannot be hidden is refused", () => {
    const hiding = { ...policy, hide: ["/a/project/.env"] };
    expect(() => createWords(hiding, { name: "n", state: "/s", abilities })).toThrow("sbx cannot hide");
  });

  test("no network is a rule too", () => {
    expect(policyWords(policy, "n")).toEqual(["policy", "deny", "network", "n", "**"]);
  });

  test("what it can do is read from what it says", () => {
    expect(
      readAbilities({ create: "", agent: "", policy: "Usage: sbx policy allow network RESOURCES" }),
    ).toEqual({
      underscores: true,
      agents: [],
      files: false,
      scoped: false,
      limits: false,
    });
  });
});

test("the older docker sandbox is explained", () => {
  const world = makeWorld();
  const env = { PATH: world.bin, HOME: world.home };
  expect(sbx.missing(env)).toMatchObject({ words: "sbx is not installed" });
  mkdirSync(join(world.home, ".docker/cli-plugins"), { recursive: true });
  writeFileSync(join(world.home, ".docker/cli-plugins/docker-sandbox"), "");
  expect(sbx.missing(env)?.words).toContain("which Docker has replaced by sbx");
  expect(existsSync(join(world.bin, "sbx"))).toBe(false);
});
