import { describe, expect, it } from "vitest";
import type { AgentKind } from "../../src/spec.ts";
import { argsOf, type Changes, commandOf } from "./support.ts";

type Rows = readonly (readonly [what: string, changes: Changes, args: readonly string[]])[];

const FORMAT = { gemini: ["-o", "stream-json"], qwen: ["-o", "stream-json"] } as const;

const copilot: Rows = [
  ["full", {}, ["--output-format", "json", "--allow-all-tools"]],
  ["full as root", { isRoot: true }, ["--output-format", "json", "--allow-all-tools"]],
  ["edits", { agent: { autonomy: "edits" } }, ["--output-format", "json", "--allow-tool=write"]],
  ["none", { agent: { autonomy: "none" } }, ["--output-format", "json"]],
  [
    "a model and flags of the user's",
    { agent: { model: "gpt-5", flags: ["--plugin-dir", "x"] } },
    ["--output-format", "json", "--allow-all-tools", "--model", "gpt-5", "--plugin-dir", "x"],
  ],
  [
    "the user's leave instead of ours",
    { agent: { model: "gpt-5", flags: ["--allow-tool=shell(git:*)", "--model=o"] } },
    ["--output-format", "json", "--allow-tool=shell(git:*)", "--model=o"],
  ],
  ["a plain answer", { mode: "text" }, ["-s", "--deny-tool=write"]],
  [
    "a plain answer whatever the user's flags",
    {
      mode: "text",
      agent: { flags: ["--yolo", "--allow-tool", "write", "--output-format", "json", "--no-color"] },
    },
    ["-s", "--deny-tool=write", "--no-color"],
  ],
];

const gemini: Rows = [
  ["full", {}, [...FORMAT.gemini, "--yolo", "--skip-trust"]],
  [
    "edits",
    { agent: { autonomy: "edits" } },
    [...FORMAT.gemini, "--approval-mode", "auto_edit", "--skip-trust"],
  ],
  ["none", { agent: { autonomy: "none" } }, [...FORMAT.gemini, "--skip-trust"]],
  ["a model", { agent: { model: "pro" } }, [...FORMAT.gemini, "--yolo", "--skip-trust", "-m", "pro"]],
  [
    "what the user decided, and nothing twice",
    {
      agent: {
        model: "pro",
        flags: ["--approval-mode=plan", "--skip-trust", "-mflash", "-o", "stream-json"],
      },
    },
    ["--approval-mode=plan", "--skip-trust", "-mflash", "-o", "stream-json"],
  ],
  ["a plain answer", { mode: "text" }, ["-o", "text", "--approval-mode", "default", "--skip-trust"]],
  [
    "a plain answer whatever the user's flags",
    { mode: "text", agent: { flags: ["-y", "--approval-mode", "yolo", "-o", "json", "-d"] } },
    ["-o", "text", "--approval-mode", "default", "--skip-trust", "-d"],
  ],
];

const qwen: Rows = [
  ["full", {}, [...FORMAT.qwen, "--yolo"]],
  ["edits", { agent: { autonomy: "edits" } }, [...FORMAT.qwen, "--approval-mode", "auto-edit"]],
  ["none", { agent: { autonomy: "none" } }, FORMAT.qwen],
  [
    "a model and flags of the user's",
    { agent: { model: "coder", flags: ["--auth-type", "openai"] } },
    [...FORMAT.qwen, "--yolo", "-m", "coder", "--auth-type", "openai"],
  ],
  ["a plain answer", { mode: "text" }, ["-o", "text", "--approval-mode", "default"]],
  [
    "a plain answer whatever the user's flags",
    { mode: "text", agent: { flags: ["--yolo", "--output-format=json", "--auth-type", "openai"] } },
    ["-o", "text", "--approval-mode", "default", "--auth-type", "openai"],
  ],
];

const opencode: Rows = [
  ["full", {}, ["run", "--format", "json", "--auto"]],
  ["edits", { agent: { autonomy: "edits" } }, ["run", "--format", "json"]],
  ["none", { agent: { autonomy: "none" } }, ["run", "--format", "json"]],
  [
    "its subcommand once, and the user's words around ours",
    { agent: { command: "opencode --pure run", model: "a/b", flags: ["--auto", "--variant", "high"] } },
    ["--pure", "run", "--format", "json", "-m", "a/b", "--auto", "--variant", "high"],
  ],
  ["a plain answer", { mode: "text" }, ["run"]],
  [
    "a plain answer whatever the user's flags",
    { mode: "text", agent: { flags: ["--auto", "--format", "json", "--agent", "x"] } },
    ["run", "--agent", "x"],
  ],
];

const STREAM = ["--output-format", "stream-json"];
const TRUSTING = "  --trust    Trust the workspace without prompting\n";
const cursor: Rows = [
  ["full, help unknown", {}, ["-p", ...STREAM, "--force"]],
  ["full, a version that asks about the folder", { help: TRUSTING }, ["-p", ...STREAM, "--force", "--trust"]],
  ["edits, which it has no flag for", { agent: { autonomy: "edits" } }, ["-p", ...STREAM]],
  ["none", { agent: { autonomy: "none" } }, ["-p", ...STREAM]],
  [
    "what the user decided, and nothing twice",
    { help: TRUSTING, agent: { model: "auto", flags: ["--print", "--trust", "--mode", "plan"] } },
    [...STREAM, "--model", "auto", "--print", "--trust", "--mode", "plan"],
  ],
  ["a plain answer", { mode: "text" }, ["-p", "--output-format", "text", "--mode", "ask"]],
  [
    "a plain answer whatever the user's flags",
    { mode: "text", agent: { flags: ["-f", "--output-format", "json", "--mode=plan"] } },
    ["-p", "--output-format", "text", "--mode", "ask"],
  ],
];

describe.each(Object.entries({ copilot, gemini, qwen, opencode, cursor }))("%s", (kind, rows) => {
  it.each(rows)("%s", (_, changes, args) => {
    expect(argsOf(kind as AgentKind, changes)).toEqual(args);
  });
});

describe("opencode, which has no flags for it, gets what it may not do by its environment", () => {
  it.each<[string, Changes, object]>([
    ["full: nothing", {}, {}],
    ["edits: no shell", { agent: { autonomy: "edits" } }, { bash: "deny" }],
    ["none: neither", { agent: { autonomy: "none" } }, { edit: "deny", bash: "deny" }],
    [
      "a plain answer: it may look",
      { mode: "text" },
      {
        edit: "deny",
        bash: { "*": "deny", "git diff*": "allow", "git log*": "allow", "git status*": "allow" },
      },
    ],
  ])("%s", (_, changes, permission) => {
    const { OPENCODE_PERMISSION = "{}", ...rest } = commandOf("opencode", changes).env;
    expect(JSON.parse(OPENCODE_PERMISSION)).toEqual(permission);
    expect(rest).toEqual({});
  });
});

describe.each<[AgentKind, string]>([
  ["gemini", "\n/help me"],
  ["qwen", "\n/help me"],
  ["copilot", "/help me"],
  ["opencode", "/help me"],
  ["cursor", "/help me"],
])("%s", (kind, stdin) => {
  it("gets a prompt that begins with a slash as text", () => {
    expect(commandOf(kind, { prompt: "/help me" }).stdin).toBe(stdin);
  });
});
