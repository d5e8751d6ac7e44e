import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PLUGIN, world } from "./support.ts";

const read = (path: string) => readFileSync(join(PLUGIN, path), "utf8");
const START = '/ralph-loop "Write hello.txt"';

describe("the plugin's files", () => {
  it("are what a build of src/hooks gives", () => {
    execFileSync(process.execPath, [join(PLUGIN, "../scripts/plugin.mjs"), "--check"]);
  });

  it.each(readdirSync(join(PLUGIN, "commands")))(
    "commands/%s never hands what was typed to a shell",
    (name) => {
      const text = read(`commands/${name}`);
      const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
      expect(front).toContain("description: ");
      // The agent itself cannot start or end a loop.
      expect(front).toContain("disable-model-invocation: true");
      expect(body).not.toMatch(/(?:^|\s)!`|^```!/m);
      expect(body.match(/\$/g)).toHaveLength(1);
      expect(body).toContain(
        `<ralph-command name="${name.replace(".md", "")}">\n$ARGUMENTS\n</ralph-command>`,
      );
    },
  );

  it("are offered by the marketplace at the root, and named ralph", () => {
    const market = JSON.parse(read("../.claude-plugin/marketplace.json")) as {
      plugins: { name: string; source: string }[];
    };
    expect(market.plugins).toMatchObject([{ name: "ralph", source: "./plugin" }]);
    expect(JSON.parse(read(".claude-plugin/plugin.json"))).toMatchObject({
      name: "ralph",
      version: (JSON.parse(read("../package.json")) as { version: string }).version,
    });
  });

  it("name hooks that are there, and need neither bash nor jq, perl or python", () => {
    const table = read("hooks/hooks.json");
    for (const [, name = ""] of table.matchAll(/hooks\/([a-z]+\.[cm]js)/g)) {
      expect(existsSync(join(PLUGIN, "hooks", name))).toBe(true);
    }
    expect(table).not.toMatch(/\b(?:bash|jq|perl|python3?)\b/);
  });
});

describe("without a loop", () => {
  it("no hook starts Node, or writes anything", async () => {
    const at = world();
    // A Node that tells on whoever starts it.
    at.install("node", `touch "${at.home}/node-was-started"; exit 1`);
    const session = at.session();
    const codex = at.session({ agent: "codex" });
    for (const one of [session, codex]) {
      await one.type("Hello. Do you know /ralph-loop?");
      await one.tool();
      await one.stop("<promise>DONE</promise>");
      for (const event of ["SessionStart", "StopFailure", "PostToolUseFailure", "SessionEnd"])
        await one.hook(event);
    }
    expect(existsSync(join(at.home, "node-was-started"))).toBe(false);
    expect(existsSync(at.state)).toBe(false);
  });

  it("a session beside one with a loop writes nothing either, where hooks are told which session they are in", async () => {
    const at = world();
    const [mine, other] = [at.session(), at.session()];
    await mine.type(START);
    await other.tool();
    expect(readdirSync(join(at.state, "spool"))).toEqual([]);
    await mine.tool();
    expect(readdirSync(join(at.state, "spool"))).toHaveLength(1);
  });
});

describe("with a loop", () => {
  it("the hook for tools writes a note and starts no Node; the next stop takes it in", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    at.install("node", "exit 1");
    await session.tool("Bash", { tool_response: "x".repeat(560_000) });
    await Promise.all(Array.from({ length: 8 }, () => session.tool("Write")));
    at.install("node", `exec "${process.execPath}" "$@"`);
    await session.stop("not yet");
    expect(at.log()).toContain("9 tool calls");
    expect(at.log()).toContain("Bash 1");
    expect(at.log()).toContain("Write 8");
    expect(readdirSync(join(at.state, "spool"))).toEqual([]);
  });

  it("notes of a session that nobody will ask about are removed", async () => {
    const at = world();
    const [codex, stranger] = [at.session({ agent: "codex" }), at.session({ agent: "codex" })];
    await codex.type(START);
    await stranger.tool();
    await codex.stop("not yet");
    expect(readdirSync(join(at.state, "spool"))).toEqual([]);
    expect(at.log()).toContain("0 tool calls");
  });

  it("a session inside another agent's, which hooks know by the outer one's name, has its loop all the same", async () => {
    const at = world();
    const outer = at.session();
    const inner = at.session({ agent: "codex", env: { CLAUDE_CODE_SESSION_ID: outer.id } });
    await inner.type(START);
    await inner.tool();
    expect(await outer.stop("anything")).toEqual({});
    expect((await inner.stop("not yet")).decision).toBe("block");
    expect((await inner.stop("<promise>DONE</promise>")).systemMessage).toContain("PROMISE_ACCEPTED");
    expect(readdirSync(join(at.state, "hooks"))).toEqual([]);
  });

  it("the project is where the session was opened, and in a work tree of its own that one", async () => {
    const at = world({ git: true });
    mkdirSync(join(at.project, "src"));
    const inside = at.session({ cwd: join(at.project, "src") });
    await inside.type(`${START} --gate "pwd; false"`);
    await inside.tool();
    expect((await inside.stop("<promise>DONE</promise>")).reason).toContain(`\n${at.project}\n`);
    const tree = join(at.project, ".trees/one");
    at.git("worktree", "add", "-q", tree);
    const beside = at.session({ cwd: tree });
    await beside.type(`${START} --gate "pwd; false"`);
    await beside.tool();
    expect((await beside.stop("<promise>DONE</promise>")).reason).toContain(`\n${tree}\n`);
  });

  it("/ralph-status tells where it stands, and a second loop is refused", async () => {
    const at = world();
    const session = at.session();
    expect((await session.type("/ralph-status")).systemMessage).toContain("no ralph loop");
    await session.type(`${START} --max-iterations 7`);
    await session.tool();
    await session.stop("not yet");
    const said = await session.type("/ralph-status");
    expect(said.systemMessage).toContain("Told to go on 1 of 7 times; 1 tool calls");
    expect(said.hookSpecificOutput?.additionalContext).toContain("Tell the user exactly this");
    expect((await session.type(START)).systemMessage).toContain("this session has a loop already");
    expect((await session.stop("not yet")).decision).toBe("block");
    expect(at.runs()).toHaveLength(1);
  });

  it("/ulw-loop puts its instruction before every continuation", async () => {
    const session = world().session();
    const began = await session.type('/ulw-loop "Write hello.txt" --max-iterations 2');
    expect(began.hookSpecificOutput?.additionalContext).toMatch(/^ULTRAWORK MODE/);
    expect((await session.stop("no")).reason).toMatch(
      /^ULTRAWORK MODE[\s\S]*did not output the completion promise/,
    );
    expect((await session.stop("<promise>DONE</promise>")).reason).toMatch(
      /^ULTRAWORK MODE[\s\S]*Promise detected/,
    );
  });

  it("what was typed wrongly is told, and nothing begins", async () => {
    const at = world();
    const said = await at.session().type("/ralph-loop x --max-iteration 3");
    expect(said.hookSpecificOutput?.additionalContext).toContain("No ralph loop was started");
    expect(said.hookSpecificOutput?.additionalContext).toContain("no option");
    expect(at.hasJournal()).toBe(false);
  });
});
