// The Stop hook of a run on a task list, as a real process: the cases of the verification plan, by name.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { runFolder } from "../../src/journal/paths.ts";
import { type Active, snapshotOf } from "../../src/tasks/active.ts";
import type { Mode, Story, TaskList } from "../../src/tasks/list.ts";
import { approved, edited, listOf, story } from "../tasks/support.ts";
import { type Said, world } from "./support.ts";

const RUN = "20260101-000000-abcdef";

/** A project with a run on a list under way, and the session of its agent. */
function running(list: unknown, rest: Partial<Active> = {}, env: Record<string, string> = {}) {
  const at = world({ git: true });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
      cwd: at.project,
      encoding: "utf8",
    });
  const write = (text: string) => at.write("ralph/tasks.json", text);
  write(typeof list === "string" ? list : JSON.stringify(list));
  git("add", ".");
  git("commit", "-qm", "list");
  const active: Active = {
    timestamp: new Date().toISOString(),
    pid: process.pid,
    max_iterations: 15,
    mode: "direct",
    skipReview: false,
    reviewCap: 5,
    iterationMode: "implement",
    preIterationSnapshot: {},
    ...rest,
  };
  at.write(".ralph-active", JSON.stringify(active));
  const inRun = { RALPH_RUN_ID: RUN, RALPH_PROJECT: at.project, RALPH_ITERATION: "1" };
  return { at, git, session: at.session({ env: { ...inRun, ...env } }) };
}

/** What the hook says to a stop that leaves this list. */
async function stop(list: unknown, rest: Partial<Active> = {}): Promise<Said> {
  return running(list, rest).session.stop("All done.");
}

function stopAfter(iterationMode: Mode, before: TaskList, list: TaskList): Promise<Said> {
  return stop(list, { iterationMode, preIterationSnapshot: snapshotOf(before) });
}

/** With a snapshot of the list as it stands, so that only checks 1 and 2 are asked. */
function standing(list: TaskList, rest: Partial<Active> = {}): Promise<Said> {
  return stop(list, { preIterationSnapshot: snapshotOf(list), ...rest });
}

function expectBlock(said: Said, words: string): void {
  expect(said.decision).toBe("block");
  expect(said.reason).toContain(words);
}

describe("task list schema validation", () => {
  test("a valid list passes", async () => {
    expect(await standing(listOf(story("US-001")))).toEqual({});
  });

  test("a malformed list blocks, and says where", async () => {
    expectBlock(await stop('{"project": '), "is not valid JSON");
    const faulty = { ...listOf(), userStories: [{ ...story("US-001"), passes: "yes" }] };
    expectBlock(await stop(faulty), "userStories[0].passes: must be a boolean (story US-001)");
  });

  test("a list that is gone, or a link in its place, blocks", async () => {
    const { at, git, session } = running(listOf(story("US-001")));
    git("mv", "ralph/tasks.json", "ralph/else.json");
    git("commit", "-qm", "away");
    expectBlock(await session.stop("done"), "ralph/tasks.json is not there");
    symlinkSync("else.json", join(at.project, "ralph/tasks.json"));
    expectBlock(await session.stop("done"), "a symbolic link stands in its place");
  });
});

describe("uncommitted changes", () => {
  it("returns a block decision with the three instructions", async () => {
    const list = listOf(story("US-001"));
    const { at, git, session } = running(list, { preIterationSnapshot: snapshotOf(list) });
    at.write("new file.txt", "x");
    at.write("ralph/tasks.json", `${JSON.stringify(list)} `);
    const said = await session.stop("All done.");
    expectBlock(said, "There are uncommitted changes: ralph/tasks.json, new file.txt");
    expectBlock(
      said,
      [
        "1. Update `ralph/progress.txt` with what was accomplished + learnings",
        "2. Consider if any lasting patterns belong in CLAUDE.md or `.claude/rules/`",
        "3. Commit ALL changes including progress.txt and tasks.json updates",
      ].join("\n"),
    );
    git("add", "ralph", "new file.txt");
    git("commit", "-qm", "work");
    expect(await session.stop("All done.")).toEqual({});
  });

  it("leaves ralph's own files alone, and what its user had not committed", async () => {
    const list = listOf(story("US-001"));
    const { at, session } = running(list, { preIterationSnapshot: snapshotOf(list) });
    at.write(".ralph/guardrail_001.log", "x");
    at.write(".ralph/prompt_001.txt", "x");
    expect(await session.stop("done")).toEqual({});
    at.write("mine.txt", "x");
    expectBlock(await session.stop("done"), "uncommitted changes: mine.txt");
    const { folder } = runFolder(at.state, at.project, RUN);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "uncommitted-before"), "mine.txt");
    expect(await session.stop("done")).toEqual({});
    at.write("work.txt", "x");
    expectBlock(
      await session.stop("done"),
      "These were changed before the run began, and are its user's: mine.txt",
    );
  });

  it("is not asked outside git", async () => {
    const list = listOf(story("US-001"));
    const { at, session } = running(list, { preIterationSnapshot: snapshotOf(list) });
    execFileSync("rm", ["-rf", join(at.project, ".git")]);
    expect(await session.stop("done")).toEqual({});
  });
});

describe("review integrity enforcement", () => {
  test.each([null, "needs_review", "changes_requested"] as const)(
    "passes: true and reviewStatus: %j blocks (not approved)",
    async (reviewStatus) => {
      expectBlock(
        await standing(listOf(approved("US-001", { reviewStatus, reviewFeedback: "x" }))),
        `Story US-001 has passes=true but reviewStatus is '${reviewStatus}', not 'approved'. Only review iterations may approve stories. Set passes back to false or complete the review cycle.`,
      );
    },
  );

  test('passes: true and reviewStatus: "approved" passes', async () => {
    expect(await standing(listOf(approved("US-001")))).toEqual({});
  });

  test.each<[string, Partial<Story>, string]>([
    [
      "changes_requested and empty reviewFeedback",
      { reviewStatus: "changes_requested" },
      "feedback required",
    ],
    ['reviewStatus: "approved" and passes: false', { reviewStatus: "approved" }, "out of sync"],
    ["reviewCount: -1", { reviewCount: -1 }, "must be a non-negative integer"],
  ])("%s blocks", async (_name, rest, words) => {
    const list = listOf(story("US-001", rest));
    expectBlock(await stop(list, { iterationMode: "implement" }), words);
  });

  test("skipReview: checks 2 and 2.5 are skipped entirely", async () => {
    const before = listOf(story("US-001"));
    const list = edited(before, "US-001", { passes: true, notes: "done" });
    expect(await stop(list, { skipReview: true, preIterationSnapshot: snapshotOf(before) })).toEqual({});
  });
});

describe("transition validation (Check 2.5)", () => {
  const fresh = listOf(story("US-001"), story("US-002"));
  const waiting = { reviewStatus: "needs_review", reviewCount: 1, notes: "done" } as const;
  const handedIn = listOf(story("US-001", waiting), story("US-002", waiting));
  const sentBack = listOf(
    story("US-001", { ...waiting, reviewStatus: "changes_requested", reviewFeedback: "line 7" }),
  );
  const verdict = { reviewCount: 2, reviewStatus: "approved", passes: true } as const;

  test.each<[Mode, string, TaskList, TaskList, string]>([
    [
      "implement",
      "passes false → true, with its approval",
      fresh,
      edited(fresh, "US-001", { passes: true, reviewStatus: "approved", notes: "done" }),
      "Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: passes false → true.",
    ],
    [
      "implement",
      "reviewCount 0 → 1",
      fresh,
      edited(fresh, "US-001", { reviewCount: 1 }),
      "Implement iterations cannot increment reviewCount.",
    ],
    [
      "implement",
      "a new story with passes: true",
      fresh,
      listOf(...fresh.userStories, approved("US-003")),
      "New stories must start incomplete",
    ],
    [
      "review",
      "reviewCount unchanged",
      handedIn,
      edited(handedIn, "US-001", { reviewStatus: "approved", passes: true }),
      "Review iteration made illegal transition on story US-001: review must increment reviewCount.",
    ],
    [
      "review",
      "two stories' review fields changed",
      handedIn,
      edited(edited(handedIn, "US-001", verdict), "US-002", verdict),
      "review may only modify one story",
    ],
    [
      "review-fix",
      "passes false → true",
      sentBack,
      edited(sentBack, "US-001", { passes: true, reviewStatus: "approved" }),
      "Review-fix iterations cannot approve stories. Story US-001 must go back to needs_review for re-review.",
    ],
    [
      "review-fix",
      "reviewCount changed",
      sentBack,
      edited(sentBack, "US-001", { reviewStatus: "needs_review", reviewFeedback: "", reviewCount: 2 }),
      "Review-fix iterations cannot increment reviewCount.",
    ],
  ])("%s: %s blocks", async (mode, _name, before, list, words) => {
    expectBlock(await stopAfter(mode, before, list), words);
  });

  test.each<[Mode, string, TaskList, TaskList]>([
    ["implement", "null → needs_review", fresh, edited(fresh, "US-001", { reviewStatus: "needs_review" })],
    ["implement", "a new story that is not begun", fresh, listOf(...fresh.userStories, story("US-003"))],
    ["review", "a legal approval", handedIn, edited(handedIn, "US-001", verdict)],
    [
      "review",
      "a legal rejection",
      handedIn,
      edited(handedIn, "US-001", {
        reviewCount: 2,
        reviewStatus: "changes_requested",
        reviewFeedback: "line 7",
      }),
    ],
    [
      "review-fix",
      "a legal re-submit",
      sentBack,
      edited(sentBack, "US-001", { reviewStatus: "needs_review", reviewFeedback: "" }),
    ],
  ])("%s: %s passes", async (mode, _name, before, list) => {
    expect(await stopAfter(mode, before, list)).toEqual({});
  });

  test("a missing preIterationSnapshot is told, and Check 2 still enforced", async () => {
    const { at, session } = running(listOf(approved("US-001")));
    const marker = JSON.parse(readFileSync(join(at.project, ".ralph-active"), "utf8")) as Partial<Active>;
    at.write(".ralph-active", JSON.stringify({ ...marker, preIterationSnapshot: undefined }));
    const said = await session.stop("done");
    expect(said.decision).toBeUndefined();
    expect(said.systemMessage).toContain("its transitions were not checked");
    expect(at.log()).toContain("its transitions were not checked");
    at.write("ralph/tasks.json", JSON.stringify(listOf(approved("US-001", { reviewStatus: null }))));
    expectBlock(await session.stop("done"), "Story US-001 has passes=true but reviewStatus is 'null'");
  });
});

describe("whom it is for", () => {
  const LIE = listOf(approved("US-001", { reviewStatus: null }));

  it("leaves a user's own session in the same folder alone", async () => {
    const { at } = running(LIE);
    expect(await at.session().stop("done")).toEqual({});
  });

  it("is silent without a marker, with one that is none, and with one whose process is gone", async () => {
    const { at, session } = running(LIE);
    expect((await session.stop("done")).decision).toBe("block");
    at.write(".ralph-active", "{}");
    expect(await session.stop("done")).toEqual({});
    const gone = running(LIE, { pid: 2 ** 22 - 1 });
    expect(await gone.session.stop("done")).toEqual({});
    execFileSync("rm", [join(at.project, ".ralph-active")]);
    expect(await session.stop("done")).toEqual({});
  });

  it("does not hold an agent that waits for tasks in the background", async () => {
    const { session } = running(LIE);
    const waiting = { background_tasks: [{ id: "b1", status: "running" }] };
    expect(await session.stop("done", waiting)).toEqual({});
  });

  it("sends an agent back five times for the same cause, and then lets it go", async () => {
    const { at, session } = running(LIE);
    const said: (string | undefined)[] = [];
    for (let time = 0; time < 7; time++) said.push((await session.stop("done")).decision);
    expect(said).toEqual([...Array.from({ length: 5 }, () => "block"), undefined, undefined]);
    expect(at.log()).toContain("it was told 5 times");
    // Another cause is told all the same.
    at.write("new.txt", "x");
    const other = await session.stop("done");
    expectBlock(other, "There are uncommitted changes: new.txt");
    expect(other.reason).not.toContain("not in order");
  });

  it("fails open, with a line in the log", async () => {
    const { at, session } = running(LIE);
    mkdirSync(at.state, { recursive: true });
    writeFileSync(join(at.state, "sessions"), "no folder");
    expect(await session.stop("done")).toEqual({});
    expect(at.log()).toContain("the session was left to itself");
  });
});
