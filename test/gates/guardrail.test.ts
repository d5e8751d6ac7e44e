import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../src/events.ts";
import type { GateMoment } from "../../src/gates/gate.ts";
import { judgeGuardrail } from "../../src/gates/guardrail.ts";
import type { Guardrail } from "../../src/spec.ts";
import { GROUP } from "../../src/supervise/means.ts";
import { DEADLINE_MS } from "../deadline.ts";
import { isRunning, pidIn, programOf, temporaryFolder, userErrorOf } from "../supervise/folder.ts";

const LOG = ".ralph/guardrail_001_g.log";

interface Options extends Partial<Guardrail> {
  readonly project?: string;
  readonly truncateChars?: number;
  readonly hardStop?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
}

function moment(command: string, options: Options = {}): GateMoment {
  const { project = temporaryFolder(), truncateChars = 5000, hardStop, env = process.env, ...more } = options;
  return {
    gate: {
      kind: "guardrail",
      name: "g",
      command,
      failAction: "APPEND",
      timeoutMs: 600_000,
      flaky: false,
      ...more,
    },
    project,
    logPath: LOG,
    truncateChars,
    env,
    means: GROUP,
    hardStop: hardStop ?? new AbortController().signal,
  };
}

/** Judges a shell line; the log, as bytes, comes with the verdict. */
async function judge(
  command: string,
  options?: Options,
): Promise<Verdict & { log: Buffer; project: string }> {
  const at = moment(command, options);
  const verdict = await judgeGuardrail(at);
  return { ...verdict, log: readFileSync(join(at.project, LOG)), project: at.project };
}

describe("a guardrail", () => {
  it.each<[name: string, command: string, verdict: Partial<Verdict>]>([
    ["that passes", "echo fine", { pass: true, exitCode: 0, output: "fine\n" }],
    ["that says nothing", "true", { pass: true, exitCode: 0, output: "" }],
    ["that fails", "echo bad; exit 3", { pass: false, exitCode: 3, output: "bad\n" }],
    ["that is no shell line", "if then", { pass: false, exitCode: 2 }],
    ["that names no program", "no-such-program-at-all", { pass: false, exitCode: 127 }],
    [
      "that is killed",
      "kill -9 $$",
      { pass: false, exitCode: null, output: "", reason: "it was killed by SIGKILL" },
    ],
    ["that reads its input, of which there is none", "cat; echo read", { pass: true, output: "read\n" }],
    ["of several lines and quotes", 'a=\'1 "2"\'\necho "$a" | cat', { pass: true, output: '1 "2"\n' }],
  ])("%s is judged by its exit code", async (_, command, expected) => {
    const verdict = await judge(command);
    expect(verdict).toMatchObject({ ...expected, logPath: LOG, truncated: false });
    expect("reason" in verdict).toBe("reason" in expected);
    expect("passedOnRetry" in verdict).toBe(false);
    expect(verdict.log.toString()).toBe(verdict.output);
    expect(verdict.wallMs).toBeGreaterThanOrEqual(0);
  });

  it("runs in the project, with the environment it was given", async () => {
    const verdict = await judge("pwd; echo $RALPH_ITERATION", {
      env: { ...process.env, RALPH_ITERATION: "4" },
    });
    expect(verdict.output).toBe(`${verdict.project}\n4\n`);
  });

  it("has both its streams in the log, in the order in which they were written", async () => {
    const script =
      'i=0; while [ $i -lt 3000 ]; do echo "out $i ......................"; echo "err $i" >&2; i=$((i+1)); done';
    const verdict = await judge(script);
    const lines = Array.from({ length: 3000 }, (_, n) => `out ${n} ......................\nerr ${n}\n`);
    expect(verdict.log.toString() === lines.join("")).toBe(true);
  });

  it("leaves no child behind", async () => {
    const verdict = await judge(
      "setsid sh -c 'echo $$ > pid; exec sleep 100' & while [ ! -s pid ]; do sleep 0.01; done",
    );
    expect(verdict.pass).toBe(true);
    expect(isRunning(await pidIn(join(verdict.project, "pid")))).toBe(false);
  });
});

describe("the time limit", () => {
  it.each([
    ["ends what runs longer", "echo started; sleep 100"],
    [
      "is not fooled by a program that then says it passed",
      "trap 'exit 0' TERM; echo started; sleep 100 & wait",
    ],
  ])("%s", async (_, command) => {
    const verdict = await judge(command, { timeoutMs: 1500 });
    expect(verdict).toMatchObject({
      pass: false,
      output: "started\n",
      reason: "it ran longer than its limit of 1.5 s and was ended",
    });
  });
});

describe("a flaky guardrail", () => {
  const failsOnce = "echo run >> runs; echo try; [ $(wc -l < runs) -gt 1 ]";
  const again = "\n--- failed; run once more because it is marked flaky ---\n";
  const runsOf = (project: string) => readFileSync(join(project, "runs"), "utf8").split("\n").length - 1;

  it("gets a second run, and the verdict says so", async () => {
    const verdict = await judge(failsOnce, { flaky: true });
    expect(verdict).toMatchObject({ pass: true, exitCode: 0, passedOnRetry: true });
    expect(verdict.log.toString()).toBe(`try\n${again}try\n`);
    expect(runsOf(verdict.project)).toBe(2);
  });

  it("that fails twice has failed", async () => {
    const verdict = await judge("echo run >> runs; exit 4", { flaky: true });
    expect(verdict).toMatchObject({ pass: false, exitCode: 4 });
    expect("passedOnRetry" in verdict).toBe(false);
    expect(runsOf(verdict.project)).toBe(2);
  });

  it("that passes at once is run once, and one that is not flaky too", async () => {
    const passing = await judge("echo run >> runs", { flaky: true });
    expect("passedOnRetry" in passing).toBe(false);
    expect(runsOf(passing.project)).toBe(1);
    const firm = await judge(failsOnce);
    expect(firm.pass).toBe(false);
    expect(runsOf(firm.project)).toBe(1);
  });

  it("is not run again once the run must end", async () => {
    const controller = new AbortController();
    const at = moment("echo run >> runs; echo $$ > pid; sleep 100", {
      flaky: true,
      hardStop: controller.signal,
    });
    const verdict = judgeGuardrail(at);
    await pidIn(join(at.project, "pid"));
    controller.abort();
    expect(await verdict).toMatchObject({ pass: false, reason: "the run was stopped while it ran" });
    expect(runsOf(at.project)).toBe(1);
    expect(readFileSync(join(at.project, LOG), "utf8")).toBe("");
  });
});

describe("a hard stop", () => {
  it("that came before it began ends it at once, and it has not passed", async () => {
    const verdict = await judge("sleep 100", { hardStop: AbortSignal.abort() });
    expect(verdict).toMatchObject({ pass: false, reason: "the run was stopped while it ran" });
  });
});

setFlagsFromString("--expose_gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  collectGarbage(); // buffers go one round later than the objects that held them
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("output", () => {
  it("is cut for the prompt and whole in the log", async () => {
    const verdict = await judge("printf 0123456789", { truncateChars: 4 });
    expect(verdict).toMatchObject({ output: "0123... [truncated]", truncated: true });
    expect(verdict.log.toString()).toBe("0123456789");
    const exact = await judge("printf 0123456789", { truncateChars: 10 });
    expect(exact).toMatchObject({ output: "0123456789", truncated: false });
  });

  it.each([1, 2, 3, 4, 5])("is cut between characters (%i)", async (truncateChars) => {
    const text = "🙂é🙂漢🙂".repeat(200);
    const verdict = await judge(`cat <<'END'\n${text}\nEND`, { truncateChars });
    const kept = verdict.output.slice(0, -"... [truncated]".length);
    expect(text.startsWith(kept)).toBe(true);
    expect(kept.length).toBeGreaterThanOrEqual(truncateChars - 1);
    expect(kept).not.toMatch(/\p{Cs}/u);
  });

  it("that is no text is kept byte for byte, and told as well as it can be", async () => {
    const verdict = await judge("printf 'a\\377\\376\\000\\303'");
    expect([...verdict.log]).toEqual([0x61, 0xff, 0xfe, 0x00, 0xc3]);
    expect(verdict.output).toBe("a\ufffd\ufffd\u0000\ufffd");
  });

  it("of 20 MB goes to disk, not to memory", async () => {
    const before = heldBytes();
    const held: number[] = [];
    let watch: NodeJS.Timeout;
    const look = () => {
      held.push(heldBytes() - before);
      watch = setTimeout(look, 150); // from now on, so that looking never takes all the time
    };
    look();
    const flood = "for part in 1 2 3 4; do yes 0123456789abcde | head -c 5242880; sleep 0.15; done";
    const verdict = await judge(flood).finally(() => clearTimeout(watch));
    expect(verdict.log.length).toBe(20_971_520);
    expect(verdict.output.length).toBe(5000 + "... [truncated]".length);
    expect(held.length).toBeGreaterThan(1);
    expect(Math.max(...held)).toBeLessThan(8 * 1024 * 1024);
  });

  it("that cannot be written is a fault of the set-up, told when the guardrail is over", async () => {
    const program = await programOf(new URL("./judge.ts", import.meta.url));
    const folder = temporaryFolder();
    // A limit on the size of files stands in for a disk that runs full.
    const args = [
      "-c",
      'ulimit -f 16; exec "$@"',
      "sh",
      process.execPath,
      program,
      "yes | head -c 100000; echo x > over",
    ];
    const result = spawnSync("sh", args, { cwd: folder, encoding: "utf8", timeout: DEADLINE_MS });
    expect(result.stderr).toBe("");
    expect(JSON.parse(result.stdout)).toMatchObject({ what: `cannot write ${LOG}` });
    expect(existsSync(join(folder, "over"))).toBe(true);
  });
});

describe("what an agent planted where the log goes", () => {
  const plant = (how: (log: string, victim: string) => void) => {
    const project = temporaryFolder();
    const victim = join(temporaryFolder(), "victim");
    writeFileSync(victim, "precious");
    mkdirSync(join(project, ".ralph"));
    how(join(project, LOG), victim);
    return { project, victim };
  };

  it.each<[name: string, how: (log: string, victim: string) => void]>([
    ["a symbolic link", (log, victim) => symlinkSync(victim, log)],
    ["a hard link", (log, victim) => linkSync(victim, log)],
    ["a link to nowhere", (log, victim) => symlinkSync(`${victim}.gone`, log)],
    ["a pipe", (log) => void execFileSync("sh", ["-c", 'mkfifo "$0"', log])],
    ["an old log", (log) => writeFileSync(log, "old and longer than the new one")],
  ])("is replaced, never written through: %s", async (_, how) => {
    const { project, victim } = plant(how);
    const verdict = await judge("echo new", { project });
    expect(verdict.log.toString()).toBe("new\n");
    expect(lstatSync(join(project, LOG)).isFile()).toBe(true);
    expect(statSync(join(project, LOG)).nlink).toBe(1);
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(existsSync(`${victim}.gone`)).toBe(false);
  });

  it("is told when it cannot be replaced: a folder", async () => {
    const { project } = plant((log) => mkdirSync(log));
    expect(await userErrorOf(() => judge("true", { project }))).toMatchObject({
      what: `cannot write ${LOG}`,
      why: "a folder stands in its place",
    });
  });

  it("is told when it is the folder itself: a link, a file", async () => {
    const linked = temporaryFolder();
    const outside = temporaryFolder();
    symlinkSync(outside, join(linked, ".ralph"));
    const taken = temporaryFolder();
    writeFileSync(join(taken, ".ralph"), "");
    for (const project of [linked, taken]) {
      const at = moment("touch ran", { project });
      expect(await userErrorOf(() => judgeGuardrail(at))).toMatchObject({ what: "cannot write into .ralph" });
      expect(existsSync(join(project, "ran"))).toBe(false);
    }
    expect(readdirSync(outside)).toEqual([]);
  });

  it("while it runs does not matter: the log goes where it was opened", async () => {
    const { project, victim } = plant(() => {});
    const at = moment(`echo first; rm ${LOG}; ln -s ${victim} ${LOG}; echo second`, { project });
    expect(await judgeGuardrail(at)).toMatchObject({ pass: true, output: "first\nsecond\n" });
    expect(readFileSync(victim, "utf8")).toBe("precious");
  });
});
