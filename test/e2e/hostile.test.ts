import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, ofType, outcomeOf, prompts } from "./support.ts";

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
const EVIL = "nice\u001b]0;pwned\u0007\u001b[2J\u001b[31m\u009b5m\u0090x\u009c\u202e words\r\b";

describe("an agent that puts links where ralph writes", () => {
  test.each([
    ["the next prompt", ".ralph/prompt_002.txt"],
    ["a guardrail's log", ".ralph/guardrail_001_false.log"],
    ["the log of the next iteration", ".ralph/guardrail_002_false.log"],
    [".gitignore", ".ralph/.gitignore"],
  ])("gets nothing written through the one in the place of %s", async (_what, path) => {
    const world = makeWorld();
    const victim = join(world.home, "victim");
    writeFileSync(victim, "precious");
    const run = `rm -f ${path}; ln -s '${victim}' ${path}`;
    const agent = world.speaking(
      { turns: [{ actions: [{ run }], final: DONE }, { final: DONE }] },
      { guardrails: [{ command: "false" }] },
    );
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(1);
    expect(readFileSync(victim, "utf8")).toBe("precious");
    expect(prompts(agent)).toHaveLength(2);
    expect(world.read(".ralph/prompt_002.txt")).toBe(prompts(agent)[1]);
  });

  test.each([
    ["is put right, and the iteration refused", {}, 1, "exhausted"],
    ["ends the run with exit code 2 where nothing is protected", { protect: false }, 2, "failed"],
  ])("in the place of .ralph itself %s; nothing is written there", async (_, rest, code, kind) => {
    const world = makeWorld();
    const elsewhere = join(world.home, "elsewhere");
    mkdirSync(elsewhere);
    const run = `rm -rf .ralph && ln -s '${elsewhere}' .ralph`;
    const guardrails = [{ command: "true" }];
    world.speaking({ turns: [{ actions: [{ run }], final: DONE }] }, { guardrails, ...rest });
    const ended = await world.ralph(["-p", "x", "--no-baseline", "-m", "2"]);
    expect(ended.code).toBe(code);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(outcomeOf(world).kind).toBe(kind);
  });

  test("in the place of the prompt file does not have a secret read out to it", async () => {
    const world = makeWorld();
    writeFileSync(join(world.home, "secret"), "the secret");
    world.write("prompt.md", "the work");
    const run = "ln -sf ../secret prompt.md";
    const agent = world.speaking({ turns: [{ actions: [{ run }], final: "Hm." }] });
    const ended = await world.ralph(["-f", "prompt.md"]);
    expect(ended.code).toBe(2);
    expect(prompts(agent)).toEqual(["the work"]);
    expect(ended.stderr).not.toContain("the secret");
  });

  test("on the way to the prompt file does not either", async () => {
    const world = makeWorld();
    mkdirSync(join(world.home, "outside"));
    writeFileSync(join(world.home, "outside", "prompt.md"), "the secret");
    world.write("tasks/prompt.md", "the work");
    const run = "mv tasks old; ln -s ../outside tasks";
    const agent = world.speaking({ turns: [{ actions: [{ run }], final: "Hm." }] });
    const ended = await world.ralph(["-f", "tasks/prompt.md", "-m", "2"]);
    expect(prompts(agent).join("\n")).not.toContain("the secret");
    expect(ended.code).toBe(2);
  });
});

describe("an agent that deletes .ralph in the middle of a run", () => {
  test("does not end it", async () => {
    const world = makeWorld();
    const remove = { run: "rm -rf .ralph" };
    const agent = world.speaking(
      {
        turns: [
          { actions: [remove], final: DONE },
          { actions: [{ write: "ok", text: "" }, remove], final: DONE },
        ],
      },
      { guardrails: [{ command: "test -e ok" }], protect: false },
    );
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
    expect(prompts(agent)[1]).toContain('Guardrail "test -e ok" failed');
    expect(world.ralphFiles()).toContain("guardrail_002_test_e_ok.log");
  });

  test("does not get ralph's own files into the commit, or into the tree that is judged", async () => {
    const world = makeWorld({ git: true });
    world.speaking(
      { turns: [{ actions: [{ write: "work.txt", text: "x" }, { run: "rm -rf .ralph" }], final: DONE }] },
      {
        guardrails: [{ command: "date +%N" }],
        scm: { command: "git", tasks: ["commit"] },
        protect: false,
      },
    );
    const ended = await world.ralph(["-p", "x", "-m", "1"]);
    expect(ended.code).toBe(0);
    expect(world.git("show", "--format=", "--name-only", "HEAD").trim()).toBe("work.txt");
    const judged = ofType(world.journal(), "gate.judged").filter((event) => event.iteration === 1);
    expect(judged.map((event) => event.round)).toEqual([1]);
  });

  test("or while a guardrail runs, neither", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command: "rm -rf .ralph; echo gone" }] });
    expect((await world.ralph(["-p", "x", "-m", "1"])).code).toBe(0);
  });
});

describe("an agent that prints escape sequences", () => {
  test.each(["claude", "codex", "text"] as const)(
    "in the voice of %s does not steer the terminal, neither by its words nor by its tools",
    async (voice) => {
      const world = makeWorld({ git: true });
      world.speaking(
        {
          voice,
          turns: [
            {
              actions: [
                { say: EVIL },
                { think: EVIL },
                { subagent: EVIL },
                { todos: [{ text: EVIL, state: "active" }] },
                { run: `: '${EVIL}'; printf '\\033[2J\\033]0;pwned\\007 tool words'` },
                { raw: EVIL },
                { stderr: EVIL },
                { write: `file\u001b[2J.txt`, text: "x" },
              ],
              final: `${EVIL}${DONE}`,
            },
          ],
          commitTurns: [{ final: EVIL }],
        },
        { guardrails: [{ command: "printf '\\033[2J'" }], scm: { command: "git", tasks: ["commit"] } },
      );
      const ended = await world.ralph(["-p", EVIL, "-V"]);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toContain("nice");
      expect(ended.stdout).not.toMatch(CONTROL);
      expect(ended.stderr).not.toMatch(CONTROL);
      expect(world.git("log", "-1", "--format=%B")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    },
  );

  test("does not steer it by an error or by a thing that it needs", async () => {
    const world = makeWorld();
    world.speaking({
      turns: [
        { actions: [{ stderr: `Error: ${EVIL}\n` }, { exit: 1 }] },
        { final: `<blocked>${EVIL}</blocked>` },
      ],
    });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("Needed: nice");
    expect(ended.stderr).not.toMatch(CONTROL);
  });

  test("does not steer it by -V with --json, whose details hold the prompt", async () => {
    const world = makeWorld();
    const guardrail = { command: "printf 'x\\033]0;pwned\\007\\033[2J'; exit 1", failAction: "PREPEND" };
    world.speaking({ turns: [{ final: "Hm." }] }, { guardrails: [guardrail] });
    const ended = await world.ralph(["-p", "x", "-V", "--json", "-m", "2"]);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("[ralph] Prompt");
    expect(ended.stderr).not.toMatch(CONTROL);
  });
});

describe("an agent that talks without end", () => {
  test("may print 100 000 lines, and every one is there", async () => {
    const world = makeWorld();
    world.install("mine", `cat > /dev/null; seq 1 100000; echo '${DONE}'`);
    const ended = await world.ralph(["-p", "x", "--agent", "mine"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toBe(`${Array.from({ length: 100_000 }, (_, n) => n + 1).join("\n")}\n${DONE}\n`);
  });

  test("may have a tool that prints a megabyte: it is counted whole and shown in part", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ run: "yes line | head -n 200000" }], final: DONE }] });
    const ended = await world.ralph(["-p", "x"]);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain("Result ← Bash (200000 lines, 1000000 chars)");
    expect(ended.stderr.length).toBeLessThan(5_000);
  });
});

test("filters that an agent wrote into the repository are not run by ralph's git", async () => {
  const world = makeWorld({ git: true });
  const marker = join(world.home, "filter-ran");
  const run = `git config filter.evil.clean 'touch ${marker}; cat'; echo '*.txt filter=evil' > .gitattributes`;
  world.speaking(
    { turns: [{ actions: [{ run }, { write: "work.txt", text: "x\n" }], final: DONE }] },
    { guardrails: [{ command: "true" }], scm: { command: "git", tasks: ["commit"] } },
  );
  expect((await world.ralph(["-p", "x"])).code).toBe(0);
  expect(world.git("show", "HEAD:work.txt")).toBe("x\n");
  expect(existsSync(marker)).toBe(false);
});

test("a commit that an agent made with the run's own trailer is not taken for ralph's", async () => {
  const world = makeWorld({ git: true });
  const trailer = '"Ralph-Run: $RALPH_RUN_ID/$RALPH_ITERATION"';
  const run = `git commit --quiet --allow-empty -m forged -m ${trailer}`;
  world.speaking(
    { turns: [{ actions: [{ run }, { write: "work.txt", text: "x" }], final: DONE }] },
    { guardrails: [{ command: "true" }], scm: { command: "git", tasks: ["commit"] } },
  );
  expect((await world.ralph(["-p", "x"])).code).toBe(0);
  expect(world.git("log", "--format=%s").trim().split("\n")).toEqual([
    "Do the scripted work",
    "forged",
    "first",
  ]);
  expect(world.git("show", "--format=", "--name-only", "HEAD").trim()).toBe("work.txt");
});

test("an agent cannot reach the run's journal by the environment it is given", async () => {
  const world = makeWorld();
  world.install("mine", "cat > /dev/null; env > environment");
  await world.ralph(["-p", "x", "-m", "1", "--agent", "mine"]);
  const folder = world.runFolder();
  expect(existsSync(folder)).toBe(true);
  expect(world.read("environment")).not.toContain(folder);
});
