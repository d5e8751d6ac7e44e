// Loaded into ralph by NODE_OPTIONS=--import: ends the process with SIGKILL at one write of the journal, or lets the
// write fail, or sets the clock back. It does what the machine would do, so it stands outside the program.
import { existsSync, readlinkSync } from "node:fs";
import { open } from "node:fs/promises";

const { CHAOS_KILL, CHAOS_FULL, CHAOS_CLOCK } = process.env;
const isRalph = /[\\/]bin[\\/]ralph$/.test(process.argv[1] ?? "");

if (isRalph && (CHAOS_KILL || CHAOS_FULL)) await patchWrites();
if (isRalph && CHAOS_CLOCK) shiftClock(CHAOS_CLOCK);

/** `CHAOS_KILL=<n>:<point>`: dies around the n-th write. `CHAOS_FULL=<n>`: from the n-th write on the disk is full. */
async function patchWrites() {
  const [nth, point] = (CHAOS_KILL ?? "").split(":");
  const fullFrom = Number(CHAOS_FULL ?? Number.POSITIVE_INFINITY);
  const probe = await open("/dev/null");
  const handle = Object.getPrototypeOf(probe);
  await probe.close();
  const { write, datasync } = handle;
  let writes = 0;

  handle.write = async function (bytes, offset, length, position) {
    if (!isJournal(this)) return write.call(this, bytes, offset, length, position);
    writes++;
    if (writes >= fullFrom) {
      // A disk that runs full takes a part of the line first.
      await write.call(this, bytes, offset, length >> 1, position);
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    }
    const isNow = writes === Number(nth);
    if (isNow && point === "before") die();
    if (isNow && point === "torn") {
      await write.call(this, bytes, offset, length >> 1, position);
      die();
    }
    const done = await write.call(this, bytes, offset, length, position);
    if (isNow && point === "written") die();
    return done;
  };
  handle.datasync = async function () {
    await datasync.call(this);
    if (isJournal(this) && writes === Number(nth) && point === "synced") die();
  };
}

function isJournal(handle) {
  return readlinkSync(`/proc/self/fd/${handle.fd}`).endsWith("journal.ndjson");
}

function die() {
  process.kill(process.pid, "SIGKILL");
}

/** `CHAOS_CLOCK=<ms>:<file>`: the clock goes so far wrong as soon as the file is there; with no file from the start. */
function shiftClock(how) {
  const [byMs, file] = how.split(":");
  const now = Date.now.bind(Date);
  Date.now = () => now() + (file === "" || existsSync(file) ? Number(byMs) : 0);
}
