import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { lockOwner, takeLock } from "../../src/journal/lock.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ralph-lock-"));
  path = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const self = () => ({ pid: process.pid, startTicks: 7 });
const everybodyLives = { self, isLiving: () => true };
const nobodyLives = { self, isLiving: () => false };

describe("a lock", () => {
  test("is held by one, who is named to the next, until it is released", () => {
    const first = takeLock(path, "run-1", everybodyLives, 1000);
    expect(first.held).toBe(true);
    const second = takeLock(path, "run-2", everybodyLives, 2000);
    expect(second).toMatchObject({
      held: false,
      owner: { run: "run-1", pid: process.pid, host: hostname(), at: 1000 },
    });
    if (first.held) first.release();
    expect(takeLock(path, "run-3", everybodyLives, 3000).held).toBe(true);
  });

  test("is private and leaves no drafts behind", () => {
    takeLock(path, "run-1", everybodyLives, 0);
    expect(readdirSync(folder)).toEqual(["lock"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("of an owner who is gone is healed, and who it was is told", () => {
    takeLock(path, "dead-run", everybodyLives, 0);
    expect(lockOwner(path, nobodyLives)).toBeUndefined();
    expect(takeLock(path, "run-2", nobodyLives, 1)).toMatchObject({
      held: true,
      healed: [{ run: "dead-run" }],
    });
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  test("is healed also when the one before died while it healed, whatever the clock says", () => {
    takeLock(path, "dead-run", everybodyLives, 0);
    const dead = JSON.parse(readFileSync(path, "utf8")) as object;
    writeFileSync(`${path}.healing`, JSON.stringify({ ...dead, startTicks: 1 }));
    utimesSync(`${path}.healing`, 1e10, 1e10); // a time that is yet to come
    const strangers = { self, isLiving: (owner: { startTicks?: number }) => owner.startTicks === 8 };
    expect(takeLock(path, "run-2", strangers, 1).held).toBe(true);
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  test("that another healer does not let go of is refused in the end, in its name", () => {
    takeLock(path, "dead-run", everybodyLives, 0);
    const healer = { pid: 4, host: "elsewhere", run: "healing-run", at: 1 };
    writeFileSync(`${path}.healing`, JSON.stringify(healer));
    expect(takeLock(path, "run-2", nobodyLives, 1)).toEqual({ held: false, owner: healer });
    expect(readdirSync(folder).sort()).toEqual(["lock", "lock.healing"]);
  });

  test("in whose place a folder stands is healed", () => {
    mkdirSync(join(path, "in-the-way"), { recursive: true });
    expect(takeLock(path, "run-2", nobodyLives, 1)).toMatchObject({ held: true, healed: [] });
  });

  test("of an owner whose pid belongs to a stranger now is healed", () => {
    takeLock(path, "dead-run", everybodyLives, 0);
    const strangers = { self, isLiving: (owner: { startTicks?: number }) => owner.startTicks === 8 };
    expect(takeLock(path, "run-2", strangers, 1).held).toBe(true);
  });

  test("from before the machine was started again is healed", () => {
    takeLock(path, "dead-run", everybodyLives, 0);
    const owner = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...owner, boot: "another" }));
    expect(takeLock(path, "run-2", everybodyLives, 1).held).toBe(true);
  });

  test("of another machine is never healed: its process cannot be looked at", () => {
    takeLock(path, "far-run", everybodyLives, 0);
    const owner = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...owner, host: "elsewhere" }));
    expect(takeLock(path, "run-2", nobodyLives, 1)).toMatchObject({
      held: false,
      owner: { host: "elsewhere" },
    });
  });

  test.each(["", "{", "null", '{"pid":"x"}'])("that holds %j has no owner and is healed", (text) => {
    writeFileSync(path, text);
    expect(takeLock(path, "run-1", everybodyLives, 0).held).toBe(true);
  });

  test("that was taken over is not released by its former owner", () => {
    const first = takeLock(path, "run-1", everybodyLives, 0);
    expect(takeLock(path, "run-2", nobodyLives, 1).held).toBe(true);
    if (first.held) first.release();
    expect(lockOwner(path, everybodyLives)?.run).toBe("run-2");
  });
});
