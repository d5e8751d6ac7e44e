import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { busPath, messagesFrom, post, readFrom } from "../../src/bus/bus.ts";
import { temporaryFolder, userErrorOf } from "../supervise/folder.ts";
import { newMessages } from "./arbitrary.ts";
import { bodiesOf, contentOf, expectAllOf, freshBus, NOW, saying, writers } from "./support.ts";

describe("posting", () => {
  it("has a place for the project and one for the task, side by side", () => {
    expect(busPath("/p", "project")).toBe(join("/p", "PROJECT-MESSAGE-BUS.md"));
    expect(busPath("/p", "task")).toBe(join("/p", "TASK-MESSAGE-BUS.md"));
  });

  it("makes the bus, appends to it, and says what it wrote", () => {
    const path = freshBus();
    const first = post(path, { ...saying("one", "start"), run: "r1", from: "ralph" });
    const second = post(path, saying("two"));
    expect(first).toMatchObject({ type: "start", body: "one", run: "r1", from: "ralph" });
    expect(first.at).toBe("2026-11-15T19:00:00.123Z");
    expect(readFrom(path, 0).messages).toMatchObject([first, second]);
    expect(statSync(path).mode & 0o777).toBe(0o644 & ~process.umask());
  });

  it("gives back what went in, for any messages", () => {
    fc.assert(
      fc.property(fc.array(newMessages, { maxLength: 6 }), (list) => {
        const path = freshBus();
        const posted = list.map((one) => post(path, one));
        const read = readFrom(path, 0).messages.map(contentOf);
        expect(read).toEqual(posted);
      }),
      { numRuns: 100 },
    );
  });

  it.each(["by hand", "by hand\n", "by hand\n\n"])(
    "leaves %j as it was, and starts a line of its own",
    (text) => {
      const path = freshBus();
      writeFileSync(path, text);
      post(path, saying("posted", "fact"));
      expect(readFileSync(path, "utf8")).toMatch(/^by hand\n\n---\nid: /);
      expect(bodiesOf(readFrom(path, 0).messages)).toEqual(["by hand", "posted"]);
    },
  );

  it("after a writer that was killed at any byte is whole, and so is all before it", () => {
    const path = freshBus();
    fc.assert(
      fc.property(newMessages, newMessages, newMessages, fc.nat(), (one, torn, next, place) => {
        writeFileSync(path, "");
        const before = post(path, one);
        const { size } = statSync(path);
        post(path, torn);
        truncateSync(path, size + (place % (statSync(path).size - size)));
        const after = post(path, next);
        const { messages } = readFrom(path, 0);
        const [first, ...rest] = messages.map(contentOf);
        expect(first).toEqual(before);
        expect(rest.at(-1)).toEqual(after);
        expect(rest.length).toBeLessThanOrEqual(2);
      }),
      { numRuns: 300 },
    );
  });
});

describe("many writers at once", () => {
  it("lose nothing and tear nothing", async () => {
    const path = freshBus();
    const how = { count: 20, messages: 50, mostKiB: 8 };
    await writers(path, how);
    expectAllOf([...messagesFrom(path, 0)], how);
  });
});

describe("what cannot be posted", () => {
  it.each(["", "two words", "-x", "a".repeat(42), "a\nb", "é", "a/b"])(
    "is a message of type %j",
    async (type) => {
      const path = freshBus();
      const { what, fix } = await userErrorOf(() => post(path, saying("x", type)));
      expect(what).toBe("cannot post the message");
      expect(fix).toContain("wait_without_restart");
      expect(() => statSync(path)).toThrow();
    },
  );

  it("is a body of more than 64 KiB, counted in bytes", async () => {
    const path = freshBus();
    post(path, saying("---\n".repeat(16 * 1024)));
    post(path, saying("é".repeat(32 * 1024)));
    const { why } = await userErrorOf(() => post(path, saying(`x${"é".repeat(32 * 1024)}`)));
    expect(why).toBe("its body has 65537 bytes, and 65536 is the most");
    expect(readFrom(path, 0).messages.map(({ body }) => body.length)).toEqual([64 * 1024, 32 * 1024]);
  });
});

describe("another thing in place of the bus", () => {
  const places: [string, (path: string) => void, RegExp][] = [
    ["a link to a file", (path) => link(path, "target"), /symbolic link/],
    ["a link to nothing", (path) => symlinkSync("nothing", path), /symbolic link/],
    ["a folder", (path) => mkdirSync(path), /not a plain file/],
    ["a pipe", (path) => execFileSync("mkfifo", [path]), /not a plain file/],
  ];

  it.each(places)("%s is told, neither written nor read, and never waited for", async (_, plant, words) => {
    const path = freshBus();
    plant(path);
    const posting = await userErrorOf(() => post(path, saying("x")));
    expect(posting.what).toBe("cannot write to the message bus");
    expect(posting.why).toMatch(words);
    const reading = await userErrorOf(() => readFrom(path, 0));
    expect(reading.what).toBe("cannot read the message bus");
    expect(reading.why).toMatch(words);
  });

  it("a link's target stays as it was", async () => {
    const path = freshBus();
    const target = link(path, "target");
    await userErrorOf(() => post(path, saying("x")));
    expect(readFileSync(target, "utf8")).toBe("precious");
  });

  it("a hard link is not written to", async () => {
    const path = freshBus();
    const target = join(temporaryFolder(), "target");
    writeFileSync(target, "precious");
    linkSync(target, path);
    expect((await userErrorOf(() => post(path, saying("x")))).why).toMatch(/hard link/);
    expect(readFileSync(target, "utf8")).toBe("precious");
  });

  it("a folder that is not there, or is a file, is told", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    for (const name of ["none", "file"]) {
      const { why } = await userErrorOf(() => post(busPath(join(folder, name), "task"), saying("x")));
      expect(why).toBe(`there is no folder ${join(folder, name)}`);
    }
    expect(readFrom(busPath(join(folder, "none"), "task"), 0).messages).toEqual([]);
  });

  it.skipIf(process.getuid?.() === 0)("a file that is not ours to write is told", async () => {
    const path = freshBus();
    post(path, { type: "note", body: "x", nowMs: NOW });
    chmodSync(path, 0o444);
    expect((await userErrorOf(() => post(path, saying("x")))).why).toContain("you may not");
  });

  function link(path: string, name: string): string {
    const target = join(temporaryFolder(), name);
    writeFileSync(target, "precious");
    symlinkSync(target, path);
    return target;
  }
});
