import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type TaskWorld, withTaskList } from "../e2e/task-world.ts";
import { type Asked, type Reply, run, say, write } from "../model-server/script.ts";
import { story } from "../tasks/support.ts";
import { installed, type RealAgent, type RealWorld, realWorld } from "./world.ts";

const PLUGIN = fileURLToPath(new URL("../../plugin", import.meta.url));

/** How each gets the hooks when ralph starts it, and what it needs beside that. */
const WITH_HOOKS: Readonly<Record<string, { readonly flags: readonly string[]; readonly wired?: true }>> = {
  claude: { flags: [`--plugin-dir ${PLUGIN}`] },
  copilot: { flags: [`--plugin-dir ${PLUGIN}`] },
  codex: { flags: ["--dangerously-bypass-hook-trust"], wired: true },
  gemini: { flags: ["-m gemini-2.5-pro"], wired: true },
  qwen: { flags: ["--auth-type openai"], wired: true },
  opencode: { flags: [], wired: true },
};

const AGENTS = installed(...Object.keys(WITH_HOOKS));

/** Edits the list by the agent's own shell tool (Codex's has a PATH of its own), commits, and says something. */
function turn(code: string, text: string): Reply[] {
  return [run(`../bin/edit '${code}' && git add --all && git commit --quiet -m turn`), say(text)];
}

async function withHooks(agent: RealAgent, script: readonly Reply[]): Promise<RealWorld & TaskWorld> {
  const { flags = [], wired } = WITH_HOOKS[agent.name] ?? {};
  const settings = { agent: { command: agent.name, flags } };
  const world = withTaskList(await realWorld(agent, script, { settings }), [story("US-001")]);
  if (wired === true) {
    const ended = await world.ralph(["install-hooks", agent.name, "--user", "--yes"]);
    expect(ended.code, ended.stderr).toBe(0);
  }
  return world;
}

/** All that the model was told, wherever its program put it. */
const toldTo = (asked: readonly Asked[]) =>
  asked.flatMap(({ system, heard, results }) => [system, ...heard, ...results]).join("\n");

const HAND_IN = `const t = s("US-001"); t.reviewStatus = "needs_review"; t.passes = false; t.reviewCount = 0; t.notes = "done"`;
const APPROVE = `const t = s("US-001"); t.reviewStatus = "approved"; t.passes = true; t.reviewCount = 1; t.notes = "done"`;

describe
  .skipIf(AGENTS.length === 0)
  .each(
    (AGENTS.length > 0 ? AGENTS : [undefined]).map(
      (agent) => [`${agent?.name} ${agent?.version}`, agent] as const,
    ),
  )("%s with the hooks, in a run on a task list", (_name, installedAgent) => {
  const agent = installedAgent as RealAgent;

  // `opencode run` is gone when its agent stops: ralph itself finds it after the turn.
  test.skipIf(agent?.name === "opencode")(
    "is refused an illegal approval inside its session, and mends it there",
    async () => {
      const world = await withHooks(agent, [
        write("answer.txt", "42\n"),
        ...turn(APPROVE, "<promise>COMPLETE</promise>"),
        ...turn(HAND_IN, "Handed in."),
        ...turn(APPROVE, "Good."),
      ]);
      const ended = await world.ralph(["run", "--tasks"]);
      expect(ended.code, ended.stderr).toBe(0);
      // One iteration less than without the hooks: the agent was sent back before its turn was over.
      expect(world.turns().map(({ mode }) => mode)).toEqual(["implement", "review"]);
      expect(world.results()[0]?.notes).toEqual([]);
      expect(toldTo(world.server.asked())).toContain("Implement iterations cannot set passes=true");
    },
  );

  test("is told how full its context is, once", async () => {
    const world = await withHooks(agent, [
      write("answer.txt", "42\n"),
      run("true"),
      ...turn(HAND_IN, "Handed in."),
      ...turn(APPROVE, "Good."),
    ]);
    const ended = await world.ralph(["run", "--tasks"], { env: { CLAUDE_CONTEXT_WINDOW: "50" } });
    expect(ended.code, ended.stderr).toBe(0);
    const times = world.server.asked().map((asked) => toldTo([asked]).split("CRITICAL: Wrap up").length - 1);
    // Copilot does not say where its transcript is while it works; OpenCode knows the tokens of a message when it is over.
    const isTold = agent.name !== "copilot";
    const first = agent.name === "opencode" ? 2 : 1;
    expect(times.slice(0, first + 1)).toEqual([...Array<number>(first).fill(0), isTold ? 1 : 0]);
    expect(Math.max(...times)).toBe(isTold ? 1 : 0);
  });
});
