import { describe, expect, it } from "vitest";
import { argvs, prompts } from "../e2e/support.ts";
import { type HookWorld, type Session, world } from "./support.ts";

const DONE = "<promise>DONE</promise>";
const START = '/ralph-loop "Write hello.txt"';

async function capped(at: HookWorld): Promise<Session> {
  const session = at.session({ env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "1" } });
  await session.type(START);
  await session.stop("not yet");
  expect((await session.stop("not yet")).systemMessage).toContain("WAITING");
  return session;
}

describe("going on without the session", () => {
  it("ralph resume goes on after the program's cap, and the promise ends it there too", async () => {
    const at = world();
    const agent = at.installAgent("claude", {
      turns: [
        { final: "not yet" },
        { actions: [{ write: "hello.txt", text: "hi" }], final: `There. ${DONE}` },
      ],
    });
    await capped(at);
    const ended = await at.ralph(["resume"]);
    expect(ended.code).toBe(0);
    expect(at.has("hello.txt")).toBe(true);
    expect(prompts(agent)[0]).toContain("Write hello.txt");
    expect(at.journal().at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "claimed" } });
    expect(
      at
        .journal()
        .filter((event) => event.type === "agent.exited")
        .map((event) => event.iteration),
    ).toEqual([1, 2, 3, 4]);
  });

  it.each([
    ["copilot", { timestamp: "2026-11-15T18:11:43.121Z" }, ["--allow-all-tools"]],
    ["qwen", { transcript_path: "/home/me/.qwen/tmp/x.jsonl" }, ["--yolo"]],
    ["gemini", { transcript_path: "/home/me/.gemini/tmp/x.json" }, ["--yolo"]],
  ] as const)(
    "of %s, ralph resume drives it by its own stream, and it may work",
    async (name, own, flags) => {
      const at = world();
      const agent = at.installAgent(name, {
        voice: name,
        turns: [{ actions: [{ write: "hello.txt", text: "hi" }], final: DONE }],
      });
      const session = at.session({ agent: name === "copilot" ? "copilot" : "codex" });
      const told = { session_id: session.id, cwd: at.project, ...own };
      const prompt = { ...told, hook_event_name: "UserPromptSubmit", prompt: START };
      await session.raw("UserPromptSubmit", JSON.stringify(prompt));
      const resumed = await at.ralph(["resume"]);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(at.has("hello.txt")).toBe(true);
      expect(argvs(agent)[0]).toEqual(expect.arrayContaining([...flags]));
    },
  );

  it("a promise without work is rejected there too", async () => {
    const at = world();
    at.installAgent("claude", {
      turns: [{ final: DONE }, { actions: [{ write: "hello.txt", text: "hi" }], final: DONE }],
    });
    await capped(at);
    expect((await at.ralph(["resume"])).code).toBe(0);
    expect(at.has("hello.txt")).toBe(true);
  });

  it("a loop in the middle of its session can be taken over, and the session is let go", async () => {
    const at = world();
    const agent = at.installAgent("claude", {
      turns: [{ actions: [{ write: "hello.txt", text: "hi" }], final: DONE }],
    });
    const session = at.session();
    await session.type(START);
    await session.stop("not yet");
    const status = await at.ralph(["status"]);
    expect(status.stdout).toContain("running");
    expect(status.stdout).toContain("/cancel-ralph");
    expect((await at.ralph(["stop"])).stdout).toContain("end it there with /cancel-ralph");
    expect((await at.ralph(["resume"])).code).toBe(0);
    expect(prompts(agent)[0]).toContain("you did not output the completion promise");
    const before = at.journal().length;
    expect(await session.stop("not yet")).toEqual({
      systemMessage: expect.stringContaining("is over for this session") as string,
    });
    expect(await session.stop("not yet")).toEqual({});
    expect(at.journal()).toHaveLength(before);
  });

  it("a cancelled loop is a stopped run, which can be resumed like any other", async () => {
    const at = world();
    at.installAgent("claude", { turns: [{ actions: [{ run: "true" }], final: DONE }] });
    const session = at.session();
    await session.type(START);
    await session.type("/cancel-ralph");
    expect(at.journal().at(-1)).toMatchObject({
      outcome: { kind: "stopped", reason: "stopped by /cancel-ralph" },
    });
    expect((await at.ralph(["status"])).stdout).toContain("CANCELLED");
    expect((await at.ralph(["resume"])).code).toBe(0);
  });

  it("the files can be brought back to before the loop", async () => {
    const at = world({ git: true });
    const session = at.session();
    await session.type(START);
    at.write("hello.txt", "hi");
    await session.tool();
    await session.stop(DONE);
    expect((await session.type("/ralph rollback")).systemMessage).toContain("ralph rollback");
    expect(at.has("hello.txt")).toBe(true);
    // What the user did after the loop is not the loop's.
    at.write("mine.txt", "mine");
    expect((await at.ralph(["rollback", "--yes"])).code).toBe(0);
    expect(at.has("hello.txt")).toBe(false);
    expect(at.has("mine.txt")).toBe(true);
  });

  it("a run that is under way in the folder lets no loop begin", async () => {
    const at = world();
    at.installAgent("claude", { turns: [{ actions: [{ hang: `${at.home}/hanging` }] }] });
    const run = at.start(["run", "-p", "do it", "--agent", "claude"]);
    const { existsSync } = await import("node:fs");
    const { until } = await import("../e2e/support.ts");
    await until("it hangs", () => existsSync(`${at.home}/hanging`));
    const said = await at.session().type(START);
    expect(said.hookSpecificOutput?.additionalContext).toContain("another run is under way");
    run.process.kill("SIGKILL");
    await run.ended;
  });
});
