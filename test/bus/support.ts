import { spawn } from "node:child_process";
import { expect } from "vitest";
import { type BusMessage, busPath, type NewMessage } from "../../src/bus/bus.ts";
import { programOf, temporaryFolder } from "../supervise/folder.ts";

export const NOW = Date.parse("2026-11-15T19:00:00.123Z");

/** The path of a bus that is not there yet, in a folder of its own. */
export function freshBus(): string {
  return busPath(temporaryFolder(), "task");
}

/** A message to post. */
export function saying(body: string, type = "note"): NewMessage {
  return { type, body, nowMs: NOW };
}

/** What a message says, without its places. */
export function contentOf(message: BusMessage): object {
  return Object.fromEntries(Object.entries(message).filter(([key]) => key !== "start" && key !== "end"));
}

export const bodiesOf = (messages: readonly BusMessage[]) => messages.map(({ body }) => body);

/** Starts writers that wait for each other, lets them all go at once, and resolves when they are done. */
export async function writers(path: string, how: { count: number; messages: number; mostKiB: number }) {
  const program = await programOf(new URL("./writer.ts", import.meta.url));
  const all = Array.from({ length: how.count }, (_, name) => {
    const args = [program, path, String(name), String(how.messages), String(how.mostKiB)];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    const ready = new Promise((resolve) => child.stdout.once("data", resolve));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    return { child, ready, ended };
  });
  await Promise.all(all.map(({ ready }) => ready));
  for (const { child } of all) child.stdin.end("go");
  const codes = await Promise.all(all.map(({ ended }) => ended));
  expect(codes).toEqual(codes.map(() => 0));
}

/** Are these exactly the messages of such writers, each whole, and each writer's in their order? */
export function expectAllOf(messages: readonly BusMessage[], how: { count: number; messages: number }): void {
  expect(messages).toHaveLength(how.count * how.messages);
  expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
  for (let name = 0; name < how.count; name++) {
    const own = messages.filter(({ run }) => run === String(name));
    expect(own.map(({ from }) => Number(from))).toEqual(own.map((_, n) => n));
    expect(own).toHaveLength(how.messages);
    const letter = String.fromCharCode(97 + (name % 26));
    for (const { body } of own)
      expect(body).toMatch(new RegExp(`^(?:${letter}{62}\\n---\\n)+\\n\\n- ${letter}$`));
  }
}
