import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { DONE, expectUserError, makeWorld, outcomeOf, prompts } from "./support.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

describe("the program", () => {
  test.each(["-v", "--version"])("ralph %s prints the version and nothing else", async (flag) => {
    const world = makeWorld();
    const ended = await world.ralph([flag]);
    expect(ended).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("ralph --help fits on one screen and names every command", async () => {
    const world = makeWorld();
    const { code, stdout, stderr } = await world.ralph(["--help"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(20);
    expect(lines.length).toBeLessThanOrEqual(45);
    for (const command of ["run", "demo", "init", "doctor"]) expect(stdout).toMatch(`  ${command} `);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("ralph run --help names every flag", async () => {
    const world = makeWorld();
    const { code, stdout } = await world.ralph(["run", "--help"]);
    const flags = [
      "-p, --prompt <text>",
      "-f, --prompt-file <path>",
      "-m, --maximum-iterations <n>",
      "-n, --max-iterations <n>",
      "-c, --completion-response <word>",
      "--stream-agent-output",
      "--no-stream-agent-output",
      "-V, --verbose",
      "--json",
      "--dry-run",
      "--trust",
      "--no-baseline",
      "--no-claim-hint",
      "--emoji",
      "--no-emoji",
      "--color",
      "--timestamps",
      "--max-output-lines <n>",
      "--max-output-chars <n>",
    ];
    for (const flag of flags) expect(stdout).toContain(flag);
    expect(code).toBe(0);
  });

  test("the settings file cannot be moved by a flag", async () => {
    const world = makeWorld();
    expectUserError(await world.ralph(["-p", "x", "--settings", "other.json"]), "--settings");
  });
});

describe("ralph run", () => {
  test.each([
    ["ralph run -p", ["run", "-p"]],
    ["ralph -p", ["-p"]],
    ["ralph --prompt", ["--prompt"]],
  ])("%s runs the loop", async (_name, words) => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: DONE }] });
    const ended = await world.ralph([...words, "do it", "--agent", agent.command, "--no-claim-hint"]);
    expect(ended.code).toBe(0);
    expect(prompts(agent)).toEqual(["do it"]);
  });

  test("the default command takes every flag in any order", async () => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: "<response>ok</response>" }] });
    const ended = await world.ralph(["-V", "-c", "OK", "--agent", agent.command, "-m", "1", "-p", "x"]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("[ralph] ");
  });

  test.each(["-m", "--maximum-iterations", "-n", "--max-iterations"])(
    "%s sets after how many iterations the run gives up, with exit code 1",
    async (flag) => {
      const world = makeWorld();
      const agent = world.agent({ voice: "text", turns: [{ final: "not yet" }] });
      const ended = await world.ralph(["-p", "x", "--agent", agent.command, flag, "2"]);
      expect(ended.code).toBe(1);
      expect(prompts(agent)).toHaveLength(2);
      expect(outcomeOf(world)).toMatchObject({ kind: "exhausted", limit: "iterations" });
    },
  );

  test("-m and -n may both be given when they say the same, and not when they differ", async () => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: "not yet" }] });
    const same = await world.ralph(["-p", "x", "--agent", agent.command, "-m", "1", "-n", "1"]);
    expect(same.code).toBe(1);
    const differing = await world.ralph(["-p", "x", "--agent", agent.command, "-m", "1", "-n", "2"]);
    expectUserError(differing, "--maximum-iterations", "--max-iterations");
    expect(prompts(agent)).toHaveLength(1);
  });

  test.each(["-c", "--completion-response"])("%s sets the word that claims done", async (flag) => {
    const world = makeWorld();
    const agent = world.agent({
      voice: "text",
      turns: [{ final: DONE }, { final: "<response>Shipped it</response>" }],
    });
    const ended = await world.ralph(["-p", "x", "--agent", agent.command, flag, "shipped IT"]);
    expect(ended.code).toBe(0);
    expect(prompts(agent)).toHaveLength(2);
  });

  test("--stream-agent-output and --no-stream-agent-output beat the setting", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: `I am done. ${DONE}` }] }, { streamAgentOutput: false });
    expect((await world.ralph(["-p", "x"])).stdout).toBe("");
    expect((await world.ralph(["-p", "x", "--stream-agent-output"])).stdout).toBe(`I am done. ${DONE}\n`);
    world.speaking({ turns: [{ final: `I am done. ${DONE}` }] }, { streamAgentOutput: true });
    expect((await world.ralph(["-p", "x", "--no-stream-agent-output"])).stdout).toBe("");
  });

  test("without any flag or setting the agent's output is streamed", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: `I am done. ${DONE}` }] });
    expect((await world.ralph(["-p", "x"])).stdout).toBe(`I am done. ${DONE}\n`);
  });

  test("a prompt that looks like a flag is still a prompt", async () => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: DONE }] });
    const ended = await world.ralph(["--prompt=--help me", "--agent", agent.command, "--no-claim-hint"]);
    expect(ended.code).toBe(0);
    expect(prompts(agent)).toEqual(["--help me"]);
  });
});
