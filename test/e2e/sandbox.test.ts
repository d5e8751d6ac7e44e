import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { DONE, makeWorld, type World } from "./support.ts";

const HAS_BWRAP =
  spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"], { stdio: "ignore" }).status === 0;
const IN = { RALPH_SANDBOX: undefined };

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A script of sh as the agent, in a project with settings, and a home of its own with secrets in it. */
function fenced(lines: string, settings: Record<string, unknown> = {}): World & { readonly home2: string } {
  const world = makeWorld({ git: true });
  const home2 = join(world.home, "user");
  mkdirSync(join(home2, ".ssh"), { recursive: true });
  writeFileSync(join(home2, ".ssh/id"), "canary");
  world.write("agent.sh", `#!/bin/sh\ncat >/dev/null\n${lines}\necho '${DONE}'\n`);
  chmodSync(join(world.project, "agent.sh"), 0o755);
  world.settings({ noProgressThreshold: 0, agent: { command: "./agent.sh" }, ...settings });
  return { ...world, home2 };
}

const envOf = (world: { readonly home2: string }, more: Record<string, string> = {}) => ({
  env: { ...IN, HOME: world.home2, ...more },
});

describe.skipIf(!HAS_BWRAP)("inside bubblewrap, a run", () => {
  test("works, commits and is proven, and the secrets of the home are not there", async () => {
    const world = fenced(
      'cat ~/.ssh/id > seen.txt 2>&1; echo "$SECRET_KEY" >> seen.txt; echo ok > made.txt; git add made.txt seen.txt; git commit -q -m made',
      { guardrails: [{ command: "grep -q ok made.txt && ! test -e ~/.ssh && ! grep -q canary seen.txt" }] },
    );
    const ended = await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world, { SECRET_KEY: "hush" }));
    expect(ended.stderr).toContain("Sandbox: bubblewrap, network by allowlist");
    expect(ended.code).toBe(0);
    expect(world.git("log", "-1", "--format=%s").trim()).toBe("made");
    expect(world.read("seen.txt")).not.toMatch(/canary|hush/);
    const started = world.journal()[0];
    expect(started).toMatchObject({ type: "run.started", fence: { kind: "bubblewrap" } });
    const policy = JSON.parse(readFileSync(join(world.runFolder(), "sandbox.json"), "utf8")) as {
      rw: string[];
    };
    expect(policy.rw).toContain(join(world.project, ".git"));
  });

  test("asks the proxy for every host; what is refused is told and written down", async () => {
    const server = createServer((_request, response) => response.end("outside")).listen(0, "127.0.0.1");
    closing.push(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const world = fenced(
      `curl -s http://127.0.0.1:${port}/ > direct.txt; curl -s --noproxy "" -x "$HTTP_PROXY" http://127.0.0.1:${port}/ > asked.txt; true`,
    );
    const ended = await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world));
    expect(world.read("direct.txt") + world.read("asked.txt")).not.toContain("outside");
    expect(ended.stderr).toContain(`refused a connection to 127.0.0.1:${port}`);
    const log = readFileSync(join(world.runFolder(), "network.jsonl"), "utf8");
    expect(JSON.parse(log.split("\n")[0] ?? "")).toMatchObject({ host: "127.0.0.1", port, allowed: false });
  });

  test("reaches a service of this machine that is allowed, by programs that know no proxy too", async () => {
    const server = createServer((_request, response) => response.end("outside")).listen(0, "127.0.0.1");
    closing.push(() => server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as { port: number };
    const world = fenced(`curl -s --noproxy '*' http://127.0.0.1:${port}/ > direct.txt; true`, {
      sandbox: { network: { allow: [`localhost:${port}`] } },
    });
    const ended = await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world));
    expect(ended.code).toBe(0);
    expect(world.read("direct.txt")).toBe("outside");
  });

  test("changes neither its settings nor the repository's hooks and config", async () => {
    const world = fenced(
      "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; git config core.fsmonitor evil; mv .git gone; echo '{}' > .ralph/settings.json; rm -rf .ralph; true",
    );
    const before = world.read(".ralph/settings.json");
    await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world));
    expect(existsSync(join(world.project, ".git/hooks/pre-commit"))).toBe(false);
    expect(world.git("config", "--list")).not.toContain("evil");
    expect(world.has("gone")).toBe(false);
    expect(world.read(".ralph/settings.json")).toBe(before);
  });

  test("has the limits that were asked for", async () => {
    const world = fenced("node -e 'const a=[];for(;;)a.push(Buffer.alloc(1e7,1))'", {
      maximumFailures: 1,
      sandbox: { limits: { memoryMb: 300 } },
    });
    const ended = await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world));
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain("more memory or processes than the sandbox allows");
  });

  test("is not started when the fence does not hold", async () => {
    const world = fenced("touch ran.txt", { sandbox: { network: { mode: "none" } } });
    // It looks like bubblewrap, and keeps nobody in.
    world.install("bwrap", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"');
    const asked = await world.ralph(["run", "-p", "go", "--sandbox=bubblewrap"], envOf(world));
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain("the sandbox (bubblewrap) does not hold");
    expect(asked.stderr).toContain("a secret outside cannot be read");
    expect(world.has("ran.txt")).toBe(false);
    expect(world.hasJournal()).toBe(false);
  });

  test("works with a bubblewrap that is too old to forbid namespaces", async () => {
    const world = fenced("cat ~/.ssh/id > seen.txt; true");
    const real = execFileSync("sh", ["-c", "command -v bwrap"], { encoding: "utf8" }).trim();
    world.install(
      "bwrap",
      `[ "$1" = --help ] && { ${real} --help | grep -v disable-userns; exit 0; }
       for word; do [ "$word" = -- ] && break; [ "$word" = --disable-userns ] && { echo "bwrap: Unknown option $word" >&2; exit 1; }; done
       exec ${real} "$@"`,
    );
    const ended = await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world));
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Sandbox: bubblewrap");
    expect(world.read("seen.txt")).not.toContain("canary");
  });

  test("goes without only when it is told so; --yes is remembered for the project", async () => {
    const world = fenced("touch ran.txt");
    world.install("bwrap", "exit 1");
    for (const name of ["docker", "podman", "sbx"]) world.install(name, "exit 1");
    const refused = await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("nothing here keeps an agent in");
    expect(refused.stderr).toContain("--no-sandbox");
    expect(world.has("ran.txt")).toBe(false);
    const agreed = await world.ralph(["run", "-p", "go", "-m", "1", "--yes"], envOf(world));
    expect(agreed.code).toBe(0);
    expect(agreed.stderr).toContain("Sandbox: none; not isolated");
    const again = await world.ralph(["run", "-p", "go", "-m", "1"], envOf(world));
    expect(again.code).toBe(0);
  });

  test("goes on without the fence when that is asked for", async () => {
    const world = fenced("cat ~/.ssh/id >> seen.txt 2>/dev/null; test -s seen.txt || exit 1", {
      maximumFailures: 1,
    });
    const first = await world.ralph(["run", "-p", "go", "-m", "3"], envOf(world));
    expect(first.code).toBe(1);
    const second = await world.ralph(["resume", "--no-sandbox"], envOf(world));
    expect(second.code).toBe(0);
    expect(world.read("seen.txt")).toContain("canary");
  });

  test("is explained, and tried by doctor", async () => {
    const world = fenced("true", { sandbox: { rw: ["~/.cache"], env: ["DATABASE_URL"] } });
    mkdirSync(join(world.home2, ".cache"));
    const told = await world.ralph(["sandbox", "explain", "--json"], envOf(world));
    const { kind, policy } = JSON.parse(told.stdout) as { kind: string; policy: Record<string, unknown> };
    expect(kind).toBe("bubblewrap");
    expect(policy).toMatchObject({
      project: world.project,
      home: world.home2,
      network: { mode: "allowlist" },
    });
    expect(policy["rw"]).toContain(join(world.home2, ".cache"));
    const words = await world.ralph(["sandbox"], envOf(world));
    expect(words.stdout).toContain("May be written:");
    const doctor = await world.ralph(["doctor"], envOf(world));
    expect(doctor.stdout).toContain("held: a secret outside cannot be read");
  });
});
