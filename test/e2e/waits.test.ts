import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { LoopEvent } from "../../src/events.ts";
import { DONE, makeWorld, ofType, prompts, until, type World } from "./support.ts";
import { openTerminal } from "./terminal.ts";

/** An agent that is held back once, and then does it. */
function heldOnce(world: World, when: string) {
  const message = `API Error: 429 rate limit reached, try again in ${when}`;
  return world.speaking({ turns: [{ actions: [{ fail: "rate", message }] }, { final: DONE }] });
}

/** A run that was killed in the middle of its wait, as a reboot would. */
async function killedWhileWaiting(world: World): Promise<void> {
  const run = world.start(["-p", "the work", "-m", "1"]);
  await run.printed("Waiting ");
  run.process.kill("SIGKILL");
  await run.ended;
}

describe("a wait for the agent's service", () => {
  test("survives kill -9: the resumed run waits for the same moment, and the turn is not charged", async () => {
    const world = makeWorld();
    const agent = heldOnce(world, "8 seconds");
    await killedWhileWaiting(world);
    const [exited] = ofType(world.journal(), "agent.exited");
    if (exited?.ending.kind !== "limited") throw new Error("not held back");
    expect((await world.ralph(["resume"])).code).toBe(0);
    const journal = world.journal();
    const waits = ofType(journal, "waited");
    expect(waits).toHaveLength(1);
    // Counted from when the agent was held back, and not from when somebody went on.
    const told = exited.ending.retryAtMs ?? 0;
    expect(waits[0]?.untilMs).toBeGreaterThanOrEqual(told);
    expect(waits[0]?.untilMs).toBeLessThanOrEqual(told + 3_000);
    expect(waits[0]?.at).toBeGreaterThanOrEqual(waits[0]?.untilMs ?? 0);
    expect(ofType(journal, "iteration.started").map((event) => event.iteration)).toEqual([1, 1]);
    expect(ofType(journal, "run.ended")[0]?.iterations).toBe(1);
    expect(prompts(agent)).toEqual(["the work", "the work"]);
  });

  test("is over when its time has passed while nobody drove the run", async () => {
    const world = makeWorld();
    heldOnce(world, "1h");
    await killedWhileWaiting(world);
    const path = join(world.runFolder(), "journal.ndjson");
    // As if all of that had been two hours ago.
    const earlier = (_: string, key: string, ms: string) => `"${key}":${Number(ms) - 7_200_000}`;
    const text = readFileSync(path, "utf8").replace(/"(at|retryAtMs)":(\d+)/g, earlier);
    writeFileSync(path, text);
    const ended = await world.ralph(["resume"]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).not.toContain("Waiting ");
    expect(ofType(world.journal(), "waited")).toEqual([]);
    expect(ofType(world.journal(), "run.ended")[0]?.iterations).toBe(1);
  });

  test("goes on being counted: the next one is longer", async () => {
    const world = makeWorld();
    const message = "API Error: 429 rate limit reached";
    world.speaking({ turns: [{ actions: [{ fail: "rate", message }] }] });
    await killedWhileWaiting(world);
    const path = join(world.runFolder(), "journal.ndjson");
    const earlier = (_: string, ms: string) => `"at":${Number(ms) - 7_200_000}`;
    writeFileSync(path, readFileSync(path, "utf8").replace(/"at":(\d+)/g, earlier));
    const resumed = world.start(["resume"]);
    await resumed.printed(/Waiting (5\ds|1m)/);
    resumed.process.kill("SIGKILL");
    await resumed.ended;
  });

  test("is told by status from another terminal, and as JSON", async () => {
    const world = makeWorld();
    heldOnce(world, "1h");
    const run = world.start(["-p", "x"]);
    await run.printed("Waiting ");
    const status = await world.ralph(["status"]);
    expect(status.stdout).toMatch(
      /iterations +0 of 10, now waiting for the agent's service until .*\d\d:\d\d:\d\d \((59m|1h 00m) \d\ds left\)/,
    );
    const json = JSON.parse((await world.ralph(["status", "--json"])).stdout);
    const exited = ofType(world.journal(), "agent.exited")[0] as Extract<LoopEvent, { type: "agent.exited" }>;
    expect(json.waitsUntil - exited.at).toBeGreaterThanOrEqual(3_590_000);
    expect(json.heldBack).toMatchObject([{ until: json.waitsUntil, why: expect.stringContaining("429") }]);
    run.process.kill("SIGTERM");
    expect((await run.ended).code).toBe(130);
    const after = JSON.parse((await world.ralph(["status", "--json"])).stdout);
    expect(after.status).toBe("stopped");
    expect(after).not.toHaveProperty("waitsUntil");
  });

  test("is counted down on a terminal, and Ctrl-C leaves nothing of it behind", async () => {
    const world = makeWorld();
    heldOnce(world, "1h");
    const terminal = openTerminal(world, ["-p", "x"]);
    const line = "Waiting for the agent's service: ";
    await terminal.shows(line);
    let drawn = 0;
    await until("the line is written over", () => {
      drawn = terminal.soFar().split(line).length - 1;
      return drawn >= 3;
    });
    terminal.press("\u0003");
    const { code, raw } = await terminal.ended;
    expect(code).toBe(130);
    const draws = raw.split("\r\u001b[K").filter((part) => part.includes(line));
    expect(
      draws.every((part) => /: (59m|1h 00m) \d\ds left \(until .*\)\. Ctrl-C stops\.(\^C)?$/.test(part)),
    ).toBe(true);
    expect(new Set(draws.map((part) => part.replace("^C", ""))).size).toBeGreaterThanOrEqual(3);
    expect(raw).toContain("\r\u001b[KReceived signal, shutting down...");
  });

  test("is one plain line where there is no terminal", async () => {
    const world = makeWorld();
    heldOnce(world, "1 second");
    const { stderr } = await world.ralph(["-p", "x"]);
    expect(stderr.match(/Waiting /g)).toHaveLength(1);
    expect(stderr).not.toContain("\u001b");
  });
});

describe("without a connection", () => {
  const failed = JSON.stringify({
    type: "result",
    subtype: "success",
    is_error: true,
    result: "API Error: getaddrinfo ENOTFOUND api.example.com",
  });
  test.each([
    ["claude", [{ raw: failed }, { exit: 1 }]],
    ["amp", [{ raw: failed }, { exit: 1 }]],
    ["codex", [{ fail: "server", message: "stream disconnected: error sending request" }]],
    ["text", [{ stderr: "Error: getaddrinfo EAI_AGAIN api.example.com\n" }, { exit: 1 }]],
  ] as const)("the run waits too, and nobody stands in (%s)", async (voice, actions) => {
    const world = makeWorld();
    const agent = world.speaking({ voice, turns: [{ actions }] });
    const run = world.start(["-p", "x", "--fallback-agent", agent.command]);
    await run.printed(/Waiting [23]\ds/);
    run.process.kill("SIGINT");
    expect((await run.ended).code).toBe(130);
    expect(ofType(world.journal(), "agent.exited").map(({ ending }) => ending)).toMatchObject([
      { kind: "limited", scope: "offline" },
    ]);
  });
});
