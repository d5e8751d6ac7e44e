import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, expectUserError, makeWorld, ofType, outcomeOf, prompts } from "./support.ts";

const NOTHING_STARTED = { journal: false, files: [] as string[] };

describe("a turn of the agent that failed", () => {
  test("does not end the run, and the next prompt says what went wrong", async () => {
    const world = makeWorld();
    const agent = world.speaking({
      turns: [{ actions: [{ stderr: "Error: the disk is full\n" }, { exit: 7 }] }, { final: DONE }],
    });
    const ended = await world.ralph(["-p", "the work"]);
    expect(ended.code).toBe(0);
    const [first, second = ""] = prompts(agent);
    expect(first).toBe("the work");
    expect(second).toMatch(/^the work\n\nYour previous turn did not finish: .*exit code 7.*the disk is full/);
    expect(ended.stderr).toMatch(/Agent failed: .*the disk is full/);
  });

  test("is told once, and not again when the next turn finished", async () => {
    const world = makeWorld();
    const agent = world.speaking({
      turns: [{ actions: [{ exit: 7 }] }, { final: "Hm." }, { final: DONE }],
    });
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    expect(prompts(agent)[2]).toBe("the work");
  });

  test("is charged as an iteration", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ actions: [{ exit: 7 }] }, { final: DONE }] });
    expect((await world.ralph(["-p", "x", "-m", "1"])).code).toBe(1);
    expect(prompts(agent)).toHaveLength(1);
    expect(outcomeOf(world).kind).toBe("exhausted");
  });

  test("is not judged by the guardrails", async () => {
    const world = makeWorld();
    world.speaking(
      { turns: [{ actions: [{ exit: 7 }] }, { final: DONE }] },
      { guardrails: [{ command: "true" }], baseline: { enabled: false }, protect: false },
    );
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    const judged = ofType(world.journal(), "gate.judged");
    expect(judged.map((event) => event.iteration)).toEqual([2]);
  });

  const FAILURES = {
    claude: [
      [{ final: DONE, exitCode: 1 }, /exited with code 1/],
      [{ actions: [{ exit: 0 }] }, /ended without a result/],
      [{ actions: [{ signal: "SIGKILL" }] }, /killed by a signal/],
      [{ actions: [{ fail: "context" }] }, /ran out of context/],
    ],
    codex: [
      [{ final: DONE, exitCode: 1 }, /exited with code 1/],
      [{ actions: [{ exit: 0 }] }, /ended without a result/],
      [{ actions: [{ fail: "context" }] }, /ran out of context/],
    ],
    amp: [
      [{ final: DONE, exitCode: 1 }, /exited with code 1/],
      [{ actions: [{ exit: 0 }] }, /ended without a result/],
    ],
    text: [
      [{ actions: [{ say: "I broke" }, { exit: 9 }] }, /exited with code 9: I broke/],
      [{ final: DONE, exitCode: 1 }, /exited with code 1/],
      [{ actions: [{ signal: "SIGTERM" }] }, /killed by a signal/],
    ],
  } as const;

  test.each(["claude", "codex", "amp", "text"] as const)(
    "is recognised by the facts, whatever its result or its exit code says, in the voice of %s",
    async (voice) => {
      const world = makeWorld();
      const failures = FAILURES[voice];
      const turns = [...failures.map(([turn]) => turn), { final: DONE }];
      const agent = world.speaking({ voice, turns });
      expect((await world.ralph(["-p", "x", "--maximum-failures", "9"])).code).toBe(0);
      expect(prompts(agent)).toHaveLength(turns.length);
      failures.forEach(([, told], n) => {
        expect(prompts(agent)[n + 1]).toMatch(told);
      });
    },
  );

  test("is recognised in Amp's own words for an error", async () => {
    const world = makeWorld();
    const error = {
      type: "result",
      subtype: "error_during_execution",
      error: "the thread broke",
      is_error: true,
    };
    const agent = world.speaking({
      voice: "amp",
      turns: [{ actions: [{ raw: JSON.stringify(error) }, { exit: 0 }] }, { final: DONE }],
    });
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(0);
    expect(prompts(agent)[1]).toContain("the thread broke");
  });
});

describe("an agent that cannot be started", () => {
  test.each([
    ["by the flag", ["--agent", "no-such-agent"], {}],
    ["by the settings", [], { agent: { command: "no-such-agent --fast" } }],
  ])("%s ends with exit code 2 before anything starts", async (_how, flags, settings) => {
    const world = makeWorld();
    world.settings({ ...settings, guardrails: [{ command: "touch ran" }] });
    expectUserError(await world.ralph(["-p", "x", ...flags]), "no-such-agent", "PATH");
    expect({ journal: world.hasJournal(), files: world.ralphFiles() }).toEqual({
      ...NOTHING_STARTED,
      files: ["settings.json"],
    });
    expect(world.has("ran")).toBe(false);
  });

  test("none named and none installed is the same", async () => {
    const world = makeWorld();
    expectUserError(await world.ralph(["-p", "x"], { env: { PATH: world.bin } }), "claude, codex, amp");
    expect({ journal: world.hasJournal(), files: world.ralphFiles() }).toEqual(NOTHING_STARTED);
  });

  test("because its file is not executable is the same", async () => {
    const world = makeWorld();
    world.write("agent.sh", "#!/bin/sh\n");
    expectUserError(await world.ralph(["-p", "x", "--agent", "./agent.sh"]), "./agent.sh");
    expect({ journal: world.hasJournal(), files: world.ralphFiles() }).toEqual(NOTHING_STARTED);
  });

  test("any more, in the middle of a run, ends it with exit code 2", async () => {
    const world = makeWorld();
    const program = world.install("mine", 'cat > /dev/null; rm "$0"; echo working');
    const ended = await world.ralph(["-p", "x", "--agent", program]);
    expect(ended.code).toBe(2);
    expect(existsSync(program)).toBe(false);
    expect(outcomeOf(world).kind).toBe("failed");
    expect(ofType(world.journal(), "iteration.started")).toHaveLength(2);
  });

  test("the first of claude, codex and amp on PATH is taken when none is named", async () => {
    const world = makeWorld();
    world.install("node", `exec ${process.execPath} "$@"`);
    for (const tool of ["cat", "sh"]) world.install(tool, `exec /bin/${tool} "$@"`);
    const amp = world.installAgent("amp", { voice: "amp", turns: [{ final: DONE }] });
    const codex = world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] });
    const env = { PATH: world.bin };
    expect((await world.ralph(["-p", "x"], { env })).code).toBe(0);
    expect([codex.calls().length, amp.calls().length]).toEqual([1, 0]);
    const claude = world.installAgent("claude", { turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "x"], { env })).code).toBe(0);
    expect([claude.calls().length, codex.calls().length]).toEqual([1, 1]);
  });
});

describe("a refused log-in", () => {
  test.each(["claude", "codex", "amp", "copilot", "gemini", "qwen", "opencode", "cursor"] as const)(
    "of an agent that speaks as %s ends the run at once with exit code 2",
    async (voice) => {
      const world = makeWorld();
      const agent = world.speaking({ voice, turns: [{ actions: [{ fail: "auth" }] }] });
      const ended = await world.ralph(["-p", "x"]);
      expect(ended.code).toBe(2);
      expect(prompts(agent)).toHaveLength(1);
      expect(outcomeOf(world)).toMatchObject({ kind: "failed", reason: /invalid api key/ });
      expect(ended.stderr).toMatch(/Log the agent in/);
    },
  );
});

describe("a limit of the agent's service", () => {
  test.each([
    ["claude", "rate"],
    ["codex", "rate"],
    ["amp", "quota"],
    ["copilot", "quota"],
    ["gemini", "rate"],
    ["qwen", "rate"],
    ["opencode", "quota"],
    ["cursor", "quota"],
  ] as const)(
    "makes the run wait when %s tells of a %s limit, and Ctrl-C ends the wait with 130",
    async (voice, limit) => {
      const world = makeWorld();
      const agent = world.speaking({ voice, turns: [{ actions: [{ fail: limit }] }] });
      const run = world.start(["-p", "x"]);
      await run.printed("Waiting ");
      run.process.kill("SIGINT");
      const ended = await run.ended;
      expect(ended.code).toBe(130);
      expect(ended.stderr).toMatch(
        limit === "rate" ? /Waiting (2\d|3[0-3])s, until / : /Waiting (1h00m|59m\d+s), until /,
      );
      expect(outcomeOf(world).kind).toBe("stopped");
      expect(prompts(agent)).toHaveLength(1);
    },
  );

  test("is waited out until the time that the agent told, and the turn is not charged", async () => {
    const world = makeWorld();
    const message = "API Error: 429 rate limit reached, try again in 1 second";
    const agent = world.speaking({ turns: [{ actions: [{ fail: "rate", message }] }, { final: DONE }] });
    const ended = await world.ralph(["-p", "the work", "-m", "1"]);
    expect(ended.code).toBe(0);
    expect(prompts(agent)).toEqual(["the work", "the work"]);
    const journal = world.journal();
    expect(ofType(journal, "iteration.started").map((event) => event.iteration)).toEqual([1, 1]);
    const [exited] = ofType(journal, "agent.exited");
    const [waited] = ofType(journal, "waited");
    expect(exited?.ending).toMatchObject({ kind: "limited", scope: "rate" });
    expect((waited?.at ?? 0) - (exited?.at ?? 0)).toBeGreaterThanOrEqual(900);
    expect(ofType(journal, "run.ended")[0]?.iterations).toBe(1);
    expect(world.ralphFiles()).toContain("prompt_001.txt");
    expect(existsSync(join(world.runFolder(), "streams", "001.out"))).toBe(true);
    expect(existsSync(join(world.runFolder(), "streams", "001-2.out"))).toBe(true);
  });
});

test("an agent that goes on trying with a log-in that is refused is ended at once", async () => {
  const world = makeWorld();
  const retry = (attempt: number) => ({
    raw: JSON.stringify({
      type: "system",
      subtype: "api_retry",
      attempt,
      max_retries: 10,
      retry_delay_ms: 20_000,
      error_status: 401,
      error: "authentication_failed",
    }),
  });
  const agent = world.speaking({ turns: [{ actions: [retry(1), retry(2), { hang: "hangs" }] }] });
  const ended = await world.ralph(["-p", "x"]);
  expect(ended.code, ended.stderr).toBe(2);
  expect(ended.stderr).toContain("authentication_failed (401)");
  expect(ended.stderr).toContain("Log the agent in");
  expect(agent.calls()).toHaveLength(1);
});
