import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, environmentOf, makeWorld, outcomeOf, processesWith, RALPH, watch } from "./support.ts";

/** How the streams of ralph are cut off, in sh; `"$@"` is ralph, and its exit code goes into a file. */
const CUT = [
  ["stdout has a reader who leaves after a line", '{ "$@"; echo $? > "$CODE"; } | head -n 1'],
  ["stderr has a reader who leaves after a line", '{ "$@" 2>&1 >/dev/null; echo $? > "$CODE"; } | head -n 1'],
  ["both have a reader who is gone", '{ "$@" 2>&1; echo $? > "$CODE"; } | true'],
  ["stdout is closed", '"$@" >&-; echo $? > "$CODE"'],
  ["stderr is closed", '"$@" 2>&-; echo $? > "$CODE"'],
  ["all streams are closed", '"$@" <&- >&- 2>&-; echo $? > "$CODE"'],
  ["they go to a disk that is full", '"$@" >/dev/full 2>&1; echo $? > "$CODE"'],
] as const;

describe.each(CUT)("when %s", (_, line) => {
  test.each([[], ["--json"]])("the run goes on to its end with [%s]", async (...flags) => {
    const world = makeWorld();
    const words = Array.from({ length: 150 }, (__, n) => ({ say: `${n} ${"word ".repeat(200)}` }));
    world.speaking(
      { turns: [{ actions: words }, { actions: [...words, { write: "ok", text: "" }], final: DONE }] },
      { guardrails: [{ command: "test -e ok" }] },
    );
    const code = join(world.home, "code");
    const args = ["-c", line, "sh", process.execPath, RALPH, "run", "-p", "do it", ...flags];
    const child = spawn("sh", args, {
      cwd: world.project,
      env: { ...environmentOf(world), CODE: code },
      stdio: ["ignore", "pipe", "pipe"],
    });
    await watch(child).ended;
    expect(readFileSync(code, "utf8").trim()).toBe("0");
    expect(outcomeOf(world).kind).toBe("verified");
    expect(processesWith(world.home)).toEqual([]);
  });
});

test("when stdout is cut off, an error is told by the exit code all the same", async () => {
  const world = makeWorld();
  const code = join(world.home, "code");
  const args = ["-c", '{ "$@" 2>&1; echo $? > "$CODE"; } | true', "sh", process.execPath, RALPH, "resume"];
  const env = { ...environmentOf(world), CODE: code };
  const child = spawn("sh", args, { cwd: world.project, env, stdio: ["ignore", "pipe", "pipe"] });
  await watch(child).ended;
  expect(readFileSync(code, "utf8").trim()).toBe("2");
});
