import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BusMessage, busPath, follow, post } from "../../src/bus/bus.ts";
import { temporaryFolder, userErrorOf } from "../supervise/folder.ts";
import { bodiesOf, expectAllOf, freshBus, saying, writers } from "./support.ts";

/** Longer than any test: whoever is woken by this was not woken by the system. */
const NEVER_MS = 2 ** 30;

/** Takes messages until there are enough. */
async function take(messages: AsyncIterable<BusMessage>, count: number): Promise<BusMessage[]> {
  const taken: BusMessage[] = [];
  for await (const message of messages) {
    taken.push(message);
    if (taken.length === count) break;
  }
  return taken;
}

const signal = new AbortController().signal;

describe("following", () => {
  it("sees what other processes write, each message once and whole, woken by the system", async () => {
    const path = freshBus();
    const how = { count: 4, messages: 100, mostKiB: 60 };
    const taking = take(follow(path, { signal, pollMs: NEVER_MS }), how.count * how.messages);
    await writers(path, how);
    expectAllOf(await taking, how);
  });

  it("sees them by polling where the system tells nothing", async () => {
    const folder = join(temporaryFolder(), "not there yet"); // so it cannot be watched
    const path = busPath(folder, "task");
    const taking = take(follow(path, { signal, pollMs: 5 }), 2);
    mkdirSync(folder);
    post(path, saying("one"));
    post(path, saying("two"));
    expect(bodiesOf(await taking)).toEqual(["one", "two"]);
  });

  it("begins after what stands there, or where it is told to", async () => {
    const path = freshBus();
    post(path, saying("old"));
    const later = follow(path, { signal, pollMs: NEVER_MS });
    const all = follow(path, { from: 0, signal, pollMs: NEVER_MS });
    post(path, saying("new"));
    expect(bodiesOf(await take(later, 1))).toEqual(["new"]);
    expect(bodiesOf(await take(all, 2))).toEqual(["old", "new"]);
  });

  it("waits for a front matter to be closed", async () => {
    const path = freshBus();
    const taking = follow(path, { signal, pollMs: 5 })[Symbol.asyncIterator]();
    writeFileSync(path, "---\ntype: ask\n");
    const first = taking.next();
    await new Promise((resolve) => setImmediate(resolve));
    appendFileSync(path, "from: hand\n---\nWhich?\n");
    expect((await first).value).toMatchObject({ type: "ask", from: "hand", body: "Which?" });
    await taking.return?.();
  });

  it("goes on in a new file that took the old one's place, be it shorter or longer", async () => {
    const path = freshBus();
    const bus = follow(path, { signal, pollMs: 5 })[Symbol.asyncIterator]();
    const next = async () => (await bus.next()).value?.body;
    post(path, saying("a message that is not short"));
    expect(await next()).toBe("a message that is not short");
    writeFileSync(path, "");
    post(path, saying("short"));
    expect(await next()).toBe("short");
    post(`${path}.new`, saying("a message that is longer than all that stood there before"));
    renameSync(`${path}.new`, path);
    expect(await next()).toBe("a message that is longer than all that stood there before");
    rmSync(path);
    await new Promise((resolve) => setImmediate(resolve));
    post(path, saying("and after it was gone"));
    expect(await next()).toBe("and after it was gone");
    await bus.return?.();
  });

  it("ends when it is told to, at once and without an error", async () => {
    const path = freshBus();
    post(path, saying("one"));
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { body } of follow(path, { from: 0, signal: stop.signal, pollMs: NEVER_MS })) {
      seen.push(body);
      setImmediate(() => stop.abort());
    }
    expect(seen).toEqual(["one"]);
    for await (const _ of follow(path, { from: 0, signal: stop.signal, pollMs: NEVER_MS })) seen.push("more");
    expect(seen).toEqual(["one"]);
  });

  it("says so when a link takes the place of the bus", async () => {
    const path = freshBus();
    symlinkSync("elsewhere", path);
    const { why } = await userErrorOf(() => take(follow(path, { from: 0, signal, pollMs: 5 }), 1));
    expect(why).toContain("symbolic link");
  });

  it("leaves nothing open", async () => {
    const open = () => readdirSync("/proc/self/fd").length;
    const path = freshBus();
    post(path, saying("one"));
    await take(follow(path, { from: 0, signal, pollMs: NEVER_MS }), 1);
    const before = open();
    for (let n = 0; n < 20; n++) await take(follow(path, { from: 0, signal, pollMs: NEVER_MS }), 1);
    expect(open()).toBeLessThanOrEqual(before + 1);
  });
});
