import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedTurn } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import {
  DONE,
  type Ended,
  makeWorld,
  ofType,
  outcomeOf,
  pidIn,
  processesWith,
  prompts,
  type World,
} from "./support.ts";

const CLAIMS: readonly ScriptedTurn[] = [{ final: DONE }];

/** A run with these guardrails, without a baseline. */
async function run(
  world: World,
  guardrails: unknown[],
  how: { turns?: readonly ScriptedTurn[]; most?: number; rest?: Record<string, unknown> } = {},
): Promise<Ended & { prompts: string[] }> {
  const agent = world.speaking({ turns: how.turns ?? CLAIMS }, { guardrails, protect: false, ...how.rest });
  const ended = await world.ralph(["-p", "the work", "--no-baseline", "-m", String(how.most ?? 2)]);
  return { ...ended, prompts: prompts(agent) };
}

describe("a guardrail", () => {
  test("refuses a claim as long as it is red, and lets it through when it passes", async () => {
    const world = makeWorld();
    const turns = [{ final: DONE }, { actions: [{ write: "ok", text: "" }], final: DONE }];
    const ended = await run(world, [{ command: "test -e ok" }], { turns });
    expect(ended.code).toBe(0);
    expect(ended.prompts).toHaveLength(2);
    expect(outcomeOf(world).kind).toBe("verified");
  });

  test("is run by sh in the project, with its standard input closed", async () => {
    const world = makeWorld();
    const command = 'cat; x="$(printf a | tr a b)" && test "$x" = b && test "$PWD" = "$RALPH_PROJECT" # ok';
    expect((await run(world, [{ command }])).code).toBe(0);
  });

  test("fails with any exit code but 0", async () => {
    const world = makeWorld();
    const codes = [1, 2, 127, 255];
    const ended = await run(
      world,
      codes.map((code) => ({ command: `exit ${code}` })),
    );
    expect(ended.code).toBe(1);
    for (const code of codes) {
      expect(ended.prompts[1]).toContain(`Guardrail "exit ${code}" failed with exit code ${code}.`);
    }
  });

  test("that is killed by a signal has failed", async () => {
    const world = makeWorld();
    const ended = await run(world, [{ command: "kill -9 $$" }]);
    expect(ended.code).toBe(1);
    expect(ended.prompts[1]).toContain("SIGKILL");
  });

  test("runs in its order after every other one, also when an earlier one failed", async () => {
    const world = makeWorld();
    const guardrails = ["a", "b", "c"].map((name) => ({
      command: `echo ${name} >> order; test ${name} != a`,
    }));
    expect((await run(world, guardrails, { most: 2 })).code).toBe(1);
    expect(world.read("order")).toBe("a\nb\nc\na\nb\nc\n");
  });

  test("that leaves a process behind does not hold the run, and the process is ended", async () => {
    const world = makeWorld();
    expect((await run(world, [{ command: "sleep 300 & echo $! > pid" }])).code).toBe(0);
    await pidIn(join(world.project, "pid"));
    expect(processesWith(world.home)).toEqual([]);
  });
});

describe("the message about a failed guardrail", () => {
  test("has exactly the format of the spec", async () => {
    const world = makeWorld();
    const command = './check.sh --all "x y"';
    world.write("check.sh", "#!/bin/sh\necho line one\necho line two\nexit 3\n");
    const ended = await run(world, [{ command: `sh ${command}`, hint: "Fix lint errors only." }]);
    expect(ended.prompts[1]).toBe(
      [
        "the work",
        "",
        `Guardrail "sh ${command}" failed with exit code 3.`,
        "Hint: Fix lint errors only.",
        "Output file: .ralph/guardrail_001_sh_check_sh_all_x_y.log",
        "Output (truncated):",
        "line one",
        "line two",
        "",
      ].join("\n"),
    );
  });

  test("holds what was written to stdout and to stderr", async () => {
    const world = makeWorld();
    const ended = await run(world, [{ command: "echo to-out; echo to-err >&2; exit 1" }]);
    expect(ended.prompts[1]).toContain("to-out");
    expect(ended.prompts[1]).toContain("to-err");
    const log = world.read(".ralph/guardrail_001_echo_to_out_echo_to_err_2_exit_1.log");
    expect(log.split("\n").sort()).toEqual(["", "to-err", "to-out"]);
  });

  test("quotes the first outputTruncateChars characters and says so, only when something was cut", async () => {
    const world = makeWorld();
    const guardrails = [
      { command: "printf 0123456789; exit 1" },
      { command: "printf 0123456789X; exit 1" },
      { command: "printf 'ääääääääää€'; exit 1" },
    ];
    const ended = await run(world, guardrails, { rest: { outputTruncateChars: 10 } });
    const quoted = (ended.prompts[1] ?? "").split("\n\n").map((part) => part.split("\n").at(-1));
    expect(quoted).toEqual([
      "the work",
      "0123456789",
      "0123456789... [truncated]",
      "ääääääääää... [truncated]",
    ]);
    expect(world.read(".ralph/guardrail_001_printf_0123456789X_exit_1.log")).toBe("0123456789X");
  });

  test("quotes 5000 characters by default, and the log has all of it", async () => {
    const world = makeWorld();
    const ended = await run(world, [{ command: "head -c 6000 /dev/zero | tr '\\0' x; exit 1" }]);
    expect(ended.prompts[1]?.split("\n").at(-1)).toBe(`${"x".repeat(5000)}... [truncated]`);
    const [log = ""] = world.ralphFiles().filter((name) => name.startsWith("guardrail_001"));
    expect(world.read(`.ralph/${log}`)).toBe("x".repeat(6000));
  });

  test("gives the hint word for word, however long it is", async () => {
    const world = makeWorld();
    const hint = `$HOME {{output}} %s ${"long ".repeat(1500)}end`;
    const ended = await run(world, [{ command: "false", hint }], { rest: { outputTruncateChars: 5 } });
    expect(ended.prompts[1]).toContain(`\nHint: ${hint}\nOutput file: `);
  });

  test("has no hint line without a hint", async () => {
    const world = makeWorld();
    expect(
      (await run(world, [{ command: "false" }, { command: "exit 2", hint: "" }])).prompts[1],
    ).not.toMatch(/^Hint:/m);
  });
});

describe("the log of a guardrail", () => {
  test("is kept for each iteration, of those that passed too", async () => {
    const world = makeWorld();
    const turns = [{ final: DONE }, { actions: [{ write: "ok", text: "" }], final: DONE }];
    await run(world, [{ command: "echo fine" }, { command: "cat ok" }], { turns });
    expect(world.ralphFiles().filter((name) => name.endsWith(".log"))).toEqual([
      "guardrail_001_cat_ok.log",
      "guardrail_001_echo_fine.log",
      "guardrail_002_cat_ok.log",
      "guardrail_002_echo_fine.log",
    ]);
    expect(world.read(".ralph/guardrail_002_echo_fine.log")).toBe("fine\n");
    expect(world.read(".ralph/guardrail_001_cat_ok.log")).toMatch(/No such file/);
  });

  test("is named after the command: other characters become _, at most 50 of them", async () => {
    const world = makeWorld();
    world.write("mvnw", "exit 0");
    world.git("init", "--quiet");
    await run(world, [
      { command: "sh ./mvnw clean install -T 2C" },
      { command: `: ${"abcdefghi ".repeat(9)}` },
      { command: "./mvnw clean install -T 2C || true" },
      { command: "! :" },
    ]);
    expect(world.ralphFiles().filter((name) => name.startsWith("guardrail_001"))).toEqual([
      `guardrail_001_${"abcdefghi_".repeat(5).replace(/_$/, "")}.log`,
      "guardrail_001_guardrail.log",
      "guardrail_001_mvnw_clean_install_T_2C_true.log",
      "guardrail_001_sh_mvnw_clean_install_T_2C.log",
    ]);
  });

  test("gets _1, _2 when another guardrail has the same slug, and each keeps its own output", async () => {
    const world = makeWorld();
    await run(world, [{ command: "echo a" }, { command: "echo 'a'" }, { command: "echo  a;" }]);
    const logs = ["echo_a", "echo_a_1", "echo_a_2"].map((slug) => `guardrail_001_${slug}.log`);
    expect(world.ralphFiles().filter((name) => name.endsWith(".log"))).toEqual(logs);
    const judged = ofType(world.journal(), "gate.judged");
    expect(judged.slice(0, 3).map((event) => event.verdict.logPath)).toEqual(
      logs.map((log) => `.ralph/${log}`),
    );
  });

  test("is kept byte for byte, also when it is no text", async () => {
    const world = makeWorld();
    const ended = await run(world, [{ command: "printf '\\377\\376\\000ok\\r\\n'; exit 1" }]);
    expect(ended.code).toBe(1);
    const [log = ""] = world.ralphFiles().filter((name) => name.startsWith("guardrail_001"));
    expect(readFileSync(join(world.project, ".ralph", log))).toEqual(
      Buffer.from("\xff\xfe\0ok\r\n", "latin1"),
    );
  });
});

describe("a guardrail on the screen, without -V", () => {
  test("shows its start, its end, its exit status and the fail action", async () => {
    const world = makeWorld();
    const { stderr } = await run(world, [{ command: "exit 3", failAction: "PREPEND" }, { command: "true" }], {
      most: 1,
    });
    const lines = stderr.split("\n").filter((line) => /Guardrail/.test(line));
    expect(lines).toEqual([
      "▶ Guardrail 1/2: exit 3",
      expect.stringMatching(
        /^❌ Guardrail failed: exit 3 \(exit 3, [\d.]+m?s\), fail action PREPEND, log \.ralph\/guardrail_001_exit_3\.log$/,
      ),
      "▶ Guardrail 2/2: true",
      expect.stringMatching(/^✅ Guardrail passed: true \(exit 0, [\d.]+m?s\)$/),
    ]);
    expect(stderr).not.toContain("[ralph]");
  });
});

describe("a guardrail that takes too long", () => {
  test("has failed, is ended with everything below it, and the agent is told why", async () => {
    const world = makeWorld();
    const command = "sleep 300 & echo $! > pid; wait";
    const ended = await run(world, [{ command, timeout: "1s" }]);
    expect(ended.code).toBe(1);
    expect(ended.prompts[1]).toContain(
      `Guardrail "${command}" failed because it ran longer than its limit of 1 s and was ended.`,
    );
    await pidIn(join(world.project, "pid"));
    expect(processesWith(world.home)).toEqual([]);
  });
});

describe("a guardrail that is marked flaky", () => {
  const command = "echo run; [ -e once ] || { touch once; exit 1; }";

  test("is run once more when it failed, and a pass then counts and is recorded", async () => {
    const world = makeWorld();
    const ended = await run(world, [{ command, flaky: true }], { most: 1 });
    expect(ended.code).toBe(0);
    expect(ofType(world.journal(), "gate.judged")[0]?.verdict).toMatchObject({
      pass: true,
      passedOnRetry: true,
    });
    expect(ended.stderr).toContain("passed on its second run (flaky)");
    const [log = ""] = world.ralphFiles().filter((name) => name.endsWith(".log"));
    expect(world.read(`.ralph/${log}`).match(/^run$/gm)).toHaveLength(2);
  });

  test("is run only once more, and one that is not marked not at all", async () => {
    const world = makeWorld();
    const count = "echo x >> runs; exit 1";
    expect((await run(world, [{ command: count, flaky: true }], { most: 1 })).code).toBe(1);
    expect(world.read("runs")).toBe("x\nx\n");
    expect((await run(world, [{ command: count }], { most: 1 })).code).toBe(1);
    expect(world.read("runs")).toBe("x\nx\nx\n");
  });
});

describe("the baseline", () => {
  const guardrails = [{ command: "echo x >> runs; test -e ok" }];
  const turns = [{ actions: [{ write: "ok", text: "" }], final: DONE }];

  test("runs the guardrails once before the first iteration, and its logs are those of iteration 000", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns }, { guardrails, protect: false });
    const ended = await world.ralph(["-p", "the work"]);
    expect(ended.code).toBe(0);
    expect(
      ofType(world.journal(), "gate.judged").map((event) => [event.iteration, event.verdict.pass]),
    ).toEqual([
      [0, false],
      [1, true],
    ]);
    expect(world.ralphFiles()).toContain("guardrail_000_echo_x_runs_test_e_ok.log");
    expect(ended.stderr).toMatch(/Baseline failed: .*exit 1/);
    expect(prompts(agent)).toEqual(["the work"]);
  });

  test("is told to the first prompt only with baseline.feedback", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns }, { guardrails, baseline: { feedback: true } });
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    expect(prompts(agent)[0]).toMatch(
      /^the work\n\nGuardrail "echo x >> runs; test -e ok" failed with exit code 1\.\n/,
    );
    expect(prompts(agent)[0]).toContain("Output file: .ralph/guardrail_000_");
  });

  test("is left out with --no-baseline and with baseline.enabled false", async () => {
    const world = makeWorld();
    world.speaking({ turns }, { guardrails });
    expect((await world.ralph(["-p", "x", "--no-baseline"])).code).toBe(0);
    expect(world.read("runs")).toBe("x\n");
    world.speaking({ turns }, { guardrails, baseline: { enabled: false } });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(world.read("runs")).toBe("x\nx\n");
    expect(world.ralphFiles().filter((name) => name.startsWith("guardrail_000"))).toEqual([]);
  });

  test("that is green never ends a run by itself", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: "Hm." }] }, { guardrails: [{ command: "true" }] });
    const ended = await world.ralph(["-p", "x", "-m", "1"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/Baseline passed: true/);
    expect(prompts(agent)).toHaveLength(1);
  });
});
