/** Two connections as one, for the proxy and for the launcher. Imports nothing of ours: the launcher is one small file. */
import type { Socket } from "node:net";

/**
 * What comes from one goes to the other, each direction with its own end, so that a side may say that it has no more to send and
 * still listen. When one is gone for good, the other goes with it.
 */
export function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroySoon()); // what is on its way still arrives
  }
}
