import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Verdict } from "../../src/events.ts";
import type { Answer } from "../../src/gates/gate.ts";
import { judgeGate } from "../../src/gates/judge-gate.ts";
import type { Criterion } from "../../src/spec.ts";
import { GROUP } from "../../src/supervise/means.ts";

const project = mkdtempSync(join(tmpdir(), "ralph-criterion-"));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const YES = '{"success": true, "reason": "yes"}';
const NO = '{"success": false, "reason": "no"}';

/** Judges one criterion; without an answer there is no judge. */
async function judge(
  command: string,
  more: Partial<Criterion> = {},
  answer?: Answer,
): Promise<{ verdict: Verdict; asked: string[] }> {
  const asked: string[] = [];
  const bench = {
    maxChars: 1_000,
    judge: (prompt: string) => {
      asked.push(prompt);
      return Promise.resolve(answer ?? { fault: "nobody" });
    },
  };
  const verdict = await judgeGate({
    gate: {
      kind: "criterion",
      criterion: "test_pass",
      name: `test_pass: ${command}`,
      command,
      failAction: "APPEND",
      timeoutMs: 30_000,
      flaky: false,
      ...more,
    },
    project,
    logPath: ".ralph/criterion_001_x.log",
    truncateChars: 100,
    env: process.env,
    means: GROUP,
    hardStop: new AbortController().signal,
    ...(answer === undefined ? {} : { bench }),
  });
  return { verdict, asked };
}

describe("a criterion", () => {
  test.each([
    ["true", true, { success: true, reason: "true exited with code 0" }],
    ["exit 4", false, { success: false, reason: "exit 4 exited with code 4" }],
  ])("without a judge is its exit code: %s", async (command, pass, judgment) => {
    const { verdict, asked } = await judge(command, {}, { text: NO });
    expect(verdict).toMatchObject({ pass, judgment });
    expect(asked).toEqual([]);
  });

  test.each([
    ["true", YES, true],
    ["true", NO, false],
    ["false", YES, false],
    ["false", NO, false],
    ["kill -9 $$", YES, false],
    ["true", "hm", false],
    ["false", "hm", false],
  ])("with a judge passes only when both say so: %s, %s", async (command, text, pass) => {
    const { verdict, asked } = await judge(command, { judged: true }, { text });
    expect(verdict.pass).toBe(pass);
    expect(verdict.judgment?.success ?? false).toBe(pass);
    expect(asked).toHaveLength(1);
  });

  test.each([
    [{ fault: "rate limit" }, "the judge could not be asked: rate limit"],
    [{ text: "hm" }, "the judge's answer could not be understood"],
    [undefined, "there is no judge"],
  ])(
    "without a word of its judge's is no success, and says nothing about the work: %j",
    async (answer, reason) => {
      expect((await judge("true", { judged: true }, answer)).verdict).toMatchObject({
        pass: false,
        unjudged: true,
        reason,
      });
      const red = (await judge("exit 2", { judged: true }, answer)).verdict;
      expect(red).toMatchObject({ pass: false, exitCode: 2, judgment: { success: false } });
      expect(red).not.toHaveProperty("unjudged");
    },
  );

  test("shows its judge the beginning and the end, however much it prints, and each question has a word of its own", async () => {
    const flood = "echo FIRST; head -c 900000 /dev/zero | tr '\\0' x | sed 's/x/€/g'; echo; echo LAST";
    const words = new Set<string>();
    for (const command of [flood, "echo FIRST LAST"]) {
      const [prompt = ""] = (await judge(command, { judged: true }, { text: YES })).asked;
      expect(prompt).toContain("FIRST");
      expect(prompt).toContain("LAST\n");
      expect(prompt.length).toBeLessThan(3_000);
      expect(prompt).not.toContain("\ufffd");
      // All that it may have, and no less.
      const [, shown = ""] = prompt.split("-----BEGIN");
      if (command === flood) expect(shown.match(/€/g)?.length).toBe(1_000 - "FIRST\n\nLAST\n".length);
      words.add(/BEGIN (\w+)/.exec(prompt)?.[1] ?? "");
    }
    expect(words.size).toBe(2);
  });

  test("that is flaky is run once more, and judged once", async () => {
    const command = "test -e seen && echo second || { touch seen; exit 1; }";
    const { verdict, asked } = await judge(command, { judged: true, flaky: true }, { text: YES });
    expect(verdict).toMatchObject({ pass: true, passedOnRetry: true });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("second");
  });
});
