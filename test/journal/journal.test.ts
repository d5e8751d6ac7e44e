import { spawn } from "node:child_process";
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { UserError } from "../../src/errors.ts";
import type { LoopEvent } from "../../src/events.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { readJournal } from "../../src/journal/read.ts";
import { programOf, temporaryFolder, until, userErrorOf } from "../supervise/folder.ts";

function event(by: string): LoopEvent {
  return { type: "stop.requested", at: 1, run: "r", by };
}

function freshPath(): string {
  return join(temporaryFolder(), "a", "b", "journal.ndjson");
}

const names = (path: string) =>
  readJournal(path).map((one) => (one.type === "stop.requested" ? one.by : one.type));

describe("a journal", () => {
  it("gives back what was appended, in order, also what looks like lines", async () => {
    const path = freshPath();
    const texts = ["plain", "two\nlines\r\n", "\u0000 \u2028 🙂 é \ud83d", '"\\', "x".repeat(300_000), ""];
    const journal = await openJournal(path);
    for (const text of texts) await journal.append(event(text));
    await journal.close();
    expect(readJournal(path)).toEqual(texts.map(event));
    expect(readFileSync(path, "utf8").split("\n").length).toBe(texts.length + 1);
  });

  it("has each event on disk when append resolves", async () => {
    const path = freshPath();
    const journal = await openJournal(path);
    for (const text of ["a", "b"]) {
      await journal.append(event(text));
      expect(names(path).at(-1)).toBe(text);
    }
    await journal.close();
  });

  it("goes on where it was", async () => {
    const path = freshPath();
    for (const text of ["a", "b", "c"]) {
      const journal = await openJournal(path);
      await journal.append(event(text));
      await journal.close();
    }
    expect(names(path)).toEqual(["a", "b", "c"]);
  });

  it("keeps the order of many appends at once, and of appends while those are written", async () => {
    const path = freshPath();
    const journal = await openJournal(path);
    const acknowledged: number[] = [];
    const append = (n: number) => journal.append(event(String(n))).then(() => void acknowledged.push(n));
    const all = Array.from({ length: 500 }, (_, n) => append(n));
    await all[0];
    for (let n = 500; n < 1000; n++) all.push(append(n));
    await Promise.all(all);
    await journal.close();
    const expected = Array.from({ length: 1000 }, (_, n) => n);
    expect(names(path)).toEqual(expected.map(String));
    expect(acknowledged).toEqual(expected);
  });

  it("syncs before it acknowledges: once an event, or once for all that came meanwhile", async () => {
    const path = freshPath();
    const journal = await openJournal(path);
    const handle = await open(path);
    const syncs = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "datasync"); // counts, and calls through
    try {
      for (let n = 1; n <= 3; n++) {
        await journal.append(event("one by one"));
        expect(syncs).toHaveBeenCalledTimes(n);
      }
      await Promise.all(Array.from({ length: 500 }, (_, n) => journal.append(event(String(n)))));
      expect(syncs.mock.calls.length).toBeLessThanOrEqual(6);
      expect(syncs.mock.calls.length).toBeGreaterThan(3);
    } finally {
      syncs.mockRestore();
      await handle.close();
      await journal.close();
    }
  });

  it("syncs the folders that were made for it: a power cut must not take its name away", async () => {
    const path = freshPath();
    const handle = await open("/dev/null");
    const synced: string[] = [];
    const syncs = vi
      .spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync")
      .mockImplementation(async function (this: FileHandle) {
        synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
      });
    try {
      await (await openJournal(path)).close();
      const [b, a] = [dirname(path), dirname(dirname(path))];
      expect(synced).toEqual([b, a, dirname(a)]);
    } finally {
      syncs.mockRestore();
      await handle.close();
    }
  });

  it("writes what is still waiting before it closes", async () => {
    const path = freshPath();
    const journal = await openJournal(path);
    const pending = ["a", "b", "c"].map((text) => journal.append(event(text)));
    await journal.close();
    await Promise.all(pending);
    expect(names(path)).toEqual(["a", "b", "c"]);
  });

  it("is for its owner alone, and so is every folder that was made for it", async () => {
    const path = freshPath();
    await (await openJournal(path)).close();
    const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
    expect(modeOf(path)).toBe("600");
    expect(modeOf(dirname(path))).toBe("700");
    expect(modeOf(dirname(dirname(path)))).toBe("700");
  });

  it("that cannot be opened is an error that the user can mend", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    mkdirSync(join(folder, "taken"));
    for (const path of [join(folder, "file", "journal.ndjson"), join(folder, "taken")]) {
      const { what, why, fix } = await userErrorOf(() => openJournal(path));
      expect(what).toBe("cannot write the run's journal");
      expect(why).toContain(path);
      expect(fix).toContain("RALPH_STATE_DIR");
    }
  });
});

describe("a torn last line", () => {
  it.each([
    ["a few bytes", '{"type":"stop.req'],
    ["a whole event without its newline", JSON.stringify(event("torn"))],
    ["longer than one look back", `{"type":"${"x".repeat(200_000)}`],
  ])("of %s is left out when read, and cut when opened", async (_, torn) => {
    const path = freshPath();
    const first = await openJournal(path);
    await first.append(event("a"));
    await first.close();
    appendFileSync(path, torn);
    expect(names(path)).toEqual(["a"]);
    const second = await openJournal(path);
    expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(event("a"))}\n`);
    await second.append(event("b"));
    await second.close();
    expect(names(path)).toEqual(["a", "b"]);
  });

  it("is all there is: the journal starts over", async () => {
    const path = freshPath();
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "x".repeat(100_000));
    const journal = await openJournal(path);
    await journal.append(event("a"));
    await journal.close();
    expect(names(path)).toEqual(["a"]);
  });

  it("can be torn at any byte: every event before it is kept, and the next one is whole", async () => {
    const whole = ["a", "é🙂", "c\n"].map((text) => `${JSON.stringify(event(text))}\n`).join("");
    const bytes = Buffer.from(whole);
    const path = join(temporaryFolder(), "journal.ndjson");
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: bytes.length }), async (cut) => {
        writeFileSync(path, bytes.subarray(0, cut));
        const kept = bytes.subarray(0, cut).toString("latin1").split("\n").length - 1;
        const journal = await openJournal(path);
        await journal.append(event("next"));
        await journal.close();
        expect(names(path)).toEqual([...["a", "é🙂", "c\n"].slice(0, kept), "next"]);
      }),
      { numRuns: 100 },
    );
  });
});

it("an event is not acknowledged by a journal that was removed", async () => {
  const path = freshPath();
  const journal = await openJournal(path);
  await journal.append(event("a"));
  rmSync(path);
  const { what } = await userErrorOf(() => journal.append(event("b")));
  expect(what).toBe("the run's journal is gone");
  await journal.close();
});

it("a journal that is not there is an error that the user can mend", async () => {
  const { why } = await userErrorOf(() => readJournal(join(temporaryFolder(), "none")));
  expect(why).toContain("ENOENT");
});

describe("damage anywhere else", () => {
  it.each(["null", "[]", '"x"', "{}", '{"type":"waited"}'])("is told when a line is %s", async (line) => {
    const path = join(temporaryFolder(), "journal.ndjson");
    writeFileSync(path, `${line}\n`);
    const { why } = await userErrorOf(() => readJournal(path));
    expect(why).toBe(`line 1 of ${path} is damaged`);
  });

  it("is not what a newer version has written", async () => {
    const path = join(temporaryFolder(), "journal.ndjson");
    writeFileSync(path, `${JSON.stringify({ type: "run.started", at: 1, journal: 2, ralph: "9.9.9" })}\n`);
    const { why } = await userErrorOf(() => readJournal(path));
    expect(why).toContain("written by ralph 9.9.9");
  });

  it("is told with the line, never passed over", async () => {
    const path = freshPath();
    const journal = await openJournal(path);
    for (const text of ["a", "b", "c"]) await journal.append(event(text));
    await journal.close();
    const lines = readFileSync(path, "utf8").split("\n");
    lines[1] = lines[1]?.slice(5) ?? "";
    writeFileSync(path, lines.join("\n"));
    const { why } = await userErrorOf(() => readJournal(path));
    expect(why).toBe(`line 2 of ${path} is damaged`);
  });

  it("is not what an empty journal has", () => {
    const path = join(temporaryFolder(), "journal.ndjson");
    writeFileSync(path, "");
    expect(readJournal(path)).toEqual([]);
  });
});

describe("a write that fails", () => {
  let program = "";
  beforeAll(async () => {
    program = await programOf(new URL("./appender.ts", import.meta.url));
  });

  it("is told to whoever appended, for a disk that is full", async () => {
    const journal = await openJournal("/dev/full");
    const failed = await Promise.allSettled([journal.append(event("a")), journal.append(event("b"))]);
    expect(failed.map((one) => one.status === "rejected" && one.reason)).toEqual(
      Array(2).fill(
        new UserError(
          "cannot write the run's journal",
          "the disk is full (/dev/full)",
          "Make room on the disk.",
        ),
      ),
    );
    await journal.close();
  });

  it("leaves no half line behind, and what is appended later is whole", async () => {
    const path = freshPath();
    // The limit on the size of a file cuts a write in the middle, as a disk that runs full does.
    const line = 'ulimit -f 16; exec "$@"';
    const child = spawn("sh", ["-c", line, "sh", process.execPath, program, path, "3", "900"]);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await new Promise((resolve) => child.once("close", resolve));
    const lines = said.trim().split("\n");
    const kept = lines.filter((one) => one.startsWith("kept")).map((one) => one.split(" ")[1]);
    const lost = lines.filter((one) => one.startsWith("lost"));
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.every((one) => one.endsWith("EFBIG"))).toBe(true);
    expect(kept.at(-1)).toBe("small");
    expect(names(path).map((by) => by.split(":")[0])).toEqual(kept);
    expect(readFileSync(path, "utf8").endsWith("\n")).toBe(true);
  });

  it("and a kill -9 at any moment never lose an event that was acknowledged", async () => {
    const folder = temporaryFolder();
    const round = async (n: number) => {
      const path = join(folder, `${n}.ndjson`);
      const child = spawn(process.execPath, [program, path, String(1 + (n % 4)), "40"], {
        stdio: ["ignore", "pipe", "ignore"],
      });
      let said = "";
      child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
      const closed = new Promise((resolve) => child.once("close", resolve));
      await until("the first events", () => said.split("\n").length > 3 + 7 * n);
      child.kill("SIGKILL");
      await closed;
      const acknowledged = said.split("\n").slice(0, -1).length;
      const before = names(path).length;
      expect(acknowledged).toBeGreaterThanOrEqual(3);
      expect(before).toBeGreaterThanOrEqual(acknowledged);
      const journal = await openJournal(path);
      await journal.append(event("resumed"));
      await journal.close();
      const after = names(path).map((by) => by.split(":")[0]);
      expect(after).toEqual([...Array.from({ length: before }, (_, k) => String(k)), "resumed"]);
    };
    for (let n = 0; n < 20; n += 2) await Promise.all([round(n), round(n + 1)]);
  });
});
