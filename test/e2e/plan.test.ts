// Item 8 of the review cycle's verification plan: the two modes of planning, and what happens to a list that is not in order.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Action, ScriptedAgent } from "../../src/testing/script.ts";
import { approved, listOf, story } from "../tasks/support.ts";
import { expectUserError, makeWorld, processesWith, until, type World } from "./support.ts";
import { openTerminal } from "./terminal.ts";

const PRD = "# Search\n\nPeople find products by their titles.\n";
const GOOD = listOf(story("US-001"), story("US-002", { priority: 2, dependsOn: ["US-001"] }));
const BAD = { ...GOOD, userStories: [{ ...story("US-001"), acceptanceCriteria: [], dependsOn: ["US-009"] }] };
const UNTRUSTED = { RALPH_TRUST_PROJECT: undefined, CI: undefined };

async function planned(prd?: string): Promise<World> {
  const world = makeWorld();
  await world.ralph(["init", "--tasks"]);
  if (prd !== undefined) world.write("ralph/prd.md", prd);
  return world;
}

const writes = (list: unknown): Action => ({ write: "ralph/tasks.json", text: JSON.stringify(list) });
const writesPrd = (text: string): Action => ({ write: "ralph/prd.md", text });

/** `claude` on PATH, which does these things in its sessions, one list after the other. */
function claude(world: World, ...sessions: (readonly Action[])[]): ScriptedAgent {
  return world.installAgent("claude", { voice: "text", turns: sessions.map((actions) => ({ actions })) });
}

/** The first prompts of its sessions. */
const promptsOf = (agent: ScriptedAgent) => agent.calls().map(({ argv }) => argv.at(-1) ?? "");

describe("ralph-plan mode 1: empty prd.md", () => {
  test.each([
    ["the template scaffold", undefined],
    ["an empty file", ""],
  ])("%s: is told to ask questions, and generates both prd.md and tasks.json", async (_what, prd) => {
    const world = await planned(prd);
    const agent = claude(world, [writesPrd(PRD), writes(GOOD)]);
    const ended = await world.ralph(["plan", "--model", "opus"]);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("2 stories; start with: ralph run --tasks\n");
    expect(agent.calls()).toHaveLength(1);
    expect(agent.calls()[0]?.argv.slice(0, -1)).toEqual(["--model", "opus", "--"]);
    expect(promptsOf(agent)[0]).toContain("Ask the user questions, as many as it takes");
    expect(promptsOf(agent)[0]).toContain("Write `ralph/prd.md`");
    expect(world.read("ralph/prd.md")).toBe(PRD);
    expect((await world.ralph(["tasks", "check"])).stdout).toBe("ralph/tasks.json is valid: 2 stories.\n");
  });

  test("stories without requirements are not enough", async () => {
    const world = await planned();
    claude(world, [writes(GOOD)]);
    const ended = await world.ralph(["plan", "--rounds", "1"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain("ralph/prd.md: has no requirements in it yet\n");
  });
});

describe("ralph-plan mode 2: a pre-written prd.md", () => {
  test("reads the existing PRD and derives tasks.json without regenerating the PRD", async () => {
    const world = await planned(PRD);
    const agent = claude(world, [writes(GOOD)]);
    const ended = await world.ralph(["plan"]);
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: "" });
    expect(promptsOf(agent)[0]).toContain("Read `ralph/prd.md`");
    expect(promptsOf(agent)[0]).not.toContain("Write `ralph/prd.md`");
    expect(world.read("ralph/prd.md")).toBe(PRD);
    expect(JSON.parse(world.read("ralph/tasks.json"))).toEqual(GOOD);
  });

  test("a PRD that the agent rewrote comes back byte for byte, and its version is kept aside", async () => {
    const world = await planned();
    const bytes = Buffer.from("Gr\xf6\xdfe der Suche\r\n", "latin1"); // not UTF-8
    writeFileSync(join(world.project, "ralph/prd.md"), bytes);
    world.write("ralph/prd.md.new", "mine");
    claude(world, [writesPrd("better"), writes(GOOD)]);
    const ended = await world.ralph(["plan"]);
    expect(ended.code).toBe(0);
    expect(readFileSync(join(world.project, "ralph/prd.md"))).toEqual(bytes);
    expect(world.read("ralph/prd.md.new")).toBe("mine");
    expect(world.read("ralph/prd.md.new-2")).toBe("better");
    expect(ended.stdout).toContain("yours is back. What the agent made of it: ralph/prd.md.new-2\n");
  });

  test.each([
    ["removed", "rm ralph/prd.md"],
    ["made a link", "rm ralph/prd.md; ln -s /etc/passwd ralph/prd.md"],
    ["made a folder", "rm ralph/prd.md; mkdir ralph/prd.md"],
  ])("a PRD that was %s comes back", async (_how, run) => {
    const world = await planned(PRD);
    claude(world, [{ run }, writes(GOOD)]);
    expect((await world.ralph(["plan"])).code).toBe(0);
    expect(world.read("ralph/prd.md")).toBe(PRD);
  });

  test("codex is opened in its own way", async () => {
    const world = await planned(PRD);
    const agent = world.installAgent("codex", { voice: "text", turns: [{ actions: [writes(GOOD)] }] });
    expect((await world.ralph(["plan", "--agent", "codex", "--model", "gpt-5"])).code).toBe(0);
    expect(agent.calls()[0]?.argv.slice(0, -1)).toEqual(["-m", "gpt-5", "--"]);
  });

  test("another project and another folder, which are named to the agent", async () => {
    const world = makeWorld();
    mkdirSync(join(world.project, "inner"));
    await world.ralph(["init", "--tasks", "-d", "inner", "--ralph-dir", "docs/loop"]);
    world.write("inner/docs/loop/prd.md", PRD);
    const agent = claude(world, [{ write: "docs/loop/tasks.json", text: JSON.stringify(GOOD) }]);
    const ended = await world.ralph(["plan", "-d", "inner", "--ralph-dir", "docs/loop"]);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toContain("ralph run --tasks --ralph-dir docs/loop\n");
    expect(promptsOf(agent)[0]).toContain("Read `docs/loop/prd.md`");
  });
});

describe("the result passes ralph tasks check, or the faults are fed back", () => {
  test("a faulty list first, a good one in the second round with the faults in its prompt", async () => {
    const world = await planned();
    const agent = claude(world, [writesPrd(PRD), writes(BAD)], [writes(GOOD)]);
    const ended = await world.ralph(["plan"]);
    expect(ended.code).toBe(0);
    const [first = "", second = ""] = promptsOf(agent);
    const fault = "ralph/tasks.json userStories[0].acceptanceCriteria: must be a non-empty array";
    expect(first).not.toContain(fault);
    expect(second).toContain(fault);
    expect(second).toContain("Read `ralph/prd.md`"); // it is written by now, and not asked for again
    expect(world.read("ralph/prd.md")).toBe(PRD);
    expect(promptsOf(agent)).toHaveLength(2);
  });

  test.each([
    ["never good", writes(BAD), "must be a non-empty array"],
    ["never written", { say: "nothing" }, "ralph/tasks.json: has no stories yet"],
    ["removed", { run: "rm -f ralph/tasks.json" }, "ralph/tasks.json: is not there"],
    ["a link", { run: "ln -sf /etc/passwd ralph/tasks.json" }, "does not follow it"],
    ["no JSON", { write: "ralph/tasks.json", text: "{" }, "is not valid JSON"],
    ["approved by the planner", writes(listOf(approved("US-001"))), "planning reviews nothing"],
  ] as [string, Action, string][])("%s: exit code 1 and the faults", async (_what, action, words) => {
    const world = await planned(PRD);
    const agent = claude(world, [action]);
    const ended = await world.ralph(["plan", "--rounds", "2"]);
    expect(ended.code).toBe(1);
    expect(ended.stdout).toContain(words);
    expect(ended.stdout).toMatch(/The plan is not ready\. Go on with it: ralph plan\n$/);
    expect(promptsOf(agent)).toHaveLength(2);
    expect(promptsOf(agent)[1]).toContain(words);
  });

  test("three rounds, when nobody says otherwise", async () => {
    const world = await planned(PRD);
    const agent = claude(world, [writes(BAD)]);
    expect((await world.ralph(["plan"])).code).toBe(1);
    expect(agent.calls()).toHaveLength(3);
  });

  test("an agent that fails is no reason to throw a good list away", async () => {
    const world = await planned(PRD);
    claude(world, [writes(GOOD), { signal: "SIGKILL" }]);
    expect((await world.ralph(["plan"])).code).toBe(0);
  });

  test("stories that a review has approved before stay approved", async () => {
    const world = await planned(PRD);
    const list = listOf(approved("US-001"));
    world.write("ralph/tasks.json", JSON.stringify(list));
    claude(world, [writes(listOf(approved("US-001"), story("US-002")))]);
    expect((await world.ralph(["plan"])).code).toBe(0);
  });
});

describe("ralph plan starts nothing", () => {
  test("without the ralph folder", async () => {
    const world = makeWorld();
    const agent = claude(world, []);
    expectUserError(await world.ralph(["plan"]), "does not exist", "ralph init --tasks");
    expectUserError(await world.ralph(["plan", "--print"]), "ralph init --tasks");
    world.write("ralph", "a file");
    expectUserError(await world.ralph(["plan"]), "ralph init --tasks");
    expect(agent.calls()).toEqual([]);
  });

  test("with --print: the instructions, also while a run is active", async () => {
    const world = await planned(PRD);
    const agent = claude(world, []);
    const ended = await world.ralph(["plan", "--print"]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("Read `ralph/prd.md`");
    expect(ended.stdout).toContain("`ralph tasks check`");
    expect(agent.calls()).toEqual([]);
  });

  test("while a run is active", async () => {
    const world = await planned(PRD);
    world.speaking({ turns: [{ actions: [{ hang: join(world.home, "hanging") }] }] });
    const run = world.start(["-p", "do it"]);
    await until("the turn hangs", () => existsSync(join(world.home, "hanging")));
    expectUserError(await world.ralph(["plan"]), "cannot plan now", "ralph stop");
    expect((await world.ralph(["plan", "--print"])).code).toBe(0);
    await world.ralph(["stop", "--now"]);
    await run.ended;
  });

  test.each(["amp", "my-agent"])(
    "with %s, which cannot be opened with a prompt: says how to do it by hand",
    async (name) => {
      const world = await planned(PRD);
      const agent = world.installAgent(name, { turns: [{}] });
      expectUserError(await world.ralph(["plan", "--agent", name]), "ralph plan --print");
      expect(agent.calls()).toEqual([]);
    },
  );

  test("with a prd.md that is a link, or a number of rounds that is none", async () => {
    const world = await planned(PRD);
    const agent = claude(world, []);
    expectUserError(await world.ralph(["plan", "--rounds", "0"]), "--rounds");
    rmSync(join(world.project, "ralph/prd.md"));
    symlinkSync("/etc/passwd", join(world.project, "ralph/prd.md"));
    expectUserError(await world.ralph(["plan"]), "link");
    expect(agent.calls()).toEqual([]);
  });

  test("of a cloned project's settings that nobody trusts; guardrails are none of its business", async () => {
    const world = await planned(PRD);
    const agent = world.speaking({ voice: "claude", turns: [{ actions: [writes(GOOD)] }] });
    expectUserError(await world.ralph(["plan"], { env: UNTRUSTED }), "not trusted yet", "agent: ");
    expect(agent.calls()).toEqual([]);
    expect((await world.ralph(["plan", "--trust"], { env: UNTRUSTED })).code).toBe(0);
    expect((await world.ralph(["plan", "--yes"], { env: UNTRUSTED })).code).toBe(0);
    world.settings({ guardrails: [{ command: "touch ran" }] });
    claude(world, [writes(GOOD)]);
    expect((await world.ralph(["plan"], { env: UNTRUSTED })).code).toBe(0);
    expect(world.has("ran")).toBe(false);
  });

  test("of its flags either, when the command line names the same agent", async () => {
    const world = await planned(PRD);
    claude(world, [writes(GOOD)]);
    world.settings({ agent: { command: "claude", flags: ["--dangerously-skip-permissions"] } });
    const ended = await world.ralph(["plan", "--agent", "claude"], { env: UNTRUSTED });
    expectUserError(ended, "--dangerously-skip-permissions");
  });
});

describe("on a terminal", () => {
  /** An agent that talks with the user at the terminal and writes what the user typed as a list. */
  const TALKS = `
[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && (: < /dev/tty) || { echo "no terminal"; exit 1; }
printf 'What is to be built? '
read -r answer
echo "You said: $answer"
cp "$answer" ralph/tasks.json`;

  test("the agent has the terminal, and the keyboard, in every round", async () => {
    const world = await planned(PRD);
    world.install("claude", TALKS);
    world.write("bad.json", JSON.stringify(BAD));
    world.write("good.json", JSON.stringify(GOOD));
    const terminal = openTerminal(world, ["plan"]);
    await terminal.shows("What is to be built?");
    terminal.press("bad.json\r");
    await terminal.shows("Go on planning?");
    terminal.press("y");
    await until("it asks again", () => terminal.soFar().split("What is to be built?").length === 3);
    terminal.press("good.json\r");
    const { code, screen } = await terminal.ended;
    expect(screen).toContain("You said: good.json");
    expect(screen).toContain("2 stories; start with: ralph run --tasks");
    expect(code).toBe(0);
  });

  test("a no ends planning with exit code 1, and what was planned stays", async () => {
    const world = await planned(PRD);
    const agent = claude(world, [writes(BAD)]);
    const terminal = openTerminal(world, ["plan"]);
    // The scripted agent reads its input to the end, and at a terminal that is Ctrl-D.
    await terminal.shows("Opening claude");
    terminal.press("\u0004");
    await terminal.shows("Go on planning?");
    terminal.press("n");
    expect((await terminal.ended).code).toBe(1);
    expect(agent.calls()).toHaveLength(1);
    expect(JSON.parse(world.read("ralph/tasks.json"))).toEqual(JSON.parse(JSON.stringify(BAD)));
  });

  test("Ctrl-C belongs to the agent: ralph goes on and checks the list", async () => {
    const world = await planned(PRD);
    world.write("good.json", JSON.stringify(GOOD));
    world.install(
      "claude",
      `trap 'echo "not yet"; cp good.json ralph/tasks.json; exit 0' INT\necho ready\nwhile :; do read -r x; done`,
    );
    const terminal = openTerminal(world, ["plan"]);
    await terminal.shows("ready");
    terminal.press("\u0003");
    const { code, screen } = await terminal.ended;
    expect(screen).toContain("not yet");
    expect(screen).toContain("2 stories");
    expect(code).toBe(0);
  });

  test("an agent that dies in raw mode leaves the terminal as it was", async () => {
    const world = await planned(PRD);
    world.write("good.json", JSON.stringify(GOOD));
    const modes = join(world.home, "modes");
    world.install(
      "claude",
      `if [ -e "${modes}" ]; then stty -g > "${modes}-after"; cp good.json ralph/tasks.json; exit; fi
stty -g > "${modes}"; stty raw -echo; kill -KILL $$`,
    );
    const { code, raw } = await openTerminal(world, ["plan", "--yes"]).ended;
    expect(code).toBe(0);
    expect(readFileSync(`${modes}-after`, "utf8")).toBe(readFileSync(modes, "utf8"));
    expect(raw).toContain("\u001b[?25h"); // the cursor
  });
});

test("a window that is closed ends the agent and ralph, and nothing is left", async () => {
  const world = await planned(PRD);
  world.install("claude", "trap '' HUP TERM INT\necho ready\nwhile read -r x; do :; done");
  const terminal = openTerminal(world, ["plan"]);
  await terminal.shows("ready");
  terminal.hangUp();
  await until("nothing of it is left", () => processesWith(world.home).length === 0);
});

test("a SIGTERM is passed on to the agent, and ends planning", async () => {
  const world = await planned(PRD);
  world.install("claude", `trap 'echo bye; exit 0' TERM\necho ready\nwhile :; do sleep 0.05; done`);
  const run = world.start(["plan"]);
  await run.printed("ready");
  run.process.kill("SIGTERM");
  const ended = await run.ended;
  expect(ended.stdout).toContain("bye");
  expect(ended.stderr).toBe("Planning was stopped.\n");
  expect(ended.code).toBe(130);
});
