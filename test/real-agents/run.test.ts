import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, events, ofType, outcomeOf, processesWith, said, until } from "../e2e/support.ts";
import {
  type Asked,
  fail,
  player,
  type Refusal,
  type Reply,
  run,
  say,
  write,
} from "../model-server/script.ts";
import { installed, type RealAgent, type RealWorld, realWorld } from "./world.ts";

const AGENTS = installed("claude", "codex").map(
  (agent) => [`${agent.name} ${agent.version}`, agent] as const,
);
const PROMPT = "Write the answer into answer.txt.";
const GUARDRAIL = "grep -qx 42 answer.txt";
const GUARDED = { guardrails: [{ command: GUARDRAIL, hint: "It is forty-two." }] };
/** The work as it should be: a file, a look at it, the claim. */
const WORK: readonly Reply[] = [
  write("answer.txt", "42\n"),
  run("cat answer.txt"),
  say(`It is there. ${DONE}`),
];

/** How the turns of the only run ended, as its journal has it. */
function endings(world: RealWorld): unknown[] {
  return ofType(world.journal(), "agent.exited").map(({ ending }) => ending);
}

function iterations(world: RealWorld): number[] {
  return ofType(world.journal(), "iteration.started").map((event) => event.iteration);
}

/** What each service says when it asks to wait a second, in the way that its program passes on. */
function heldForASecond(agent: RealAgent): Refusal {
  const message = "Rate limit reached for requests. Please try again in 1s.";
  return agent.name === "codex"
    ? fail(200, { code: "rate_limit_exceeded", message, inStream: true })
    : fail(429, { message });
}

describe.each(AGENTS)("%s", (_name, agent) => {
  test("a false claim is refused, the guardrail turns green, and the agent words the commit", async () => {
    const world = await realWorld(
      agent,
      [{ think: "No need to work.", say: `All is well. ${DONE}` }, ...WORK, say("Add the answer")],
      { settings: { ...GUARDED, scm: { command: "git", tasks: ["add -A", "commit"] } } },
    );
    const ended = await world.ralph(["-p", PROMPT, "--json"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.read("answer.txt")).toBe("42\n");
    expect(iterations(world)).toEqual([1, 2]);
    expect(endings(world)).toEqual([{ kind: "finished" }, { kind: "finished" }]);
    expect(outcomeOf(world).kind).toBe("verified");

    // The prompt came whole; after the refused claim it told what failed, with the hint.
    const asked = world.server.asked();
    expect(asked[0]?.heard.join("\n")).toContain(PROMPT);
    expect(asked[0]?.heard.join("\n")).not.toContain("failed with exit code");
    expect(asked[1]?.heard.join("\n")).toContain(`Guardrail "${GUARDRAIL}" failed with exit code`);
    expect(asked[1]?.heard.join("\n")).toContain("Hint: It is forty-two.");
    expect(asked[3]?.results.join("\n")).toContain("42");
    expect(asked).toHaveLength(5);

    // What the agent did was seen, and what it cost.
    const spoken = said(ended.stdout);
    expect(ofType(spoken, "thinking").map(({ text }) => text)).toContain("No need to work.");
    const tools = agent.name === "claude" ? ["Write", "Bash"] : ["Patch", "Bash"];
    expect(ofType(spoken, "tool.started").map(({ name }) => name)).toEqual(tools);
    expect(ofType(spoken, "tool.ended").map(({ ok }) => ok)).toEqual([true, true]);
    const last = ofType(events(ended.stdout), "run.ended")[0];
    expect(last?.usage).toMatchObject({ inputTokens: 400, outputTokens: 40 });
    // Of the two only Claude Code tells what it costs in money.
    expect((last?.usage.costUsd ?? 0) > 0).toBe(agent.name === "claude");

    expect(world.git("log", "--format=%s").split("\n")[0]).toBe("Add the answer");
    expect(world.git("status", "--porcelain", "answer.txt")).toBe("");
    await world.expectNothingLeft();
  });

  test("a guardrail that stays red is not talked away", async () => {
    const world = await realWorld(agent, () => say(DONE), { settings: GUARDED });
    const ended = await world.ralph(["-p", PROMPT, "-m", "2"]);
    expect(ended.code).toBe(1);
    expect(outcomeOf(world).kind).toBe("exhausted");
    expect(world.server.asked()).toHaveLength(2);
  });

  test("a rate limit is waited for, and its turn comes again under the same number", async () => {
    const world = await realWorld(agent, [heldForASecond(agent), ...WORK], { settings: GUARDED });
    const ended = await world.ralph(["-p", PROMPT, "-m", "1"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Waiting ");
    expect(endings(world)).toMatchObject([
      { kind: "limited", scope: "rate", retryAtMs: expect.any(Number) },
      { kind: "finished" },
    ]);
    expect(iterations(world)).toEqual([1, 1]);
    const [waited] = ofType(world.journal(), "waited");
    expect(waited?.at).toBeGreaterThanOrEqual(waited?.untilMs ?? Number.POSITIVE_INFINITY);
    expect(world.server.asked()).toHaveLength(4);
  });

  test("a rate limit that the agent waits for itself costs no turn", async () => {
    const world = await realWorld(agent, [fail(429, { message: "slow down", retryAfter: 1 }), ...WORK], {
      settings: GUARDED,
      retries: 2,
    });
    const ended = await world.ralph(["-p", PROMPT, "-m", "1", "--json"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ofType(world.journal(), "waited")).toEqual([]);
    expect(endings(world)).toEqual([{ kind: "finished" }]);
    expect(ofType(said(ended.stdout), "limited")).toMatchObject([{ scope: "rate", final: false }]);
  });

  test.each([
    ["500", 500],
    ["529", 529],
  ])("a service that is overloaded (%s) is waited for", async (_what, status) => {
    const world = await realWorld(agent, () => fail(status, { message: "Overloaded" }), {
      settings: GUARDED,
    });
    const ralph = world.start(["-p", PROMPT]);
    await ralph.printed("Waiting 3");
    ralph.process.kill("SIGTERM");
    expect((await ralph.ended).code).toBe(130);
    expect(endings(world)).toMatchObject([{ kind: "limited", scope: "overload" }]);
    await world.expectNothingLeft();
  });

  test("streams that are cut in the middle are waited out; a killed run goes on with the same turn", async () => {
    const world = await realWorld(agent, () => ({ say: "I shall now write the answer.", breaks: "cut" }), {
      settings: GUARDED,
    });
    const ralph = world.start(["-p", PROMPT, "-m", "1"]);
    await ralph.printed("Waiting 3");
    ralph.process.kill("SIGKILL");
    await ralph.ended;
    await world.expectNothingLeft();
    expect(endings(world)).toMatchObject([{ kind: "limited", scope: "offline" }]);

    world.age(3_600_000);
    world.server.play(WORK);
    const resumed = await world.ralph(["resume"]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(iterations(world)).toEqual([1, 1]);
    expect(outcomeOf(world).kind).toBe("verified");
  });

  // Claude Code 2.1.197 gives up at once: there it is ralph that waits, as in the test before.
  test.skipIf(agent.version === "2.1.197")("a cut that the agent mends itself costs no turn", async () => {
    const cut = { say: "I shall now write the answer.", breaks: "cut" } as const;
    const world = await realWorld(agent, [cut, ...WORK], { settings: GUARDED, retries: 2 });
    const ended = await world.ralph(["-p", PROMPT, "-m", "1"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(endings(world)).toEqual([{ kind: "finished" }]);
    expect(ofType(world.journal(), "waited")).toEqual([]);
  });

  test("a stream that stalls is ended, and the next turn does it", async () => {
    const world = await realWorld(
      agent,
      [{ say: "I shall now write the answer.", breaks: "stall" }, ...WORK],
      {
        settings: GUARDED,
      },
    );
    const ended = await world.ralph(["-p", PROMPT, "--idle-timeout", "12s"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(endings(world)).toMatchObject([{ kind: "killed", why: "idle" }, { kind: "finished" }]);
    await world.expectNothingLeft();
  });

  describe.each(["auto", "group"] as const)("killed in the middle of a tool (held by: %s)", (processes) => {
    // Two that outlive a plain kill, one in the background, one in a session of its own. Claude runs no long `sleep`, and
    // a `tail` whose output is a pipe would end by itself when nobody reads it any more.
    const FOREVER = "tail -f /dev/null >/dev/null 2>&1";
    const LONG = `${FOREVER} & setsid ${FOREVER} & echo > started; ${FOREVER}`;
    /** The agent at its long command. */
    async function atWork(): Promise<{ world: RealWorld; ralph: ReturnType<RealWorld["start"]> }> {
      const world = await realWorld(agent, [run(LONG)], { settings: { ...GUARDED, processes } });
      const ralph = world.start(["-p", PROMPT, "-m", "1"]);
      await until("the command runs", () => world.has("started"));
      // The agent itself, and its three.
      expect(processesWith(world.home).length).toBeGreaterThanOrEqual(4);
      return { world, ralph };
    }

    test("by two Ctrl-C, no process is left", async () => {
      const { world, ralph } = await atWork();
      ralph.process.kill("SIGINT");
      await ralph.printed("Received signal, shutting down...");
      ralph.process.kill("SIGINT");
      expect((await ralph.ended).code).toBe(130);
      expect(processesWith(world.home)).toEqual([]);
      expect(outcomeOf(world).kind).toBe("stopped");
    });

    test("by kill -9 of ralph, none is left when the run has gone on, and the turn comes again", async () => {
      const { world, ralph } = await atWork();
      ralph.process.kill("SIGKILL");
      await ralph.ended;
      world.server.play(WORK);
      const resumed = await world.ralph(["resume"]);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(ofType(world.journal(), "agent.started").map((event) => event.iteration)).toEqual([1, 1]);
      expect(outcomeOf(world).kind).toBe("verified");
      await world.expectNothingLeft();
    });
  });

  test("a refused key ends the run at once, with exit code 2", async () => {
    const world = await realWorld(agent, () => fail(401, { message: "invalid x-api-key" }), {
      settings: GUARDED,
    });
    const ended = await world.ralph(["-p", PROMPT]);
    expect(ended.code, ended.stderr).toBe(2);
    expect(endings(world)).toMatchObject([{ kind: "unauthorised" }]);
    expect(outcomeOf(world)).toMatchObject({ kind: "failed", reason: expect.stringContaining("refused") });
    expect(world.server.asked()).toHaveLength(1);
  });

  test("a prompt is text, whatever it looks like", async () => {
    const prompt = '/help "$(touch planted)" `touch planted`\n--version';
    const world = await realWorld(agent, WORK, { settings: GUARDED });
    const ended = await world.ralph(["-p", prompt]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked()[0]?.heard.join("\n")).toContain(prompt);
    expect(world.has("planted")).toBe(false);
  });

  test("started by itself it sees the fresh home, the dummy key and the project", async () => {
    const world = await realWorld(agent, [run("env; pwd"), say("done")]);
    const args = agent.name === "claude" ? ["-p", "--allowedTools", "Bash"] : ["exec", "--yolo", "-"];
    const ended = await world.direct(args, { input: "Look around." }).ended;
    expect(ended.code, ended.stderr).toBe(0);
    const seen = world.server.asked()[1]?.results.join("\n") ?? "";
    expect(seen).toContain(`HOME=${join(world.home, "agent-home")}`);
    expect(seen).toContain(world.project);
    expect(seen).not.toMatch(/^(?:https?_proxy|npm_|CI=)/im);
  });
});

const [claude] = installed("claude");
const [codex] = installed("codex");
test.skipIf(claude === undefined || codex === undefined)(
  "codex has the turn while claude is held back, and its proof counts",
  async () => {
    const isClaude = (asked: Asked) => asked.tools.some((tool) => tool.name === "Bash");
    const work = player(WORK);
    const held = fail(429, { message: "Rate limit reached for requests. Please try again in 1h." });
    const world = await realWorld(claude as RealAgent, (asked) => (isClaude(asked) ? held : work(asked)), {
      settings: { ...GUARDED, fallbackAgent: "codex" },
      beside: [codex as RealAgent],
    });
    const ended = await world.ralph(["-p", PROMPT, "-m", "1"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.server.asked().map(isClaude)).toEqual([true, false, false, false]);
    expect(endings(world)).toMatchObject([{ kind: "limited", scope: "rate" }, { kind: "finished" }]);
    expect(outcomeOf(world).kind).toBe("verified");
    await world.expectNothingLeft();
  },
);
