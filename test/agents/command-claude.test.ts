import { describe, expect, it } from "vitest";
import { argsOf, type Changes, commandOf } from "./support.ts";

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
      "without its user's own settings",
      { agent: { autonomy: "none", inheritUserConfig: false } },
      ["-p", ...STREAM, "--setting-sources", "project,local"],
    ],
    [
      "with sources that its user named",
      { agent: { autonomy: "none", inheritUserConfig: false, flags: ["--setting-sources", "user"] } },
      ["-p", ...STREAM, "--setting-sources", "user"],
    ],
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

describe("claude whose hooks ralph answers", () => {
  const hooks = { url: "http://127.0.0.1:4711/2", token: "sesame", events: { Stop: 120, PreToolUse: 30 } };

  it("asks there, with a token that is in no command line", () => {
    const { args, env } = commandOf("claude", { hooks });
    const settings = JSON.parse(args[args.indexOf("--settings") + 1] ?? "") as {
      hooks: Record<string, unknown>;
    };
    expect(Object.keys(settings.hooks)).toEqual(["Stop", "PreToolUse"]);
    expect(settings.hooks["Stop"]).toEqual([
      {
        hooks: [
          {
            type: "http",
            url: hooks.url,
            headers: { Authorization: "Bearer $RALPH_HOOKS_TOKEN" },
            allowedEnvVars: ["RALPH_HOOKS_TOKEN"],
            timeout: 120,
          },
        ],
      },
    ]);
    expect(args.join(" ")).not.toContain("sesame");
    expect(env).toEqual({ RALPH_HOOKS_URL: hooks.url, RALPH_HOOKS_TOKEN: "sesame" });
  });

  it.each<[string, Changes]>([
    ["settings of the user's own", { agent: { flags: ["--settings", "mine.json"] } }],
    ["settings of the user's own in one word", { agent: { flags: ["--settings={}"] } }],
    ["settings in the command", { agent: { command: "claude --settings mine.json" } }],
    ["no hooks at all", { agent: { flags: ["--bare"] } }],
    ["a question for text", { mode: "text" }],
  ])("does not with %s", (_, changes) => {
    const { args, env } = commandOf("claude", { ...changes, hooks });
    expect(args.join(" ")).not.toContain("4711");
    expect(env).toEqual({});
  });
});
