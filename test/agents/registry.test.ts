import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasFlag, withoutFlags } from "../../src/agents/flags.ts";
import { adapterFor, KNOWN_AGENTS, kindOf } from "../../src/agents/registry.ts";
import { commandWords, programName } from "../../src/agents/words.ts";
import { UserError } from "../../src/errors.ts";

describe("the kind of agent that a command starts", () => {
  it.each([
    ["claude", "claude"],
    ["claude --model opus", "claude"],
    ["/usr/local/bin/claude", "claude"],
    ["'/opt/my tools/codex' --oss", "codex"],
    ["codex.cmd", "codex"],
    ["C:\\Tools\\claude.exe", "claude"],
    ['"C:\\My Tools\\amp.exe" --no-ide', "amp"],
    ["npx claude", "claude"],
    ["npx -y @anthropic-ai/claude-code@latest", "claude"],
    ["npx @openai/codex", "codex"],
    ["npx --yes @sourcegraph/amp@1.2.3", "amp"],
    ["copilot --allow-all", "copilot"],
    ["npx @github/copilot", "copilot"],
    ["npx @google/gemini-cli", "gemini"],
    ["npx -y @qwen-code/qwen-code@0.15.10", "qwen"],
    ["npx opencode-ai", "opencode"],
    ["opencode run", "opencode"],
    ["~/.local/bin/cursor-agent", "cursor"],
    ["cursor", "custom"],
    ["npx", "custom"],
    ["npx create-claude", "custom"],
    ["./claude-wrapper.sh", "custom"],
    ["claude.sh", "custom"],
    ["env X=1 claude", "custom"],
    ["constructor", "custom"],
    ["custom", "custom"],
  ])("%s: %s", (command, kind) => {
    expect(kindOf(command)).toBe(kind);
  });

  it("has an adapter for each kind, known ones in their order", () => {
    const kinds = ["claude", "codex", "amp", "copilot", "gemini", "qwen", "opencode", "cursor"] as const;
    expect(KNOWN_AGENTS.map((adapter) => adapter.kind)).toEqual(kinds);
    for (const kind of [...kinds, "custom"] as const) expect(adapterFor(kind).kind).toBe(kind);
  });
});

describe("the words of a command", () => {
  it.each([
    ["claude", ["claude"]],
    ["  npx   claude ", ["npx", "claude"]],
    ["a 'b c' \"d e\" f\\ g", ["a", "b c", "d e", "f g"]],
    ["C:\\Tools\\claude.exe -x", ["C:\\Tools\\claude.exe", "-x"]],
    ["a ''", ["a", ""]],
  ])("%s", (command, words) => {
    expect(commandWords(command)).toEqual(words);
  });

  it.each(["", "   ", "''", 'claude "--model', "claude \\"])(
    "tells the user what is wrong with %j",
    (command) => {
      const attempt = () => commandWords(command);
      expect(attempt).toThrow(UserError);
      try {
        attempt();
      } catch (error) {
        const { what, why, fix } = error as UserError;
        expect([what, why, fix].every((part) => part.trim() !== "")).toBe(true);
      }
    },
  );

  it("either gives words or an error for the user, never anything else", () => {
    fc.assert(
      fc.property(fc.string(), (command) => {
        try {
          return commandWords(command).length > 0 && programName(commandWords(command)[0]).length >= 0;
        } catch (error) {
          return error instanceof UserError;
        }
      }),
    );
  });
});

describe("flags", () => {
  const shapes = { bare: ["--yes"], oneValue: ["--mode", "-m"], manyValues: ["--tools"] };

  it.each([
    [["--mode", "x"], true],
    [["--mode=x"], true],
    [["-mx"], true],
    [["--modest", "x"], false],
    [["x", "mode"], false],
    [["--message"], false],
  ])("%j holds --mode or -m: %s", (words, expected) => {
    expect(hasFlag(words, ["--mode", "-m"])).toBe(expected);
  });

  it.each([
    [
      ["a", "--yes", "b"],
      ["a", "b"],
    ],
    [["--mode", "x", "b"], ["b"]],
    [["--mode=x", "b"], ["b"]],
    [["-m", "x", "-my", "b"], ["b"]],
    [
      ["--tools", "x", "y", "--other", "z"],
      ["--other", "z"],
    ],
    [["--tools=x", "y"], ["y"]],
    [["--mode"], []],
    [
      ["--modest", "x"],
      ["--modest", "x"],
    ],
  ])("%j without them is %j", (words, expected) => {
    expect(withoutFlags(words, shapes)).toEqual(expected);
  });

  it("takes out all of them and nothing of anything else", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("--yes", "--mode", "--mode=1", "--tools", "-m2", "a", "--z")),
        (words) => {
          const kept = withoutFlags(words, shapes);
          expect(hasFlag(kept, ["--yes", "--mode", "-m", "--tools"])).toBe(false);
          // A value is any word behind a flag that takes one, so only the words that no flag can take are all kept.
          if (!words.includes("--mode"))
            expect(kept.filter((word) => word === "--z")).toEqual(words.filter((word) => word === "--z"));
        },
      ),
    );
  });
});
