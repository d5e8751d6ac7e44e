import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, processesWith } from "./support.ts";

describe("an agent's turn", () => {
  test("that takes longer than --timeout is ended, named, and told to the next one", async () => {
    const world = makeWorld();
    const hanging = join(world.home, "hanging");
    const agent = world.speaking({ turns: [{ actions: [{ hang: hanging }] }, { final: DONE }] });
    const ended = await world.ralph(["-p", "x", "--timeout", "3s"]);
    expect(ended.code).toBe(0);
    expect(world.journal().find((event) => event.type === "agent.exited")).toMatchObject({
      ending: { kind: "killed", why: "timeout" },
    });
    expect(agent.calls()[1]?.prompt).toContain("took longer than its time limit");
    expect(processesWith(world.home)).toEqual([]);
  });

  test("that is silent for longer than --idle-timeout is ended, and one that speaks is not", async () => {
    const world = makeWorld();
    const speaks = Array.from({ length: 10 }, () => [{ sleepMs: 400 }, { say: "still here" }]).flat();
    world.speaking({
      turns: [{ actions: [...speaks, { hang: join(world.home, "hanging") }] }, { final: DONE }],
    });
    const ended = await world.ralph(["-p", "x", "--idle-timeout", "3s"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout.match(/still here/g)?.length).toBe(10);
    expect(world.journal().find((event) => event.type === "agent.exited")).toMatchObject({
      ending: { kind: "killed", why: "idle" },
    });
  });

  test("that gave its result but does not exit is ended after a grace, and the result counts", async () => {
    const world = makeWorld();
    const result = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: DONE });
    world.speaking(
      { turns: [{ actions: [{ say: "done" }, { raw: result }, { hang: join(world.home, "hanging") }] }] },
      { timeouts: { linger: "500ms" } },
    );
    const ended = await world.ralph(["-p", "x", "-m", "1"]);
    expect(ended.code).toBe(0);
    expect(world.journal().find((event) => event.type === "agent.exited")).toMatchObject({
      ending: { kind: "finished" },
      lingered: true,
    });
  });

  test("that goes on working after a first result is left in peace", async () => {
    const world = makeWorld();
    const first = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "not yet" });
    // In one breath: between two an agent on a busy machine may be silent for as long as the grace is.
    const more = JSON.stringify({
      type: "assistant",
      message: { content: [{ type: "text", text: "more" }] },
    });
    world.speaking(
      {
        turns: [
          { actions: [{ raw: `${first}\n${more}` }, { sleepMs: 1500 }, { say: "and more" }], final: DONE },
        ],
      },
      { timeouts: { linger: "500ms" } },
    );
    expect((await world.ralph(["-p", "x", "-m", "1"])).code).toBe(0);
  });

  test.each(["--timeout", "--idle-timeout"])("%s that is no duration is refused", async (flag) => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] });
    const ended = await world.ralph(["-p", "x", flag, "soon"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("500ms, 5s, 10m");
  });
});

describe("no progress", () => {
  test("three iterations that change nothing end the run as stuck", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      { turns: [{ final: "I looked around." }] },
      { noProgressThreshold: 3, guardrails: [{ command: "true" }] },
    );
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(1);
    expect(agent.calls().length).toBe(3);
    expect(ended.stderr).toContain("no progress");
    expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "stuck" } });
  });

  test("an agent that changes files but gets the same failure every time is stuck as well", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      { turns: [{ actions: [{ run: "date +%N > stamp.txt" }], final: DONE }] },
      { noProgressThreshold: 3, guardrails: [{ command: "echo 'error: always the same, 12 ms'; exit 1" }] },
    );
    expect((await world.ralph(["-p", "x"])).code).toBe(1);
    expect(agent.calls().length).toBe(4);
  });

  test("an agent that gets other failures goes on to the last iteration", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      { turns: [{ actions: [{ run: "echo x >> log.txt" }], final: DONE }] },
      { noProgressThreshold: 3, guardrails: [{ command: "sed 's/^/error /' log.txt; exit 1" }] },
    );
    expect((await world.ralph(["-p", "x", "-m", "6"])).code).toBe(1);
    expect(agent.calls().length).toBe(6);
    expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "exhausted" } });
  });

  test("is measured outside git too, and can be switched off", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: "nothing" }] }, { noProgressThreshold: 3 });
    expect((await world.ralph(["-p", "x", "-m", "5"])).code).toBe(1);
    expect(agent.calls().length).toBe(3);
    expect((await world.ralph(["-p", "x", "-m", "5", "--max-no-progress", "0"])).code).toBe(1);
    expect(agent.calls().length).toBe(8);
  });
});
