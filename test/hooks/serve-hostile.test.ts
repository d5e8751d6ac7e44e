// What processes of an agent, which have the token, cannot do to the ralph that answers their hooks.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { describeRun } from "../../src/config/describe.ts";
import { serveHooks } from "../../src/hooks/serve.ts";
import { runFolder } from "../../src/journal/paths.ts";
import { until } from "../e2e/support.ts";
import { temporaryFolder } from "../supervise/folder.ts";

const RUN = "20260101-000000-abcdef";
const after: (() => unknown)[] = [];
afterEach(async () => {
  for (const tidy of after.splice(0).reverse()) await tidy();
});

async function desk() {
  const home = temporaryFolder();
  const project = join(home, "project");
  const root = join(home, "state");
  mkdirSync(project);
  writeFileSync(join(project, ".ralph-active"), "{}");
  const transcript = join(home, "talk.jsonl");
  writeFileSync(transcript, "x".repeat(2000));
  const folder = runFolder(root, project, RUN);
  mkdirSync(folder.folder, { recursive: true });
  const spec = describeRun({ project, agent: "claude", prompt: "work" }, () => "claude");
  const env = { CLAUDE_CONTEXT_WINDOW: "1000" };
  const opened = await serveHooks({ run: RUN, spec, folder, root, env, guard: () => undefined });
  after.push(() => opened.close());
  const { url, token } = opened.at(3);
  const headers = { authorization: `Bearer ${token}` };
  const ask = async (event: string, more: object = {}, at = url) => {
    const told = { session_id: "s-1", hook_event_name: event, transcript_path: transcript, ...more };
    const answer = await fetch(at, { method: "POST", headers, body: JSON.stringify(told) });
    return answer.status;
  };
  const sessions = () => (existsSync(join(root, "sessions")) ? readdirSync(join(root, "sessions")) : []);
  return { url, headers, ask, opened, sessions, port: Number(new URL(url).port) };
}

describe("who has the token", () => {
  it("cannot fill the memory with questions that do not end", async () => {
    const { url, headers, ask } = await desk();
    const statuses: (number | undefined)[] = [];
    const part = Buffer.alloc(10 * 1024 * 1024, " ");
    for (let n = 0; n < 16; n++) {
      const asking = request(url, {
        method: "POST",
        headers: { ...headers, "content-length": 2 * part.length },
      });
      asking.on("response", ({ statusCode }) => statuses.push(statusCode));
      asking.on("error", () => statuses.push(undefined));
      asking.write(part);
      after.push(() => asking.destroy());
    }
    await until("most were refused", () => statuses.length >= 9);
    expect(statuses.filter((status) => status === 200)).toEqual([]);
    for (let n = 0; n < 10; n++)
      expect(await ask("PreToolUse", { tool_input: "x".repeat(200_000) })).toBe(200);
  });

  it.each([
    ["idle connections", () => ""],
    [
      "questions that never end",
      (token: string) =>
        `POST /3 HTTP/1.1\r\nHost: x\r\nAuthorization: ${token}\r\nContent-Length: 9\r\n\r\n{`,
    ],
  ])("can neither take all of ralph's open files, nor keep others from asking, by %s", async (_, half) => {
    const { port, ask, headers } = await desk();
    const beginning = half(headers.authorization);
    const open = new Set<Socket>();
    let closed = 0;
    for (let n = 0; n < 400; n++) {
      const socket = connect(port, "127.0.0.1");
      socket.write(beginning);
      open.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        closed++;
        open.delete(socket);
      });
    }
    after.push(() => {
      for (const socket of open) socket.destroy();
    });
    await until("those that are too many are gone", () => closed >= 100);
    expect(open.size).toBeGreaterThan(50);
    expect(await ask("PreToolUse")).toBe(200);
  });

  it("cannot fill the state folder with sessions that it makes up, and all is gone with the run", async () => {
    const { ask, sessions, opened } = await desk();
    for (let n = 0; n < 200; n++) expect(await ask("PostToolUse", { session_id: `s-${n}` })).toBe(200);
    expect(sessions().length).toBeGreaterThan(10);
    expect(sessions().length).toBeLessThan(100);
    await opened.close();
    expect(sessions()).toEqual([]);
  });

  it("cannot speak for another turn than the one that is under way", async () => {
    const { ask, url, opened } = await desk();
    expect(await ask("PostToolUse", {}, url.replace(/3$/, "4"))).toBe(404);
    const next = opened.at(4).url;
    expect(await ask("PostToolUse", {}, next)).toBe(200);
    expect(await ask("PostToolUse", {}, url)).toBe(404);
  });

  it("cannot end ralph by going away in the middle", async () => {
    const { url, headers, ask, port } = await desk();
    for (let n = 0; n < 20; n++) {
      const asking = request(url, { method: "POST", headers: { ...headers, "content-length": 1000 } });
      asking.on("error", () => {});
      asking.write("{");
      asking.destroy();
    }
    const odd = connect(port, "127.0.0.1");
    odd.on("error", () => {});
    odd.end("CONNECT x HTTP/1.1\r\n\r\n\u0000\u0000garbage");
    await new Promise((resolve) => odd.once("close", resolve));
    expect(await ask("Stop")).toBe(200);
  });
});
