import { describe, expect, it } from "vitest";
import { composeReceipt, namedIn } from "../../src/receipt/compose.ts";
import { receiptFault } from "../../src/receipt/schema.ts";
import { approved, listOf } from "../tasks/support.ts";
import { FACTS, gate, id, spec, story } from "./support.ts";

const DONE = { response: " done " };

describe("a receipt is composed", () => {
  it("from the last round of gates, with what each found before the agent ever ran", () => {
    const told = story().begin().judged(0, 0, false).judged(0, 1, true);
    told.turn(1).exited(1, DONE).judged(1, 0, true).judged(1, 1, false);
    told.turn(2).exited(2, {}).judged(2, 0, true).judged(2, 1, true);
    told.turn(3).exited(3, DONE).judged(3, 0, true, { wallMs: 1 }).judged(3, 1, true);
    told.judged(3, 0, true, { wallMs: 20, passedOnRetry: true }).judged(3, 1, true, { wallMs: 21 }).end();
    const receipt = composeReceipt(told.events, FACTS);
    expect(receiptFault(receipt)).toBeUndefined();
    expect(receipt?.gates).toMatchObject([
      { command: "one", wallMs: 20, passedOnRetry: true, before: { pass: false, exitCode: 1 } },
      { command: "two", wallMs: 21, before: { pass: true, exitCode: 0 } },
    ]);
    expect(receipt?.claims).toEqual([
      { iteration: 1, said: "<response>DONE</response>", judged: "refused", why: "failed: two" },
      { iteration: 3, said: "<response>DONE</response>", judged: "believed" },
    ]);
  });

  it("for a DONE that stood there before the first turn: its gates are no baseline", () => {
    const told = story(spec({ baseline: false, claim: { response: "", hint: false, done: true } }));
    told
      .begin()
      .found(0)
      .judged(0, 0, true, { tree: id("1") })
      .judged(0, 1, true)
      .end();
    const receipt = composeReceipt(told.events, FACTS);
    expect(receipt?.gates.map((one) => one.before)).toEqual([undefined, undefined]);
    expect(receipt?.claims).toEqual([{ iteration: 0, said: "the file DONE", judged: "believed" }]);
    expect(namedIn(told.events)).toEqual({ tree: id("1") });
  });

  it("with who had the turns, by model and version, and nobody else", () => {
    const agents = {
      fallback: [
        { ...spec().agent, command: "codex", model: "m2" },
        { ...spec().agent, command: "amp" },
      ],
    };
    const told = story(spec(agents)).begin();
    told.turn(1).exited(1, {}, { model: "m1", version: "1.0" });
    told.turn(2).exited(2, {}, { model: "m1", version: "1.1" }).resumed();
    told.turn(3, { agent: 1 }).exited(3, DONE, { agent: 1 }).judged(3, 0, true).judged(3, 1, true).end();
    const receipt = composeReceipt(told.events, FACTS);
    expect(receipt?.agents).toEqual([
      { kind: "claude", command: "claude", models: ["m1"], versions: ["1.0", "1.1"], turns: 2 },
      { kind: "claude", command: "codex", models: ["m2"], versions: [], turns: 1 },
    ]);
    expect(receipt?.totals).toMatchObject({ resumed: 1, costUsd: 0.5, tokens: 10 });
  });

  it("with the trees and commits that the events name: a commit of an earlier iteration is not the final one", () => {
    const told = story().begin();
    told
      .turn(1, { tree: id("1"), head: id("2") })
      .exited(1, {})
      .judged(1, 0, true, { tree: id("3") });
    told.judged(1, 1, true).committed(1, id("4"));
    told
      .turn(2)
      .exited(2, DONE)
      .judged(2, 0, true, { tree: id("5") })
      .judged(2, 1, true);
    const base = { tree: id("1"), head: id("2") };
    expect(namedIn(told.events)).toEqual({ tree: id("5"), base });
    told.committed(2, id("6")).end();
    expect(namedIn(told.events)).toEqual({ tree: id("5"), base, commit: { id: id("6"), iteration: 2 } });
  });

  it("without secrets, and without the place of a prompt file on the user's machine", () => {
    const secret = "sk-ant-0123456789abcdef0123";
    const work = { kind: "prompt-file", path: "/home/somebody/notes/todo.md" } as const;
    const told = story(spec({ work, gates: [gate(`TOKEN=${secret} make`)] })).begin();
    const whole = { sha256: "c".repeat(64), bytes: 3, tail: `key ${secret}` };
    told.turn(1).exited(1, DONE, { model: secret }).judged(1, 0, true, { whole }).end();
    const receipt = composeReceipt(told.events, { ...FACTS, prompt: `use ${secret}` });
    expect(JSON.stringify(receipt)).not.toContain(secret);
    expect(JSON.stringify(receipt)).not.toContain("/home/");
    expect(receipt?.gates[0]).toMatchObject({ command: "TOKEN=[redacted] make", redacted: true });
    expect(receipt?.asked).toMatchObject({ kind: "prompt-file", file: "todo.md", text: "use [redacted]" });
  });

  it("with the task list that was believed: a secret in an id is hidden, and a list without a git tree is outside of it", () => {
    const secret = "sk-ant-0123456789abcdef0123";
    const work = {
      kind: "tasks",
      dir: "ralph",
      skipReview: false,
      reviewCap: 3,
      branch: "",
      budget: { stories: 2, open: 2, iterations: 6 },
    } as const;
    const told = story(spec({ work })).begin().turn(1);
    told.exited(1, { promised: true }).judged(1, 0, true).judged(1, 1, true);
    told.turn(2).exited(2, { tasks: true, promised: true }).judged(2, 0, true).judged(2, 1, true).end();
    const list = listOf(approved("A", { reviewCount: 3 }), approved(secret));
    const records = [{ story: "A", mode: "review", costUsd: 1 }] as const;
    const tasks = { list, capped: ["A", "gone"], records, isInTree: false };
    const receipt = composeReceipt(told.events, { ...FACTS, tasks });
    expect(receiptFault(receipt)).toBeUndefined();
    expect(JSON.stringify(receipt)).not.toContain(secret);
    expect(receipt?.asked).toMatchObject({ kind: "tasks", file: "ralph/tasks.json" });
    expect(receipt?.tasks).toEqual({
      folder: "ralph",
      skipReview: false,
      reviewCap: 3,
      stories: [
        { id: "A", reviews: 3, iterations: { implement: 0, review: 1, "review-fix": 0 } },
        { id: "[redacted]", reviews: 1, iterations: { implement: 0, review: 0, "review-fix": 0 } },
      ],
      autoApproved: ["A"],
      outsideTree: true,
    });
    expect(receipt?.claims).toEqual([
      { iteration: 1, said: "the agent promised it", judged: "refused", why: "the list says otherwise" },
      { iteration: 2, said: "every story is finished, as the agent promised", judged: "believed" },
    ]);
  });

  it("for no run that proved nothing, or has not ended", () => {
    const told = story().begin().turn(1).exited(1, DONE).judged(1, 0, true).judged(1, 1, true);
    expect(composeReceipt(told.events, FACTS)).toBeUndefined();
    expect(composeReceipt(told.end("claimed").events, FACTS)).toBeUndefined();
    expect(composeReceipt([], FACTS)).toBeUndefined();
  });
});
