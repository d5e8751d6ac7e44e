import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, outcomeOf } from "../e2e/support.ts";
import { say } from "../model-server/script.ts";
import { codexFlags } from "./pointing.ts";
import { fenceFor, installed, type RealAgent, type RealWorld, realWorld } from "./world.ts";

const AGENTS = installed("claude", "codex").map(
  (agent) => [`${agent.name} ${agent.version}`, agent] as const,
);

/** Where the user keeps hooks and words for every session. */
const OWN: Readonly<Record<string, { hooks: string; words: string }>> = {
  claude: { hooks: ".claude/settings.json", words: ".claude/CLAUDE.md" },
  codex: { hooks: ".codex/hooks.json", words: ".codex/AGENTS.md" },
};

/** A user whose own prompt hook leaves a file, in a project whose own prompt hook leaves another. */
async function hooked(agent: RealAgent, inheritUserConfig: boolean): Promise<RealWorld> {
  const world = await realWorld(agent, [say(DONE)]);
  const codex = ["--dangerously-bypass-hook-trust", ...codexFlags(world.server.url, world.project)];
  world.settings({
    agent: {
      command: agent.name,
      flags: agent.name === "codex" ? codex.map((word) => `'${word}'`) : [],
      inheritUserConfig,
    },
    guardrails: [{ command: "true" }],
    sandbox: fenceFor(agent, world),
  });
  const home = world.env["HOME"] ?? "";
  const own = OWN[agent.name] ?? { hooks: "", words: "" };
  put(join(home, own.hooks), hooksTouching("of-the-user"));
  world.write(own.hooks, hooksTouching("of-the-project"));
  put(join(home, own.words), "Always greet the user as Wanderer.");
  return world;
}

function hooksTouching(path: string): string {
  return JSON.stringify({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: `touch ${path}` }] }] },
  });
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const FENCES = [
  ["in a sandbox", ["--sandbox=bubblewrap"]],
  ["without one", ["--no-sandbox"]],
] as const;

describe.each(AGENTS)("%s", (_name, agent) => {
  // Codex has no flag that leaves its user's hooks out: it takes a home without them.
  const fences = agent.name === "codex" ? FENCES.slice(0, 1) : FENCES;

  test.each(fences)("takes its user's own hooks and words along, %s", async (_where, flags) => {
    expect(await seen(await hooked(agent, true), flags)).toEqual({ user: true, project: true, words: true });
  });

  test.each(fences)(
    "with agent.inheritUserConfig false only the project's count, %s",
    async (_where, flags) => {
      expect(await seen(await hooked(agent, false), flags)).toEqual({
        user: false,
        project: true,
        words: false,
      });
    },
  );
});

async function seen(world: RealWorld, flags: readonly string[]): Promise<Record<string, boolean>> {
  const ended = await world.ralph(["-p", "work", ...flags]);
  expect(ended.code, ended.stderr).toBe(0);
  expect(outcomeOf(world).kind).toBe("verified");
  return {
    user: world.has("of-the-user"),
    project: world.has("of-the-project"),
    words: JSON.stringify(world.server.asked()).includes("Wanderer"),
  };
}
