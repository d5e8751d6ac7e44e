import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SCHEMA_URL } from "../../src/config/schema.ts";
import { isTrusted, trustKey } from "../../src/config/trust.ts";
import { makePlace, type Place } from "./init-program.ts";
import { CTRL_C, CTRL_D, DOWN, ENTER, openTerminal, SCRIPT, SPACE, type Terminal } from "./init-terminal.ts";

const AGENT = "Agent command (e.g.";
const FOUND_AGENT = "Agent command (found";
const FLAGS = "Agent flags";
const ITERATIONS = "Maximum iterations [10]";
const RESPONSE = "Completion response [DONE]";
const CHECKS = "Guardrails: which";
const GUARDRAIL = "Add guardrail command";
const ACTION = "Fail action";
const HINT = "Hint (optional";
const SCM = "Configure SCM? (y/N)";
const SCM_COMMAND = "SCM command";
const SCM_TASKS = "SCM tasks";
const OVERWRITE = "Overwrite? (y/N)";

const DEFAULTS = {
  $schema: SCHEMA_URL,
  maximumIterations: 10,
  completionResponse: "DONE",
  outputTruncateChars: 5000,
  streamAgentOutput: true,
};

let place: Place;
let terminals: Terminal[];

beforeEach(() => {
  place = makePlace();
  terminals = [];
});
afterEach(() => {
  for (const terminal of terminals) terminal.kill();
  place.remove();
});

function open(columns?: number): Terminal {
  const terminal = openTerminal(place, ["init"], columns);
  terminals.push(terminal);
  return terminal;
}

const settingsFile = () => join(place.project, ".ralph/settings.json");
const written = () => JSON.parse(readFileSync(settingsFile(), "utf8"));
const scripts = JSON.stringify({ scripts: { test: "x", lint: "x", build: "x" } });

describe.skipIf(SCRIPT === undefined && process.env["CI"] !== "true")("ralph init on a terminal", () => {
  test("asks for everything, and writes exactly what was answered", async () => {
    const terminal = open();
    await terminal.answer(AGENT, ENTER);
    await terminal.shows("Please name a command.");
    terminal.press(` ${ENTER}`);
    await terminal.shows("Please name a command.");
    terminal.press(`my-agent${ENTER}`);
    await terminal.shows("my-agent is not on PATH yet");
    await terminal.answer(FLAGS, `--model opus , , --fast,${ENTER}`);
    await terminal.answer(ITERATIONS, `0${ENTER}`);
    await terminal.shows("whole number of 1 or more");
    terminal.press(`\u007f7${ENTER}`);
    await terminal.answer(RESPONSE, `FERTIG${ENTER}`);
    await terminal.answer(GUARDRAIL, `make "all tests"${ENTER}`);
    await terminal.answer(ACTION, `${DOWN}${ENTER}`);
    await terminal.answer(HINT, `Fix it, only.${ENTER}`);
    await terminal.answer(GUARDRAIL, `make lint${ENTER}`);
    await terminal.answer(ACTION, `${DOWN}${DOWN}${ENTER}`);
    await terminal.answer(HINT, ENTER);
    await terminal.answer(GUARDRAIL, ENTER);
    await terminal.answer(SCM, "y");
    await terminal.answer(SCM_COMMAND, ENTER);
    await terminal.answer(SCM_TASKS, `commit, push${ENTER}`);
    const { code, screen } = await terminal.ended;
    expect(screen).toContain("This folder is no git repository yet");
    expect(screen).toContain("Settings written to .ralph/settings.json");
    expect(screen).toContain("Next: ralph run -p ");
    expect(code).toBe(0);
    expect(readFileSync(settingsFile(), "utf8")).toBe(
      `${JSON.stringify(
        {
          ...DEFAULTS,
          maximumIterations: 7,
          completionResponse: "FERTIG",
          agent: { command: "my-agent", flags: ["--model opus", "--fast"] },
          guardrails: [
            { command: 'make "all tests"', failAction: "PREPEND", hint: "Fix it, only." },
            { command: "make lint", failAction: "REPLACE" },
          ],
          scm: { command: "git", tasks: ["commit", "push"] },
        },
        null,
        2,
      )}\n`,
    );
    expect(isTrusted(place.state, trustKey(place.project, written()))).toBe(true);
  });

  test("offers the agents and the checks that it finds", async () => {
    const claude = place.install("claude", "exit 1");
    place.install("codex", "exit 1");
    place.write("package.json", scripts);
    const terminal = open();
    await terminal.shows(`◆  ${FOUND_AGENT}`);
    await terminal.shows(claude);
    terminal.press(`${DOWN}${ENTER}`);
    await terminal.answer(FLAGS, ENTER);
    await terminal.answer(ITERATIONS, ENTER);
    await terminal.answer(RESPONSE, ENTER);
    await terminal.answer(CHECKS, `${DOWN}${SPACE}${DOWN}${SPACE}${ENTER}`);
    await terminal.answer(GUARDRAIL, ENTER);
    await terminal.answer(SCM, ENTER);
    expect((await terminal.ended).code).toBe(0);
    expect(written()).toEqual({
      ...DEFAULTS,
      agent: { command: "codex" },
      guardrails: [
        { command: "npm test", failAction: "APPEND" },
        { command: "npm run build", failAction: "APPEND" },
      ],
      sandbox: { network: { allow: ["registry.npmjs.org"] } },
    });
  });

  test("another agent than the found ones can be typed, and a quote must be closed", async () => {
    place.install("claude", "exit 1");
    const terminal = open();
    await terminal.answer(FOUND_AGENT, `${DOWN}${ENTER}`);
    await terminal.answer(AGENT, `sh 'x${ENTER}`);
    await terminal.shows("A quote or a backslash is not closed.");
    terminal.press(`'${ENTER}`);
    await terminal.answer(FLAGS, ENTER);
    await terminal.answer(ITERATIONS, ENTER);
    await terminal.answer(RESPONSE, ENTER);
    await terminal.answer(GUARDRAIL, ENTER);
    await terminal.answer(SCM, "n");
    const { code, screen } = await terminal.ended;
    expect(code).toBe(0);
    expect(screen).not.toContain("is not on PATH yet");
    expect(screen).toContain("nothing is proven");
    expect(written().agent).toEqual({ command: "sh 'x'" });
  });

  test("shows what is there, and leaves it alone unless told otherwise", async () => {
    place.write(".ralph/settings.json", '{"maximumIterations":3,"agent":{"command":"old"}}');
    place.write(".ralph/settings.local.json", '{"agent":{"flags":["--x"]}}');
    const before = readFileSync(settingsFile(), "utf8");
    const terminal = open();
    await terminal.answer(OVERWRITE, ENTER);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(0);
    const merged = JSON.stringify(
      { maximumIterations: 3, agent: { command: "old", flags: ["--x"] } },
      null,
      2,
    );
    expect(screen).toContain(merged);
    expect(screen).toContain(
      "Loaded from .ralph/settings.json (with local overlay from settings.local.json)\n",
    );
    expect(screen).toContain("Nothing was changed.");
    expect(readFileSync(settingsFile(), "utf8")).toBe(before);
    expect(readdirSync(join(place.project, ".ralph")).sort()).toEqual([
      "settings.json",
      "settings.local.json",
    ]);
  });

  test("overwrites after a yes", async () => {
    place.install("claude", "exit 1");
    place.write(".ralph/settings.json", '{"maximumIterations":3}');
    const terminal = open();
    await terminal.shows("Loaded from .ralph/settings.json\n");
    await terminal.answer(OVERWRITE, "y");
    await terminal.answer(FOUND_AGENT, ENTER);
    await terminal.answer(FLAGS, ENTER);
    await terminal.answer(ITERATIONS, ENTER);
    await terminal.answer(RESPONSE, ENTER);
    await terminal.answer(GUARDRAIL, ENTER);
    await terminal.answer(SCM, ENTER);
    expect((await terminal.ended).code).toBe(0);
    expect(written()).toEqual({ ...DEFAULTS, agent: { command: "claude" }, guardrails: [] });
  });

  test("settings that cannot be read are explained, and may be overwritten", async () => {
    place.write(".ralph/settings.json", '{"maximumIterations": }');
    const terminal = open();
    await terminal.shows("bad JSON in .ralph/settings.json, line 1");
    await terminal.answer("Overwrite .ralph/settings.json? (y/N)", "n");
    expect((await terminal.ended).code).toBe(0);
    expect(readFileSync(settingsFile(), "utf8")).toBe('{"maximumIterations": }');
  });

  test.each([
    ["Ctrl-C", (terminal: Terminal) => terminal.press(CTRL_C)],
    ["Ctrl-D", (terminal: Terminal) => terminal.press(CTRL_D)],
    ["the end of input", (terminal: Terminal) => terminal.hangUp()],
    ["SIGTERM", (terminal: Terminal) => terminal.signal("SIGTERM")],
    ["SIGHUP", (terminal: Terminal) => terminal.signal("SIGHUP")],
  ])("%s in the middle leaves nothing behind", async (_, leave) => {
    const terminal = open();
    await terminal.answer(AGENT, `sh${ENTER}`);
    await terminal.answer(FLAGS, ENTER);
    await terminal.shows(`◆  ${ITERATIONS}`);
    leave(terminal);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).toContain("Stopped: nothing was written.");
    expect(existsSync(join(place.project, ".ralph"))).toBe(false);
  });

  test("what cannot be written in the end is an error in three lines", async () => {
    const terminal = open();
    await terminal.answer(AGENT, `sh${ENTER}`);
    await terminal.answer(FLAGS, ENTER);
    await terminal.answer(ITERATIONS, ENTER);
    await terminal.answer(RESPONSE, ENTER);
    await terminal.answer(GUARDRAIL, ENTER);
    mkdirSync(settingsFile(), { recursive: true });
    await terminal.answer(SCM, ENTER);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(2);
    expect(screen).toMatch(/ralph: cannot write \.ralph\/settings\.json\n {2}.+\n {2}.+\n/);
    expect(screen).not.toContain("Settings written");
    expect(readdirSync(join(place.project, ".ralph"))).not.toContainEqual(expect.stringContaining(".tmp"));
  });

  test("Ctrl-C at the question whether to overwrite keeps the file", async () => {
    place.write(".ralph/settings.json", "{}");
    const terminal = open();
    await terminal.answer(OVERWRITE, CTRL_C);
    expect((await terminal.ended).code).toBe(130);
    expect(readFileSync(settingsFile(), "utf8")).toBe("{}");
  });

  test("a terminal that tells no width is one of 80 columns", async () => {
    const terminal = open(0);
    await terminal.answer(AGENT, CTRL_C);
    expect((await terminal.ended).code).toBe(130);
  });
});
