import { run } from "ralph-proof";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld } from "./support.ts";

describe("what the library refuses before anything starts", () => {
  test.each([
    ["an empty prompt", { prompt: " " }, /prompt is empty/],
    ["no iterations", { maximumIterations: 0 }, /bad limit/],
    ["iterations that are no number", { maximumIterations: Number.NaN }, /bad limit/],
    ["an agent that is not there", { agent: "no-such-agent" }, /cannot start/],
    ["scm without a repository", { scm: { command: "git", tasks: ["commit"] } }, /not a git repository/],
  ])("%s", async (_, more, words) => {
    const world = makeWorld();
    const agent = world.agent({ turns: [{ final: DONE }] });
    const loop = run(
      { project: world.project, agent: agent.spec, prompt: "x", ...more },
      { env: { ...process.env, RALPH_STATE_DIR: world.state } },
    );
    await expect(loop.outcome).rejects.toThrow(words);
    expect(agent.calls()).toEqual([]);
    expect(world.hasJournal()).toBe(false);
  });
});
