import { describe, expect, test } from "vitest";
import type { Criterion } from "../../src/spec.ts";
import { errorOf } from "./project.ts";
import { MAIN, resolved } from "./resolving.ts";

const NODE = {
  "package.json": { scripts: { test: "vitest", build: "tsc -b", lint: "eslint .", typecheck: "tsc" } },
};

async function criteriaOf(...given: Parameters<typeof resolved>): Promise<Criterion[]> {
  const { spec } = await resolved(...given);
  return spec.gates.flatMap((gate) => (gate.kind === "criterion" ? [gate] : []));
}

describe("the command of a criterion is found", () => {
  const cargo = { "Cargo.toml": "[package]\nname='x'\n[lints.clippy]\n" };
  const go = { "go.mod": "module x" };
  const python = { "pyproject.toml": "[tool.pytest]\n[tool.ruff]\n[tool.mypy]\n" };
  const make = { Makefile: "test:\n\tx\nbuild:\n\tx\nlint:\n\tx\ntypecheck:\n\tx\n" };
  const script = { ...NODE, "yarn.lock": "" };
  test.each([
    [NODE, "package.json", ["npm test", "npm run build", "npm run lint", "npm run typecheck"]],
    [script, "package.json", ["yarn test", "yarn run build", "yarn run lint", "yarn run typecheck"]],
    [cargo, "Cargo.toml", ["cargo test", "cargo build", "cargo clippy -- -D warnings", "cargo check"]],
    [go, "go.mod", ["go test ./...", "go build ./...", "go vet ./...", "go vet ./..."]],
    [make, "Makefile", ["make test", "make build", "make lint", "make typecheck"]],
  ])("%#: for every standard type, in %s %s", async (files, from, commands) => {
    const types = ["test_pass", "build_success", "lint_clean", "type_check"];
    const found = await criteriaOf(files, { criteria: types });
    expect(found.map(({ criterion, command, foundIn }) => [criterion, command, foundIn])).toEqual(
      types.map((type, index) => [type, commands[index], from]),
    );
    expect(found.map(({ name }) => name)).toEqual(types.map((type, index) => `${type}: ${commands[index]}`));
    expect(found.every(({ judged }) => judged === false)).toBe(true);
  });

  test("in a Python project, which has nothing to build", async () => {
    const found = await criteriaOf(python, { criteria: ["test_pass", "lint_clean", "type_check"] });
    expect(found.map(({ command }) => command)).toEqual(["pytest", "ruff check", "mypy ."]);
    expect(await errorOf(() => criteriaOf(python, { criteria: ["build_success"] }))).toEqual([
      "no command found for the criterion build_success",
      "neither package.json, Cargo.toml, go.mod, pyproject.toml nor a Makefile tells of one",
      'Name it: --criteria build_success --criteria-command "…", or "command" under criteria in .ralph/settings.json.',
    ]);
  });

  test("for types by the compiler's own settings, where no script checks them", async () => {
    const [found] = await criteriaOf({ "tsconfig.json": {} }, { criteria: ["type_check"] });
    expect(found).toMatchObject({ command: "npx --no-install tsc --noEmit", foundIn: "tsconfig.json" });
  });

  test("and never asked for where one is named", async () => {
    const settings = { criteria: [{ type: "test_pass", command: "./t" }] };
    const [found] = await criteriaOf({ ...NODE, [MAIN]: settings });
    expect(found).toMatchObject({ command: "./t" });
    expect(found).not.toHaveProperty("foundIn");
  });
});

describe("--criteria", () => {
  test("takes the place of the settings', and what they say about that type", async () => {
    const settings = {
      criteria: [
        "lint_clean",
        { type: "test_pass", command: "./t", hint: "h", timeout: "5s", flaky: true, judge: true },
      ],
    };
    expect(await criteriaOf({ ...NODE, [MAIN]: settings }, { criteria: ["test_pass", "test_pass"] })).toEqual(
      [
        {
          kind: "criterion",
          criterion: "test_pass",
          name: "test_pass: ./t",
          command: "./t",
          failAction: "APPEND",
          hint: "h",
          timeoutMs: 5000,
          flaky: true,
          judged: true,
        },
      ],
    );
  });

  test("takes a command: of custom, of the only one, or of custom by itself", async () => {
    const commands = async (criteria: string[] | undefined) =>
      (await criteriaOf(NODE, { criteria, criteriaCommand: "./c" })).map(({ name }) => name);
    expect(await commands(["test_pass", "custom"])).toEqual(["test_pass: npm test", "custom: ./c"]);
    expect(await commands(["test_pass"])).toEqual(["test_pass: ./c"]);
    expect(await commands(undefined)).toEqual(["custom: ./c"]);
    expect(await errorOf(() => commands(["test_pass", "lint_clean"]))).toEqual([
      "--criteria-command belongs to no criterion",
      "it is not told which of test_pass, lint_clean it is for",
      "Give --criteria custom as well, or name one criterion only.",
    ]);
  });

  test("tells what was meant, and that custom needs a command", async () => {
    const wrong = await errorOf(() => criteriaOf(NODE, { criteria: ["tests_pass"] }));
    expect(wrong[2]).toBe("Did you mean --criteria test_pass?");
    const bare = await errorOf(() => criteriaOf(NODE, { criteria: ["custom"] }));
    expect(bare[0]).toBe("the criterion custom has no command");
    const setting = await errorOf(() => criteriaOf({ [MAIN]: { criteria: ["test_pas"] } }));
    expect(setting[2]).toBe('Did you mean "test_pass"?');
    const inside = await errorOf(() => criteriaOf({ [MAIN]: { criteria: [{ type: "lint_claen" }] } }));
    expect(inside[0]).toContain("criteria[0].type");
    expect(inside[2]).toBe('Did you mean "lint_clean"?');
  });
});

describe("a claim", () => {
  test.each([
    [{ criteria: ["test_pass"] }, false],
    [{ criteria: ["test_pass"], completionResponse: "OK" }, undefined],
    [{ criteria: ["test_pass"], done: true }, undefined],
    [{}, undefined],
  ])("with %j is needed: %s", async (flags, needed) => {
    // What `ralph init` wrote is no wish for a claim.
    const settings = { completionResponse: "DONE", guardrails: [{ command: "make lint" }] };
    const { spec } = await resolved({ ...NODE, [MAIN]: settings }, flags);
    expect(spec.claim.needed).toBe(needed);
    expect(spec.gates.map(({ kind }) => kind)).toContain("protect");
    expect(spec.gates[1]).toMatchObject({ kind: "guardrail", command: "make lint" });
  });

  test("is what a supervised command makes: it has no criteria", async () => {
    const { project } = await import("./project.ts");
    const { input } = await import("./resolving.ts");
    const { resolveRun } = await import("../../src/config/resolve.ts");
    const folder = project({ ...NODE, [MAIN]: { criteria: ["test_pass", "custom"] } });
    const { spec } = await resolveRun({ ...input(folder, {}), command: ["make"] });
    expect([spec.gates, spec.claim.needed, spec.judge]).toEqual([[], undefined, undefined]);
  });
});

describe("the judge", () => {
  const judgeOf = async (settings: object, flags: Parameters<typeof resolved>[1] = {}) =>
    (await resolved({ ...NODE, [MAIN]: { agent: { command: "claude", model: "big" }, ...settings } }, flags))
      .spec.judge;

  test("is nobody where nobody is asked", async () => {
    expect(await judgeOf({ criteria: ["test_pass"], judge: { agent: "codex" } })).toBeUndefined();
    expect(await judgeOf({ criteria: [{ type: "custom", command: "x", judge: false }] })).toBeUndefined();
    expect(await judgeOf({}, { criteriaCommand: "x", judge: false })).toBeUndefined();
    const [what] = await errorOf(() => judgeOf({}, { judge: true }));
    expect(what).toBe("there is nothing to judge");
  });

  test("is whoever had the turn, another model of the agent, or another agent", async () => {
    const custom = { criteria: [{ type: "custom", command: "x" }] };
    expect(await judgeOf(custom)).toEqual({ maxChars: 200_000, progress: false });
    expect(await judgeOf({ criteria: ["test_pass"] }, { judge: true })).toEqual({
      maxChars: 200_000,
      progress: false,
    });
    expect(await judgeOf({ ...custom, judge: { model: "small", maxChars: 5000 } })).toMatchObject({
      agent: { kind: "claude", command: "claude", model: "small" },
      maxChars: 5000,
    });
    const other = { ...custom, judge: { agent: "codex", model: "gpt-5" } };
    expect((await judgeOf(other))?.agent).toEqual({
      kind: "codex",
      command: "codex",
      flags: [],
      model: "gpt-5",
      autonomy: "none",
    });
    // A model belongs to the judge beside it.
    expect((await judgeOf(other, { judgeAgent: "amp" }))?.agent).not.toHaveProperty("model");
    expect((await judgeOf(other, { judgeAgent: "amp", judgeModel: "m" }))?.agent).toMatchObject({
      model: "m",
    });
    const gone = await errorOf(() => judgeOf({ ...custom, judge: { agent: "nobody" } }));
    expect(gone).toEqual([
      "cannot start nobody",
      `no program of that name is on PATH (judge.agent, ${MAIN})`,
      "Install it, or name another with --judge-agent or with judge.agent in .ralph/settings.json.",
    ]);
  });

  test("may be asked about progress only", async () => {
    expect(await judgeOf({ progress: { judge: true } })).toEqual({ maxChars: 200_000, progress: true });
  });
});
