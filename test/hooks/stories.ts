import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ofType } from "../e2e/support.ts";
import { type HookWorld, type Said, type Session, type SessionOptions, world } from "./support.ts";

/** What must come of a stop: sent back, ended, or left alone. */
export type Decision = "goes on" | "ends" | "left alone";

/** One thing that happens in a session, and what must come of it where it is a stop. */
export type Happening =
  | { readonly type: string }
  | { readonly tool: string; readonly more?: Record<string, unknown> }
  | { readonly stop: string | undefined; readonly more?: Record<string, unknown>; readonly comes: Decision }
  /** Another event of its program. */
  | { readonly hook: string; readonly more?: Record<string, unknown> }
  /** Lines that its program writes into the transcript. */
  | { readonly written: readonly object[] }
  /** The same is asked by two copies of the hooks at once. */
  | { readonly twice: Happening }
  /** It happens in another session in the same folder. */
  | { readonly beside: Happening }
  /** Something becomes of our own files. */
  | { readonly damage: "journal" | "marker" | "run"; readonly by: "garbage" | "removal" }
  /** So many turns were counted up to now. */
  | { readonly counted: number }
  /** The log says so by now. */
  | { readonly logged: string };

export type Story = readonly Happening[];

export const DONE = "<promise>DONE</promise>";
export const TASK = '"Write hello.txt"';

/** The usual happenings, in few words. */
export const start = (options = ""): Happening => ({ type: `/ralph-loop ${TASK} ${options}`.trimEnd() });
export const tool: Happening = { tool: "Write" };
export const stop = (
  said: string | undefined,
  comes: Decision,
  more?: Record<string, unknown>,
): Happening => ({ stop: said, comes, ...(more === undefined ? {} : { more }) });

/** Plays a story with the hooks as real processes. */
export async function play(story: Story, options: SessionOptions = {}): Promise<void> {
  const at = world();
  const [mine, other] = [at.session(options), at.session(options)];
  for (const [n, one] of story.entries()) await happen(at, { n, one, mine, other });
}

interface Place {
  readonly n: number;
  readonly one: Happening;
  readonly mine: Session;
  readonly other: Session;
}

async function happen(at: HookWorld, { n, one, mine, other }: Place): Promise<void> {
  if ("type" in one) await mine.type(one.type);
  else if ("tool" in one) await mine.tool(one.tool, one.more);
  else if ("hook" in one) await mine.hook(one.hook, one.more);
  else if ("written" in one) for (const line of one.written) write(mine, line);
  else if ("beside" in one) await happen(at, { n, one: one.beside, mine: other, other: mine });
  else if ("damage" in one) damage(at, mine, one);
  else if ("counted" in one) expect([n, turnsIn(at)]).toEqual([n, one.counted]);
  else if ("logged" in one) expect(at.log()).toContain(one.logged);
  else if ("twice" in one)
    await Promise.all([1, 2].map(() => happen(at, { n, one: one.twice, mine, other })));
  else expect([n, decisionOf(await mine.stop(one.stop, one.more))]).toEqual([n, one.comes]);
}

function decisionOf({ decision, reason, systemMessage }: Said): Decision {
  if (decision === "block") {
    // Programs take a block only with a reason that says something.
    expect(reason?.trim()).toBeTruthy();
    return "goes on";
  }
  expect([decision, reason]).toEqual([undefined, undefined]);
  return /ralph: (?:PROMISE_ACCEPTED|MAX_ITERATIONS_REACHED|CANCELLED|WAITING)/.test(systemMessage ?? "")
    ? "ends"
    : "left alone";
}

function turnsIn(at: HookWorld): number {
  return at.hasJournal() ? ofType(at.journal(), "agent.exited").length : 0;
}

function write({ transcript }: Session, line: object): void {
  appendFileSync(transcript, `${JSON.stringify({ ...line, timestamp: new Date().toISOString() })}\n`);
}

function damage(
  at: HookWorld,
  { id }: Session,
  { damage: what, by }: Extract<Happening, { damage: unknown }>,
): void {
  const path = {
    journal: join(at.runFolder(), "journal.ndjson"),
    marker: join(at.state, "hooks", id, "loop.json"),
    run: at.runFolder(),
  }[what];
  if (by === "garbage") writeFileSync(path, "{ no\n{}\n");
  else rmSync(path, { recursive: true });
}
