import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, until } from "./support.ts";

/** The largest memory that ralph had when its agent, which prints what these lines of sh say, was about to end. */
async function peakKiB(name: string, lines: string, result: string): Promise<number> {
  const world = makeWorld();
  const peak = join(world.home, "peak");
  // The last words come when everything before them was read, but for one pipe's worth.
  world.install(
    name,
    `cat > /dev/null\n${lines}\ngrep VmHWM /proc/$PPID/status > ${peak}\necho; echo '${result}'`,
  );
  const args = ["-p", "x", "-m", "1", "--no-stream-agent-output", "--agent", name];
  const ended = await world.ralph(args);
  expect(ended.code, ended.stderr).toBe(0);
  return Number(/(\d+) kB/.exec(readFileSync(peak, "utf8"))?.[1]);
}

const RESULT = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: DONE });
const SAID = JSON.stringify({
  type: "assistant",
  message: { content: [{ type: "text", text: "some words of an agent ".repeat(40) }] },
  parent_tool_use_id: null,
});

/** Ten times the stream, and hardly more memory: what grows with the stream would grow ten times. */
async function growth(name: string, lines: (bytes: number) => string, result: string): Promise<number> {
  const small = await peakKiB(name, lines(20_000_000), result);
  const large = await peakKiB(name, lines(200_000_000), result);
  return large / small;
}

describe("memory stays flat over a stream of 200 MB", () => {
  test.each([
    ["of many events", "claude", `yes '${SAID}'`, RESULT],
    ["of one line that never ends", "mine", "tr '\\0' x < /dev/zero", DONE],
    ["of many lines of plain text", "mine", "yes 'plain words of an agent'", DONE],
  ])("%s", async (_what, name, source, result) => {
    expect(await growth(name, (bytes) => `${source} | head -c ${bytes}`, result)).toBeLessThan(2);
  });

  test("of a guardrail's output, and its log has all of it", async () => {
    const peak = async (bytes: number) => {
      const world = makeWorld();
      const command = `yes | head -c ${bytes}; grep VmHWM /proc/$PPID/status > ../peak`;
      world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command }] });
      expect((await world.ralph(["-p", "x", "--no-baseline"])).code).toBe(0);
      const [log = ""] = world.ralphFiles().filter((name) => name.endsWith(".log"));
      expect(statSync(join(world.project, ".ralph", log)).size).toBe(bytes);
      return Number(/(\d+) kB/.exec(readFileSync(join(world.home, "peak"), "utf8"))?.[1]);
    };
    expect((await peak(200_000_000)) / (await peak(20_000_000))).toBeLessThan(2);
  });
});

test("an agent waits while nobody reads what ralph prints, and goes on when somebody does", async () => {
  const world = makeWorld();
  const progress = join(world.home, "progress");
  const line = "words of an agent ".repeat(50);
  world.install(
    "mine",
    `cat > /dev/null
     i=0; while [ $i -lt 60 ]; do echo >> ${progress}; yes '${line}' | head -c 1000000; i=$((i+1)); done
     echo; echo '${DONE}'`,
  );
  const run = world.start(["-p", "x", "-m", "1", "--json", "--agent", "mine"]);
  run.process.stdout?.pause();
  const size = () => statSync(progress, { throwIfNoEntry: false })?.size ?? 0;
  // It has come to a stop when two looks, far apart for a program that only prints, see the same.
  let last = -1;
  let same = 0;
  await until("the agent has stopped to wait", () => {
    same = size() === last && last > 0 ? same + 1 : 0;
    last = size();
    return same > 100;
  });
  expect(last).toBeLessThan(40);
  run.process.stdout?.resume();
  const ended = await run.ended;
  expect(ended.code).toBe(0);
  expect(size()).toBe(60);
});
