import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { DONE, makeWorld } from "./support.ts";

/** The files that ask questions, and the commands that reach them. Whoever adds one gives its command `--yes`. */
const ASKING = [
  { files: /^(?:init|init-tasks|init\/\w+)\.ts$/, commands: ["init"] },
  { files: /^archive\.ts$/, commands: ["archive"] },
  { files: /^install-hooks\.ts$/, commands: ["install-hooks"] },
  { files: /^go-back\.ts$/, commands: ["rollback", "undo"] },
  { files: /^plan\.ts$/, commands: ["plan"] },
  { files: /^(?:trust|without-fence)\.ts$/, commands: ["run", "supervise"] },
];
const CLI = fileURLToPath(new URL("../../src/cli", import.meta.url));
const UNTRUSTED = { RALPH_TRUST_PROJECT: undefined, CI: undefined };

describe("every command that asks", () => {
  test("is known here", () => {
    const files = readdirSync(CLI, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const asking = files.filter((name) =>
      /"@clack\/prompts"|"node:readline/.test(readFileSync(join(CLI, name), "utf8")),
    );
    expect(asking.length).toBeGreaterThan(1);
    expect(asking.filter((name) => !ASKING.some((one) => one.files.test(name)))).toEqual([]);
  });

  test.each(ASKING.flatMap(({ commands }) => commands))("ralph %s takes --yes and -y", (name) => {
    const command = createProgram().commands.find((one) => one.name() === name);
    expect(command?.options.find((option) => option.long === "--yes")?.short).toBe("-y");
  });
});

test.each(["--yes", "-y"])("ralph run %s trusts the project's commands, once", async (flag) => {
  const world = makeWorld();
  world.installAgent("claude", { turns: [{ final: DONE }] });
  world.settings({ agent: { command: "claude" }, guardrails: [{ command: "touch ran" }] });
  expect((await world.ralph(["-p", "x", flag], { env: UNTRUSTED })).code).toBe(0);
  expect(world.has("ran")).toBe(true);
  expect((await world.ralph(["-p", "x"], { env: UNTRUSTED })).code).toBe(2);
});
