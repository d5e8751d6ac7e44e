import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "../e2e/support.ts";
import { withTaskList } from "../e2e/task-world.ts";
import { type Reply, run, say, write } from "../model-server/script.ts";
import { story } from "../tasks/support.ts";
import { installed, realWorld } from "./world.ts";

const AGENTS = installed("claude", "codex").map(
  (agent) => [`${agent.name} ${agent.version}`, agent] as const,
);

/** Edits the list by the agent's own shell tool (Codex's has a PATH of its own), commits, and says something. */
function turn(code: string, text: string): Reply[] {
  return [run(`../bin/edit '${code}' && git add --all && git commit --quiet -m turn`), say(text)];
}

describe.each(AGENTS)("%s", (_name, agent) => {
  test("a story goes through implement, review with changes requested, fix, re-review and approval", async () => {
    const script = [
      write("answer.txt", "41\n"),
      ...turn(`s("US-001").reviewStatus = "needs_review"; s("US-001").notes = "done"`, "Implemented."),
      ...turn(
        `const t = s("US-001"); t.reviewCount = 1; t.reviewStatus = "changes_requested"; t.reviewFeedback = "it is 42"`,
        "Not yet.",
      ),
      run("echo 42 > answer.txt"),
      ...turn(`s("US-001").reviewStatus = "needs_review"; s("US-001").reviewFeedback = ""`, "Mended."),
      ...turn(
        `const t = s("US-001"); t.reviewCount = 2; t.reviewStatus = "approved"; t.passes = true`,
        "Good. <promise>COMPLETE</promise>",
      ),
    ];
    const world = withTaskList(await realWorld(agent, script), [story("US-001")], {
      verifyCommands: ["grep -qx 42 answer.txt"],
    });
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.turns().map(({ mode }) => mode)).toEqual(["implement", "review", "review-fix", "review"]);
    expect(outcomeOf(world)).toMatchObject({
      kind: "verified",
      reason: "1 gate passed, every story is finished, as the agent promised",
    });
    expect(world.story("US-001")).toMatchObject({ passes: true, reviewCount: 2 });
    const heard = world.server.asked().map((asked) => asked.heard.join("\n"));
    expect(heard[0]).toContain("Mode: implement. Story: US-001");
    await world.expectNothingLeft();
  });

  test("an agent that approves its own work is put back, told so, and reviewed", async () => {
    const script = [
      write("answer.txt", "42\n"),
      ...turn(
        `const t = s("US-001"); t.reviewStatus = "approved"; t.passes = true; t.reviewCount = 1; t.notes = "done"`,
        "<promise>COMPLETE</promise>",
      ),
      ...turn(`s("US-001").reviewStatus = "needs_review"`, "Handed in."),
      ...turn(
        `const t = s("US-001"); t.reviewCount = 1; t.reviewStatus = "approved"; t.passes = true`,
        "Good.",
      ),
    ];
    // Settings of the user's own keep ours away, and with them what would have been told inside the session already.
    const flags = agent.name === "claude" ? ["--settings {}"] : [];
    const settings = { agent: { command: agent.name, flags } };
    const world = withTaskList(await realWorld(agent, script, { settings }), [story("US-001")]);
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.turns().map(({ mode }) => mode)).toEqual(["implement", "implement", "review"]);
    const heard = world.server.asked().map((asked) => asked.heard.join("\n"));
    expect(heard.some((text) => text.includes("Implement iterations cannot set passes=true"))).toBe(true);
  });
});

const PLUGIN = fileURLToPath(new URL("../../plugin", import.meta.url));

/** How the hooks of a run's agent come to it. */
const WAYS: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  claude: [
    ["with nothing installed", []],
    ["with the plugin too", [`--plugin-dir ${PLUGIN}`]],
    ["with the plugin, and settings of its user's", [`--plugin-dir ${PLUGIN}`, "--settings {}"]],
  ],
  // Codex has no way to ask ralph itself: its hooks are those of its settings, which its user trusts.
  codex: [["with installed hooks", ["--dangerously-bypass-hook-trust"]]],
};

describe.each(
  AGENTS.flatMap(([name, agent]) => (WAYS[agent.name] ?? []).map((way) => [name, ...way, agent] as const)),
)("%s %s", (_name, _way, flags, agent) => {
  test("an illegal approval is refused inside the session already, and mended there", async () => {
    const script = [
      write("answer.txt", "42\n"),
      ...turn(
        `const t = s("US-001"); t.reviewStatus = "approved"; t.passes = true; t.reviewCount = 1; t.notes = "done"`,
        "<promise>COMPLETE</promise>",
      ),
      ...turn(
        `const t = s("US-001"); t.reviewStatus = "needs_review"; t.passes = false; t.reviewCount = 0`,
        "Handed in.",
      ),
      ...turn(
        `const t = s("US-001"); t.reviewCount = 1; t.reviewStatus = "approved"; t.passes = true`,
        "Good.",
      ),
    ];
    const settings = { agent: { command: agent.name, flags } };
    const world = withTaskList(await realWorld(agent, script, { settings }), [story("US-001")]);
    if (agent.name === "codex") {
      const wired = await world.ralph(["install-hooks", "codex", "--user", "--yes"]);
      expect(wired.code, wired.stderr).toBe(0);
    }
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    // One iteration less than without it: the agent was sent back before its turn was over.
    expect(world.turns().map(({ mode }) => mode)).toEqual(["implement", "review"]);
    expect(world.results()[0]?.notes).toEqual([]);
    const heard = world.server.asked().map((asked) => asked.heard.join("\n"));
    expect(heard.some((text) => text.includes("Implement iterations cannot set passes=true"))).toBe(true);
    // Told once, whoever else could have.
    expect(Math.max(...heard.map((text) => text.split("Then stop again.").length - 1))).toBe(1);
    expect(readFileSync(join(world.state, "hooks.log"), "utf8").match(/sent back/g)).toHaveLength(1);
    const isServed = agent.name === "claude" && !flags.includes("--settings {}");
    expect(existsSync(join(world.runFolder(), "tools.ndjson"))).toBe(isServed);
    await world.expectNothingLeft();
  });
});
