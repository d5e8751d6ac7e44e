import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { kindOf } from "../agents/registry.ts";
import { describeRun } from "../config/describe.ts";
import { ensureRalphFolder } from "../config/write.ts";
import { launch } from "../loop/launch.ts";
import { EXIT_CODES } from "../loop/outcome.ts";
import { git } from "../scm/git.ts";
import type { RunSpec } from "../spec.ts";
import { scriptedAgent } from "../testing/script.ts";
import { createReporter } from "./reporters.ts";
import { listenForSignals } from "./signals.ts";

const BROKEN = `// Adds up the prices of a basket, in cents.
exports.total = (prices) => prices.slice(1).reduce((sum, price) => sum + price, 0);
`;

const MENDED = `// Adds up the prices of a basket, in cents.
exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);
`;

const TEST = `const assert = require("node:assert");
const test = require("node:test");
const { total } = require("./basket.js");

test("adds up every price", () => assert.strictEqual(total([100, 250, 50]), 400));
test("an empty basket costs nothing", () => assert.strictEqual(total([]), 0));
`;

/** `ralph demo`: a scripted agent in a temporary repository, through the real loop. It lies once. */
export async function demoCommand(flags: { keep?: boolean }): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "ralph-demo-"));
  const project = join(home, "basket");
  const signals = listenForSignals((text) => process.stderr.write(text));
  const unhurried = process.stderr.isTTY === true;
  const say = async (text: string) => {
    process.stderr.write(text);
    if (unhurried) await sleep(1_200);
  };
  try {
    const hasGit = await makeProject(project);
    await say(
      [
        "",
        "A small shop adds up its basket wrongly, and a test says so.",
        "A scripted agent is told to mend it. It will claim too early; watch what happens.",
        "Everything else is real: the loop, the guardrail (`node --test`), git.",
        hasGit ? "" : "git was not found, so nothing is committed.\n",
        "",
      ].join("\n"),
    );
    const { outcome } = await launch({
      spec: describeDemo(project, { home, hasGit, pauseMs: unhurried ? 700 : 0 }),
      reporter: await createReporter({}),
      // The demo leaves nothing behind, so its journal lives with it.
      env: { ...process.env, RALPH_STATE_DIR: join(home, "state") },
      softStop: signals.soft,
      hardStop: signals.hard,
    });
    process.exitCode = EXIT_CODES[outcome.kind];
    if (outcome.kind === "verified") await say(await explain(project, hasGit));
  } finally {
    signals.release();
    if (flags.keep === true) process.stderr.write(`\nThe demo's folder is kept: ${home}\n`);
    else rmSync(home, { recursive: true, force: true });
  }
}

async function makeProject(project: string): Promise<boolean> {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, "basket.js"), BROKEN);
  writeFileSync(join(project, "basket.test.js"), TEST);
  ensureRalphFolder(project);
  const made = await git(project, ["init", "--quiet"]);
  if (made.code !== 0) return false;
  await git(project, ["config", "user.name", "Ralph's demo"]);
  await git(project, ["config", "user.email", "demo@example.invalid"]);
  await git(project, ["add", "--all"]);
  await git(project, ["commit", "--quiet", "-m", "A basket that adds up wrongly"]);
  return true;
}

function describeDemo(project: string, how: { home: string; hasGit: boolean; pauseMs: number }): RunSpec {
  const pause = { sleepMs: how.pauseMs };
  const agent = scriptedAgent(
    {
      voice: "claude",
      turns: [
        {
          actions: [
            { say: "I will look at the basket." },
            pause,
            { run: "cat basket.js" },
            pause,
            { say: "This looks right to me. I did not run the test." },
            pause,
          ],
          final: "The basket adds up correctly now. <response>DONE</response>",
          usage: { inputTokens: 1_800, outputTokens: 120, costUsd: 0.012 },
        },
        {
          actions: [
            { say: "The guardrail says that the first price is left out. I see it: slice(1)." },
            pause,
            { write: "basket.js", text: MENDED },
            pause,
            { run: "node --test 2>&1 | tail -n 8" },
            pause,
          ],
          final: "The total counts every price, and the tests pass. <response>DONE</response>",
          usage: { inputTokens: 2_400, outputTokens: 210, costUsd: 0.017 },
        },
      ],
      commitTurns: [{ final: "Count every price of the basket" }],
    },
    { folder: join(how.home, "agent") },
  );
  const request = {
    project,
    agent: agent.spec,
    prompt: "Mend basket.js so that the tests pass.",
    guardrails: ["node --test"],
    maximumIterations: 5,
  };
  const { sandbox: _fence, ...spec } = describeRun(
    how.hasGit ? { ...request, scm: { command: "git", tasks: ["commit"] } } : request,
    kindOf,
  );
  // The agent is a script of ours that does what stands here: it needs no fence, and works where there is none to be had.
  return spec;
}

async function explain(project: string, hasGit: boolean): Promise<string> {
  const log = hasGit ? await git(project, ["log", "-n", "1", "--format=%h %s%n%n%b", "--stat"]) : undefined;
  return [
    "",
    "What you saw",
    "  The agent said DONE after the first turn. ralph ran the test itself, it failed, and the claim was refused.",
    "  The failure went into the next prompt. The agent mended the code, the test passed, and only then was it done.",
    ...(log === undefined
      ? []
      : [
          "",
          "The commit that was made",
          ...log.stdout
            .trimEnd()
            .split("\n")
            .map((line) => `  ${line}`),
        ]),
    "",
    "In your own project",
    "  ralph init                        finds your agent and your checks",
    '  ralph run -p "fix the tests"      goes on until they pass',
    "",
  ].join("\n");
}
