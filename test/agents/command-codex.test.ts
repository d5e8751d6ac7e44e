import { describe, expect, it } from "vitest";
import { adapterFor } from "../../src/agents/registry.ts";
import { argsOf, type Changes, commandOf } from "./support.ts";

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
