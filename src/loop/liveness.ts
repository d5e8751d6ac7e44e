import type { Liveness } from "../journal/lock.ts";
import { locate, nameSelf } from "../supervise/spaces.ts";

/** Tells whether whoever holds a lock still lives. */
export const LIVENESS: Liveness = {
  self: () => nameSelf(process.env),
  isLiving: (owner) => locate(owner) !== undefined,
};
