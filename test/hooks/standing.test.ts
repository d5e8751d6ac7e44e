import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { prompts } from "../e2e/support.ts";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";
const START = '/ralph-loop "Write hello.txt" --max-iterations 50';

interface Kept {
  ralph: string;
  upTo: number;
  line: string;
  state: { iteration: number; run: string };
}

/** What is kept is only ever a short way to what the journal says. */
describe("where a loop stands, as it was kept at the last stop", () => {
  it("is what the journal says, event by event", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    for (let n = 1; n <= 3; n++) {
      expect((await session.stop("not yet")).systemMessage).toContain(`${n} of 50`);
      const kept = JSON.parse(readFileSync(join(at.runFolder(), "standing.json"), "utf8")) as Kept;
      const journal = readFileSync(join(at.runFolder(), "journal.ndjson"));
      expect(kept).toMatchObject({ upTo: journal.length, state: { iteration: n + 1 } });
      expect(journal.toString("utf8").endsWith(kept.line)).toBe(true);
    }
  });

  it("is used: what came before it is not read again", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.stop("not yet");
    const path = join(at.runFolder(), "journal.ndjson");
    const bytes = readFileSync(path);
    bytes.fill("x", 10, 20);
    writeFileSync(path, bytes);
    expect((await session.stop("not yet")).systemMessage).toContain("2 of 50");
  });

  it.each<[string, (kept: Kept, path: string) => void]>([
    ["gone", (_, path) => rmSync(path)],
    ["half written", (_, path) => truncateSync(path, 100)],
    ["full of zeros", (_, path) => writeFileSync(path, Buffer.alloc(4096))],
    ["of another version", (kept, path) => put(path, { ...kept, ralph: "0.0.0" })],
    ["of another run", (kept, path) => put(path, { ...kept, state: { ...kept.state, run: "other" } })],
    [
      "of another journal",
      (kept, path) => put(path, { ...kept, line: kept.line.replace("started", "begun..") }),
    ],
    ["ahead of the journal", (kept, path) => put(path, { ...kept, upTo: kept.upTo + 1000 })],
    ["about no place in it", (kept, path) => put(path, { ...kept, upTo: -1 })],
  ])("does not matter when it is %s", async (_, damage) => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    await session.stop("not yet");
    const path = join(at.runFolder(), "standing.json");
    const kept = JSON.parse(readFileSync(path, "utf8")) as Kept;
    damage({ ...kept, state: { ...kept.state, iteration: 40 } }, path);
    expect((await session.stop("not yet")).systemMessage).toContain("2 of 50");
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
  });
});

function put(path: string, kept: Kept): void {
  writeFileSync(path, JSON.stringify(kept));
}

describe("after a power cut", () => {
  it.each([
    ["gone", (path: string) => rmSync(path)],
    ["empty", (path: string) => truncateSync(path)],
    ["full of zeros", (path: string) => writeFileSync(path, Buffer.alloc(300))],
  ])("ralph resume goes on with the task when the words of the last turn are %s", async (_, lose) => {
    const at = world();
    const agent = at.installAgent("claude", {
      turns: [{ actions: [{ write: "hello.txt", text: "hi" }], final: DONE }],
    });
    const session = at.session();
    await session.type(START);
    await session.stop("not yet");
    lose(join(at.runFolder(), "prompts/002.txt"));
    expect((await at.ralph(["resume"])).code).toBe(0);
    expect(prompts(agent)[0]).toContain("Write hello.txt");
  });
});

describe("a prompt", () => {
  it("of a megabyte is heard, as a command and as words", async () => {
    const at = world();
    const session = at.session();
    expect(await session.type("x".repeat(1024 * 1024))).toEqual({});
    expect((await session.type(`/ralph-loop "${"x".repeat(1024 * 1024)}"`)).systemMessage).toContain("began");
  });

  it("in JSON of several lines is heard", async () => {
    const at = world();
    const session = at.session();
    const told = {
      session_id: session.id,
      cwd: at.project,
      hook_event_name: "UserPromptSubmit",
      prompt: START,
    };
    const { said } = await session.raw("UserPromptSubmit", `${JSON.stringify(told, null, 2)}\n`);
    expect(said.systemMessage).toContain("began");
  });
});
