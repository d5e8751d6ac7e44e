import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { say, write } from "../model-server/script.ts";
import { installed, type RealAgent, type RealWorld, realWorld } from "./world.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const DONE = "<promise>DONE</promise>";

/** How each program is started once with the plugin and a prompt. */
const STARTS: Readonly<Record<string, (world: RealWorld, prompt: string) => Promise<readonly string[]>>> = {
  claude: async (_, prompt) => [
    "-p",
    // The short form is unknown to older ones when nobody is at the screen.
    prompt.replace(/^\//, "/ralph:"),
    "--plugin-dir",
    join(ROOT, "plugin"),
    "--dangerously-skip-permissions",
  ],
  async codex(world, prompt) {
    const settings = join(world.env["CODEX_HOME"] ?? "", "config.toml");
    writeFileSync(settings, readFileSync(settings, "utf8").replace("plugins = false", "plugins = true"));
    for (const args of [
      ["plugin", "marketplace", "add", ROOT],
      ["plugin", "add", "ralph@ralph-proof"],
    ]) {
      expect((await world.direct(args).ended).code).toBe(0);
    }
    const trusting = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"];
    return ["exec", "--json", ...trusting, prompt];
  },
  copilot: async (_, prompt) => ["-p", prompt, "--allow-all-tools", "--plugin-dir", join(ROOT, "plugin")],
};

async function loop(agent: RealAgent, world: RealWorld, prompt: string): Promise<string> {
  const args = (await STARTS[agent.name]?.(world, prompt)) ?? [];
  await world.direct(args, { env: { IS_SANDBOX: "1" } }).ended;
  await world.expectNothingLeft();
  return readFileSync(join(world.state, "hooks.log"), "utf8");
}

describe.each(installed("claude", "codex", "copilot"))(
  "a loop inside a session of $name $version",
  (agent) => {
    test("is sent back, has a promise without work and one with a red check rejected, and ends verified", async () => {
      const world = await realWorld(agent, [
        say("I'm done."),
        say(DONE),
        write("other.txt", "not that one\n"),
        say(`There. ${DONE}`),
        write("hello.txt", "hi\n"),
        say(`Now it is. ${DONE}`),
      ]);
      const task = "write hello.txt; `touch trap` $(touch trap)";
      const log = await loop(
        agent,
        world,
        `/ralph-loop "${task}" --max-iterations 6 --gate "test -f hello.txt"`,
      );
      expect(log).toMatch(/iteration 1: promise missing; 0 tool calls; sent back/);
      expect(log).toMatch(/iteration 2: promise rejected \(no work\); 0 tool calls; sent back/);
      expect(log).toMatch(/iteration 3: promise found; 1 tool calls.*failed: test -f hello.txt; sent back/);
      expect(log).toMatch(/iteration 4: promise found; 1 tool calls.*PROMISE_ACCEPTED/);
      expect(world.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "verified" } });
      expect(world.has("trap")).toBe(false);
    });

    test("ends after as many continuations as were allowed", async () => {
      const world = await realWorld(agent, [say("one"), say("two"), say("three")]);
      const log = await loop(agent, world, '/ralph-loop "write hello.txt" --max-iterations 2');
      expect(log.match(/sent back/g)).toHaveLength(2);
      expect(log).toContain("MAX_ITERATIONS_REACHED");
    });
  },
);

describe.each(installed("copilot"))("a loop inside a session of $name $version", (agent) => {
  test("stands still when its program ends the turn after eight blocks, and ralph resume goes on", async () => {
    const world = await realWorld(agent, () => say("I'm done."));
    const log = await loop(agent, world, '/ralph-loop "write hello.txt" --max-iterations 20');
    expect(log.match(/sent back/g)).toHaveLength(8);
    expect(world.server.asked()).toHaveLength(9);
    world.server.play([write("hello.txt", "hi\n"), say(`There. ${DONE}`)]);
    const resumed = await world.ralph(["resume"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(world.read("hello.txt")).toBe("hi\n");
    expect(world.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "claimed" } });
  });
});
