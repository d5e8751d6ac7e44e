import { expect, test } from "vitest";
import { oneAtATime } from "../../src/hooks/queue.ts";

test("work is done one after the other, in order, and what is too much is left out", async () => {
  const queue = oneAtATime(2);
  const order: string[] = [];
  const work = (n: number) => async () => {
    order.push(`begin ${n}`);
    await Promise.resolve();
    order.push(`end ${n}`);
    return n;
  };
  expect(await Promise.all([1, 2, 3, 4, 5].map((n) => queue(work(n))))).toEqual([
    1,
    2,
    3,
    undefined,
    undefined,
  ]);
  expect(order).toEqual([1, 2, 3].flatMap((n) => [`begin ${n}`, `end ${n}`]));
  expect(await queue(work(6))).toBe(6);
});

test("work that fails is told to who asked, and to nobody else", async () => {
  const queue = oneAtATime(2);
  const failing = queue(() => Promise.reject(new Error("no")));
  const next = queue(() => Promise.resolve("yes"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});
