import { describe, expect, test } from "vitest";
import { DONE, makeWorld } from "./support.ts";

/** The first gate wants the work done; the second undoes it, as test code of an agent's own writing could. */
const UNDONE = [
  { command: "grep -q GOOD src.txt" },
  { command: "echo BAD >> src.txt; sed -i s/GOOD/BAD/ src.txt; true" },
];

describe("a run is never verified on another tree than the one that stands there", () => {
  test.each([
    ["nothing else", "true"],
    ["a repository inside", "git init -q inner"],
    ["a bare repository", "git config core.bare true"],
    ["a repository that is gone", "mv .git ../away"],
    ["another work tree", "git config core.worktree /tmp"],
    ["a broken index", "echo junk > .git/index"],
    ["a folder for an index", "rm .git/index; mkdir .git/index"],
    ["a pipe for an index", "rm .git/index; mkfifo .git/index"],
    ["a format that nobody knows", "git config core.repositoryformatversion 7"],
    ["a file that the index hides", "git update-index --assume-unchanged src.txt"],
    ["a file that the index skips", "git update-index --skip-worktree src.txt"],
    ["a file that is no longer tracked", "git rm -q --cached src.txt; echo src.txt > .git/info/exclude"],
    [
      "a filter with an odd name",
      "git config filter.a=b.clean 'echo same'; echo 'src.txt filter=a=b' > .gitattributes",
    ],
  ])("with gates that undo each other, and %s", async (_, deed) => {
    const world = makeWorld({ git: true });
    world.write("src.txt", "BAD\n");
    world.git("add", "src.txt");
    world.git("commit", "-qm", "bad");
    world.speaking(
      { turns: [{ actions: [{ run: `echo GOOD > src.txt; ${deed}` }], final: DONE }] },
      { guardrails: UNDONE, maximumIterations: 1, baseline: { enabled: false } },
    );
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(1);
    expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "exhausted" } });
  });

  test("when a later gate takes back what an earlier one put there", async () => {
    const world = makeWorld({ git: true });
    world.write("src.txt", "BAD\n");
    world.git("add", "src.txt");
    world.git("commit", "-qm", "bad");
    const guardrails = [
      { command: "echo GOOD > src.txt; grep -q GOOD src.txt" },
      { command: "grep -q GOOD src.txt; r=$?; echo BAD > src.txt; exit $r" },
    ];
    world.speaking(
      { turns: [{ final: DONE }] },
      { guardrails, maximumIterations: 1, baseline: { enabled: false } },
    );
    expect((await world.ralph(["-p", "x"])).code).toBe(1);
  });

  test("when an scm task brings in what the gates would refuse", async () => {
    const world = makeWorld({ git: true });
    world.git("clone", "-q", "--bare", ".", "../remote.git");
    world.git("remote", "add", "origin", "../remote.git");
    world.git("fetch", "-q", "origin");
    world.git("branch", "-q", "--set-upstream-to=origin/main");
    world.git("clone", "-q", "../remote.git", "../other");
    const other = ["-C", "../other"];
    world.git(...other, "checkout", "-q", "main");
    world.write("../other/other.txt", "x\n");
    world.git(...other, "add", "other.txt");
    world.git(...other, "commit", "-qm", "other");
    world.git(...other, "push", "-q");
    world.speaking(
      { turns: [{ actions: [{ write: "work.txt", text: "x" }], final: DONE }] },
      {
        guardrails: [{ command: "test ! -e other.txt" }],
        scm: { command: "git", tasks: ["commit", "pull --rebase --quiet"] },
        maximumIterations: 1,
      },
    );
    const ended = await world.ralph(["-p", "x"]);
    expect(world.has("other.txt")).toBe(true);
    expect(ended.code).toBe(1);
  });

  test("when a file that the index hides would be missing in the commit", async () => {
    const world = makeWorld({ git: true });
    world.write("src.txt", "BAD\n");
    world.git("add", "src.txt");
    world.git("commit", "-qm", "bad");
    world.speaking(
      {
        turns: [
          {
            actions: [
              { run: "echo GOOD > src.txt; git update-index --assume-unchanged src.txt; echo x > other.txt" },
            ],
            final: DONE,
          },
        ],
      },
      {
        guardrails: [{ command: "grep -q GOOD src.txt" }],
        scm: { command: "git", tasks: ["commit"] },
        maximumIterations: 1,
      },
    );
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).not.toContain("Verified");
  });
});

test("a commit obeys the filters that the repository had before the run", async () => {
  const world = makeWorld({ git: true });
  world.git("config", "filter.crypt.clean", "tr a-z A-Z");
  world.git("config", "filter.crypt.required", "true");
  world.write(".gitattributes", "secret.txt filter=crypt\n");
  world.write("secret.txt", "one\n");
  world.git("add", "-A");
  world.git("commit", "-qm", "secret");
  world.speaking(
    {
      turns: [
        { actions: [{ run: "echo two > secret.txt; git config filter.crypt.clean cat" }], final: DONE },
      ],
    },
    { guardrails: [{ command: "true" }], scm: { command: "git", tasks: ["commit"] } },
  );
  expect((await world.ralph(["-p", "x"])).code).toBe(0);
  expect(world.git("show", "HEAD:secret.txt")).toBe("TWO\n");
});

test("new files anywhere in the work tree are committed when the run is in a subfolder", async () => {
  const world = makeWorld({ git: true });
  world.write("sub/keep.txt", "x\n");
  world.git("add", "-A");
  world.git("commit", "-qm", "sub");
  const agent = world.agent({
    turns: [{ actions: [{ run: "echo x > ../above.txt; echo y > here.txt" }], final: DONE }],
  });
  world.write(
    "sub/.ralph/settings.json",
    JSON.stringify({
      agent: { command: agent.command, kind: "claude" },
      guardrails: [{ command: "true" }],
      scm: { command: "git", tasks: ["commit"] },
    }),
  );
  expect((await world.ralph(["-p", "x"], { cwd: `${world.project}/sub` })).code).toBe(0);
  const files = world.git("show", "--name-only", "--format=", "HEAD").trim().split("\n").sort();
  expect(files).toEqual(["above.txt", "sub/here.txt"]);
});

test("a project that ignores the whole folder of ralph can be measured and verified", async () => {
  const world = makeWorld({ git: true });
  world.write(".gitignore", ".ralph/\n");
  world.git("add", ".gitignore");
  world.git("commit", "--quiet", "-m", "ignore it");
  world.speaking(
    { turns: [{ actions: [{ write: "done", text: "" }], final: DONE }] },
    { guardrails: [{ command: "test -e done" }] },
  );
  const ended = await world.ralph(["-p", "x"]);
  expect(ended.code, ended.stderr).toBe(0);
  expect(world.journal().at(-1)).toMatchObject({ outcome: { kind: "verified" } });
});
