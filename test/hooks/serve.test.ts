// The hooks that a running ralph answers itself: who may ask, what is answered, and what a hostile question cannot do.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { describeRun } from "../../src/config/describe.ts";
import type { Place } from "../../src/guard/ruling.ts";
import { serveHooks } from "../../src/hooks/serve.ts";
import { runFolder } from "../../src/journal/paths.ts";
import type { HookDesk } from "../../src/loop/desk.ts";
import { temporaryFolder } from "../supervise/folder.ts";

const RUN = "20260101-000000-abcdef";
const open: HookDesk[] = [];
afterEach(async () => {
  for (const desk of open.splice(0)) await desk.close();
});

async function desk(env: NodeJS.ProcessEnv = {}, guard?: Place) {
  const home = temporaryFolder();
  const project = join(home, "project");
  const root = join(home, "state");
  mkdirSync(project);
  writeFileSync(join(project, ".ralph-active"), "{}");
  const folder = runFolder(root, project, RUN);
  mkdirSync(folder.folder, { recursive: true });
  const spec = describeRun({ project, agent: "claude", prompt: "work" }, () => "claude");
  const opened = await serveHooks({ run: RUN, spec, folder, root, env, guard: () => guard });
  open.push(opened);
  const { url, token } = opened.at(3);
  const post = (body: string, how: { readonly path?: string; readonly auth?: string } = {}) =>
    fetch(how.path === undefined ? url : new URL(how.path, url), {
      method: "POST",
      body,
      headers: { authorization: how.auth ?? `Bearer ${token}` },
    });
  const transcript = join(home, "talk.jsonl");
  return {
    home,
    root,
    folder: folder.folder,
    opened,
    url,
    token,
    transcript,
    post,
    ask: async (event: string, more: Record<string, unknown> = {}) => {
      const told = { session_id: "s-1", hook_event_name: event, transcript_path: transcript, ...more };
      const answer = await post(JSON.stringify(told));
      return { status: answer.status, said: (await answer.text()) || undefined };
    },
    calls: () => readFileSync(join(folder.folder, "tools.ndjson"), "utf8").trim().split("\n"),
    log: () => (existsSync(join(root, "hooks.log")) ? readFileSync(join(root, "hooks.log"), "utf8") : ""),
  };
}

const NOTHING = { status: 200, said: "{}" };

describe("the guard of a running ralph", () => {
  const place: Place = {
    project: "/home/jo/here",
    cwd: "/home/jo/here",
    home: "/home/jo",
    unattended: true,
    allow: [],
    deny: [],
    protected: [],
  };
  const call = (command: string) => ({ tool_name: "Bash", tool_input: { command }, cwd: "/home/jo/here" });

  it("denies what it would deny as a hook, and says why", async () => {
    const at = await desk({}, place);
    const { said = "" } = await at.ask("PreToolUse", call("rm -rf ~"));
    expect(JSON.parse(said)).toMatchObject({
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" },
    });
    expect(at.log()).toContain("denied Bash");
    expect(await at.ask("PreToolUse", call("npm test"))).toEqual(NOTHING);
  });

  it("is not there in a run without one", async () => {
    const at = await desk();
    expect(await at.ask("PreToolUse", call("rm -rf ~"))).toEqual(NOTHING);
  });
});

describe("who may ask a running ralph", () => {
  it("is whoever shows the token, on loopback", async () => {
    const { url, ask, opened } = await desk();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/3$/);
    expect(await ask("PreToolUse", { tool_name: "Bash" })).toEqual(NOTHING);
    expect((await desk()).token).not.toBe(opened.at(1).token);
  });

  it.each([
    ["no token", { auth: "" }],
    ["another one", { auth: "Bearer sesame" }],
    ["half of it", { auth: "Bearer " }],
    ["no turn", { path: "/" }],
    ["something else than a turn", { path: "/../3x" }],
  ])("and not who shows %s", async (_, how) => {
    const { post, folder } = await desk();
    const answer = await post(JSON.stringify({ hook_event_name: "PostToolUse", tool_name: "Write" }), how);
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe("");
    expect(existsSync(join(folder, "tools.ndjson"))).toBe(false);
  });

  it("asks by POST, with JSON of a sane size", async () => {
    const { url, token, post } = await desk();
    expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(405);
    expect((await post("{")).status).toBe(400);
    expect((await post("[]")).status).toBe(400);
    const large = JSON.stringify({ hook_event_name: "PreToolUse", tool_input: "x".repeat(10 * 1024 * 1024) });
    expect((await post(large)).status).toBe(200);
    // The connection may be gone before all of it was sent.
    const refused = await post("x".repeat(17 * 1024 * 1024)).then(
      ({ status }) => status,
      () => 413,
    );
    expect(refused).toBe(413);
    expect((await post("{}")).status).toBe(200);
  });

  it("is not who comes from another machine", async () => {
    const { url, token } = await desk();
    const others = Object.values(networkInterfaces())
      .flatMap((found) => found ?? [])
      .filter(({ internal, family }) => !internal && family === "IPv4");
    for (const { address } of others) {
      const from = url.replace("127.0.0.1", address);
      const asked = fetch(from, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: "{}",
      });
      await expect(asked).rejects.toThrow();
    }
  });

  it("gets no answer any more when the run is over", async () => {
    const { ask, opened } = await desk();
    expect(await ask("Stop")).toEqual(NOTHING);
    await opened.close();
    await expect(ask("Stop")).rejects.toThrow();
  });
});

describe("what is answered", () => {
  it("nothing to events that are nobody's business", async () => {
    const { ask } = await desk();
    for (const event of ["Stop", "SessionStart", "SessionEnd", "Notification", "", "toString", "__proto__"]) {
      expect(await ask(event)).toEqual(NOTHING);
    }
  });

  it("every tool call is written down, with its run and iteration", async () => {
    const { ask, calls } = await desk();
    await ask("PostToolUse", { tool_name: "Write" });
    await ask("PostToolUseFailure", { tool_name: "x".repeat(1000), session_id: "../../evil" });
    const [first, second] = calls().map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(first).toEqual({ at: expect.any(Number), run: RUN, iteration: 3, session: "s-1", tool: "Write" });
    expect(second).toMatchObject({ iteration: 3, tool: "x".repeat(128), failed: true });
  });

  it("how full the context is, once, and again when it was made shorter", async () => {
    const { ask, transcript } = await desk({ CLAUDE_CONTEXT_WINDOW: "1000" });
    writeFileSync(transcript, `${"x".repeat(2000)}\n`);
    const tool = async () => (await ask("PostToolUse", { tool_name: "Write" })).said;
    expect(await tool()).toContain("About 50%");
    expect(await tool()).toBe("{}");
    await ask("PostCompact", { trigger: "auto" });
    expect(await tool()).toBe("{}");
    writeFileSync(transcript, `${"x".repeat(2000)}\n${"x".repeat(2000)}\n`);
    expect(await tool()).toContain("About 50%");
  });
});

describe("a hostile question", () => {
  it("cannot keep ralph with a pipe that nobody writes to", async () => {
    const { ask, home } = await desk();
    const pipe = join(home, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await ask("PostToolUse", { transcript_path: pipe })).toEqual(NOTHING);
    expect(await ask("PostCompact", { transcript_path: pipe })).toEqual(NOTHING);
    expect(await ask("PostToolUse", { transcript_path: "/dev/zero" })).toEqual(NOTHING);
  });

  it("cannot name a place to write to", async () => {
    const { ask, root, transcript } = await desk({ CLAUDE_CONTEXT_WINDOW: "10" });
    writeFileSync(transcript, "x".repeat(2000));
    for (const session_id of ["../../evil", "/evil", "a/b", "", "x".repeat(1000)]) {
      await ask("PostToolUse", { session_id });
      await ask("SessionEnd", { session_id });
    }
    expect(existsSync(join(root, "../evil"))).toBe(false);
    const made = existsSync(join(root, "sessions")) ? readdirSync(join(root, "sessions")) : [];
    expect(made.filter((name) => name.includes("evil"))).toEqual([]);
  });

  it("that we cannot answer lets the session go on, and is in the log", async () => {
    const { ask, folder, log } = await desk();
    mkdirSync(join(folder, "tools.ndjson"));
    expect(await ask("PostToolUse", { tool_name: "Write" })).toEqual({ status: 500, said: undefined });
    expect(log()).toContain(`${RUN}: a hook was not answered, for a fault of ralph's`);
    expect(await ask("PreToolUse")).toEqual(NOTHING);
  });
});
