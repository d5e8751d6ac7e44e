import { describe, expect, test } from "vitest";
import { argvs, commitCalls, DONE, makeWorld, ofType, type World } from "./support.ts";

const IS_ROOT = process.getuid?.() === 0;
const BYPASS = "--dangerously-bypass-approvals-and-sandbox";

/** What Claude may do without asking: root is refused the short way. */
const CLAUDE_FULL = IS_ROOT
  ? [
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "Bash,Edit,Write,Read,Glob,Grep,NotebookEdit,WebFetch,WebSearch,Task,TodoWrite,Skill",
    ]
  : ["--dangerously-skip-permissions"];

const STREAM = ["--output-format", "stream-json", "--verbose"];

/** The kind of agent that the journal names. */
function kindOf(world: World): string | undefined {
  return ofType(world.journal(), "run.started")[0]?.spec.agent.kind;
}

describe("the command's base name says which agent it is", () => {
  test("claude is run with -p and its stream of JSON", async () => {
    const world = makeWorld();
    const agent = world.installAgent("claude", { turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "x", "--agent", "claude", "--no-claim-hint"])).code).toBe(0);
    expect(argvs(agent)).toEqual([["-p", ...CLAUDE_FULL, ...STREAM]]);
    expect(kindOf(world)).toBe("claude");
  });

  test("codex is run with exec and --json, and the prompt from standard input", async () => {
    const world = makeWorld();
    const agent = world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "x", "--agent", "codex"])).code).toBe(0);
    expect(argvs(agent)).toEqual([["exec", "--json", BYPASS, "--skip-git-repo-check", "-"]]);
    expect(kindOf(world)).toBe("codex");
  });

  test("amp is run with --stream-json and --dangerously-allow-all, and -x stands last", async () => {
    const world = makeWorld();
    const agent = world.installAgent("amp", { voice: "amp", turns: [{ final: DONE }] });
    world.settings({ agent: { command: "amp", flags: ["--visibility private"] } });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(argvs(agent)).toEqual([
      ["--visibility", "private", "--stream-json", "--dangerously-allow-all", "-x"],
    ]);
    expect(kindOf(world)).toBe("amp");
  });

  test("any other program gets its own words and no more", async () => {
    const world = makeWorld();
    const agent = world.installAgent("my-agent", { voice: "text", turns: [{ final: DONE }] });
    world.settings({ agent: { command: "my-agent --fast 'two words'", flags: ["--level 3"] } });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(argvs(agent)).toEqual([["--fast", "two words", "--level", "3"]]);
    expect(kindOf(world)).toBe("custom");
  });

  test("a path before the name changes nothing", async () => {
    const world = makeWorld();
    const agent = world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "x", "--agent", `${world.bin}/codex`])).code).toBe(0);
    expect(kindOf(world)).toBe("codex");
    expect(argvs(agent)[0]?.[0]).toBe("exec");
  });

  test("agent.kind beats the name", async () => {
    const world = makeWorld();
    const agent = world.installAgent("my-claude", { turns: [{ final: DONE }] });
    world.settings({ agent: { command: "my-claude", kind: "claude" }, claimHint: false });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(argvs(agent)).toEqual([["-p", ...CLAUDE_FULL, ...STREAM]]);
  });
});

describe("agent.flags", () => {
  test("are split as a shell would split them, and never run by one", async () => {
    const world = makeWorld();
    const agent = world.installAgent("claude", { turns: [{ final: DONE }] });
    const flags = [
      "--model opus",
      "--no-auto-compact",
      `--x "two words" '$(touch pwned)'`,
      "a\\ b; touch pwned",
    ];
    world.settings({ agent: { command: "claude", flags }, claimHint: false });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(argvs(agent)[0]?.slice(-9)).toEqual([
      "--model",
      "opus",
      "--no-auto-compact",
      "--x",
      "two words",
      "$(touch pwned)",
      "a b;",
      "touch",
      "pwned",
    ]);
    expect(world.has("pwned")).toBe(false);
  });

  test("of the user's about permissions win over ralph's own", async () => {
    const world = makeWorld();
    const claude = world.installAgent("claude", { turns: [{ final: DONE }] });
    world.settings({ agent: { command: "claude", flags: ["--permission-mode plan"] }, claimHint: false });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(argvs(claude)).toEqual([["-p", ...STREAM, "--permission-mode", "plan"]]);
    const codex = world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] });
    world.settings({ agent: { command: "codex", flags: ["-s read-only"] } });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(argvs(codex)).toEqual([["exec", "--json", "--skip-git-repo-check", "-s", "read-only", "-"]]);
  });
});

describe("the model and the autonomy", () => {
  test("reach Claude by --model and --autonomy, which beat the settings", async () => {
    const world = makeWorld();
    const agent = world.installAgent("claude", { turns: [{ final: DONE }] });
    world.settings({ agent: { command: "claude", model: "opus", autonomy: "none" }, claimHint: false });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect((await world.ralph(["-p", "x", "--model", "haiku", "--autonomy", "edits"])).code).toBe(0);
    expect(argvs(agent)).toEqual([
      ["-p", ...STREAM, "--model", "opus"],
      ["-p", "--permission-mode", "acceptEdits", ...STREAM, "--model", "haiku"],
    ]);
  });

  test("reach Codex by -m and its sandbox", async () => {
    const world = makeWorld();
    const agent = world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] });
    const args = ["-p", "x", "--agent", "codex", "--model", "gpt-9"];
    expect((await world.ralph([...args, "--autonomy", "edits"])).code).toBe(0);
    expect((await world.ralph([...args, "--autonomy", "none"])).code).toBe(0);
    const skip = "--skip-git-repo-check";
    expect(argvs(agent)).toEqual([
      ["exec", "--json", "-s", "workspace-write", skip, "-m", "gpt-9", "-"],
      ["exec", "--json", skip, "-m", "gpt-9", "-"],
    ]);
  });
});

describe("the installed codex is asked what it takes", () => {
  test.each([
    [
      "today's, without --full-auto",
      `  --json\n  ${BYPASS}\n  --skip-git-repo-check`,
      [BYPASS, "--skip-git-repo-check"],
    ],
    ["an older one with --full-auto only", "  --json\n  --full-auto\n  -s <MODE>", ["--full-auto"]],
    ["one with neither", "  --json\n  -s, --sandbox <MODE>", ["-s", "workspace-write"]],
  ])("%s", async (_which, help, flags) => {
    const world = makeWorld();
    const agent = world.installAgent("codex", { voice: "codex", turns: [{ final: DONE }] }, help);
    expect((await world.ralph(["-p", "x", "--agent", "codex"])).code).toBe(0);
    expect(argvs(agent)).toEqual([["exec", "--json", ...flags, "-"]]);
  });
});

describe("the turn that is asked for a commit message speaks plain text, without leave to write", () => {
  const turns = [{ actions: [{ write: "new", text: "x" }], final: DONE }];
  const scm = { command: "git", tasks: ["commit"] };

  test("claude: --output-format text, write tools off", async () => {
    const world = makeWorld({ git: true });
    const agent = world.installAgent("claude", { turns });
    world.settings({
      agent: { command: "claude", flags: ["--dangerously-skip-permissions", "--model opus"] },
      scm,
    });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(commitCalls(agent).map((call) => call.argv)).toEqual([
      [
        "-p",
        "--permission-mode",
        "default",
        "--disallowedTools",
        "Edit,Write,NotebookEdit,Task",
        "--output-format",
        "text",
        "--model",
        "opus",
      ],
    ]);
  });

  test("codex: -o <file>, read-only, no --json, and the file is gone afterwards", async () => {
    const world = makeWorld({ git: true });
    const commitTurns = [{ actions: [{ say: "noise on stdout" }], final: "Add what is new" }];
    const agent = world.installAgent("codex", { voice: "codex", turns, commitTurns });
    world.settings({ agent: { command: "codex" }, scm });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    const [argv = []] = commitCalls(agent).map((call) => call.argv);
    const file = argv[2] ?? "";
    expect(argv).toEqual(["exec", "-o", file, "-s", "read-only", "--skip-git-repo-check", "-"]);
    expect(file.startsWith(world.state)).toBe(true);
    expect(world.git("log", "-1", "--format=%s").trim()).toBe("Add what is new");
    expect(world.stateFiles().filter((path) => path.endsWith("answer.txt"))).toEqual([]);
  });

  test("amp: neither --stream-json nor leave to do everything", async () => {
    const world = makeWorld({ git: true });
    const agent = world.installAgent("amp", { voice: "amp", turns });
    world.settings({ agent: { command: "amp", flags: ["--visibility private"] }, scm });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(commitCalls(agent).map((call) => call.argv)).toEqual([["--visibility", "private", "-x"]]);
  });
});

test("an agent runs in the project and is told which run and iteration it is part of", async () => {
  const world = makeWorld();
  const program = world.install(
    "mine",
    `cat >/dev/null; echo "$PWD|$RALPH_RUN_ID|$RALPH_ITERATION|$RALPH_PROJECT" >> env`,
  );
  expect((await world.ralph(["-p", "x", "--agent", program, "-m", "2"])).code).toBe(1);
  const run = world.journal()[0]?.run;
  expect(world.read("env")).toBe(
    [1, 2].map((n) => `${world.project}|${run}|${n}|${world.project}\n`).join(""),
  );
});
