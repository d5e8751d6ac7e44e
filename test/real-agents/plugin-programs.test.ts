import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ofType, outcomeOf, until } from "../e2e/support.ts";
import { type Asked, call, player, say, write } from "../model-server/script.ts";
import {
  LOOP,
  MARKER,
  PLUGIN,
  sessionIn,
  sessionWorld,
  transcripts,
  WORK,
  withSessions,
  wordsHeard,
} from "./session.ts";
import { installed, realWorld } from "./world.ts";

const agents = (name: string) =>
  installed(name).map((agent) => [`${agent.name} ${agent.version}`, agent] as const);

describe.each(agents("codex"))("%s", (_name, agent) => {
  test("does not run hooks that nobody has trusted: the command is text then, and there is no loop", async () => {
    const world = await sessionWorld(agent, [say("What is that?")]);
    const words = ["-c", "features.plugins=true", "exec", "--dangerously-bypass-approvals-and-sandbox"];
    const ended = await world.direct([...words, LOOP]).ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked()).toHaveLength(1);
    expect(world.hasJournal()).toBe(false);
  });

  test("has no limit of its own to blocks without a tool, as far as twelve", async () => {
    const never = () => say("I'm done.");
    const world = await sessionWorld(agent, never);
    const ended = await world.typed(LOOP.replace("iterations 3", "iterations 12"));
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked()).toHaveLength(13);
    expect(outcomeOf(world).kind).toBe("exhausted");
  });
});

describe.each(agents("claude"))("%s", (_name, agent) => {
  test("keeps a cancel that is typed while it works, and the loop ends at the next stop all the same", async () => {
    const work = player([write("draft.txt", "?\n"), say("I'm done."), say("It is cancelled.")]);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await sessionWorld(agent, async (asked) => {
      const reply = await work(asked);
      if (asked.n === 1) await held;
      return reply;
    });
    const talk = world.conversation(LOOP);
    await world.server.arrival(2);
    talk.type("/ralph:cancel-ralph");
    const projects = join(world.home, "agent-home", ".claude", "projects");
    await until("the command waits", () => transcripts(projects).includes('"content":"/ralph:cancel-ralph"'));
    release();
    await world.server.arrival(3);
    talk.process.stdin?.end();
    const ended = await talk.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked()).toHaveLength(3);
    expect(world.log()).toContain("cancelled by the user, whose command waits");
    expect(outcomeOf(world).kind).toBe("stopped");
    expect(world.sentBack()).toBe(0);
  });

  test("answers a message that is typed while it works before the loop goes on", async () => {
    const work = player([
      write("draft.txt", "?\n"),
      say("I'm done."),
      say("Blue."),
      say(`Now it is. ${MARKER}`),
    ]);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const world = await sessionWorld(agent, async (asked) => {
      const reply = await work(asked);
      if (asked.n === 1) await held;
      return reply;
    });
    const talk = world.conversation(LOOP);
    await world.server.arrival(2);
    talk.type("Which colour?");
    const projects = join(world.home, "agent-home", ".claude", "projects");
    await until("the message waits", () => transcripts(projects).includes('"content":"Which colour?"'));
    release();
    await until("the loop is over", () => world.log().includes("PROMISE_ACCEPTED"));
    talk.process.stdin?.end();
    const ended = await talk.ended;
    expect(ended.code, ended.stderr).toBe(0);
    const [, , third, fourth] = world.server.asked();
    expect(wordsHeard(third)).toBe("Which colour?");
    expect(wordsHeard(fourth)).toContain("You attempted to end the loop");
    expect(world.server.asked()).toHaveLength(4);
    expect(world.log()).toContain("a message waits for the agent; not counted, not sent back");
    expect(world.log()).toMatch(
      /iteration 1: promise missing; 1 tool calls.*the user spoke; sent back \(1 of 3\)/,
    );
    expect(world.sentBack()).toBe(1);
  });

  test("that is cut off by its own limit of turns is where it was, and goes on when the session does", async () => {
    const bare = await realWorld(agent, [write("draft.txt", "?\n"), ...WORK]);
    const plugin = ["--plugin-dir", PLUGIN];
    const cut = await withSessions(agent, bare, [...plugin, "--max-turns", "1"]).typed(LOOP);
    expect(cut.stdout).toContain('"error_max_turns"');
    const world = withSessions(agent, bare, plugin);
    expect(ofType(world.journal(), "agent.exited")).toEqual([]);
    const ended = await world.typed("Go on, please.", { resume: sessionIn(cut) });
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.log()).toContain("iteration 1: promise found; 2 tool calls (Write 2)");
    expect(world.log()).toContain("PROMISE_ACCEPTED");
  });

  test("is not sent back while a task of its own runs in the background, and that stop does not count", async () => {
    const background = {
      command: "until [ -f go ]; do sleep 0.1; done",
      description: "wait",
      run_in_background: true,
    };
    const world = await sessionWorld(agent, [
      call("Bash", background),
      say("I wait for it."),
      say("It has ended."),
      say(`Now it is. ${MARKER}`),
    ]);
    const talk = world.conversation(LOOP);
    await until("it was asked", () => world.log().includes("run in the background"));
    expect(ofType(world.journal(), "agent.exited")).toEqual([]);
    expect(world.server.asked()).toHaveLength(2);
    world.write("go", "");
    await until("the loop is over", () => world.log().includes("PROMISE_ACCEPTED"));
    talk.process.stdin?.end();
    const ended = await talk.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.log()).toContain("iteration 1: promise missing; 1 tool calls");
    expect(world.sentBack()).toBe(1);
  });

  test("the promise of a subagent is not the session's", async () => {
    const isSub = (asked: Asked) => !asked.heard.join("\n").includes("ralph-command");
    const main = player([
      call("Agent", { description: "help", prompt: "Help.", subagent_type: "general-purpose" }),
      ...Array(2).fill(say("The subagent has said it.")),
      say(MARKER),
    ]);
    const world = await sessionWorld(agent, (asked) => (isSub(asked) ? say(MARKER) : main(asked)));
    const ended = await world.typed(LOOP);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked().filter(isSub)).toHaveLength(1);
    expect(world.log()).toContain("iteration 1: promise missing; 1 tool calls (Agent 1)");
    expect(world.log().match(/promise found/g)).toHaveLength(1);
    // How often the main agent was asked depends on when it hears that the subagent is done.
    expect(world.log()).toContain("PROMISE_ACCEPTED");
  });

  test("finds nothing wrong with the plugin and its marketplace", async () => {
    const world = await realWorld(agent, []);
    for (const folder of [PLUGIN, join(PLUGIN, "..")]) {
      const ended = await world.direct(["plugin", "validate", folder]).ended;
      expect(ended.code, ended.stdout + ended.stderr).toBe(0);
      expect(ended.stdout).toMatch(/Validation passed$/m);
    }
  });

  test("ends a turn after eight blocks without a tool; the user is told, and ralph resume goes on", async () => {
    const never = () => say("I'm done.");
    const world = await sessionWorld(agent, never);
    const ended = await world.typed(LOOP.replace("iterations 3", "iterations 20"));
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked()).toHaveLength(9);
    const [started] = ofType(world.journal(), "run.started");
    expect(ended.stdout).toContain(`ralph resume ${started?.run}`);

    world.server.play(WORK);
    const resumed = await world.ralph(["resume", started?.run ?? ""], { env: { IS_SANDBOX: "1" } });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("claimed");
  });
});
