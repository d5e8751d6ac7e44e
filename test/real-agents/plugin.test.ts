import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ofType, outcomeOf } from "../e2e/support.ts";
import { type Asked, fail, player, run, say, write } from "../model-server/script.ts";
import {
  installPlugin,
  LOOP,
  MARKER,
  sessionIn,
  sessionWorld,
  TASK,
  WORK,
  withSessions,
  wordsHeard,
} from "./session.ts";
import { installed, realWorld } from "./world.ts";

const AGENTS = installed("claude", "codex").map(
  (agent) => [`${agent.name} ${agent.version}`, agent] as const,
);

/** The words that spec 004 fixes. */
const GO_ON = `You attempted to end the loop, but you did not output the completion promise ${MARKER}. Continue working on the original task below. Only output the promise when the task is fully complete. Original task: ${TASK}`;
const NO_WORK =
  "Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise.";

describe.each(AGENTS)("the five acceptance tests of spec 004: %s", (_name, agent) => {
  test("1: stops on a promise after work", async () => {
    const world = await sessionWorld(agent, WORK);
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.log()).toContain("promise found; 1 tool calls");
    expect(world.log()).toContain("PROMISE_ACCEPTED");
    expect(outcomeOf(world).kind).toBe("claimed");
    expect(world.sentBack()).toBe(0);
    expect(world.read("answer.txt")).toBe("42\n");
    // What the agent was told first: the task, and how the loop ends.
    const [first] = world.server.asked();
    expect(first?.system).toContain(`Work on this task until it is fully done.\n\n${TASK}\n`);
    expect(first?.system).toContain(`output exactly ${MARKER} in your final message`);
    expect(world.server.asked()).toHaveLength(2);
    await world.expectNothingLeft();
  });

  test("2: a stop without the promise is blocked, and the same session is prompted again", async () => {
    const world = await sessionWorld(agent, [say("I'm done."), ...WORK]);
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    const [, second] = world.server.asked();
    expect(wordsHeard(second)).toContain(GO_ON);
    expect(world.sentBack()).toBe(1);
    expect(world.log()).toContain("iteration 1: promise missing; 0 tool calls; sent back (1 of 3)");
    expect(world.log()).toContain("PROMISE_ACCEPTED");
    const [started] = ofType(world.journal(), "run.started");
    expect(started?.spec.session).toMatchObject({ id: sessionIn(ended), agent: agent.name });
  });

  test("3: an agent that never promises is let go after so many iterations", async () => {
    const never = () => say("I'm done.");
    const world = await sessionWorld(agent, never);
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked()).toHaveLength(4);
    expect(world.sentBack()).toBe(3);
    expect(world.log()).toContain("MAX_ITERATIONS_REACHED");
    expect(outcomeOf(world).kind).toBe("exhausted");
  });

  test("4: a promise without any work is rejected, and the agent is told", async () => {
    const world = await sessionWorld(agent, [say(MARKER), ...WORK]);
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    const [, second] = world.server.asked();
    expect(wordsHeard(second)).toContain(`${NO_WORK} Original task: ${TASK}`);
    expect(world.log()).toContain("iteration 1: promise rejected (no work); 0 tool calls; sent back");
    expect(world.log()).toContain("iteration 2: promise found; 1 tool calls");
    expect(world.log()).toContain("PROMISE_ACCEPTED");
  });

  test("5: the promise counts in the final message, and neither in a tool's result nor before it", async () => {
    const world = await sessionWorld(agent, [
      run(`echo '${MARKER}'`),
      say("That was only an echo."),
      { say: `I shall say ${MARKER} later.`, calls: [{ run: "true" }] },
      say("Not yet: <promise>done</promise>"),
      say(`Here it is:\n\n\`\`\`\n${MARKER}\n\`\`\`\n\nThat is all.`),
    ]);
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked()[1]?.results.join("\n")).toContain(MARKER);
    expect(world.log().match(/promise (?:missing|found)|PROMISE_ACCEPTED/g)).toEqual([
      "promise missing",
      "promise missing",
      "promise found",
      "PROMISE_ACCEPTED",
    ]);
    expect(world.server.asked()).toHaveLength(5);
  });
});

describe.each(AGENTS)("the loop in a session of %s", (_name, agent) => {
  test("a promise is not believed while a gate is red; the agent is told, and the gate turns green", async () => {
    const world = await sessionWorld(agent, [
      write("answer.txt", "41\n"),
      say(MARKER),
      run("echo 42 > answer.txt"),
      say(MARKER),
    ]);
    const ended = await world.typed(`${LOOP} --gate "grep -x 42 answer.txt"`);
    expect(ended.code, ended.stderr).toBe(0);
    const told = wordsHeard(world.server.asked()[2]);
    expect(told).toContain("Promise detected, but the checks that must pass before it is believed failed.");
    expect(told).toContain("grep -x 42 answer.txt");
    expect(world.log()).toContain("failed: grep -x 42 answer.txt; sent back");
    expect(world.log()).toContain("PROMISE_ACCEPTED");
    expect(outcomeOf(world).kind).toBe("verified");
    await world.expectNothingLeft();
  });

  test("a turn that the service ended goes on when the session does; the task is told again", async () => {
    const world = await sessionWorld(agent, [
      write("draft.txt", "?\n"),
      fail(500, { message: "no", times: 50 }),
    ]);
    const failed = await world.typed(LOOP);
    expect(failed.code).toBe(1);
    expect(ofType(world.journal(), "agent.exited")).toEqual([]);

    world.server.play([say("Where was I?"), say(`Of course. ${MARKER}`)]);
    const ended = await world.typed("Go on, please.", { resume: sessionIn(failed) });
    expect(ended.code, ended.stderr).toBe(0);
    expect(sessionIn(ended)).toBe(sessionIn(failed));
    const again = world.server.asked().slice(-2);
    expect(again[0]?.system.split("You are in a ralph loop.")).toHaveLength(3);
    expect(wordsHeard(again[1])).toContain(GO_ON);
    // The tool of the turn that failed is work of this loop.
    expect(world.log()).toContain("PROMISE_ACCEPTED");
  });

  test("cancel ends it: the session may stop from then on", async () => {
    const world = await sessionWorld(agent, [
      write("draft.txt", "?\n"),
      fail(500, { message: "no", times: 50 }),
    ]);
    const resume = sessionIn(await world.typed(LOOP));
    const before = world.server.asked().length;
    world.server.play([say("It is cancelled.")]);
    const cancelled = await world.typed("/ralph:cancel-ralph", { resume });
    expect(cancelled.code, cancelled.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("stopped");
    expect(world.log()).toContain("cancelled by the user (CANCELLED)");
    expect(world.server.asked().at(-1)?.system).toContain("The ralph loop of this session is cancelled.");

    world.server.play([say("Hello.")]);
    await world.typed("Say hello.", { resume });
    expect(world.server.asked()).toHaveLength(before + 2);
    expect(world.sentBack()).toBe(0);
  });

  test("another session in the same folder is left alone, whatever it says", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const mine = player([write("answer.txt", "42\n"), say("I'm done."), say(MARKER)]);
    const holding = async (asked: Asked) => {
      const reply = await mine(asked);
      if (asked.results.length > 0) await held;
      return reply;
    };
    const other = player([run("true"), say(`Hello. ${MARKER}`)]);
    const world = await sessionWorld(agent, (asked) =>
      wordsHeard(asked).includes(TASK) ? holding(asked) : other(asked),
    );
    const looping = world.session(LOOP);
    await world.server.arrival(2);
    const beside = await world.typed("Say hello.");
    expect(beside.code, beside.stderr).toBe(0);
    // It used a tool, promised, and ended at once; the loop knows nothing of it.
    expect(world.server.asked()).toHaveLength(4);
    expect(ofType(world.journal(), "agent.exited")).toEqual([]);
    release();
    const ended = await looping.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(sessionIn(ended)).not.toBe(sessionIn(beside));
    expect(world.log()).toContain("iteration 1: promise missing; 1 tool calls");
    expect(world.log()).toContain("iteration 2: promise found");
    expect(world.runs()).toHaveLength(1);
  });

  test("what the user types is never run by a shell", async () => {
    const world = await sessionWorld(agent, WORK);
    const ran = (name: string) => join(world.home, name);
    const task = [
      `Say "it's" \`touch ${ran("one")}\` and $(touch ${ran("two")})`,
      `; touch ${ran("three")} && echo '$HOME' | tee ${ran("four")} # !\`touch ${ran("five")}\``,
      `\${CLAUDE_PLUGIN_ROOT} $1 \\ é`,
    ].join("\n");
    const ended = await world.typed(`/ralph:ralph-loop ${task}\n --completion-promise DONE`);
    expect(ended.code, ended.stderr).toBe(0);
    const [started] = ofType(world.journal(), "run.started");
    expect(started?.spec.work).toEqual({ kind: "prompt", text: task });
    expect(world.server.asked()[0]?.system).toContain(task);
    expect(world.log()).toContain("PROMISE_ACCEPTED");
    for (const name of ["one", "two", "three", "four", "five"]) {
      expect(world.has(`../${name}`), name).toBe(false);
    }
  });

  test("the plugin and the same hooks in the settings are one loop, and count a tool call once", async () => {
    const world = await sessionWorld(agent, [say("I'm done."), ...WORK]);
    const wired = await world.ralph(["install-hooks", agent.name, "--user", "--yes"]);
    expect(wired.code, wired.stderr).toBe(0);
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.runs()).toHaveLength(1);
    expect(world.server.asked()[0]?.system).not.toContain("No ralph loop was started");
    expect(world.sentBack()).toBe(1);
    expect(world.log()).toContain("iteration 1: promise missing; 0 tool calls; sent back (1 of 3)");
    expect(world.log()).toContain("iteration 2: promise found; 1 tool calls");
    expect(world.log().match(/a loop began|PROMISE_ACCEPTED/g)).toEqual(["a loop began", "PROMISE_ACCEPTED"]);
  });

  test("the plugin is installed from the marketplace file into a fresh home, and loops", async () => {
    const bare = await realWorld(agent, [say("I'm done."), ...WORK]);
    await installPlugin(agent, bare);
    const world = withSessions(agent, bare);
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    expect(wordsHeard(world.server.asked()[1])).toContain(GO_ON);
    expect(world.log()).toContain("PROMISE_ACCEPTED");
  });
});
