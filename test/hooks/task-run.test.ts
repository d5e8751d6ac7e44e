// The hooks of spec 003 inside a real run on a task list: its agent calls them as an agent with the plugin does.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commit, edit, makeTaskWorld, playing, type TaskWorld } from "../e2e/task-world.ts";
import { story } from "../tasks/support.ts";
import { PLUGIN, type Said } from "./support.ts";

/** Puts a program on PATH that asks a hook of the plugin, and keeps what it says under a name. */
function installHooks(world: TaskWorld): void {
  const table = JSON.parse(readFileSync(join(PLUGIN, "hooks/hooks.json"), "utf8")) as {
    hooks: Record<string, [{ hooks: [{ command: string }] }]>;
  };
  for (const [event, [{ hooks }]] of Object.entries(table.hooks)) {
    world.write(`../${event}.sh`, hooks[0].command);
  }
  world.write("../talk.jsonl", "x".repeat(400_000));
  world.install(
    "hook",
    [
      `export CLAUDE_PLUGIN_ROOT='${PLUGIN}' CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=s-1`,
      `printf '{"session_id":"s-1","hook_event_name":"%s","cwd":"%s","transcript_path":"${world.home}/talk.jsonl","tool_name":"Write"}' "$1" "$PWD" |`,
      `sh '${world.home}'/"$1".sh > '${world.home}'/"$2"`,
    ].join("\n"),
  );
}

function heard(world: TaskWorld, name: string): Said | undefined {
  const path = join(world.home, name);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, "utf8");
  return text === "" ? {} : (JSON.parse(text) as Said);
}

const APPROVE = `const t = s("US-001"); t.reviewStatus = "approved"; t.passes = true; t.notes = "done"`;

describe("the agent of a real run", () => {
  it("is refused an illegal approval and work that is not committed, mends both, and may stop", async () => {
    const world = makeTaskWorld([story("US-001")], { verifyCommands: ["hook Stop gate"] });
    installHooks(world);
    world.write("mine.txt", "the user's own");
    playing(world, [
      {
        actions: [
          { write: "work.txt", text: "work\n" },
          edit(APPROVE),
          { run: "hook Stop first" },
          { run: "hook PostToolUse tool" },
          edit(`const t = s("US-001"); t.reviewStatus = "needs_review"; t.passes = false`),
          { run: "git add work.txt ralph && git commit -qm work" },
          { run: "hook Stop second" },
          { write: "late.txt", text: "not committed\n" },
        ],
        final: "Implemented.",
      },
    ]);
    await world.ralph(["run", "--tasks", "-n", "1", "--trust"]);
    const first = heard(world, "first");
    expect(first?.decision).toBe("block");
    expect(first?.reason).toContain("Story US-001 had illegal transition: passes false → true.");
    expect(first?.reason).toContain("There are uncommitted changes: ralph/tasks.json, work.txt");
    expect(first?.reason).toContain("are its user's: mine.txt");
    expect(heard(world, "tool")?.hookSpecificOutput?.additionalContext).toContain("About 50%");
    expect(heard(world, "second")).toEqual({});
    // A check that asks an agent of its own is not the run's agent.
    expect(heard(world, "gate")).toEqual({});
    expect(world.story("US-001").reviewStatus).toBe("needs_review");
  });

  it("is asked about the list of the run, wherever that is, and not for commits that ralph makes", async () => {
    const world = makeTaskWorld();
    installHooks(world);
    world.git("mv", "ralph", "plan");
    world.git("commit", "-qm", "moved");
    playing(
      world,
      [
        {
          actions: [
            { write: "work.txt", text: "work\n" },
            { run: "hook Stop first" },
            { run: "echo oops > plan/tasks.json" },
            { run: "hook Stop second" },
            commit("all"),
          ],
          final: "Implemented.",
        },
      ],
      {},
      { scm: { command: "git", tasks: ["commit"] } },
    );
    await world.ralph(["run", "--tasks", "-n", "1", "--trust", "--ralph-dir", "plan"]);
    expect(heard(world, "first")).toEqual({});
    expect(heard(world, "second")?.reason).toContain("plan/tasks.json is not in order:\n- is not valid JSON");
  });
});
