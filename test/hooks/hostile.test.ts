// What an agent, another session or an odd machine may do to a loop: none of it traps a session or loses a loop without a word.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../e2e/support.ts";
import { world } from "./support.ts";

const DONE = "<promise>DONE</promise>";
const START = '/ralph-loop "Write hello.txt"';

describe("a pipe that nobody writes to keeps no stop waiting", () => {
  it.each(["claude", "codex", "copilot"] as const)("as the transcript of %s", async (agent) => {
    const at = world();
    const session = at.session({ agent });
    await session.type(START);
    await session.tool();
    execFileSync("mkfifo", [session.transcript]);
    expect((await session.stop(agent === "copilot" ? undefined : "not yet")).decision).toBe("block");
  });

  it("as a note in the spool", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    await session.tool();
    execFileSync("mkfifo", [join(at.state, "spool/1")]);
    expect((await session.stop(DONE)).systemMessage).toContain("PROMISE_ACCEPTED");
    expect(readdirSync(join(at.state, "spool"))).toEqual([]);
  });

  it("as the marker of the loop", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    const marker = join(at.state, "hooks", session.id, "loop.json");
    rmSync(marker);
    execFileSync("mkfifo", [marker]);
    expect((await session.stop("not yet")).systemMessage).toContain("the loop stands still");
    expect(at.log()).toContain("left to itself");
    expect((await session.type("/cancel-ralph")).systemMessage).toContain("is cancelled");
    expect(existsSync(marker)).toBe(false);
  });
});

describe("sessions inside of one agent's, which share its name", () => {
  const inside = () => {
    const at = world();
    const outer = at.session();
    const env = { CLAUDE_CODE_SESSION_ID: outer.id };
    return { at, outer, one: at.session({ agent: "codex", env }), two: at.session({ agent: "codex", env }) };
  };

  it("keep their loops when another one's ends", async () => {
    const { at, one, two } = inside();
    await one.type(START);
    await two.type(START);
    await one.type("/cancel-ralph");
    expect((await two.stop("not yet")).decision).toBe("block");
    await two.type("/cancel-ralph");
    expect(readdirSync(join(at.state, "hooks"))).toEqual([]);
  });

  it("keep their loops when that of the outer one ends", async () => {
    const { at, outer, one } = inside();
    await outer.type(START);
    await one.type(START);
    await outer.type("/cancel-ralph");
    expect((await one.stop("not yet")).decision).toBe("block");
    expect(await outer.stop("anything")).toEqual({});
    await one.type("/cancel-ralph");
    expect(readdirSync(join(at.state, "hooks"))).toEqual([]);
  });
});

describe("notes of tool calls", () => {
  it("of sessions without a loop do not pile up beside a loop that its session left", async () => {
    const at = world();
    await at.session({ agent: "codex" }).type(START);
    const stranger = at.session({ agent: "codex" });
    await stranger.tool("Bash", { tool_response: "a secret" });
    expect(await stranger.stop("anything")).toEqual({});
    expect(readdirSync(join(at.state, "spool"))).toEqual([]);
  });

  it("that another session is just writing are left to it; what is old and says nothing goes", async () => {
    const at = world();
    const session = at.session();
    await session.type(START);
    const [fresh, old] = [join(at.state, "spool/1"), join(at.state, "spool/2")];
    for (const path of [fresh, old]) writeFileSync(path, "");
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(old, hourAgo, hourAgo);
    await session.stop("not yet");
    expect([existsSync(fresh), existsSync(old)]).toEqual([true, false]);
  });
});

describe("a loop that is cancelled while its checks run", () => {
  it("does not take the one with it that was begun meanwhile", async () => {
    const at = world();
    const session = at.session();
    const ready = join(at.home, "ready");
    const go = join(at.home, "go");
    execFileSync("mkfifo", [go]);
    await session.type(`${START} --gate "touch ${ready}; cat ${go}"`);
    await session.tool();
    const stopping = session.stop(DONE);
    await until("the check runs", () => existsSync(ready));
    await session.type("/cancel-ralph");
    expect((await session.type('/ralph-loop "Another task"')).systemMessage).toContain("began");
    writeFileSync(go, "");
    expect(await stopping).toEqual({});
    expect((await session.stop("not yet")).reason).toContain("Another task");
  });
});

describe("a state folder that the guards of the hooks would look for elsewhere", () => {
  it.each([
    ["no HOME", { HOME: "", RALPH_STATE_DIR: "" }, "HOME"],
    ["a relative XDG_STATE_HOME", { XDG_STATE_HOME: "state", RALPH_STATE_DIR: "" }, "XDG_STATE_HOME"],
    ["a relative RALPH_STATE_DIR", { RALPH_STATE_DIR: "state" }, "RALPH_STATE_DIR"],
  ])("begins no loop that would be lost: %s", async (_, env, name) => {
    const at = world();
    const session = at.session({ env });
    const said = (await session.type(START)).systemMessage;
    expect(said).toContain("No ralph loop was started");
    expect(said).toContain(name);
    expect(existsSync(join(at.home, ".local/state/ralph/hooks", session.id))).toBe(false);
  });

  it("is fine with a slash at its end, and with odd letters", async () => {
    const at = world();
    const state = join(at.home, "an odd $name's * folder");
    mkdirSync(state);
    const session = at.session({ env: { RALPH_STATE_DIR: `${state}//` } });
    await session.type(START);
    expect((await session.stop("not yet")).decision).toBe("block");
  });
});
