import { describe, expect, it } from "vitest";
import type { TurnRequest } from "../../src/agents/agent.ts";
import { adapterFor } from "../../src/agents/registry.ts";
import type { AgentKind } from "../../src/events.ts";
import { turn } from "./support.ts";

type Changes = Parameters<typeof turn>[1];

function commandOf(kind: AgentKind, changes: Changes = {}) {
  return adapterFor(kind).command(turn(kind, changes));
}

function argsOf(kind: AgentKind, changes: Changes = {}): readonly string[] {
  return commandOf(kind, changes).args;
}

const ROOT_TOOLS = "Bash,Edit,Write,Read,Glob,Grep,NotebookEdit,WebFetch,WebSearch,Task,TodoWrite,Skill";
const STREAM = ["--output-format", "stream-json", "--verbose"];

describe("claude at work", () => {
  it.each<[string, Changes, string[]]>([
    ["full", {}, ["-p", "--dangerously-skip-permissions", ...STREAM]],
    [
      "full as root",
      { isRoot: true },
      ["-p", "--permission-mode", "acceptEdits", "--allowedTools", ROOT_TOOLS, ...STREAM],
    ],
    ["edits", { agent: { autonomy: "edits" } }, ["-p", "--permission-mode", "acceptEdits", ...STREAM]],
    ["none", { agent: { autonomy: "none" } }, ["-p", ...STREAM]],
    [
      "a model",
      { agent: { model: "opus" } },
      ["-p", "--dangerously-skip-permissions", ...STREAM, "--model", "opus"],
    ],
    [
      "a hint",
      { hint: "Say <response>DONE</response>." },
      [
        "-p",
        "--dangerously-skip-permissions",
        ...STREAM,
        "--append-system-prompt",
        "Say <response>DONE</response>.",
      ],
    ],
    [
      "the user's flags last",
      { agent: { flags: ["--max-turns", "3"], model: "opus" }, hint: "h" },
      [
        "-p",
        "--dangerously-skip-permissions",
        ...STREAM,
        "--model",
        "opus",
        "--append-system-prompt",
        "h",
        "--max-turns",
        "3",
      ],
    ],
    [
      "the user's model",
      { agent: { flags: ["--model=haiku"], model: "opus" } },
      ["-p", "--dangerously-skip-permissions", ...STREAM, "--model=haiku"],
    ],
    [
      "the user's format",
      { agent: { flags: ["--output-format", "json"] } },
      ["-p", "--dangerously-skip-permissions", "--verbose", "--output-format", "json"],
    ],
    [
      "words in the command",
      { agent: { command: "npx -y '@anthropic-ai/claude-code' --verbose" } },
      [
        "-y",
        "@anthropic-ai/claude-code",
        "--verbose",
        "-p",
        "--dangerously-skip-permissions",
        "--output-format",
        "stream-json",
      ],
    ],
  ])("%s", (_, changes, args) => {
    expect(argsOf("claude", changes)).toEqual(args);
  });

  it.each([
    ["--dangerously-skip-permissions"],
    ["--permission-mode", "plan"],
    ["--permission-mode=plan"],
    ["--allowedTools", "Bash"],
    ["--allowed-tools", "Bash"],
    ["--permission-prompt-tool", "mcp__x"],
  ])("leaves permissions to the user who gives %s", (...flags) => {
    for (const isRoot of [true, false]) {
      expect(argsOf("claude", { isRoot, agent: { flags } })).toEqual(["-p", ...STREAM, ...flags]);
    }
  });

  it("puts the hint behind the prompt when the user has a system prompt of his own", () => {
    const flags = ["--append-system-prompt", "mine"];
    const command = commandOf("claude", { prompt: "Do it.", hint: "Claim so.", agent: { flags } });
    expect(command.args).toEqual(["-p", "--dangerously-skip-permissions", ...STREAM, ...flags]);
    expect(command.stdin).toBe("Do it.\n\nClaim so.");
  });

  it("keeps the prompt byte for byte, hint or not", () => {
    const prompt = "  Zeile 1\r\n\tzwei \u{1f600}\n\n";
    expect(commandOf("claude", { prompt }).stdin).toBe(prompt);
    expect(commandOf("claude", { prompt, hint: "h" }).stdin).toBe(prompt);
  });

  it("keeps a prompt that begins with a slash from being run as a command", () => {
    expect(commandOf("claude", { prompt: "/deploy it\n" }).stdin).toBe("\n/deploy it\n");
    expect(commandOf("claude", { prompt: "/x", mode: "text" }).stdin).toBe("\n/x");
    expect(commandOf("claude", { prompt: " /deploy it" }).stdin).toBe(" /deploy it");
  });
});

describe("claude for a plain answer", () => {
  const text = [
    "--permission-mode",
    "default",
    "--disallowedTools",
    "Edit,Write,NotebookEdit,Task",
    "--output-format",
    "text",
  ];

  it("has no write tools, root or not", () => {
    expect(argsOf("claude", { mode: "text" })).toEqual(["-p", ...text]);
    expect(argsOf("claude", { mode: "text", isRoot: true, agent: { model: "haiku" } })).toEqual([
      "-p",
      ...text,
      "--model",
      "haiku",
    ]);
  });

  it("takes away the user's flags that would let it act or change what it prints, and keeps the rest", () => {
    const flags = [
      "--max-turns",
      "3",
      "--dangerously-skip-permissions",
      "--allowedTools",
      "Bash",
      "Write",
      "--permission-mode=bypassPermissions",
      "--output-format",
      "stream-json",
      "--include-partial-messages",
      "--add-dir",
      "/x",
    ];
    const command = "claude --allow-dangerously-skip-permissions --settings s.json";
    expect(argsOf("claude", { mode: "text", agent: { command, flags } })).toEqual([
      "--settings",
      "s.json",
      "-p",
      ...text,
      "--max-turns",
      "3",
      "--add-dir",
      "/x",
    ]);
  });
});

const BYPASS = "--dangerously-bypass-approvals-and-sandbox";
const SKIP = "--skip-git-repo-check";
const NEW_HELP = `      ${BYPASS}\n          Skip all\n      ${SKIP}\n  -s, --sandbox <SANDBOX_MODE>\n`;
const OLD_HELP = `      --full-auto\n          Convenience alias\n      ${SKIP}\n`;

describe("codex at work", () => {
  it.each<[string, Changes, string[]]>([
    ["full, help unknown", {}, ["exec", "--json", BYPASS, SKIP, "-"]],
    ["full, help of today", { help: NEW_HELP }, ["exec", "--json", BYPASS, SKIP, "-"]],
    ["full, older help", { help: OLD_HELP }, ["exec", "--json", "--full-auto", SKIP, "-"]],
    [
      "full, help with neither",
      { help: "Usage: codex exec" },
      ["exec", "--json", "-s", "workspace-write", "-"],
    ],
    ["full as root", { isRoot: true }, ["exec", "--json", BYPASS, SKIP, "-"]],
    ["edits", { agent: { autonomy: "edits" } }, ["exec", "--json", "-s", "workspace-write", SKIP, "-"]],
    ["none", { agent: { autonomy: "none" } }, ["exec", "--json", SKIP, "-"]],
    ["a model", { agent: { model: "gpt-5.5" } }, ["exec", "--json", BYPASS, SKIP, "-m", "gpt-5.5", "-"]],
    [
      "the user's model",
      { agent: { model: "a", flags: ["-mb"] } },
      ["exec", "--json", BYPASS, SKIP, "-mb", "-"],
    ],
    [
      "the user's model by config",
      { agent: { model: "a", flags: ["-c", 'model="b"'] } },
      ["exec", "--json", BYPASS, SKIP, "-c", 'model="b"', "-"],
    ],
    [
      "nothing twice, which codex would refuse",
      { agent: { command: "codex exec --json", flags: [SKIP] } },
      ["exec", "--json", BYPASS, SKIP, "-"],
    ],
    [
      "npx",
      { agent: { command: "npx @openai/codex" } },
      ["@openai/codex", "exec", "--json", BYPASS, SKIP, "-"],
    ],
  ])("%s", (_, changes, args) => {
    expect(argsOf("codex", changes)).toEqual(args);
  });

  it.each([
    ["-s", "read-only"],
    ["--sandbox=read-only"],
    ["--full-auto"],
    ["--yolo"],
    [BYPASS],
    ["-a", "never"],
    ["--ask-for-approval", "never"],
    ["--approve-for-me"],
    ["-c", 'sandbox_mode="read-only"'],
    ["--config=approval_policy=never"],
  ])("leaves permissions to the user who gives %s", (...flags) => {
    expect(argsOf("codex", { agent: { flags } })).toEqual(["exec", "--json", SKIP, ...flags, "-"]);
  });

  it("asks for help with exactly the subcommand that it runs", () => {
    expect(adapterFor("codex").helpArgs).toEqual(["exec", "--help"]);
  });
});

describe("codex for a plain answer", () => {
  it("writes it to the file, read-only", () => {
    const command = commandOf("codex", { mode: "text" });
    expect(command.args).toEqual(["exec", "-o", "/answers/1.txt", "-s", "read-only", SKIP, "-"]);
    expect(command.answerFromFile).toBe(true);
    expect(commandOf("codex").answerFromFile).toBe(false);
  });

  it("takes away the user's flags that would let it act or write elsewhere, and keeps the rest", () => {
    const flags = [
      "--yolo",
      "-s",
      "danger-full-access",
      "--json",
      "-o",
      "mine.txt",
      "-c",
      "model_verbosity=low",
    ];
    expect(argsOf("codex", { mode: "text", agent: { flags } })).toEqual([
      "exec",
      "-o",
      "/answers/1.txt",
      "-s",
      "read-only",
      SKIP,
      "-c",
      "model_verbosity=low",
      "-",
    ]);
  });
});

describe("amp", () => {
  it.each<[string, Changes, string[]]>([
    ["full", {}, ["--stream-json", "--dangerously-allow-all", "-x"]],
    ["full as root", { isRoot: true }, ["--stream-json", "--dangerously-allow-all", "-x"]],
    ["edits", { agent: { autonomy: "edits" } }, ["--stream-json", "-x"]],
    ["none", { agent: { autonomy: "none" } }, ["--stream-json", "-x"]],
    [
      "a model, which amp cannot be told",
      { agent: { model: "opus" } },
      ["--stream-json", "--dangerously-allow-all", "-x"],
    ],
    [
      "the user's flags first and -x last",
      { agent: { flags: ["-x", "-m", "high", "--dangerously-allow-all"] } },
      ["-m", "high", "--dangerously-allow-all", "--stream-json", "-x"],
    ],
    ["a plain answer", { mode: "text" }, ["-x"]],
    [
      "a plain answer whatever the user's flags",
      { mode: "text", agent: { flags: ["--dangerously-allow-all", "--stream-json", "--no-ide"] } },
      ["--no-ide", "-x"],
    ],
  ])("%s", (_, changes, args) => {
    expect(argsOf("amp", changes)).toEqual(args);
  });
});

describe("custom", () => {
  it("adds nothing to the user's words", () => {
    const command = commandOf("custom", {
      agent: { command: "'./my agent' run", flags: ["--fast"], model: "x" },
    });
    expect(command).toEqual({
      file: "./my agent",
      args: ["run", "--fast"],
      env: {},
      stdin: "Fix the tests.\n",
      answerFromFile: false,
    });
  });
});

describe.each<AgentKind>(["claude", "codex", "amp", "custom"])("%s", (kind) => {
  const modes: TurnRequest["mode"][] = ["work", "text"];

  it("gets a prompt of 300 KB by stdin, whole, and never as an argument", () => {
    const prompt = "wörd ".repeat(60_000);
    for (const mode of modes) {
      const command = commandOf(kind, { prompt, mode });
      expect(command.stdin).toBe(prompt);
      expect(command.args.join(" ").length).toBeLessThan(500);
    }
  });

  it("adds nothing to the environment", () => {
    for (const mode of modes) expect(commandOf(kind, { mode }).env).toEqual({});
  });

  it("starts the program that the command names", () => {
    expect(commandOf(kind, { agent: { command: `"/opt/my tools/${kind}" --one` } })).toMatchObject({
      file: `/opt/my tools/${kind}`,
    });
  });
});

describe.each<AgentKind>(["codex", "amp", "custom"])("%s", (kind) => {
  it("gets the hint as the last paragraph", () => {
    expect(commandOf(kind, { prompt: "Do it.", hint: "Claim so." }).stdin).toBe("Do it.\n\nClaim so.");
    expect(commandOf(kind, { prompt: "/do it", hint: " " }).stdin).toBe("/do it");
  });
});
