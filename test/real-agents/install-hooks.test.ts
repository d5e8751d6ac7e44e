import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { run, say } from "../model-server/script.ts";
import { installed, type RealAgent, realWorld } from "./world.ts";

/** The words with which each has one turn, hooks and all. */
const ARGS: Readonly<Record<string, (prompt: string) => string[]>> = {
  // A slash at the beginning is a command of its own, which only the plugin makes known.
  claude: (prompt) => ["-p", ` ${prompt}`, "--dangerously-skip-permissions"],
  codex: (prompt) => [
    "exec",
    "--dangerously-bypass-approvals-and-sandbox",
    "--dangerously-bypass-hook-trust",
    prompt,
  ],
  gemini: (prompt) => ["--yolo", "-m", "gemini-2.5-pro", "-p", prompt],
  qwen: (prompt) => ["--yolo", "--auth-type", "openai", prompt],
};

const AGENTS = installed(...Object.keys(ARGS));
const PROMISE = "<promise>DONE</promise>";
const LOOP = '/ralph-loop "Write the answer." --completion-promise DONE --max-iterations 4';

describe
  .skipIf(AGENTS.length === 0)
  .each(
    (AGENTS.length > 0 ? AGENTS : [undefined]).flatMap((agent) =>
      ["--user", "--project"].map((scope) => [`${agent?.name} ${agent?.version}`, scope, agent] as const),
    ),
  )("%s with the hooks in its settings (%s)", (_name, scope, installedAgent) => {
  const agent = installedAgent as RealAgent;

  test("is sent back until it keeps its promise, and not after they are out", async () => {
    const world = await realWorld(agent, [
      say("I think it is done."),
      run("echo 42 > answer.txt"),
      say(`There it is. ${PROMISE}`),
    ]);
    const wired = await world.ralph(["install-hooks", agent.name, scope, "--yes"]);
    expect(wired.code, wired.stderr).toBe(0);
    // Gemini takes the settings of trusted folders only.
    if (agent.name === "gemini")
      writeFileSync(
        join(world.env["HOME"] ?? "", ".gemini/trustedFolders.json"),
        JSON.stringify({ [world.project]: "TRUST_FOLDER" }),
      );
    const ended = await world.direct(ARGS[agent.name]?.(LOOP) ?? [], { env: { IS_SANDBOX: "1" } }).ended;
    const log = join(world.state, "hooks.log");
    expect(existsSync(log), `${ended.stdout}\n${ended.stderr}`).toBe(true);
    const lines = readFileSync(log, "utf8");
    expect(lines).toContain("promise missing; 0 tool calls; sent back (1 of 4)");
    expect(lines).toMatch(/promise found; 1 tool calls .*PROMISE_ACCEPTED/);
    const out = await world.ralph(["install-hooks", agent.name, scope, "--remove", "--yes"]);
    expect(out.code, out.stderr).toBe(0);
    world.server.play([say("Just once.")]);
    const before = world.server.asked().length;
    await world.direct(ARGS[agent.name]?.(LOOP) ?? [], { env: { IS_SANDBOX: "1" } }).ended;
    expect(readFileSync(log, "utf8")).toBe(lines);
    expect(world.server.asked().length).toBeGreaterThan(before);
  });
});
