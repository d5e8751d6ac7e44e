import { describe, expect, test } from "vitest";
import { DONE, ofType, outcomeOf, processesWith, until } from "../e2e/support.ts";
import { fail, run, say, write } from "../model-server/script.ts";
import { installed, type RealAgent, realWorld } from "./world.ts";

/** The words with which each works on its own and prints plain text; the prompt comes by standard input. */
const COMMANDS: Readonly<Record<string, string>> = {
  copilot: "copilot --allow-all-tools -s",
  gemini: "gemini --yolo --skip-trust -m gemini-2.5-pro",
  qwen: "qwen --yolo --auth-type openai",
  opencode: "opencode run --auto",
};

/** What each needs beside its name to work with the server when ralph drives it by its own stream. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  gemini: ["-m gemini-2.5-pro"],
  qwen: ["--auth-type openai"],
};

const AGENTS = installed(...Object.keys(COMMANDS));
const GUARDRAIL = "grep -qx 42 answer.txt";

function settingsFor(agent: RealAgent): Record<string, unknown> {
  return {
    agent: { command: COMMANDS[agent.name], kind: "custom" },
    guardrails: [{ command: GUARDRAIL }],
  };
}

function ownStream(agent: RealAgent): Record<string, unknown> {
  return {
    agent: { command: agent.name, flags: FLAGS[agent.name] ?? [] },
    guardrails: [{ command: GUARDRAIL }],
  };
}

describe
  .skipIf(AGENTS.length === 0)
  .each(
    (AGENTS.length > 0 ? AGENTS : [undefined]).map(
      (agent) => [`${agent?.name} ${agent?.version}`, agent] as const,
    ),
  )("%s, as any other program", (_name, installedAgent) => {
  const agent = installedAgent as RealAgent;

  test("a false claim is refused, and the guardrail turns green", async () => {
    const world = await realWorld(
      agent,
      [
        say(`All is well. ${DONE}`),
        write("answer.txt", "42\n"),
        run("cat answer.txt"),
        say(`It is there. ${DONE}`),
      ],
      { settings: settingsFor(agent) },
    );
    const ended = await world.ralph(["-p", "Write the answer into answer.txt."]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
    expect(ofType(world.journal(), "iteration.started")).toHaveLength(2);
    const asked = world.server.asked();
    expect(asked[0]?.heard.join("\n")).toContain("Write the answer into answer.txt.");
    expect(asked[1]?.heard.join("\n")).toContain(`Guardrail "${GUARDRAIL}" failed with exit code`);
    expect(asked[3]?.results.join("\n")).toContain("42");
    await world.expectNothingLeft();
  });

  test("killed in the middle of a tool, no process is left", async () => {
    const world = await realWorld(agent, [run("echo > started; tail -f /dev/null >/dev/null 2>&1")], {
      settings: settingsFor(agent),
    });
    const ralph = world.start(["-p", "Wait."]);
    await until("the command runs", () => world.has("started"));
    ralph.process.kill("SIGINT");
    await ralph.printed("Received signal, shutting down...");
    ralph.process.kill("SIGINT");
    expect((await ralph.ended).code).toBe(130);
    expect(processesWith(world.home)).toEqual([]);
  });
});

describe
  .skipIf(AGENTS.length === 0)
  .each(
    (AGENTS.length > 0 ? AGENTS : [undefined]).map(
      (agent) => [`${agent?.name} ${agent?.version}`, agent] as const,
    ),
  )("%s, by its own stream", (_name, installedAgent) => {
  const agent = installedAgent as RealAgent;

  test("a false claim is refused, the tools are seen, and the guardrail turns green", async () => {
    const world = await realWorld(
      agent,
      [
        say(`All is well. ${DONE}`),
        write("answer.txt", "42\n"),
        run("cat answer.txt"),
        say(`It is there. ${DONE}`),
      ],
      { settings: ownStream(agent) },
    );
    const ended = await world.ralph(["-p", "Write the answer into answer.txt."]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
    const turns = ofType(world.journal(), "agent.exited");
    expect(turns.map(({ ending }) => ending.kind)).toEqual(["finished", "finished"]);
    expect(turns.map(({ toolCalls }) => toolCalls)).toEqual([0, 2]);
    const [over] = ofType(world.journal(), "run.ended");
    // Copilot tells no tokens, Qwen has a request of its own after the answer.
    const least = agent.name === "copilot" ? 0 : 400;
    expect(over?.usage.inputTokens).toBeGreaterThanOrEqual(least);
    expect(over?.usage.inputTokens).toBeLessThanOrEqual(least + 100);
    await world.expectNothingLeft();
  });

  test("goes on by ralph resume after a kill -9 in the middle of a tool", async () => {
    const world = await realWorld(agent, [run("echo > started; tail -f /dev/null >/dev/null 2>&1")], {
      settings: ownStream(agent),
    });
    const ralph = world.start(["-p", "Write the answer into answer.txt."]);
    await until("the command runs", () => world.has("started"));
    ralph.process.kill("SIGKILL");
    await ralph.ended;
    world.server.play([write("answer.txt", "42\n"), say(`It is there. ${DONE}`)]);
    const resumed = await world.ralph(["resume"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
    expect(ofType(world.journal(), "agent.started").map(({ iteration }) => iteration)).toEqual([1, 1]);
    await world.expectNothingLeft();
  });

  test("a refused key ends the run, with exit code 2", async () => {
    const world = await realWorld(agent, () => fail(401, { message: "invalid api key" }), {
      settings: ownStream(agent),
    });
    const ended = await world.ralph(["-p", "Write the answer into answer.txt."]);
    expect(ended.code, ended.stderr).toBe(2);
    expect(outcomeOf(world).kind).toBe("failed");
    await world.expectNothingLeft();
  });
});
