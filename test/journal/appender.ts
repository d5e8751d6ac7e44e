import { writeSync } from "node:fs";
import { codeOf, UserError } from "../../src/errors.ts";
import { openJournal } from "../../src/journal/journal.ts";

/*
 * A program for the tests: `appender <journal> <how many at once> <bytes of each>`. Appends events for ever and says on
 * stdout which ones were acknowledged; an append that fails is said too, and ends it after one more, smaller one.
 */
const [path = "", atOnce = "1", bytes = "10"] = process.argv.slice(2);

const journal = await openJournal(path);
const say = (line: string) => writeSync(1, `${line}\n`);
const append = async (by: string): Promise<boolean> => {
  try {
    await journal.append({ type: "stop.requested", at: 1, run: "r", by });
    say(`kept ${by.split(":")[0]}`);
    return true;
  } catch (error) {
    say(`lost ${by.split(":")[0]} ${error instanceof UserError ? codeOf(error.cause) : String(error)}`);
    return false;
  }
};

let isGood = true;
for (let n = 0; isGood; ) {
  const batch: Promise<boolean>[] = [];
  for (let k = 0; k < Number(atOnce); k++) batch.push(append(`${n++}:${"x".repeat(Number(bytes))}`));
  isGood = (await Promise.all(batch)).every((kept) => kept);
}
await append("small");
await journal.close();
