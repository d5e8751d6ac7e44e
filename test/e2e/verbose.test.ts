import { describe, expect, test } from "vitest";
import { DONE, makeWorld } from "./support.ts";

/** The verbose lines of a run, without their mark. */
function details(stderr: string): string[] {
  return stderr
    .split("\n")
    .filter((line) => line.startsWith("[ralph] "))
    .map((line) => line.slice("[ralph] ".length));
}

describe.each(["-V", "--verbose"])("%s", (flag) => {
  test("says what is loaded, run and found, in lines that begin with [ralph]", async () => {
    const world = makeWorld();
    world.installAgent("claude", { turns: [{ final: "Hm." }, { final: DONE }] });
    world.settings({
      agent: { command: "claude", flags: ["--model opus"] },
      guardrails: [{ command: "exit 0" }],
      claimHint: false,
    });
    world.localSettings({ maximumIterations: 4 });
    const { stderr, code } = await world.ralph(["-p", "the work", flag]);
    expect(code).toBe(0);
    const lines = details(stderr);
    expect(lines.slice(0, 2)).toEqual([
      "Loading settings from .ralph/settings.json",
      "Loading settings from .ralph/settings.local.json",
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^Configuration: \{.*"iterations":4/));
    expect(lines).toContain("Iteration 1/4 starting");
    expect(lines).toContain("Iteration 2/4 starting");
    expect(lines).toContainEqual(expect.stringMatching(/^Agent command: claude -p .*--model opus$/));
    expect(lines).toContainEqual(expect.stringMatching(/^Prompt .*the work$/));
    expect(lines).toContain("Running guardrail: exit 0");
    expect(lines).toContainEqual(expect.stringMatching(/^Guardrail exited with code 0 \(\d+\.\ds\)$/));
    expect(lines).toContainEqual(expect.stringMatching(/^Agent ended: finished \(\d+\.\ds\)$/));
    expect(lines).toContainEqual(
      expect.stringMatching(/^Completion: looked for <response>DONE<\/response>, found none$/),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^Completion: .*found "DONE"$/));
  });
});

describe("verbose lines", () => {
  test("are not there without the flag", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command: "true" }] });
    const { stdout, stderr } = await world.ralph(["-p", "x"]);
    expect(stdout + stderr).not.toContain("[ralph]");
  });

  test("show the first 200 characters of a prompt and no more", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] });
    const prompt = `${"abcdefghij".repeat(20)}UNSEEN`;
    const { stderr } = await world.ralph(["-p", prompt, "-V"]);
    const line = details(stderr).find((one) => one.startsWith("Prompt")) ?? "";
    expect(line.endsWith("abcdefghij".repeat(20))).toBe(true);
    expect(line).not.toContain("UNSEEN");
  });

  test.each([[[]], [["--json"]]])("hide secrets, wherever they come from (%j)", async (flags) => {
    const world = makeWorld();
    world.installAgent("claude", { turns: [{ final: DONE }] });
    const secrets = [
      "sk-ant-api03-AbCdEf0123456789xyz",
      "ghp_0123456789abcdefghijABCDEFGHIJ",
      "hunter2-hunter2",
      "s3cr3t-value",
    ];
    const [key, token, password, header] = secrets;
    world.settings({
      agent: { command: "claude", flags: [`--api-key ${key}`] },
      guardrails: [{ command: `DB_PASSWORD=${password} true`, hint: `Authorization: Bearer ${header}` }],
    });
    const { stderr } = await world.ralph(["-p", `use ${token} for it`, "-V", ...flags]);
    const lines = details(stderr).join("\n");
    expect(lines).toContain("[redacted]");
    for (const secret of secrets) expect(lines).not.toContain(secret);
  });

  test("show what the agent thinks and what no parser knows", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ think: "I wonder." }, { raw: "odd line" }], final: DONE }] });
    const { stderr } = await world.ralph(["-p", "x", "-V"]);
    expect(stderr).toContain("I wonder.");
    expect(stderr).toContain("odd line");
  });
});

test("a secret in a guardrail's command is in no line, no prompt and no file name", async () => {
  const world = makeWorld();
  const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const agent = world.speaking(
    { turns: [{ final: "no" }] },
    { guardrails: [{ command: `TOKEN=${secret} false` }], maximumIterations: 2 },
  );
  const ended = await world.ralph(["-p", "x", "-V"]);
  expect(ended.stderr).not.toContain(secret);
  expect(world.ralphFiles().join("\n")).not.toContain(secret);
  expect(agent.calls().length).toBe(2);
});
