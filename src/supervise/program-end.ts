import type { ChildProcess } from "node:child_process";
import type { Duplex } from "node:stream";
import { REPORT_FD, readReport, signalOf } from "./namespace.ts";

/** How the program itself ended, whatever it left behind. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was never started: what should have held it together failed. */
  readonly spawnError?: { readonly code: string; readonly message: string };
  /** It is known that nothing of it is left. */
  readonly alone: boolean;
  /** Lets the namespace go, and all that is still in it. */
  readonly letGo: () => void;
}

const LONGEST_REPORT = 64;

/**
 * Waits for the end of the program: its own exit, or what the first process of its namespace reports. A client of what runs
 * elsewhere exits as the program did, as a shell tells it, when nothing of it is left.
 */
export function programEnd(
  child: ChildProcess,
  { keeper, remote }: { readonly keeper: boolean; readonly remote?: unknown },
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const channel = keeper ? (child.stdio[REPORT_FD] as Duplex | null | undefined) : undefined;
    const letGo = () => void channel?.destroy();
    let told = "";
    channel?.on("error", () => {}); // it went with the namespace
    channel?.on("data", (chunk: Buffer) => {
      if (told.length < LONGEST_REPORT) told += chunk.toString("latin1");
      const report = readReport(told);
      if (report !== undefined) resolve({ ...report, letGo });
    });
    child.once("exit", (code, signal) => {
      // A report that was sent just before has to be read first: then this comes too late, and changes nothing.
      setImmediate(() => {
        if (remote !== undefined && code !== null) {
          return resolve({ code, signal: signalOf(code), alone: true, letGo });
        }
        if (!keeper) return resolve({ code, signal, alone: false, letGo });
        if (signal !== null) return resolve({ code: null, signal, alone: false, letGo });
        const message = "the namespace for its processes could not be made";
        resolve({ code: null, signal: null, spawnError: { code: "EAGAIN", message }, alone: true, letGo });
      });
    });
  });
}
