import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Script } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { commitCalls, DONE, makeWorld, ofType, outcomeOf, prompts, type World } from "./support.ts";

const COMMIT = { command: "git", tasks: ["commit"] };
const WORK: Script["turns"] = [{ actions: [{ write: "work.txt", text: "done\n" }], final: DONE }];

function head(world: World): string {
  return world.git("log", "-1", "--format=%B").trimEnd();
}

function commits(world: World): number {
  return Number(world.git("rev-list", "--count", "HEAD"));
}

function filesOfHead(world: World): string[] {
  return world.git("show", "--format=", "--name-only", "HEAD").trim().split("\n").sort();
}

/** Runs with these commit turns; gives the message of the last commit. */
async function commitWith(commitTurns: Script["commitTurns"] & object) {
  const world = makeWorld({ git: true });
  const agent = world.speaking(
    { turns: WORK, commitTurns },
    { scm: COMMIT, guardrails: [{ command: "true" }], protect: false },
  );
  const ended = await world.ralph(["-p", "x"]);
  return { world, agent, ended };
}

describe("when all guardrails passed and scm is set", () => {
  test("the agent is asked for a message in the words of the spec, and the work is committed with it", async () => {
    const { world, agent, ended } = await commitWith([
      { final: "\n\nCount every price\n\nBecause they were wrong." },
    ]);
    expect(ended.code).toBe(0);
    expect(commitCalls(agent).map((call) => call.prompt)).toEqual([
      "Provide a short imperative commit message for the changes. Output only the message, no explanation.",
    ]);
    const run = world.journal()[0]?.run;
    expect(head(world)).toBe(`Count every price\n\nRalph-Run: ${run}/1`);
    expect(world.git("log", "-1", "--format=%(trailers:key=Ralph-Run,valueonly)").trim()).toBe(`${run}/1`);
    expect(filesOfHead(world)).toEqual(["work.txt"]);
    expect(ended.stderr).toContain("Commit message: Count every price");
    expect(ended.stderr).toContain(`Committed ${world.git("rev-parse", "--short=7", "HEAD").trim()}`);
    expect(ofType(world.journal(), "commit.intended")).toHaveLength(1);
  });

  test("the content of a response tag is the message, whole", async () => {
    const { world } = await commitWith([
      { final: "Here you are:\n<response>Mend the basket\n\nIt left out a price.</response>\nBye." },
    ]);
    expect(head(world)).toMatch(/^Mend the basket\n\nIt left out a price\.\n\nRalph-Run: /);
  });

  test("a tag in the message turn is no claim", async () => {
    const world = makeWorld({ git: true });
    const turns = [{ actions: [{ write: "work.txt", text: "x" }], final: "Hm." }];
    world.speaking({ turns, commitTurns: [{ final: DONE }] }, { scm: COMMIT });
    expect((await world.ralph(["-p", "x", "-m", "1"])).code).toBe(1);
    expect(head(world)).toMatch(/^DONE\n/);
  });

  test("the message goes to git as one argument, never through a shell", async () => {
    const messages = [
      '"; touch pwned; "',
      "$(touch pwned)",
      "`touch pwned`",
      "--amend",
      "-F/etc/passwd",
      "'; touch pwned; '",
      "| touch pwned & > pwned",
    ];
    const world = makeWorld({ git: true });
    const turns = messages.map((_, n) => ({ actions: [{ write: `${n}.txt`, text: "x" }], final: "Hm." }));
    world.speaking({ turns, commitTurns: messages.map((final) => ({ final })) }, { scm: COMMIT });
    expect((await world.ralph(["-p", "x", "-m", String(messages.length)])).code).toBe(1);
    const subjects = world.git("log", "--reverse", "--format=%s").trim().split("\n");
    expect(subjects).toEqual(["first", ...messages]);
    expect(world.has("pwned")).toBe(false);
  });

  test("nothing to commit is no error, and no message is asked for", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking({ turns: [{ final: DONE }] }, { scm: COMMIT });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(0);
    expect(commitCalls(agent)).toEqual([]);
    expect(commits(world)).toBe(1);
    expect(ended.stderr).toContain("Nothing to commit");
  });

  test("each iteration that passes commits its own work", async () => {
    const world = makeWorld({ git: true });
    const turns = [1, 2].map((n) => ({
      actions: [{ write: `${n}.txt`, text: "x" }],
      final: n === 2 ? DONE : "Hm.",
    }));
    world.speaking({ turns, commitTurns: [{ final: "One" }, { final: "Two" }] }, { scm: COMMIT });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(world.git("log", "--format=%s").trim()).toBe("Two\nOne\nfirst");
    expect(head(world)).toMatch(/Ralph-Run: .*\/2$/);
  });
});

describe("what a commit takes", () => {
  test("new files, changes and deletions; not ignored ones, nor what stood there untracked, nor ralph's own", async () => {
    const world = makeWorld({ git: true });
    world.write(".gitignore", "*.tmp\n");
    world.write("old.txt", "old\n");
    world.git("add", "--all");
    world.git("commit", "--quiet", "-m", "second");
    world.write("secret.env", "KEY=1\n");
    const actions = [
      { write: "new file.txt", text: "n" },
      { write: "sub/-dash.txt", text: "n" },
      { write: "README", text: "changed\n" },
      { write: "junk.tmp", text: "n" },
      { run: "rm old.txt; echo more >> secret.env" },
    ];
    world.speaking({ turns: [{ actions, final: DONE }] }, { scm: COMMIT, guardrails: [{ command: "true" }] });
    world.git("add", ".ralph/settings.json");
    world.git("commit", "--quiet", "-m", "settings");
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(filesOfHead(world)).toEqual(["README", "new file.txt", "old.txt", "sub/-dash.txt"]);
    expect(world.git("status", "--porcelain").trim()).toBe("?? secret.env");
  });
});

describe("scm tasks do not run", () => {
  test("when a guardrail failed", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking({ turns: WORK }, { scm: COMMIT, guardrails: [{ command: "false" }] });
    expect((await world.ralph(["-p", "x", "-m", "1"])).code).toBe(1);
    expect(commitCalls(agent)).toEqual([]);
    expect(commits(world)).toBe(1);
  });

  test.each([
    ["an empty message", { final: "" }, /no commit message/],
    ["a blank message", { final: "  \n\t\n" }, /no commit message/],
    ["an empty tag", { final: "<response> </response>" }, /no commit message/],
    ["a turn that failed", { final: "A message", exitCode: 1 }, /no commit message: the agent's turn failed/],
    ["a turn that was killed", { actions: [{ signal: "SIGKILL" as const }] }, /no commit message/],
  ])("after %s: the error is said, nothing is committed, and the loop goes on", async (_what, turn, said) => {
    const { world, agent, ended } = await commitWith([turn]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(said);
    expect(commits(world)).toBe(1);
    expect(outcomeOf(world).kind).toBe("verified");
    expect(prompts(agent)).toHaveLength(1);
  });
});

test("an agent that its service holds back just then is waited for, and the work is committed", async () => {
  const message = "API Error: 429 rate limit reached, try again in 1 second";
  const tried = join(mkdtempSync(join(tmpdir(), "ralph-scm-")), "tried");
  const { world, agent, ended } = await commitWith([
    {
      actions: [
        { write: tried, text: "" },
        { fail: "rate", message },
      ],
    },
    { final: "Add the work" },
  ]);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/The agent is held back: .*429/);
  expect(world.git("log", "-1", "--format=%s").trim()).toBe("Add the work");
  expect(commitCalls(agent)).toHaveLength(2);
  expect(prompts(agent)).toHaveLength(1);
  // The wait is counted from when it was held back, and not from when it was asked: a program may try for long by itself.
  const [held] = ofType(world.journal(), "answer.held");
  expect(held?.at).toBeGreaterThanOrEqual(Math.floor(statSync(tried).mtimeMs));
});

describe("the other tasks", () => {
  test("run in their order with the same command", async () => {
    const world = makeWorld({ git: true });
    const remote = join(world.home, "remote.git");
    execFileSync("git", ["init", "--quiet", "--bare", remote]);
    world.git("remote", "add", "origin", remote);
    const scm = {
      command: "git",
      tasks: ["commit", "push --quiet origin main", "tag 'v 1' -f -m x || true"],
    };
    world.speaking({ turns: WORK }, { scm });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(0);
    const pushed = execFileSync("git", ["-C", remote, "rev-parse", "main"], { encoding: "utf8" });
    expect(pushed).toBe(world.git("rev-parse", "HEAD"));
    expect(ended.stderr).toMatch(/what came after failed.*tag/); // `|| true` is two words for git, not for a shell
  });

  test("after one that failed do not run; the error is said and the loop goes on", async () => {
    const world = makeWorld({ git: true });
    const scm = { command: "git", tasks: ["commit", "push nowhere", "tag after"] };
    world.speaking({ turns: WORK }, { scm });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/push nowhere/);
    expect(commits(world)).toBe(2);
    expect(world.git("tag")).toBe("");
  });

  test("may be of another program, which gets the message as one argument too", async () => {
    const world = makeWorld();
    world.install("hg", `printf '%s\\n' "$#" "$@" >> scm-args`);
    const turns = [{ final: DONE }];
    world.speaking(
      { turns, commitTurns: [{ final: "A message; touch pwned" }] },
      { scm: { command: "hg", tasks: ["commit", "push 'a b'"] } },
    );
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(world.read("scm-args")).toMatch(
      /^3\ncommit\n-am\nA message; touch pwned\n\nRalph-Run: .*\/1\n2\npush\na b\n$/,
    );
    expect(world.has("pwned")).toBe(false);
  });
});

describe("the tree that was judged is the tree that is committed", () => {
  test("a message turn that writes a file voids the verdict: the guardrails run again", async () => {
    const { world, ended } = await commitWith([
      { actions: [{ write: "sneaked.txt", text: "in\n" }], final: "Sneak a file in" },
    ]);
    expect(ended.code).toBe(0);
    const rounds = ofType(world.journal(), "gate.judged").filter((event) => event.iteration === 1);
    expect(rounds.map((event) => event.round)).toEqual([1, 2]);
    expect(ended.stderr).toMatch(/the guardrails run again \(round 2\)/);
    expect(filesOfHead(world)).toEqual(["sneaked.txt", "work.txt"]);
  });

  test("what a message turn sneaks in past a guardrail is not committed", async () => {
    const world = makeWorld({ git: true });
    world.speaking(
      { turns: WORK, commitTurns: [{ actions: [{ write: "bad.txt", text: "in\n" }], final: "Sneak" }] },
      { scm: COMMIT, guardrails: [{ command: "test ! -e bad.txt" }] },
    );
    const ended = await world.ralph(["-p", "x", "-m", "1"]);
    expect(ended.code).toBe(1);
    expect(commits(world)).toBe(1);
  });

  test("a guardrail that changes the tree once runs again, and then its verdict stands", async () => {
    const world = makeWorld({ git: true });
    world.speaking(
      { turns: WORK },
      { guardrails: [{ command: "true" }, { command: "touch formatted" }], protect: false },
    );
    expect((await world.ralph(["-p", "x", "--no-baseline"])).code).toBe(0);
    const judged = ofType(world.journal(), "gate.judged");
    expect(judged.map((event) => [event.round, event.gate])).toEqual([
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ]);
  });

  test("a guardrail that changes the tree every time has failed, and the feedback says so", async () => {
    const world = makeWorld({ git: true });
    const agent = world.speaking(
      { turns: WORK },
      { guardrails: [{ command: "echo x >> ever-growing" }], scm: COMMIT, protect: false },
    );
    expect((await world.ralph(["-p", "x", "-m", "2", "--no-baseline"])).code).toBe(1);
    const first = ofType(world.journal(), "gate.judged").filter((event) => event.iteration === 1);
    expect(first.map((event) => event.round)).toEqual([1, 2, 3]);
    expect(prompts(agent)[1]).toMatch(/change the files of the project every time they run/);
    expect(commits(world)).toBe(1);
  });

  test("files that are ignored do not count", async () => {
    const world = makeWorld({ git: true });
    world.write(".gitignore", "out\n");
    world.speaking({ turns: WORK }, { guardrails: [{ command: "echo x >> out" }], protect: false });
    expect((await world.ralph(["-p", "x", "--no-baseline"])).code).toBe(0);
    expect(ofType(world.journal(), "gate.judged")).toHaveLength(1);
  });

  test("the user's index is never touched by the measuring", async () => {
    const world = makeWorld({ git: true });
    world.write("staged.txt", "s\n");
    world.git("add", "staged.txt");
    world.speaking({ turns: WORK }, { guardrails: [{ command: "true" }] });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(world.git("diff", "--cached", "--name-only").trim()).toBe("staged.txt");
  });
});

test("hooks, monitors and signing of the repository are not run by ralph's git", async () => {
  const world = makeWorld({ git: true });
  const marker = join(world.home, "hook-ran");
  const hook = `printf '#!/bin/sh\\ntouch ${marker}\\n' > .git/hooks/HOOK; chmod +x .git/hooks/HOOK`;
  const run = [
    ...["pre-commit", "commit-msg", "post-commit", "prepare-commit-msg", "post-index-change"].map((name) =>
      hook.replaceAll("HOOK", name),
    ),
    `git config core.fsmonitor 'touch ${marker}; :'`,
    `git config gpg.program 'touch ${marker}'`,
    "git config commit.gpgSign true",
    `git config diff.external 'touch ${marker}'`,
  ].join("; ");
  world.speaking(
    { turns: [{ actions: [{ run }, { write: "work.txt", text: "x" }], final: DONE }] },
    { scm: COMMIT, guardrails: [{ command: "true" }], protect: false },
  );
  const ended = await world.ralph(["-p", "x"]);
  expect(ended.code).toBe(0);
  expect(commits(world)).toBe(2);
  expect(existsSync(marker)).toBe(false);
});
