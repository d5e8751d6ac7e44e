// The plugin for OpenCode as it is built, with the real hooks: OpenCode's own client is played.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, vi } from "vitest";
import { answerIn, contextOf, endsAtStop, lastTurn, wordsIn } from "../../src/hooks/opencode-told.ts";
import { until } from "../e2e/support.ts";
import { endNow } from "../processes.ts";
import { type HookWorld, world } from "./support.ts";

const PLUGIN = fileURLToPath(new URL("../../plugin/opencode/ralph.js", import.meta.url));
const ID = "ses_1";
const LOOP = '/ralph-loop "Do it." --completion-promise DONE --max-iterations 3';

afterEach(() => vi.unstubAllEnvs());

interface Part {
  id?: string;
  type: string;
  text: string;
  synthetic?: boolean;
}

interface Built {
  event(told: { event: { type: string; properties: unknown } }): Promise<void>;
  "chat.message"(of: { sessionID: string }, message: { message: object; parts: Part[] }): Promise<void>;
  "tool.execute.before"(call: object, to: { args: unknown }): Promise<void>;
  "tool.execute.after"(call: object, from: { output: string }): Promise<void>;
}

const message = (info: object, ...texts: string[]) => ({
  info: { role: "assistant", time: { created: 1, completed: 2 }, finish: "stop", ...info },
  parts: texts.map((text) => ({ type: "text", text })),
});

/** A session of OpenCode: what it would tell the plugin, and what the plugin asks of it. */
async function session(at: HookWorld, { argv = ["serve"], parentID = undefined as string | undefined } = {}) {
  for (const [name, value] of Object.entries({
    PATH: `${at.bin}:${process.env["PATH"] ?? ""}`,
    HOME: at.home,
    RALPH_STATE_DIR: at.state,
    CLAUDECODE: "1", // of a program around it
    CLAUDE_CODE_SESSION_ID: "another",
  }))
    vi.stubEnv(name, value);
  const prompts: { parts: Part[]; agent?: string; model?: unknown }[] = [];
  const toasts: string[] = [];
  let messages: unknown[] = [];
  const trouble = { get: false, prompt: false };
  const client = {
    session: {
      get: async ({ path }: { path: { id: string } }) =>
        trouble.get ? { error: "busy" } : { data: { id: path.id, parentID } },
      messages: async () => ({ data: messages }),
      promptAsync: async ({ body }: { body: (typeof prompts)[number] }) => {
        if (trouble.prompt) throw new Error("gone");
        prompts.push(body);
        return {};
      },
    },
    tui: {
      showToast: async ({ body }: { body: { message: string } }) => toasts.push(body.message),
    },
  };
  const before = process.argv;
  process.argv = ["bun", "/index.js", ...argv];
  const { RalphProof } = (await import(PLUGIN)) as { RalphProof: (given: object) => Promise<Built> };
  const hooks = await RalphProof({ client, directory: at.project });
  process.argv = before;
  let count = 0;
  const of = (tool: string) => ({ tool, sessionID: ID, callID: `call-${++count}` });
  return {
    prompts,
    toasts,
    hooks,
    trouble,
    again: () => RalphProof({ client, directory: at.project }),
    /** What a prompt becomes. */
    type: async (text: string) => {
      const parts: Part[] = [{ id: "prt_1", type: "text", text }];
      await hooks["chat.message"]({ sessionID: ID }, { message: { id: "msg_1" }, parts });
      return parts.slice(1);
    },
    event: (type: string, properties: object) => hooks.event({ event: { type, properties } }),
    stop: async (last: object) => {
      messages = [last];
      await hooks.event({ event: { type: "session.idle", properties: { sessionID: ID } } });
    },
    calls: (tool: string, args: unknown) => hooks["tool.execute.before"](of(tool), { args }),
    tool: async (tool: string) => {
      const from = { output: "ok" };
      await hooks["tool.execute.after"](of(tool), from);
      return from.output;
    },
  };
}

function guarded(at: HookWorld): void {
  const folder = join(at.state, "run");
  mkdirSync(folder, { recursive: true });
  const place = { cwd: at.project, project: at.project, home: at.home, unattended: true };
  const lists = { allow: [], deny: [], protected: [at.state] };
  writeFileSync(join(folder, "guard.json"), JSON.stringify({ ...place, ...lists }));
  vi.stubEnv("RALPH_GUARD", join(folder, "guard.json"));
}

describe("a loop in a session of OpenCode", () => {
  it("begins with what is typed, sends back in the same way, counts tools, and ends on the promise", async () => {
    const at = world();
    const { type, stop, tool, prompts, toasts } = await session(at);
    const [added] = await type(LOOP);
    expect(added).toMatchObject({ id: "prt_1r", type: "text", synthetic: true });
    expect(added?.text).toContain("You are in a ralph loop");
    expect(toasts[0]).toMatch(/^ralph: loop .* began/);
    await stop(message({ id: "m1", agent: "plan", providerID: "p", modelID: "m" }, "Not yet."));
    expect(prompts[0]).toMatchObject({ agent: "plan", model: { providerID: "p", modelID: "m" } });
    expect(prompts[0]?.parts[0]?.text).toContain("you did not output the completion promise");
    // OpenCode tells of our own words as of any others.
    await type(prompts[0]?.parts[0]?.text ?? "");
    await stop(message({ id: "m2" }, "<promise>DONE</promise>"));
    expect(prompts[1]?.parts[0]?.text).toContain("no tool calls/work were performed");
    await tool("write");
    await stop(message({ id: "m3" }, "There. <promise>DONE</promise>"));
    expect(prompts).toHaveLength(2);
    expect(toasts.at(-1)).toContain("PROMISE_ACCEPTED");
    expect(at.log()).toMatch(/a loop began in session ses_1 of opencode/);
    expect(at.log()).toMatch(/1 tool calls \(write 1\); PROMISE_ACCEPTED/);
    expect(at.log()).not.toContain("the user spoke");
  });

  it("judges a stop once, and none that is not over, was cut off or summed up", async () => {
    const at = world();
    const { type, stop, prompts } = await session(at);
    await type(LOOP);
    await stop(message({ id: "m0", time: { created: 1 } }));
    await stop(message({ id: "m0", summary: true }, "<promise>DONE</promise>"));
    await stop(message({ id: "m0", role: "user" }, "<promise>DONE</promise>"));
    expect(prompts).toEqual([]);
    await stop(message({ id: "m1", error: { name: "MessageAbortedError" } }, "I was"));
    await stop(message({ id: "m1", error: { name: "MessageAbortedError" } }, "I was"));
    expect(prompts).toEqual([]);
    expect(at.log().match(/the turn failed \(MessageAbortedError\)/g)).toHaveLength(1);
    await stop(message({ id: "m2" }, "Done."));
    await stop(message({ id: "m2" }, "Done."));
    expect(prompts).toHaveLength(1);
  });

  it("is not begun by a helper, nor in a program that ends when its agent stops", async () => {
    const at = world();
    const helper = await session(at, { parentID: "ses_0" });
    expect(await helper.type(LOOP)).toEqual([]);
    const once = await session(at, { argv: ["--log-level", "DEBUG", "run", "text"] });
    const [added] = await once.type(LOOP);
    expect(added?.text).toContain("`opencode run` ends when its agent stops");
    await once.stop(message({ id: "m1" }, "Fine."));
    expect(once.prompts).toEqual([]);
    expect(at.hasJournal()).toBe(false);
  });

  it("is one, though two files name the plugin", async () => {
    const { again } = await session(world());
    expect(await again()).toEqual({});
  });

  it("is left alone when something is wrong with us", async () => {
    const at = world();
    const { type, stop, prompts, tool } = await session(at);
    await type(LOOP);
    at.install("node", "exit 7");
    await stop(message({ id: "m1" }, "Not yet."));
    expect(await type("/ralph-status")).toEqual([]);
    expect(await tool("write")).toBe("ok");
    expect(prompts).toEqual([]);
  });

  it("is begun and kept though OpenCode could not say once what the session is", async () => {
    const { type, stop, trouble, prompts } = await session(world());
    trouble.get = true;
    expect(await type(LOOP)).toEqual([]);
    trouble.get = false;
    expect(await type(LOOP)).toHaveLength(1);
    await stop(message({ id: "m1" }, "Not yet."));
    expect(prompts).toHaveLength(1);
  });

  it("says that it stands still when OpenCode does not take what it is sent back with", async () => {
    const { type, stop, trouble, toasts } = await session(world());
    await type(LOOP);
    trouble.prompt = true;
    await stop(message({ id: "m1" }, "Not yet."));
    expect(toasts.at(-1)).toContain("the loop stands still");
  });

  it("is not disturbed by words that OpenCode never said so far", async () => {
    const { hooks } = await session(world());
    const huge = "x".repeat(5_000_000);
    for (const odd of [undefined, null, 7, "x", [], {}, { event: null }, { event: { properties: 7 } }]) {
      await hooks.event(odd as never);
      await hooks["chat.message"](odd as never, odd as never);
      await hooks["tool.execute.before"](odd as never, odd as never);
      await hooks["tool.execute.after"](odd as never, odd as never);
    }
    const parts = [{ type: "text", text: `\ud800${huge}` }];
    await hooks["chat.message"]({ sessionID: ID }, { message: {}, parts });
    await hooks["chat.message"]({ sessionID: "../../x\0" }, { message: {}, parts });
    expect(parts).toHaveLength(1);
  });

  it("costs no node while there is none", async () => {
    const at = world();
    const { type, stop, tool, calls } = await session(at);
    at.install("node", `touch "${at.home}/node-was-started"; exit 1`);
    await type("Hello.");
    await calls("bash", { command: "rm -rf /" });
    await tool("bash");
    await stop(message({ id: "m1" }, "Hello."));
    expect(existsSync(join(at.home, "node-was-started"))).toBe(false);
  });

  it("is over for a session that is deleted", async () => {
    const at = world();
    const { type, event } = await session(at);
    await type(LOOP);
    await event("session.deleted", { info: { id: ID } });
    expect(at.log()).toContain("the session ended (clear)");
    expect(existsSync(join(at.state, "hooks", ID))).toBe(false);
  });
});

describe("the guard of a run", () => {
  it("lets pass what does no harm, and throws its reason for the rest", async () => {
    const at = world();
    const { calls } = await session(at);
    guarded(at);
    await calls("bash", { command: "npm test" });
    await calls("webfetch", { url: "https://example.org" });
    await expect(calls("bash", { command: "rm -rf /opt/x" })).rejects.toThrow(/delete-outside/);
    const settings = { filePath: join(at.project, ".ralph/settings.json"), content: "" };
    await expect(calls("write", settings)).rejects.toThrow(/harness-files/);
    const patchText = "*** Begin Patch\n*** Update File: .git/config\n*** End Patch";
    await expect(calls("apply_patch", { patchText })).rejects.toThrow(/git-hooks/);
    expect(readFileSync(join(at.state, "run/hooks.log"), "utf8")).toContain("denied bash");
  });

  it("fails closed", async () => {
    const at = world();
    const { calls } = await session(at);
    guarded(at);
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    await expect(calls("bash", cyclic)).rejects.toThrow(/could not run/);
    vi.stubEnv("RALPH_GUARD", join(at.state, "nowhere.json"));
    await expect(calls("bash", { command: "ls" })).rejects.toThrow(/could not judge/);
    at.install("node", "echo nonsense");
    await expect(calls("bash", { command: "ls" })).rejects.toThrow(/could not run/);
    at.install("node", "exit 7");
    await expect(calls("bash", { command: "ls" })).rejects.toThrow(/could not run/);
    vi.stubEnv("PATH", "/nowhere");
    await expect(calls("bash", { command: "ls" })).rejects.toThrow(/could not run/);
  });

  it("does not wait for one that was given up on, whoever still holds its output", async () => {
    const at = world();
    const { calls } = await session(at);
    guarded(at);
    const pid = join(at.home, "pid");
    at.install(
      "node",
      `echo $$ > "${pid}.new"; mv "${pid}.new" "${pid}"; head -c 2000000 /dev/zero; exec sleep 300`,
    );
    try {
      await expect(calls("bash", { command: "ls" })).rejects.toThrow(/could not run/);
    } finally {
      await until("it was started", () => existsSync(pid));
      endNow(Number(readFileSync(pid, "utf8")));
    }
  });

  it("judges a call of which it is told nothing", async () => {
    const at = world();
    const { hooks } = await session(at);
    guarded(at);
    vi.stubEnv("RALPH_GUARD", join(at.state, "nowhere.json"));
    await expect(hooks["tool.execute.before"](undefined as never, undefined as never)).rejects.toThrow(
      /not allowed|could not/,
    );
  });
});

it("an agent of a run on a task list is told once how full its context is, a helper is not", async () => {
  const at = world();
  at.write(".ralph-active", "{}");
  const run = { RALPH_RUN_ID: "run-1", RALPH_ITERATION: "2", RALPH_PROJECT: at.project };
  for (const [name, value] of Object.entries(run)) vi.stubEnv(name, value);
  const { event, tool } = await session(at, { argv: ["run"] });
  const tokens = { input: 100_000, output: 10, cache: { read: 60_000, write: 0 } };
  expect(await tool("bash")).toBe("ok");
  await event("message.updated", { info: { role: "assistant", sessionID: ID, tokens } });
  expect(await tool("bash")).toMatch(/^ok\n\nAbout 80% of the context window is used\. WARNING:/);
  expect(await tool("bash")).toBe("ok");
  const helper = await session(at, { argv: ["run"], parentID: "ses_0" });
  const more = { ...tokens, input: 130_000 };
  await helper.event("message.updated", { info: { role: "assistant", sessionID: ID, tokens: more } });
  expect(await helper.tool("bash")).toBe("ok");
});

describe("what OpenCode tells", () => {
  it("is read only where it is as expected", () => {
    for (const odd of [undefined, null, 7, "x", {}, [], [7], [{ info: { role: "assistant" } }]])
      expect(lastTurn(odd)).toBeUndefined();
    expect(lastTurn([message({ id: "m", finish: "tool-calls" })])?.cutOff).toBe("a refused tool");
    expect(wordsIn("x")).toBe("");
    const parts = [
      { type: "reasoning", text: "<promise>" },
      { type: "text", text: "a" },
      { type: "text", text: "b", synthetic: true },
      { type: "tool", state: { output: "c" } },
      { type: "text", text: 7 },
      { type: "text", text: "d" },
    ];
    expect(wordsIn(parts)).toBe("a\nd");
    expect(contextOf({ tokens: { input: Number.NaN, output: -1 } })).toBeUndefined();
    expect(contextOf({ tokens: { input: 1, output: 2, cache: { read: 3, write: 4 } } })).toBe(10);
    expect(answerIn("nonsense")).toBeUndefined();
    expect(answerIn('{"decision":"approve","reason":"x"}')).toEqual({});
  });

  it.each([
    [["run", "x"], true],
    [["--log-level", "DEBUG", "run"], true],
    [["--pure", "run"], true],
    [["serve"], false],
    [["--prompt=run"], false],
    [["web", "run"], false],
    [[], false],
  ])("%j ends when its agent stops: %j", (words, ends) => {
    expect(endsAtStop(["bun", "/index.js", ...words])).toBe(ends);
  });
});
