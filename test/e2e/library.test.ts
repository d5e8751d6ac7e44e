import { join } from "node:path";
import { EXIT_CODES, type RunEvent, run, UserError, VERSION } from "ralph-proof";
import { describe, expect, test } from "vitest";
import { DONE, environmentOf, makeWorld, ofType, pidIn, processesWith, until } from "./support.ts";

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('import { run } from "ralph-proof"', () => {
  test("gives the events as an async iterable and the outcome as a promise", async () => {
    const world = makeWorld();
    const agent = world.agent({
      turns: [{ final: DONE }, { actions: [{ write: "ok", text: "" }, { say: "Hello" }], final: DONE }],
    });
    const running = run(
      { project: world.project, agent: agent.spec, prompt: "the work", guardrails: ["test -e ok"] },
      { env: environmentOf(world) },
    );
    const events = await collect(running);
    expect(await running.outcome).toMatchObject({ kind: "verified" });
    expect(events.filter((event) => event.type !== "agent")).toEqual(world.journal());
    expect(events[0]).toMatchObject({ type: "run.started", ralph: VERSION });
    expect(events.at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "verified" } });
    const text = ofType(events, "agent").find(({ event }) => event.type === "text" && event.text === "Hello");
    expect(text).toMatchObject({ type: "agent", iteration: 2, run: events[0]?.run });
    expect(agent.calls()[1]?.prompt).toContain('Guardrail "test -e ok" failed with exit code 1.');
  });

  test("goes on when nobody reads the events", async () => {
    const world = makeWorld();
    const agent = world.agent({ turns: [{ final: DONE }] });
    const request = { project: world.project, agent: agent.spec, prompt: "x" };
    expect((await run(request, { env: environmentOf(world) }).outcome).kind).toBe("claimed");
  });

  test("takes a command, and every part of a request", async () => {
    const world = makeWorld({ git: true });
    const agent = world.installAgent("claude", {
      turns: [{ actions: [{ write: "new", text: "x" }], final: "<response>OK</response>" }],
    });
    const running = run(
      {
        project: world.project,
        agent: join(world.bin, "claude"),
        prompt: "x",
        guardrails: [{ command: "true", hint: "a hint" }],
        maximumIterations: 2,
        completionResponse: "ok",
        scm: { command: "git", tasks: ["commit"] },
        baseline: false,
      },
      { env: environmentOf(world) },
    );
    expect((await running.outcome).kind).toBe("verified");
    expect(agent.calls()).toHaveLength(2);
    expect(world.git("log", "-1", "--format=%s").trim()).toBe("Do the scripted work");
    expect(ofType(world.journal(), "gate.judged").map(({ name }) => name)).toEqual([
      "protected files",
      "true",
    ]);
  });

  test("an AbortSignal ends the run at once and leaves no process", async () => {
    const world = makeWorld();
    const hang = join(world.home, "agent");
    const left = join(world.home, "left");
    const agent = world.agent({
      turns: [{ actions: [{ leave: left, how: "setsid-ignore-term" }, { hang }] }],
    });
    const controller = new AbortController();
    const running = run(
      { project: world.project, agent: agent.spec, prompt: "x" },
      { signal: controller.signal, env: environmentOf(world) },
    );
    const events = collect(running);
    await pidIn(hang);
    await pidIn(left);
    controller.abort("a colleague");
    expect(await running.outcome).toEqual({ kind: "stopped", reason: "stopped by a colleague" });
    expect((await events).at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "stopped" } });
    expect(processesWith(world.home)).toEqual([]);
  });

  test("a signal that is aborted already starts no agent", async () => {
    const world = makeWorld();
    const agent = world.agent({ turns: [{ final: DONE }] });
    const request = { project: world.project, agent: agent.spec, prompt: "x" };
    const running = run(request, { signal: AbortSignal.abort(), env: environmentOf(world) });
    expect((await running.outcome).kind).toBe("stopped");
    expect(agent.calls()).toEqual([]);
  });

  test("errors that the user can mend reject the outcome with a UserError", async () => {
    const world = makeWorld();
    world.write(".ralph", "a file");
    const running = run(
      { project: world.project, agent: "true", prompt: "x" },
      { env: environmentOf(world) },
    );
    const events = collect(running);
    await expect(running.outcome).rejects.toBeInstanceOf(UserError);
    await expect(running.outcome).rejects.toMatchObject({
      what: expect.stringContaining(".ralph"),
      why: expect.any(String),
      fix: expect.any(String),
    });
    expect(await events).toEqual([]);
  });

  test("an agent that is not installed is such an error, or a failed outcome, but never a crash", async () => {
    const world = makeWorld();
    const request = { project: world.project, agent: "no-such-agent", prompt: "x" };
    const ended = await run(request, { env: environmentOf(world) }).outcome.catch((error: unknown) => error);
    if (ended instanceof UserError) expect(ended.message).toContain("no-such-agent");
    else expect(ended).toMatchObject({ kind: "failed" });
  });

  test("prints nothing and leaves the host's signal handlers alone", async () => {
    const world = makeWorld();
    const agent = world.agent({ turns: [{ final: DONE }] });
    const before = process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
    const request = { project: world.project, agent: agent.spec, prompt: "x" };
    const running = run(request, { env: environmentOf(world) });
    await until("the agent was called", () => agent.calls().length === 1);
    expect(process.listenerCount("SIGINT") + process.listenerCount("SIGTERM")).toBe(before);
    await running.outcome;
  });
});

test("the exit code of each outcome is public", () => {
  expect(EXIT_CODES).toEqual({
    verified: 0,
    claimed: 0,
    exhausted: 1,
    stuck: 1,
    failed: 2,
    waiting: 3,
    stopped: 130,
  });
});
