import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DONE, play, type Story, stop, TASK, tool } from "./stories.ts";
import { world } from "./support.ts";

const STORIES: readonly (readonly [string, Story])[] = [
  ["no loop, no word", [tool, stop(DONE, "left alone"), stop("anything", "left alone")]],
  [
    "without --promise-line a promise counts anywhere, as the spec says",
    [{ type: `/ralph-loop ${TASK}` }, tool, stop(`I will not say ${DONE} yet`, "ends")],
  ],
  [
    "neither another case, nor white space inside, nor half a tag",
    [
      { type: `/ralph-loop ${TASK}` },
      tool,
      stop("<promise>done</promise>", "goes on"),
      stop("<promise> DONE </promise>", "goes on"),
      stop("<promise>\nDONE\n</promise>", "goes on"),
      stop("<Promise>DONE</Promise>", "goes on"),
      stop("<promise>DONE", "goes on"),
      tool,
      stop(DONE, "ends"),
    ],
  ],
  [
    "a promise at the last allowed stop counts",
    [
      { type: `/ralph-loop ${TASK} --max-iterations 1` },
      tool,
      stop("not yet", "goes on"),
      stop(DONE, "ends"),
    ],
  ],
  [
    "tools that were used before the loop are no work for it",
    [tool, tool, { type: `/ralph-loop ${TASK}` }, stop(DONE, "goes on"), tool, stop(DONE, "ends")],
  ],
  [
    "--min-tool-calls counts over the whole loop",
    [
      { type: `/ralph-loop ${TASK} --min-tool-calls 3` },
      tool,
      stop(DONE, "goes on"),
      tool,
      stop(DONE, "goes on"),
      tool,
      stop(DONE, "ends"),
    ],
  ],
  [
    "--min-tool-calls 0 asks for none",
    [{ type: `/ralph-loop ${TASK} --min-tool-calls 0` }, stop(DONE, "ends")],
  ],
  [
    "--on-promise-no-work accept and warn take it",
    [
      { type: `/ralph-loop ${TASK} --on-promise-no-work accept` },
      stop(DONE, "ends"),
      { type: `/ralph-loop ${TASK} --on-promise-no-work warn` },
      stop(DONE, "ends"),
    ],
  ],
  [
    "tasks in the background are waited for, and not counted",
    [
      { type: `/ralph-loop ${TASK} --max-iterations 1` },
      tool,
      stop("waiting", "left alone", { background_tasks: [{ id: "t1", status: "running" }] }),
      stop("waiting", "left alone", { background_tasks: [{ id: "t1" }] }),
      stop("it is over", "goes on", { background_tasks: [{ id: "t1", status: "completed" }] }),
      stop(DONE, "ends"),
    ],
  ],
  [
    "a subagent's stop is not the main agent's",
    [
      { type: `/ralph-loop ${TASK}` },
      tool,
      stop(DONE, "left alone", { agent_id: "sub-1" }),
      stop("no", "goes on"),
    ],
  ],
  [
    "/cancel-ralph ends it at once, and another loop can begin",
    [
      { type: `/ralph-loop ${TASK}` },
      tool,
      stop("not yet", "goes on"),
      { type: "/cancel-ralph" },
      stop("not yet", "left alone"),
      { type: `/ralph:ralph-loop ${TASK}` },
      stop("not yet", "goes on"),
      { type: "/ralph stop" },
      stop("not yet", "left alone"),
    ],
  ],
  [
    "a session without an agent's word about it is sent back, never let go in silence",
    [
      { type: `/ralph-loop ${TASK}` },
      tool,
      stop(undefined, "goes on"),
      stop("", "goes on"),
      stop(DONE, "ends"),
    ],
  ],
];

describe.each(["claude", "codex"] as const)("what a stop of %s comes to", (agent) => {
  it.each(STORIES)("%s", async (_, story) => {
    await play(story, { agent });
  });
});

describe("whose loop it is", () => {
  it("a second session in the folder is left alone, whatever it says", async () => {
    const at = world();
    const [mine, other] = [at.session(), at.session()];
    await mine.type(`/ralph-loop ${TASK}`);
    await mine.tool();
    expect(await other.stop(DONE)).toEqual({});
    expect(await other.stop("not yet")).toEqual({});
    expect((await mine.stop("not yet")).decision).toBe("block");
    expect(at.journal().filter(({ type }) => type === "agent.exited")).toHaveLength(1);
  });

  it("two sessions in one folder have a loop each, and count their own tools, also where hooks are not told the session", async () => {
    const at = world();
    const [one, two] = [at.session({ agent: "codex" }), at.session({ agent: "codex" })];
    await one.type(`/ralph-loop ${TASK} --completion-promise ONE`);
    await two.type(`/ralph-loop ${TASK} --completion-promise TWO`);
    await one.tool();
    expect((await two.stop("<promise>TWO</promise>")).reason).toContain("no tool calls/work");
    expect((await two.stop("<promise>ONE</promise>")).decision).toBe("block");
    expect((await one.stop("<promise>ONE</promise>")).systemMessage).toContain("PROMISE_ACCEPTED");
    expect((await two.stop("not yet")).decision).toBe("block");
  });

  it("a marker that names another session's run owns nobody", async () => {
    const at = world();
    const [mine, other] = [at.session(), at.session()];
    await mine.type(`/ralph-loop ${TASK}`);
    await mine.tool();
    cpSync(join(at.state, "hooks", mine.id), join(at.state, "hooks", other.id), { recursive: true });
    expect(await other.stop(DONE)).toEqual({
      systemMessage: expect.stringContaining("is over for this session") as string,
    });
    expect(at.log()).toContain("another session's");
    expect((await mine.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });

  it("tools that a session used while only another had a loop are no work for its own", async () => {
    const at = world();
    const [one, two] = [at.session({ agent: "codex" }), at.session({ agent: "codex" })];
    await one.type(`/ralph-loop ${TASK}`);
    await two.tool();
    await two.type(`/ralph-loop ${TASK}`);
    expect((await two.stop(DONE)).reason).toContain("no tool calls/work");
  });

  it("a state that names no session owns nobody", async () => {
    const at = world();
    const session = at.session();
    await session.type(`/ralph-loop ${TASK}`);
    await session.tool();
    const [first, ...rest] = at.journal();
    if (first?.type !== "run.started") throw new Error("no run");
    const { session: _session, ...spec } = first.spec;
    writeFileSync(
      join(at.runFolder(), "journal.ndjson"),
      [{ ...first, spec }, ...rest].map((one) => `${JSON.stringify(one)}\n`).join(""),
    );
    expect(await session.stop("not yet")).toEqual({
      systemMessage: expect.stringContaining("is over for this session") as string,
    });
    expect(at.log()).toContain("another session's");
  });

  it("a session without an id gets no loop, and is told so", async () => {
    const at = world();
    const session = at.session();
    const said = await session.hook("UserPromptSubmit", { prompt: `/ralph-loop ${TASK}`, session_id: "" });
    expect(said.hookSpecificOutput?.additionalContext).toContain("No ralph loop was started");
    expect(at.runs()).toEqual([]);
  });

  it.each(["../../x", "a/b", ".", "a b", "x".repeat(200)])(
    "an id like %j is no path into our state",
    async (id) => {
      const at = world();
      const session = at.session({ id, agent: "codex" });
      await session.type(`/ralph-loop ${TASK}`);
      expect(at.runs()).toEqual([]);
    },
  );
});
