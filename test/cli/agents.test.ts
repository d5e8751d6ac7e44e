import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { KNOWN_AGENTS } from "../../src/agents/registry.ts";
import { makePlace, type Place } from "./init-program.ts";

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const PROGRAMS = KNOWN_AGENTS.map(({ program }) => program);

interface Told {
  readonly program: string;
  readonly installed: boolean;
  readonly version?: string;
  readonly path?: string;
  readonly problem?: string;
}

async function told(): Promise<Map<string, Told>> {
  const { stdout, stderr, code } = await place.run(["agents", "--json"]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  const { agents } = JSON.parse(stdout) as { agents: Told[] };
  return new Map(agents.map((agent) => [agent.program, agent]));
}

describe("ralph agents", () => {
  test("lists what is installed with version, place and features, and names the rest", async () => {
    const claude = place.install("claude", 'echo "2.1.0 (Claude Code)"');
    const copilot = place.install("copilot", 'echo "GitHub Copilot CLI 1.0.102."');
    const { stdout, stderr, code } = await place.run(["agents"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout.split("\n")).toEqual([
      "AGENT    VERSION  PROMPT  STREAM       HOOKS  TELLS            RESUME  PROGRAM",
      `claude   2.1.0    stdin   stream-json  yes    cost and tokens  yes     ${claude}`,
      `copilot  1.0.102  stdin   json         yes    none             yes     ${copilot}`,
      "",
      "Not installed: codex, amp, gemini, qwen, opencode, cursor-agent",
      "",
    ]);
  });

  test("says of each that was never run that it was not", async () => {
    place.install("cursor-agent", "echo 2026.09.15-d2fe57e");
    const { stdout } = await place.run(["agents"]);
    expect(stdout).toMatch(/^cursor-agent {2}2026\.09\.15-d2fe57e {2}stdin .* \? .* tokens /m);
    expect(stdout).toMatch(/^cursor-agent: built from its documentation, not tried/m);
  });

  test("says kindly that none is installed, and what to do", async () => {
    const { stdout, stderr, code } = await place.run(["agents"]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^None of the agents that ralph knows is installed here\.\nInstall one/);
    expect(stdout).toContain(`Known: ${PROGRAMS.join(", ")}\n`);
  });

  test("tells all of them as JSON, installed or not", async () => {
    const path = place.install("gemini", "echo 0.61.0");
    const agents = await told();
    expect([...agents.keys()]).toEqual(PROGRAMS);
    expect(agents.get("gemini")).toEqual({
      kind: "gemini",
      program: "gemini",
      installed: true,
      path,
      version: "0.61.0",
      title: "Gemini CLI",
      prompt: "stdin",
      stream: "stream-json",
      hooks: "yes",
      cost: "tokens",
      resume: "yes",
      tried: ["0.61.0"],
    });
    expect(agents.get("claude")).toMatchObject({ installed: false });
  });

  test("goes on without the version of one that fails, and does not start one inside the project", async () => {
    place.install("qwen", "exit 3");
    const bin = join(place.project, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "opencode"), "#!/bin/sh\ntouch was-started\n");
    chmodSync(join(bin, "opencode"), 0o755);
    const { stdout } = await place.run(["agents"], { PATH: `${bin}:${place.env["PATH"]}` });
    expect(stdout).toMatch(/^qwen +\? +stdin /m);
    expect(stdout).toMatch(/^qwen: does not tell its version \(exit code 3\)$/m);
    expect(stdout).toMatch(/^opencode: inside the project, so it was not asked$/m);
    expect(existsSync(join(place.project, "was-started"))).toBe(false);
  });

  test("lets no program steer the terminal", async () => {
    place.install("amp", "printf '\\033]0;x\\0071.2.3\\n'");
    expect((await place.run(["agents"])).stdout).not.toContain("\u001b");
  });

  test("has something to say about every agent that ralph knows", () => {
    expect(KNOWN_AGENTS.filter(({ about }) => about === undefined)).toEqual([]);
  });
});
