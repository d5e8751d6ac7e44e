import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LoopEvent } from "../../src/events.ts";
import { openJournal } from "../../src/journal/journal.ts";
import { readJournal } from "../../src/journal/read.ts";
import { openJournalShortly } from "../../src/journal/short.ts";
import { temporaryFolder } from "../supervise/folder.ts";

const event = (by: string): LoopEvent => ({ type: "stop.requested", at: 1, run: "r", by });

async function begun(): Promise<string> {
  const path = join(temporaryFolder(), "journal.ndjson");
  const journal = await openJournal(path);
  await journal.append(event("first"));
  await journal.close();
  return path;
}

describe("a journal that is opened shortly", () => {
  it("goes on where it was, and has each event in the file at once", async () => {
    const path = await begun();
    const texts = ["two\nlines", "🙂 é \u2028", "x".repeat(300_000), ""];
    const journal = openJournalShortly(path);
    for (const text of texts) {
      const done = journal.append(event(text));
      expect(readJournal(path).at(-1)).toEqual(event(text));
      await done;
    }
    await journal.close();
    const again = await openJournal(path);
    await again.append(event("last"));
    await again.close();
    expect(readJournal(path)).toEqual(["first", ...texts, "last"].map(event));
  });

  it("cuts off what a crash left of a last line", async () => {
    const path = await begun();
    appendFileSync(path, `{"type":"${"x".repeat(200_000)}`);
    const journal = openJournalShortly(path);
    await journal.append(event("next"));
    await journal.close();
    expect(readJournal(path)).toEqual([event("first"), event("next")]);
  });

  it("that is not there is the user's to mend, and is not made", () => {
    expect(() => openJournalShortly(join(temporaryFolder(), "none"))).toThrow(
      "cannot write the run's journal",
    );
  });

  it("says so when the disk is full", async () => {
    const journal = openJournalShortly("/dev/full");
    await expect(journal.append(event("x"))).rejects.toThrow("the disk is full");
    await journal.close().catch(() => {}); // a device cannot be synced
  });
});
