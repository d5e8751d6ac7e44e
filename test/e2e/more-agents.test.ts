import type { Script } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { argvs, commitCalls, DONE, makeWorld, ofType, outcomeOf, prompts, said } from "./support.ts";

type Voice = NonNullable<Script["voice"]>;

/** The program of each, what a working turn gets, and what one gets that is asked for a commit message. */
const AGENTS: readonly (readonly [Voice, string, readonly string[], readonly string[]])[] = [
  ["copilot", "copilot", ["--output-format", "json", "--allow-all-tools"], ["-s", "--deny-tool=write"]],
  [
    "gemini",
    "gemini",
    ["-o", "stream-json", "--yolo", "--skip-trust"],
    ["-o", "text", "--approval-mode", "default", "--skip-trust"],
  ],
  ["qwen", "qwen", ["-o", "stream-json", "--yolo"], ["-o", "text", "--approval-mode", "default"]],
  ["opencode", "opencode", ["run", "--format", "json", "--auto"], ["run"]],
  [
    "cursor",
    "cursor-agent",
    ["-p", "--output-format", "stream-json", "--force", "--trust"],
    ["-p", "--output-format", "text", "--mode", "ask", "--trust"],
  ],
];

const USAGE = { inputTokens: 1000, outputTokens: 500, cacheReadTokens: 200 };

describe.each(AGENTS)("%s", (voice, program, work, text) => {
  test("is known by its name, is told what failed, and ends with proof and a commit", async () => {
    const world = makeWorld({ git: true });
    const turns: Script["turns"] = [
      { actions: [{ run: "echo working; false" }], final: `Done, I think. ${DONE}` },
      { actions: [{ write: "fixed", text: "yes\n" }], final: `Now it is. ${DONE}`, usage: USAGE },
    ];
    const agent = world.installAgent(program, { voice, turns }, "  --trust  Trust the folder");
    world.settings({
      agent: { command: program },
      guardrails: [{ command: "test -f fixed || { echo 'no fixed file'; exit 1; }" }],
      scm: { command: "git", tasks: ["commit"] },
    });
    const ended = await world.ralph(["-p", "mend it", "--json"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
    expect(ofType(world.journal(), "run.started")[0]?.spec.agent.kind).toBe(voice);
    expect(argvs(agent)).toEqual([work, work]);
    expect(prompts(agent)[1]).toContain("no fixed file");
    const all = said(ended.stdout);
    expect(ofType(all, "unrecognised")).toEqual([]);
    expect(ofType(all, "session")[0]?.sessionId).toBe("scripted-session");
    expect(ofType(all, "text").map((event) => event.text)).toContain(`Now it is. ${DONE}`);
    expect(ofType(all, "tool.ended").map((event) => event.ok)).toEqual([false, true]);
    expect(ofType(all, "tool.started").map((event) => event.summary)).toEqual([
      "echo working; false",
      "fixed",
    ]);
    const used = ofType(all, "result").at(-1)?.usage;
    if (voice !== "copilot") expect(used).toMatchObject(USAGE);
    else expect(used).toBeUndefined();
    expect(commitCalls(agent).map((call) => call.argv)).toEqual([text]);
    expect(world.git("log", "-1", "--format=%s").trim()).toBe("Do the scripted work");
  });

  test("claims nothing by what a subagent says or thinks, by a stream that breaks off, or with a bad exit code", async () => {
    const world = makeWorld();
    const turns: Script["turns"] = [
      { actions: [{ subagent: DONE }, { think: DONE }], final: "Not yet." },
      { actions: [{ say: DONE }, { exit: 0 }] },
      { actions: [{ say: "Half a line follows." }, { raw: '{"type":"resu' }], final: DONE, exitCode: 1 },
      { final: DONE },
    ];
    const agent = world.speaking({ voice, turns });
    const ended = await world.ralph(["-p", "x", "--maximum-failures", "9"]);
    expect(ended.code, ended.stderr).toBe(0);
    expect(prompts(agent)).toHaveLength(turns.length);
  });
});
