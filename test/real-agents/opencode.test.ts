import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { quote } from "shlex";
import { describe, expect, test } from "vitest";
import { environmentOf, ofType, outcomeOf, until, watch } from "../e2e/support.ts";
import { SCRIPT } from "../e2e/terminal.ts";
import { call, fail, type Reply, run, type Script, say, write } from "../model-server/script.ts";
import { installed, type RealAgent, type RealWorld, realWorld } from "./world.ts";

const PROMISE = "<promise>DONE</promise>";
const LOOP = '/ralph-loop "Write the answer into answer.txt" --completion-promise DONE --max-iterations 4';
const WORK: readonly Reply[] = [write("answer.txt", "42\n"), say(`There it is. ${PROMISE}`)];

/** OpenCode takes long to start. */
const TWO_SERVERS_MS = 240_000;

interface OpenCodeWorld extends RealWorld {
  /** What the hooks wrote down. */
  log(): string;
  hooks(...args: string[]): Promise<string>;
}

async function worldOf(agent: RealAgent, script: Script): Promise<OpenCodeWorld> {
  const world = await realWorld(agent, script);
  const log = join(world.state, "hooks.log");
  return {
    ...world,
    log: () => (existsSync(log) ? readFileSync(log, "utf8") : ""),
    async hooks(...args) {
      const ended = await world.ralph(["install-hooks", "opencode", ...args, "--yes"]);
      expect(ended.code, ended.stderr).toBe(0);
      return ended.stdout;
    },
  };
}

/** `opencode serve` on loopback, with a new session or one that was there before. */
async function served(world: RealWorld, session?: string) {
  const program = world.direct(["serve", "--hostname", "127.0.0.1", "--port", "0"], { keepsInput: true });
  let printed = "";
  program.process.stdout?.on("data", (text: string) => {
    printed += text;
  });
  await program.printed("server listening on http://127.0.0.1:");
  await until("its address is told", () => /http:\/\/127\.0\.0\.1:\d+\s/.test(printed));
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    const text = await answer.text();
    expect(answer.ok, text).toBe(true);
    return text;
  };
  const { id } =
    session === undefined ? (JSON.parse(await post("/session", {})) as { id: string }) : { id: session };
  return {
    id,
    /** Says something to the agent; resolves when it has answered for the first time. */
    type: (text: string, more: object = {}) =>
      post(`/session/${id}/message`, { parts: [{ type: "text", text }], ...more }),
    async end() {
      program.process.kill("SIGTERM");
      await program.ended;
      await world.expectNothingLeft();
    },
  };
}

const OPENCODE = installed("opencode");
/** A suite has to have a test, also where it is skipped. */
const ABSENT = { name: "opencode", version: "(not asked for)", command: [] };

describe.skipIf(OPENCODE.length === 0).each(OPENCODE.length > 0 ? OPENCODE : [ABSENT])(
  "$name $version with the hooks",
  (agent) => {
    test.each(["--user", "--project"])(
      "in its server (%s): is sent back until it keeps its promise, and not after they are out",
      async (scope) => {
        const world = await worldOf(agent, [say("I think it is done."), say(PROMISE), ...WORK]);
        await world.hooks(scope);
        const server = await served(world);
        await server.type(LOOP, { agent: "build" });
        await until("the loop has ended", () => world.log().includes("PROMISE_ACCEPTED"));
        await server.end();
        expect(world.log()).toMatch(/a loop began in session ses_\w+ of opencode/);
        expect(world.log()).toContain("promise missing; 0 tool calls; sent back (1 of 4)");
        expect(world.log()).toContain("promise rejected (no work); 0 tool calls; sent back (2 of 4)");
        expect(world.log()).toMatch(/promise found; 1 tool calls \(write 1\); PROMISE_ACCEPTED/);
        expect(world.log()).not.toContain("the user spoke");
        const [first, second] = world.server.asked();
        expect(first?.heard.at(-1)).toContain("You are in a ralph loop");
        expect(second?.heard.at(-1)).toContain("you did not output the completion promise");
        expect(outcomeOf(world).kind).toBe("claimed");
        expect(world.read("answer.txt")).toBe("42\n");

        await world.hooks(scope, "--remove");
        const lines = world.log();
        world.server.play([say("Just once.")]);
        const again = await served(world);
        await again.type(LOOP);
        await again.end();
        expect(world.log()).toBe(lines);
      },
      TWO_SERVERS_MS,
    );

    test("on its own screen: is sent back, and its user is told", async () => {
      const world = await worldOf(agent, [say("I think it is done."), ...WORK]);
      await world.hooks();
      const words = [join(world.bin, "opencode"), "--prompt", LOOP].map(quote).join(" ");
      const screen = spawn(SCRIPT, ["-qec", `stty cols 150 rows 50; exec ${words}`, "/dev/null"], {
        cwd: world.project,
        env: { ...environmentOf(world), ...world.env, SHELL: "/bin/sh", TERM: "xterm-256color" },
      });
      const program = watch(screen);
      // It takes keys when it has drawn its screen; Enter means nothing where nothing is to be sent.
      const enter = setInterval(() => screen.stdin.write("\r"), 500);
      await until("the loop has begun", () => world.log().includes("a loop began"));
      clearInterval(enter);
      await world.server.arrival(3);
      await until("the loop has ended", () => world.log().includes("PROMISE_ACCEPTED"));
      await program.printed("told to go o");
      screen.kill("SIGKILL");
      await program.ended;
      await world.expectNothingLeft();
      expect(world.log()).toContain("promise missing; 0 tool calls; sent back (1 of 4)");
      expect(world.read("answer.txt")).toBe("42\n");
    });

    test("in its server: a red check is told, a green one ends the run verified; both scopes are one loop", async () => {
      const world = await worldOf(agent, [
        call("read", { filePath: "no-such-file.txt" }),
        write("other.txt", "?\n"),
        say(`Done. ${PROMISE}`),
        write("answer.txt", "42\n"),
        say(`Now it is. ${PROMISE}`),
      ]);
      await world.hooks("--user");
      await world.hooks("--project");
      const server = await served(world);
      await server.type(`${LOOP} --gate "test -f answer.txt"`);
      await until("the loop has ended", () => world.log().includes("PROMISE_ACCEPTED"));
      await server.end();
      // OpenCode does not tell plugins of a call that failed.
      expect(world.log()).toMatch(/iteration 1: promise found; 1 tool calls.*failed: test -f answer.txt/);
      expect(outcomeOf(world).kind).toBe("verified");
      expect(world.server.asked()).toHaveLength(5);
      expect(ofType(world.journal(), "iteration.started")).toHaveLength(2);
    });

    test("in its server: a turn that fails is not sent back; a session that is opened again goes on with its loop", async () => {
      const world = await worldOf(agent, [fail(401), ...WORK]);
      await world.hooks();
      const server = await served(world);
      await server.type(LOOP);
      await until("the failure is known", () => world.log().includes("the turn failed (APIError)"));
      expect(world.server.asked()).toHaveLength(1);
      await server.end();
      const again = await served(world, server.id);
      await again.type("Try again.");
      await until("the loop has ended", () => world.log().includes("PROMISE_ACCEPTED"));
      await again.end();
      expect(world.log()).toContain("the user spoke");
      expect(world.log().match(/the turn failed/g)).toHaveLength(1);
    });

    test("in its server: it has no limit of its own to being sent back without a tool, as far as twelve", async () => {
      const world = await worldOf(agent, () => say("I'm done."));
      await world.hooks();
      const server = await served(world);
      await server.type(LOOP.replace("iterations 4", "iterations 12"));
      await until("the loop has ended", () => world.log().includes("MAX_ITERATIONS_REACHED"));
      await server.end();
      expect(world.server.asked()).toHaveLength(13);
      expect(outcomeOf(world).kind).toBe("exhausted");
    });

    test("in its server: /cancel-ralph ends the loop, also while the agent works", async () => {
      let cancelled: Promise<unknown> = Promise.resolve();
      const world = await worldOf(agent, async ({ n }) => {
        if (n === 1) {
          cancelled = server.type("/cancel-ralph");
          await until("it is cancelled", () => world.log().includes("CANCELLED") || outcomeNow(world));
        }
        return say("I'm done.");
      });
      await world.hooks();
      const server = await served(world);
      await server.type(LOOP);
      await world.server.arrival(2);
      await cancelled;
      await server.end();
      expect(outcomeOf(world).kind).toBe("stopped");
      expect(ofType(world.journal(), "iteration.started")).toHaveLength(2);
    });

    test("`opencode run` says that it cannot loop, and starts none", async () => {
      const world = await worldOf(agent, [say("There is no loop.")]);
      await world.hooks();
      const ended = await world.direct(["run", "--auto"], { input: LOOP }).ended;
      expect(ended.code, ended.stderr).toBe(0);
      expect(world.server.asked()[0]?.heard.join("\n")).toContain("`opencode run` ends when its agent stops");
      expect(world.hasJournal()).toBe(false);
    });

    test("is as ever where the plugin is not: on another machine, or when ralph is gone", async () => {
      const file = ".opencode/plugin/ralph-proof.js";
      const world = await worldOf(agent, [say("Hello.")]);
      await world.hooks("--project");
      world.write(file, world.read(file).replace(/file:\/\/.*\/plugin\//, "file:///nowhere/plugin/"));
      const ended = await world.direct(["run", "--auto", "--print-logs"], { input: "Say hello." }).ended;
      expect(ended.code, ended.stderr).toBe(0);
      expect(ended.stderr).not.toContain("nowhere");
    });

    test("its helpers are guarded too", async () => {
      const world = await worldOf(agent, ({ heard, results }) => {
        const isHelper = heard.some((text) => text.includes("You are the helper."));
        if (results.length > 0) return say("It is done.");
        return isHelper
          ? run("touch tried.txt; rm -rf /opt/no-such-thing-of-ralph")
          : call("task", { description: "help", prompt: "You are the helper.", subagent_type: "general" });
      });
      await world.hooks();
      await world.ralph(["-p", "Have it done.", "-m", "1"]);
      const told = world.server.asked().flatMap(({ results }) => results);
      expect(told.join("\n")).toContain("ralph's guard does not allow this");
      expect(world.has("tried.txt")).toBe(false);
    });
  },
);

function outcomeNow(world: RealWorld): boolean {
  return world.hasJournal() && ofType(world.journal(), "run.ended").length > 0;
}
