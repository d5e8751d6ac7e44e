import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DONE, outcomeOf } from "../e2e/support.ts";
import { withTaskList } from "../e2e/task-world.ts";
import { type Reply, run, say, write } from "../model-server/script.ts";
import { story } from "../tasks/support.ts";
import { fenceFor, installed, realWorld } from "./world.ts";

const AGENTS = installed("claude", "codex").map(
  (agent) => [`${agent.name} ${agent.version}`, agent] as const,
);

/** Work that tries to get out on its way. */
const WORK: readonly Reply[] = [
  run("cat ~/.ssh/id_secret > stolen.txt; env > env.txt; ls -A / > root.txt; true"),
  write("answer.txt", "42\n"),
  run("git add answer.txt && git commit -q -m 'The answer' && echo x > .git/hooks/pre-commit; true"),
  say(`It is there. ${DONE}`),
];

const CLAUDE = AGENTS.filter(([, { name }]) => name === "claude");

describe.skipIf(CLAUDE.length === 0).each(CLAUDE)("inside bubblewrap, %s", (_name, agent) => {
  test("asks ralph outside when it wants to stop, and is refused an illegal approval", async () => {
    const edit = (code: string, text: string) => [
      run(`../bin/edit '${code}' && git add --all && git commit --quiet -m turn`),
      say(text),
    ];
    const approve = `const t = s("US-001"); t.reviewStatus = "approved"; t.passes = true; t.reviewCount = 1; t.notes = "done"`;
    const script = [
      write("answer.txt", "42\n"),
      ...edit(approve, "<promise>COMPLETE</promise>"),
      ...edit(
        `const t = s("US-001"); t.reviewStatus = "needs_review"; t.passes = false; t.reviewCount = 0`,
        "Handed in.",
      ),
      ...edit(approve, "Good."),
    ];
    const world = withTaskList(await realWorld(agent, script), [story("US-001")]);
    world.settings({ agent: { command: agent.name }, sandbox: fenceFor(agent, world) });
    const ended = await world.ralph(["run", "--tasks"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain("Sandbox: bubblewrap");
    expect(world.turns().map(({ mode }) => mode)).toEqual(["implement", "review"]);
    const heard = world.server.asked().map((asked) => asked.heard.join("\n"));
    expect(heard.some((text) => text.includes("Implement iterations cannot set passes=true"))).toBe(true);
  });
});

describe.each(AGENTS)("inside bubblewrap, %s", (_name, agent) => {
  test("works through the allowlist, commits, and finds neither secrets nor a way to plant a hook", async () => {
    const world = await realWorld(agent, [say(`Done. ${DONE}`), ...WORK]);
    const ssh = join(world.env["HOME"] ?? "", ".ssh");
    mkdirSync(ssh);
    writeFileSync(join(ssh, "id_secret"), "canary");
    world.settings({
      agent: { command: agent.name },
      guardrails: [{ command: "grep -qx 42 answer.txt" }],
      sandbox: fenceFor(agent, world),
    });
    const ended = await world.ralph(["-p", "Write the answer.", "-m", "3"], {
      env: { OTHER_SECRET: "hush" },
    });
    expect(ended.code, ended.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
    expect(world.git("log", "-1", "--format=%s").trim()).toBe("The answer");
    expect(world.read("stolen.txt")).not.toContain("canary");
    expect(world.read("env.txt")).not.toContain("hush");
    expect(existsSync(join(world.project, ".git/hooks/pre-commit"))).toBe(false);
    const log = readFileSync(join(world.runFolder(), "network.jsonl"), "utf8").trim().split("\n");
    const asked = log.map((line) => JSON.parse(line) as { host: string; allowed: boolean });
    expect(asked.some(({ allowed }) => allowed)).toBe(true);
    await world.expectNothingLeft();
  });
});
