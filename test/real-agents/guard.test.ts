import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { DONE } from "../e2e/support.ts";
import { run, say, write } from "../model-server/script.ts";
import { installed, type RealAgent, realWorld } from "./world.ts";

const PLUGIN = fileURLToPath(new URL("../../plugin", import.meta.url));

type Way = readonly [name: string, agent: RealAgent, flags: readonly string[]];

/** How the guard comes to each: Claude Code asks the running ralph, Codex starts the hook of its settings, OpenCode loads a plugin. */
const WAYS = installed("claude", "codex", "opencode").flatMap((agent): Way[] => {
  const name = `${agent.name} ${agent.version}`;
  if (agent.name === "codex")
    return [[`${name} with installed hooks`, agent, ["--dangerously-bypass-hook-trust"]]];
  if (agent.name === "opencode") return [[`${name} with installed hooks`, agent, []]];
  return [
    [`${name} with nothing installed`, agent, []],
    [`${name} with the plugin`, agent, [`--plugin-dir ${PLUGIN}`]],
  ];
});

describe.each(WAYS)("%s, without a sandbox", (_name, agent, flags) => {
  test("is denied what would harm, told why, and goes on with the rest", async () => {
    const world = await realWorld(agent, [
      run("touch tried.txt; rm -rf /opt/no-such-thing-of-ralph"),
      write("answer.txt", "42\n"),
      run("cat answer.txt"),
      say(`Done. ${DONE}`),
    ]);
    world.settings({
      agent: { command: agent.name, flags },
      guardrails: [{ command: "grep -qx 42 answer.txt" }],
    });
    if (agent.name !== "claude") {
      const wired = await world.ralph(["install-hooks", agent.name, "--user", "--yes"]);
      expect(wired.code, wired.stderr).toBe(0);
    }
    const ended = await world.ralph(["-p", "Work.", "-m", "1"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Sandbox: none; not isolated");
    expect(world.has("tried.txt")).toBe(false);
    const told = world.server.asked().flatMap(({ results, heard }) => [...results, ...heard]);
    expect(told.join("\n")).toContain("ralph's guard does not allow this");
    expect(world.read("answer.txt")).toBe("42\n");
  });
});
