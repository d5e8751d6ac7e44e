import { describe, expect, it } from "vitest";
import type { TurnRequest } from "../../src/agents/agent.ts";
import { KNOWN_AGENTS } from "../../src/agents/registry.ts";
import type { AgentKind } from "../../src/spec.ts";
import { argsOf, type Changes, commandOf } from "./support.ts";

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

const KINDS: readonly AgentKind[] = [...KNOWN_AGENTS.map(({ kind }) => kind), "custom"];

describe.each(KINDS)("%s", (kind) => {
  const modes: TurnRequest["mode"][] = ["work", "text"];

  it("gets a prompt of 300 KB by stdin, whole, and never as an argument", () => {
    const prompt = "wörd ".repeat(60_000);
    for (const mode of modes) {
      const command = commandOf(kind, { prompt, mode });
      expect(command.stdin).toBe(prompt);
      expect(command.args.join(" ").length).toBeLessThan(500);
    }
  });

  it("adds nothing to the environment, unless that is the only way to hold it back", () => {
    if (kind !== "opencode") for (const mode of modes) expect(commandOf(kind, { mode }).env).toEqual({});
    expect(commandOf(kind).env).toEqual({});
  });

  it("starts the program that the command names", () => {
    expect(commandOf(kind, { agent: { command: `"/opt/my tools/${kind}" --one` } })).toMatchObject({
      file: `/opt/my tools/${kind}`,
    });
  });
});

describe.each(KINDS.filter((kind) => kind !== "claude"))("%s", (kind) => {
  it("gets the hint as the last paragraph", () => {
    expect(commandOf(kind, { prompt: "Do it.", hint: "Claim so." }).stdin).toBe("Do it.\n\nClaim so.");
    expect(commandOf(kind, { prompt: "do it", hint: " " }).stdin).toBe("do it");
  });
});
