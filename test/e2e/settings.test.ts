import { describe, expect, test } from "vitest";
import { argvs, DONE, makeWorld, ofType, prompts, type World } from "./support.ts";

/** The description of the only run. */
function spec(world: World) {
  const [started] = ofType(world.journal(), "run.started");
  if (started === undefined) throw new Error("no run was started");
  return started.spec;
}

describe("the settings", () => {
  test("are not needed: every one has a default", async () => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "x", "--agent", agent.command])).code).toBe(0);
    expect(spec(world)).toMatchObject({
      limits: { iterations: 10, failures: 3 },
      claim: { response: "DONE", hint: true },
      prompt: { outputTruncateChars: 5000, includeIterationCount: false },
      gates: [],
    });
    expect(spec(world)).not.toHaveProperty("scm");
  });

  test("of .ralph/settings.json are all taken", async () => {
    const world = makeWorld({ git: true });
    const agent = world.agent({ turns: [{ final: "Hm." }] });
    world.settings({
      $schema: "https://unpkg.com/ralph-proof/schema/settings.schema.json",
      maximumIterations: 2,
      completionResponse: "OK",
      outputTruncateChars: 100,
      streamAgentOutput: false,
      includeIterationCountInPrompt: true,
      agent: { command: agent.command, kind: "claude", flags: ["--model opus", "--no-auto-compact"] },
      guardrails: [
        { command: "true", failAction: "PREPEND", hint: "Fix it." },
        { command: "exit 0", failAction: "APPEND" },
      ],
      scm: { command: "git", tasks: ["commit"] },
    });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toBe("");
    expect(prompts(agent)).toEqual([1, 2].map((n) => `Iteration ${n} of 2, ${2 - n} remaining.\n\nx`));
    expect(argvs(agent)[0]?.slice(-3)).toEqual(["--model", "opus", "--no-auto-compact"]);
    expect(spec(world)).toMatchObject({
      claim: { response: "OK" },
      prompt: { outputTruncateChars: 100 },
      scm: { command: "git", tasks: ["commit"] },
      gates: [
        { kind: "protect" },
        { command: "true", failAction: "PREPEND", hint: "Fix it." },
        { command: "exit 0" },
      ],
    });
  });

  test("are those of the folder that ralph is started in, whatever its name", async () => {
    const world = makeWorld();
    world.settings({ maximumIterations: 7 });
    const sub = `it's a "pröject" $(touch pwned)`;
    world.write(`${sub}/README`, "");
    const agent = world.agent({ voice: "text", turns: [{ final: DONE }] });
    const cwd = `${world.project}/${sub}`;
    expect((await world.ralph(["-p", "x", "--agent", agent.command], { cwd })).code).toBe(0);
    expect(spec(world)).toMatchObject({ project: cwd, limits: { iterations: 10 } });
    expect(world.has(`${sub}/.ralph/prompt_001.txt`)).toBe(true);
  });
});

describe("settings.local.json", () => {
  test("overrides scalars, replaces lists and merges objects, key by key", async () => {
    const world = makeWorld({ git: true });
    const agent = world.installAgent("claude", { turns: [{ final: "<response>LOCAL</response>" }] });
    world.settings({
      maximumIterations: 4,
      completionResponse: "BASE",
      streamAgentOutput: true,
      agent: { command: "claude", flags: ["--model opus"], model: "base" },
      guardrails: [{ command: "exit 1" }, { command: "exit 2" }],
      scm: { command: "git", tasks: ["commit", "push"] },
      output: { emoji: false, timestamps: true },
    });
    world.localSettings({
      completionResponse: "LOCAL",
      streamAgentOutput: false,
      agent: { flags: ["--verbose"] },
      guardrails: [{ command: "true" }],
      scm: { tasks: ["commit"] },
      output: { timestamps: false },
    });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toBe("");
    expect(ended.stderr).toMatch(/^\[OK\] Verified/m);
    expect(spec(world)).toMatchObject({
      limits: { iterations: 4 },
      claim: { response: "LOCAL" },
      agent: { command: "claude", flags: ["--verbose"], model: "base" },
      scm: { command: "git", tasks: ["commit"] },
    });
    expect(spec(world).gates.map((gate) => gate.command)).toEqual(["", "true"]); // the first is protection
    expect(argvs(agent)[0]?.filter((word) => word === "--verbose")).toHaveLength(1);
  });

  test("needs no settings.json beside it", async () => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: "Hm." }] });
    world.localSettings({ maximumIterations: 1, agent: { command: agent.command } });
    expect((await world.ralph(["-p", "x"])).code).toBe(1);
    expect(prompts(agent)).toHaveLength(1);
  });

  test("can switch version control off with an empty list of tasks", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] }, { scm: { command: "git", tasks: ["commit"] } });
    world.localSettings({ scm: { tasks: [] } });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
  });
});

describe("a flag on the command line", () => {
  test("beats both files", async () => {
    const world = makeWorld();
    const agent = world.agent({ voice: "text", turns: [{ final: "Hm." }] });
    world.settings({ maximumIterations: 5, completionResponse: "BASE", agent: { command: "no-such-agent" } });
    world.localSettings({ maximumIterations: 4, completionResponse: "LOCAL" });
    const flags = ["-m", "1", "-c", "FLAG", "--agent", agent.command];
    expect((await world.ralph(["-p", "x", ...flags])).code).toBe(1);
    expect(spec(world)).toMatchObject({ limits: { iterations: 1 }, claim: { response: "FLAG" } });
  });
});

describe("the run's own description", () => {
  test("is fixed when the run starts: an agent that edits the settings changes nothing", async () => {
    const world = makeWorld();
    const edit = { write: ".ralph/settings.json", text: '{"guardrails":[],"maximumIterations":99}' };
    world.speaking({ turns: [{ actions: [edit], final: DONE }] }, { guardrails: [{ command: "false" }] });
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(1);
    const judged = ofType(world.journal(), "gate.judged").filter((event) => event.name === "false");
    expect(judged.map((event) => event.iteration)).toEqual([0, 1, 2]);
  });
});
