import { describe, expect, test } from "vitest";
import { DONE, expectUserError, makeWorld } from "./support.ts";
import { openTerminal } from "./terminal.ts";

const UNTRUSTED = { RALPH_TRUST_PROJECT: undefined, CI: undefined };

/** A project whose settings name commands. */
function cloned() {
  const world = makeWorld({ git: true });
  const agent = world.installAgent("claude", { turns: [{ final: DONE }] });
  world.settings({
    agent: { command: "claude", flags: ["--model opus"] },
    guardrails: [{ command: "touch guardrail-ran" }],
    scm: { command: "git", tasks: ["commit", "push origin"] },
  });
  return { world, agent };
}

describe("settings that name commands, without a terminal", () => {
  test("are refused with exit code 2, and each command is named", async () => {
    const { world, agent } = cloned();
    const ended = await world.ralph(["-p", "x"], { env: UNTRUSTED });
    expectUserError(
      ended,
      "claude --model opus",
      "touch guardrail-ran",
      "git commit",
      "git push origin",
      "--trust",
      "RALPH_TRUST_PROJECT=1",
    );
    expect(agent.calls()).toEqual([]);
    expect(world.has("guardrail-ran")).toBe(false);
    expect(world.hasJournal()).toBe(false);
    expect(world.ralphFiles()).toEqual(["settings.json"]);
  });

  test.each([
    ["--trust", ["--trust"], {}],
    ["RALPH_TRUST_PROJECT=1", [], { RALPH_TRUST_PROJECT: "1" }],
    ["CI=true", [], { CI: "true" }],
  ])("are run with %s", async (_how, flags, env) => {
    const { world } = cloned();
    const ended = await world.ralph(["-p", "x", ...flags], { env: { ...UNTRUSTED, ...env } });
    expect(ended.code).toBe(0);
    expect(world.has("guardrail-ran")).toBe(true);
  });

  test("are not run with another value of the variable", async () => {
    const { world } = cloned();
    expectUserError(await world.ralph(["-p", "x"], { env: { ...UNTRUSTED, RALPH_TRUST_PROJECT: "0" } }));
  });

  test("in settings.local.json are refused as well", async () => {
    const world = makeWorld();
    world.localSettings({ guardrails: [{ command: "touch ran" }] });
    const ended = await world.ralph(["-p", "x", "--agent", "true"], { env: UNTRUSTED });
    expectUserError(ended, "touch ran", "settings.local.json");
  });
});

test("settings without commands need no trust", async () => {
  const world = makeWorld();
  const agent = world.agent({ voice: "text", turns: [{ final: DONE }] });
  world.settings({ maximumIterations: 2, output: { emoji: false } });
  const ended = await world.ralph(["-p", "x", "--agent", agent.command], { env: UNTRUSTED });
  expect(ended.code).toBe(0);
});

describe("on a terminal", () => {
  test("a yes is asked for once, and a change of the commands asks again", async () => {
    const { world } = cloned();
    const first = openTerminal(world, ["-p", "x"], UNTRUSTED);
    await first.shows("touch guardrail-ran");
    await first.shows("Run these commands?");
    first.press("y");
    expect((await first.ended).code).toBe(0);
    expect(world.has("guardrail-ran")).toBe(true);

    const second = await world.ralph(["-p", "x"], { env: UNTRUSTED });
    expect(second.code).toBe(0);

    world.settings({ agent: { command: "claude" }, guardrails: [{ command: "touch other-ran" }] });
    expectUserError(await world.ralph(["-p", "x"], { env: UNTRUSTED }), "touch other-ran");
  });

  test("a no, or Enter alone, starts nothing and is not remembered", async () => {
    const { world, agent } = cloned();
    const terminal = openTerminal(world, ["-p", "x"], UNTRUSTED);
    await terminal.shows("Run these commands?");
    terminal.press("\r");
    expect((await terminal.ended).code).toBe(2);
    expect(agent.calls()).toEqual([]);
    expect(world.has("guardrail-ran")).toBe(false);
    expectUserError(await world.ralph(["-p", "x"], { env: UNTRUSTED }));
  });

  test("Ctrl-C starts nothing and ends with exit code 130", async () => {
    const { world, agent } = cloned();
    const terminal = openTerminal(world, ["-p", "x"], UNTRUSTED);
    await terminal.shows("Run these commands?");
    terminal.press("\u0003");
    expect((await terminal.ended).code).toBe(130);
    expect(agent.calls()).toEqual([]);
    expect(world.has("guardrail-ran")).toBe(false);
  });
});
