import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guardAnswer } from "../../src/hooks/guard-answer.ts";
import { type HookWorld, world } from "./support.ts";

const place = (at: HookWorld, more: object = {}) => ({
  project: at.project,
  cwd: at.project,
  home: at.home,
  unattended: true,
  allow: [],
  deny: [],
  protected: [at.state],
  ...more,
});

/** A session of an agent in a guarded run. */
function guarded(at: HookWorld, text = JSON.stringify(place(at)), agent: "claude" | "codex" = "claude") {
  const folder = join(at.state, "run");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "guard.json"), text);
  return at.session({ agent, env: { RALPH_GUARD: join(folder, "guard.json") } });
}

const bash = (command: string) => ({ tool_name: "Bash", tool_input: { command } });
const no = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

describe("before a tool of a guarded run", () => {
  it("what does no harm is not spoken of", async () => {
    const session = guarded(world());
    expect(await session.hook("PreToolUse", bash("npm test"))).toEqual({});
    expect(await session.hook("PreToolUse", { tool_name: "WebSearch", tool_input: {} })).toEqual({});
  });

  it("what does is denied, with the rule and what to do instead, and written down with the run", async () => {
    const at = world();
    const session = guarded(at);
    const said = await session.hook("PreToolUse", bash("cd /opt && rm -rf other"));
    expect(said).toEqual(
      no(expect.stringMatching(/deletes files outside the project \(rule delete-outside\)\. Keep/)),
    );
    const log = readFileSync(join(at.state, "run/hooks.log"), "utf8");
    expect(log).toMatch(/denied Bash: .*delete-outside.*rm -rf other/);
    // The second call reads the code that the first one kept.
    expect(await session.hook("PreToolUse", bash("git push -f"))).toEqual(
      no(expect.stringContaining("force-push")),
    );
  });

  it("the folder of the session counts, and file tools and patches are judged too", async () => {
    const at = world();
    const session = guarded(at);
    mkdirSync(join(at.home, "other"));
    const elsewhere = { ...bash("rm -rf x"), cwd: join(at.project, "..", "other") };
    // The world stands in a temporary folder, which an agent may use as it likes.
    expect(await session.hook("PreToolUse", elsewhere)).toEqual({});
    const settings = {
      tool_name: "Write",
      tool_input: { file_path: join(at.project, ".ralph/settings.json") },
    };
    expect(await session.hook("PreToolUse", settings)).toEqual(no(expect.stringContaining("harness-files")));
    const patch = "*** Begin Patch\n*** Update File: .git/config\n*** End Patch";
    const codex = guarded(at, undefined, "codex");
    expect(
      await codex.hook("PreToolUse", { tool_name: "apply_patch", tool_input: { command: patch } }),
    ).toEqual(no(expect.stringContaining("git-hooks")));
  });

  it("the user's own patterns hold", async () => {
    const at = world();
    const session = guarded(at, JSON.stringify(place(at, { allow: ["git push -f"], deny: ["npm install"] })));
    expect(await session.hook("PreToolUse", bash("git push -f"))).toEqual({});
    expect(await session.hook("PreToolUse", bash("npm install x"))).toEqual(
      no(expect.stringContaining("denied")),
    );
  });
});

describe("the guard fails closed", () => {
  it.each([
    ["a damaged file", "{"],
    ["a file of something else", "[]"],
    ["a file without its lists", '{"project":"/p","cwd":"/p","home":"/h"}'],
  ])("%s", async (_, text) => {
    const session = guarded(world(), text);
    expect(await session.hook("PreToolUse", bash("ls"))).toEqual(
      no(expect.stringContaining("could not judge")),
    );
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["no object", "7"],
  ])("input that is %s", async (_, stdin) => {
    const { said } = await guarded(world()).raw("PreToolUse", stdin);
    expect(said).toEqual(no(expect.stringContaining("could not judge")));
  });

  it("a file that is gone", async () => {
    const at = world();
    const session = at.session({ env: { RALPH_GUARD: join(at.state, "nowhere/guard.json") } });
    expect(await session.hook("PreToolUse", bash("ls"))).toEqual(
      no(expect.stringContaining("could not judge")),
    );
    expect(existsSync(join(at.state, "nowhere/hooks.log"))).toBe(true);
  });

  it("input that makes the judge throw", () => {
    const input = { tool: "Bash", cwd: "/", toolInput: Object.defineProperty({}, "command", { get: boom }) };
    expect(guardAnswer(input, place(world()))?.deny).toContain("could not judge this");
  });
});

function boom(): never {
  throw new Error("boom");
}

it("without a guarded run nothing is judged", async () => {
  const at = world();
  at.install("node", `touch "${at.home}/node-was-started"; exit 1`);
  expect(await at.session().hook("PreToolUse", bash("rm -rf /"))).toEqual({});
  expect(existsSync(join(at.home, "node-was-started"))).toBe(false);
});
