// The hooks of spec 003 inside a real run on a task list: its agent asks as an agent with the plugin does, or ralph itself.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commit, edit, makeTaskWorld, playing, type TaskWorld } from "../e2e/task-world.ts";
import { story } from "../tasks/support.ts";
import { PLUGIN, type Said } from "./support.ts";

type Way = "the plugin" | "ralph itself";

/** Asks the ralph that drives the run, as Claude Code does; nobody where there is none. */
const ASK = `
const { RALPH_HOOKS_URL: url, RALPH_HOOKS_TOKEN: token } = process.env;
const body = require("node:fs").readFileSync(0);
if (url) fetch(url, { method: "POST", body, headers: { authorization: "Bearer " + token } })
  .then((answer) => answer.text()).then((text) => console.log(text));
`;

/** Puts a program on PATH that asks a hook, and keeps what it says under a name. */
function installHooks(world: TaskWorld, way: Way): void {
  const table = JSON.parse(readFileSync(join(PLUGIN, "hooks/hooks.json"), "utf8")) as {
    hooks: Record<string, [{ hooks: [{ command: string }] }]>;
  };
  for (const [event, [{ hooks }]] of Object.entries(table.hooks)) {
    world.write(`../${event}.sh`, hooks[0].command);
  }
  world.write("../talk.jsonl", "x".repeat(400_000));
  world.write("../ask.cjs", ASK);
  const plugin = `sh '${world.home}'/"$1".sh`;
  const ask = `tee '${world.home}/told' | '${process.execPath}' '${world.home}/ask.cjs'`;
  // One that asks ralph has the plugin too: nothing is to be said twice.
  const both = `${plugin} < '${world.home}/told' > '${world.home}'/"$2".plugin`;
  world.install(
    "hook",
    [
      `export CLAUDE_PLUGIN_ROOT='${PLUGIN}' CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=s-1`,
      `printf '{"session_id":"s-1","hook_event_name":"%s","cwd":"%s","transcript_path":"${world.home}/talk.jsonl","tool_name":"Write"}' "$1" "$PWD" |`,
      `${way === "the plugin" ? plugin : ask} > '${world.home}'/"$2"`,
      ...(way === "the plugin" ? [] : [both]),
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

/** A scripted Codex cannot be given an address to ask. */
const WAYS = [
  ["the plugin", "codex"],
  ["ralph itself", "claude"],
] as const;

describe.each(WAYS)("the agent of a real run, asking %s", (way, voice) => {
  it("is refused an illegal approval and work that is not committed, mends both, and may stop", async () => {
    const world = makeTaskWorld([story("US-001")], { verifyCommands: ["hook Stop gate"] });
    installHooks(world, way);
    world.write("mine.txt", "the user's own");
    const turns = [
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
    ];
    playing(world, turns, { voice });
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
    if (way === "the plugin") return;
    for (const name of ["first", "tool", "second"]) expect(heard(world, `${name}.plugin`)).toEqual({});
    const [call, ...more] = readFileSync(join(world.runFolder(), "tools.ndjson"), "utf8").trim().split("\n");
    const { run } = world.journal()[0] ?? {};
    expect(JSON.parse(call ?? "")).toMatchObject({ run, iteration: 1, session: "s-1", tool: "Write" });
    expect(more).toEqual([]);
  });

  it("is asked about the list of the run, wherever that is, and not for commits that ralph makes", async () => {
    const world = makeTaskWorld();
    installHooks(world, way);
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
      { voice },
      { scm: { command: "git", tasks: ["commit"] } },
    );
    await world.ralph(["run", "--tasks", "-n", "1", "--trust", "--ralph-dir", "plan"]);
    expect(heard(world, "first")).toEqual({});
    expect(heard(world, "second")?.reason).toContain("plan/tasks.json is not in order:\n- is not valid JSON");
  });
});
