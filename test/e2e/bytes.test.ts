import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Action, Script } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, ofType, said, type World } from "./support.ts";

const MiB = 1024 * 1024;

/** The raw stream of an iteration, as it was kept. */
function raw(world: World, name: string): Buffer {
  return readFileSync(join(world.runFolder(), "streams", name));
}

function bytes(text: string | Buffer): Action {
  return { bytes: Buffer.from(text).toString("base64") };
}

/** The bytes one after the other, with a pause after each: every chunk edge that there can be. */
function dripping(text: string): Action[] {
  return [...Buffer.from(text)].flatMap((byte) => [bytes(Buffer.from([byte])), { sleepMs: 2 }]);
}

async function runJson(script: Script) {
  const world = makeWorld();
  world.speaking(script);
  const ended = await world.ralph(["-p", "x", "--json", "-m", "1"]);
  return { world, ended, events: said(ended.stdout) };
}

describe("a stream that is not what it should be", () => {
  test.each(["claude", "codex", "amp"] as const)(
    "garbage among the lines of %s is kept as unrecognised, and the run goes on",
    async (voice) => {
      const garbage = [
        "plain words",
        "{",
        '{"type":',
        "null",
        "[]",
        '"text"',
        '{"type":7}',
        '{"type":"novelty"}',
        "\u0000\u0001",
      ];
      const { ended, events } = await runJson({
        voice,
        turns: [{ actions: garbage.map((line) => ({ raw: line })), final: DONE }],
      });
      expect(ended.code).toBe(0);
      const unknown = ofType(events, "unrecognised").map((event) => event.line);
      expect(unknown).toEqual(garbage);
    },
  );

  test("blank lines, Windows line ends and a last line without an end are no trouble", async () => {
    const world = makeWorld();
    const result = JSON.stringify({ type: "result", subtype: "success", is_error: false, result: DONE });
    world.install("claude", `cat > /dev/null; printf '\\r\\n\\n  \\n%s' '${result}'`);
    expect((await world.ralph(["-p", "x", "-m", "1", "--agent", "claude"])).code).toBe(0);
  });

  test.each(["claude", "text"] as const)(
    "invalid UTF-8 in the voice of %s harms nobody, and is kept byte for byte",
    async (voice) => {
      const junk = Buffer.from("ff fe c3 28 f0 9f 98 0a ed a0 80 0a".replaceAll(" ", ""), "hex");
      const { world, ended } = await runJson({ voice, turns: [{ actions: [bytes(junk)], final: DONE }] });
      expect(ended.code).toBe(0);
      expect(raw(world, "001.out").includes(junk)).toBe(true);
    },
  );

  test.each(["claude", "text"] as const)(
    "no character is broken at the edge of a chunk in the voice of %s",
    async (voice) => {
      const words = "Grüße 🌍 日本語 é";
      const line = JSON.stringify({
        type: "assistant",
        message: { content: [{ type: "text", text: words }] },
      });
      const { world, ended, events } = await runJson({
        voice,
        turns: [{ actions: dripping(`${voice === "text" ? words : line}\n`), final: DONE }],
      });
      expect(ended.code).toBe(0);
      expect(events).toContainEqual({ type: "text", text: words });
      expect(raw(world, "001.out").toString("utf8")).toContain(words);
    },
  );

  test("a claim is found across the edges of chunks", async () => {
    const { ended } = await runJson({ voice: "text", turns: [{ actions: dripping(`Ünd ${DONE}\n`) }] });
    expect(ended.code).toBe(0);
  });
});

describe("a line of more than 8 MiB", () => {
  test("is kept as a truncated unrecognised event, and the run goes on", async () => {
    const { world, ended, events } = await runJson({
      turns: [{ actions: [{ flood: 9 * MiB }, { raw: "" }], final: DONE }],
    });
    expect(ended.code).toBe(0);
    const [long, ...others] = ofType(events, "unrecognised");
    expect(others).toEqual([]);
    expect(long?.line).toMatch(/^x+$/);
    expect(long?.line.length).toBeLessThanOrEqual(MiB);
    expect((long?.cutBytes ?? 0) + (long?.line.length ?? 0)).toBe(9 * MiB);
    expect(raw(world, "001.out").filter((byte) => byte === 120).length).toBeGreaterThanOrEqual(9 * MiB);
  });

  test("that never ends does not hide the claim of an agent that prints plain text", async () => {
    const { ended } = await runJson({
      voice: "text",
      turns: [{ actions: [{ flood: 9 * MiB }], final: DONE }],
    });
    expect(ended.code).toBe(0);
  });

  test("a little less than that is an event like any other", async () => {
    const size = 8 * MiB - 1000;
    const head = '{"type":"assistant","message":{"content":[{"type":"text","text":"';
    const { ended, events } = await runJson({
      turns: [{ actions: [bytes(head), { flood: size }, bytes('"}]}}\n')], final: DONE }],
    });
    expect(ended.code).toBe(0);
    expect(ofType(events, "text")[0]?.text.length).toBe(size);
  });
});

describe("the raw stream", () => {
  test("of every iteration is kept byte for byte outside the project, for its owner only", async () => {
    const world = makeWorld();
    world.write("out.bin", "");
    const noise = Buffer.from(Array.from({ length: 5000 }, (_, n) => (n * 7 + (n >> 3)) % 256));
    writeFileSync(join(world.project, "out.bin"), noise);
    world.install("mine", 'cat > /dev/null; cat out.bin; printf "err %s" "$RALPH_ITERATION" >&2');
    await world.ralph(["-p", "x", "-m", "2", "--agent", "mine"]);
    expect(raw(world, "001.out")).toEqual(noise);
    expect(raw(world, "002.out")).toEqual(noise);
    expect(raw(world, "002.err").toString()).toBe("err 2");
    expect(world.runFolder().startsWith(world.project)).toBe(false);
    for (const path of ["journal.ndjson", "streams/001.out", "prompts/001.txt"]) {
      expect(statSync(join(world.runFolder(), path)).mode & 0o777, path).toBe(0o600);
    }
    expect(statSync(world.runFolder()).mode & 0o777).toBe(0o700);
  });

  test("of a commit message is kept too", async () => {
    const world = makeWorld({ git: true });
    world.speaking(
      {
        turns: [{ actions: [{ write: "a", text: "x" }], final: DONE }],
        commitTurns: [{ final: "A message" }],
      },
      { scm: { command: "git", tasks: ["commit"] } },
    );
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(raw(world, "001-commit.out").toString()).toBe("A message\n");
  });
});
