import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { codeOf } from "../src/errors.ts";
import { createInside, isInside, readNoFollow } from "../src/files.ts";
import { temporaryFolder, userErrorOf } from "./supervise/folder.ts";

/** Writes through `createInside`, and returns where. */
function put(project: string, path: string, text: string): string {
  const fd = createInside(project, path);
  writeSync(fd, text);
  closeSync(fd);
  return join(project, path);
}

describe("createInside", () => {
  it("makes the folders on the way and a new file", () => {
    const file = put(temporaryFolder(), "a/b/c.txt", "text");
    expect(readFileSync(file, "utf8")).toBe("text");
    expect(statSync(file).mode & 0o777 & ~0o644).toBe(0);
  });

  it("starts over with a file that is there, also one that may not be written", () => {
    const project = temporaryFolder();
    writeFileSync(join(project, "x"), "a long old text", { mode: 0o444 });
    expect(readFileSync(put(project, "x", "new"), "utf8")).toBe("new");
  });

  it.each(["a", "a/b"])("goes through no link on the way (%s)", async (link) => {
    const project = temporaryFolder();
    const outside = temporaryFolder();
    mkdirSync(join(project, link, ".."), { recursive: true });
    symlinkSync(outside, join(project, link));
    const error = await userErrorOf(() => createInside(project, "a/b/x"));
    expect(error).toEqual({
      what: "cannot write into a/b",
      why: `${join(project, link)} is not a folder of its own (a link or a file stands in its place)`,
      fix: "Remove it, then start again.",
    });
  });

  it("lets the project itself be reached through a link", () => {
    const real = temporaryFolder();
    const link = join(temporaryFolder(), "link");
    symlinkSync(real, link);
    put(link, ".ralph/x", "text");
    expect(readFileSync(join(real, ".ralph/x"), "utf8")).toBe("text");
  });

  it("tells what stands in the way", async () => {
    const project = temporaryFolder();
    mkdirSync(join(project, "x"));
    expect(await userErrorOf(() => createInside(project, "x"))).toMatchObject({
      what: "cannot write x",
      why: "a folder stands in its place",
    });
    expect(await userErrorOf(() => createInside("/proc", ".ralph/x"))).toMatchObject({
      what: "cannot write .ralph/x",
      fix: "Make the folder .ralph writable for you and start again.",
    });
  });
});

describe("readNoFollow", () => {
  /** What reading ends with: the text, or the system's word for why not. */
  const read = (file: string, mostBytes = 100) => {
    try {
      return readNoFollow(file, mostBytes);
    } catch (error) {
      return codeOf(error);
    }
  };

  it("reads a file, up to its limit", () => {
    const file = join(temporaryFolder(), "x");
    writeFileSync(file, "é🙂");
    expect(read(file)).toBe("é🙂");
    expect(read(file, 6)).toBe("é🙂");
    expect(read(file, 5)).toBe("EFBIG");
  });

  it("refuses everything that is no file of its own, and never hangs", () => {
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at("secret"), "secret");
    symlinkSync(at("secret"), at("link"));
    execFileSync("sh", ["-c", 'mkfifo "$0"', at("pipe")]);
    expect(read(at("link"))).toBe("ELOOP");
    expect(read(at("pipe"))).toBe("ENOTFILE");
    expect(read(folder)).toBe("ENOTFILE");
    expect(read("/dev/zero")).toBe("ENOTFILE");
    expect(read(at("gone"))).toBe("ENOENT");
  });
});

describe("isInside", () => {
  it.each([
    ["/a", "/a", true],
    ["/a", "/a/b/c", true],
    ["/a", "/a/..b", true],
    ["/a", "/a/../a/x", true],
    ["/a", "/ab", false],
    ["/a", "/", false],
    ["/a", "/a/../b", false],
    ["/a/b", "/a", false],
    ["/", "/a", true],
  ])("of %j and %j is %j", (folder, path, expected) => {
    expect(isInside(folder, path)).toBe(expected);
  });
});
