import { describe, expect, test } from "vitest";
import { errorOf } from "./project.ts";
import { LOCAL, MAIN, resolved } from "./resolving.ts";

const codex = { kind: "codex", command: "codex", flags: [], autonomy: "full" };

describe("who stands in for the agent", () => {
  test("nobody, when nobody is named", async () => {
    const run = await resolved({});
    expect(run.spec).not.toHaveProperty("fallback");
    expect(run.sources.get("fallbackAgent")).toBe("default");
  });

  test("by name, with a model behind a colon", async () => {
    const named = await resolved({ [MAIN]: { fallbackAgent: "codex" } });
    expect(named.spec.fallback).toEqual([codex]);
    expect(named.sources.get("fallbackAgent")).toBe(MAIN);
    const flag = await resolved({}, { fallbackAgent: ["codex:openai/gpt-5:free"] });
    expect(flag.spec.fallback).toEqual([{ ...codex, model: "openai/gpt-5:free" }]);
  });

  test("several, in order; the flag beats the settings as a whole", async () => {
    const files = { [MAIN]: { fallbackAgent: [{ command: "codex" }, "amp"] } };
    expect((await resolved(files)).spec.fallback?.map((agent) => agent.kind)).toEqual(["codex", "amp"]);
    const run = await resolved(files, { fallbackAgent: ["amp"] });
    expect(run.spec.fallback?.map((agent) => agent.kind)).toEqual(["amp"]);
    expect(run.sources.get("fallbackAgent")).toBe("--fallback-agent");
  });

  test("an object has what `agent` has, and the autonomy of the run unless it says otherwise", async () => {
    const run = await resolved(
      {
        [MAIN]: { fallbackAgent: { command: "my-codex", kind: "codex", flags: ["-c 'a b'"] } },
        [LOCAL]: { fallbackAgent: { model: "m" } },
      },
      { autonomy: "edits" },
      ["claude", "my-codex"],
    );
    expect(run.spec.fallback).toEqual([
      { kind: "codex", command: "my-codex", flags: ["-c", "a b"], model: "m", autonomy: "edits" },
    ]);
  });

  test("without a command it is the same program with another model", async () => {
    const run = await resolved({
      [MAIN]: {
        agent: { command: "claude", flags: ["--x"], model: "opus" },
        fallbackAgent: { model: "haiku" },
      },
    });
    expect(run.spec.fallback).toEqual([
      { kind: "claude", command: "claude", flags: ["--x"], model: "haiku", autonomy: "full" },
    ]);
  });

  test("may lie in the home folder, or have a Windows path", async () => {
    const home = await resolved({}, { fallbackAgent: ["~/bin/codex:m"] }, ["claude", "/home/jo e/bin/codex"]);
    expect(home.spec.fallback).toMatchObject([{ command: "'/home/jo e'/bin/codex", model: "m" }]);
    const program = "C:\\tools\\codex.exe";
    const windows = await resolved({}, { fallbackAgent: [`${program}:m`] }, ["claude", program]);
    expect(windows.spec.fallback).toMatchObject([{ command: program, model: "m" }]);
  });

  test("must be there", async () => {
    const fix =
      "Install it, or name another with --fallback-agent or with fallbackAgent in .ralph/settings.json.";
    expect(await errorOf(() => resolved({}, { fallbackAgent: ["nope:m"] }))).toEqual([
      "cannot start nope",
      "no program of that name is on PATH (fallbackAgent[0].command, --fallback-agent)",
      fix,
    ]);
    expect(await errorOf(() => resolved({ [MAIN]: { fallbackAgent: "nope" } }))).toEqual([
      "cannot start nope",
      `no program of that name is on PATH (fallbackAgent.command, ${MAIN})`,
      fix,
    ]);
    expect((await errorOf(() => resolved({}, { fallbackAgent: [" "] })))[0]).toBe(
      "bad value for --fallback-agent",
    );
  });

  test("a fault inside is named where it is", async () => {
    const [what, , fix] = await errorOf(() =>
      resolved({ [MAIN]: '{ "fallbackAgent": ["amp", { "comand": "codex" }] }' }),
    );
    expect(what).toBe(`unknown setting fallbackAgent[1].comand in ${MAIN}, line 1, column 30`);
    expect(fix).toBe('Did you mean "command"?');
    const [bad, why] = await errorOf(() => resolved({ [MAIN]: '{ "fallbackAgent": 5 }' }));
    expect(bad).toBe(`bad setting fallbackAgent in ${MAIN}, line 1, column 20`);
    expect(why).toContain("an agent");
  });
});
