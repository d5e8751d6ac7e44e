import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf, messageOf, UserError } from "../errors.ts";
import type { LoopEvent } from "../events.ts";
import { removeTree } from "../files.ts";
import { lockOwner, takeLock } from "../journal/lock.ts";
import type { Wish } from "../sandbox/effective.ts";
import type { Logins } from "../sandbox/logins.ts";
import type { Policy, Role } from "../sandbox/policy.ts";
import { type Connection, type Probe, type Sandbox, UNFENCED } from "../sandbox/sandbox.ts";
import type { AgentSpec, FenceNote, RunSpec } from "../spec.ts";
import { findMeans, type Means } from "../supervise/means.ts";
import { LIVENESS } from "./liveness.ts";
import { EXCHANGE } from "./workshop.ts";

/** What agents and checks are started with, and what keeps them in. */
export interface Fence {
  readonly means: Readonly<Record<Role, Means>>;
  /** Absent where the description of the run says nothing about it. */
  readonly note?: FenceNote;
  /** What a turn has to wait for, where files are copied in and out. */
  readonly sync?: Pick<Sandbox, "settleMs" | "refresh"> & { readonly exchange?: () => void };
  /** What is true inside, where there is a fence. */
  readonly policy?: Policy;
  close(): Promise<void>;
}

/** Nothing keeps an agent in on this machine, and nobody has said that it may go without. */
export class NoFence extends UserError {}

interface Site {
  readonly run: string;
  readonly spec: Pick<RunSpec, "project" | "sandbox" | "processes">;
  /** Everybody who may have a turn. */
  readonly agents: readonly AgentSpec[];
  /** What of ours its agents have to reach, as `host:port`. */
  readonly services?: readonly string[];
  /** What of ours its agents have to read, of what is hidden otherwise. */
  readonly shown?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stateRoot: string;
  /** The run's own folder, outside the project. */
  readonly folder: string;
  /** Told once for each host that may not be reached, and of log-ins that were renewed. */
  readonly onNotice: (words: string, level: "info" | "warning") => void;
}

/** Opens the fence of a run. Throws a UserError when the one that is asked for does not hold. */
export async function openFence(site: Site): Promise<Fence> {
  const { spec, env, stateRoot, folder } = site;
  const exchange = join(folder, EXCHANGE);
  const { sandbox } = spec;
  await removeLeftovers(join(stateRoot, "sandbox"), site);
  if (sandbox !== undefined && sandbox.kind !== "none") {
    mkdirSync(stateRoot, { recursive: true, mode: 0o700 });
    const { openSandbox } = await import("../sandbox/choose.ts");
    const ro = [...sandbox.ro, ...(site.shown ?? [])];
    const wish: Wish = {
      project: spec.project,
      sandbox: { ...sandbox, ro },
      agents: site.agents,
      services: site.services ?? [],
      env,
      stateRoot,
    };
    const { folder: own, dispose } = sandboxFolder(join(stateRoot, "sandbox"), site);
    const place = {
      folder: own,
      exchange,
      lasting: stateRoot,
      env,
      onConnection: logTo(site),
    };
    try {
      const opened = await openSandbox(wish, place);
      if (!("tried" in opened)) {
        const { policy } = opened;
        keepPolicy(folder, policy);
        const logins = await loginsOf(opened, place.folder, site);
        return {
          means: { agent: opened.means("agent"), check: opened.means("check") },
          note: { kind: policy.kind, words: opened.words },
          sync: { ...opened, ...logins },
          policy,
          close: async () => {
            logins?.exchange();
            try {
              await opened.close();
            } finally {
              dispose();
            }
          },
        };
      }
      dispose();
      if (sandbox.orNone !== true) throw noFence(opened.tried);
    } catch (error) {
      dispose();
      throw error;
    }
  }
  const means = await meansFor(spec, env);
  return {
    means: { agent: means, check: means },
    ...(sandbox === undefined ? {} : { note: { kind: "none", words: UNFENCED } as const }),
    close: () => Promise.resolve(),
  };
}

/** The event by which a run begins or goes on, with what holds its processes together and what keeps them in. */
export function withFence(event: LoopEvent, { means, note }: Fence, more: readonly string[] = []): LoopEvent {
  const begins = event.type === "run.started" || event.type === "run.resumed";
  const fence = note === undefined ? {} : { fence: { ...note, words: [note.words, ...more].join("; ") } };
  return begins ? { ...event, means: means.agent.words, ...fence } : event;
}

function noFence(tried: readonly Probe[]): NoFence {
  const why = tried.map(({ kind, words }) => `${kind}: ${words}`).join("; ");
  const fixes = tried.flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
  return new NoFence(
    "nothing here keeps an agent in",
    why,
    `${fixes[0] ?? ""} Or go without a fence: --no-sandbox; the guard then watches over dangerous commands.`.trim(),
  );
}

/** What holds the processes of this run together. One that is asked for and does not work here is the user's to change. */
async function meansFor(spec: Pick<RunSpec, "processes">, env: NodeJS.ProcessEnv): Promise<Means> {
  const wish = spec.processes ?? "auto";
  const means = await findMeans(wish, env);
  if (means !== undefined) return means;
  throw new UserError(
    `processes cannot be held together by a ${wish} here`,
    "it was tried, and this machine does not allow it",
    "Set `processes` to `auto`; `ralph doctor` shows what works.",
  );
}

/** Writes every decision about a connection down, and tells of each host once that may not or cannot be reached. */
function logTo({ folder, onNotice }: Site): (connection: Connection) => void {
  const told = new Set<string>();
  const path = join(folder, "network.jsonl");
  let written = 0;
  return (connection) => {
    const { host, port, allowed, why, failed } = connection;
    // An agent that asks again and again must not fill the disk.
    if (++written <= MOST_WRITTEN) appendFileSync(path, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
    const where = `${host}:${port}`;
    const words =
      failed === true
        ? `${where} cannot be reached from the sandbox: ${why}`
        : `The sandbox refused a connection to ${where} (sandbox.network.allow lets it through)`;
    if ((allowed && failed !== true) || told.has(words) || told.size > MOST_TOLD) return;
    told.add(words);
    onNotice(words, "warning");
  };
}

const MOST_TOLD = 100;
const MOST_WRITTEN = 100_000;

/** The policy as it was, with the run: whoever asks in the morning what the agent could do finds it there. */
function keepPolicy(folder: string, policy: unknown): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, "sandbox.json"), `${JSON.stringify(policy, null, 2)}\n`, { mode: 0o600 });
}

/** Keeps log-ins the same on both sides, where agents have private copies of them. */
async function loginsOf(
  { policy, home }: Sandbox,
  folder: string,
  { onNotice }: Site,
): Promise<Logins | undefined> {
  if (home === undefined || policy.logins === undefined) return undefined;
  const { keepLogins } = await import("../sandbox/logins.ts");
  return keepLogins(policy, home, { folder, tell: onNotice });
}

/** A private folder for what a sandbox needs while it lasts, and the mark that its run is alive. The mark comes first, and goes last. */
function sandboxFolder(
  root: string,
  { run, onNotice }: Site,
): { readonly folder: string; readonly dispose: () => void } {
  const folder = join(root, run);
  const lock = takeLock(lockOf(folder), run, LIVENESS, Date.now());
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    folder,
    dispose: () => {
      removeAll(folder, onNotice);
      if (lock.held) lock.release();
    },
  };
}

/**
 * What runs left that were killed: copies of log-ins should not lie about, and those that were renewed are the only ones that are
 * still good. A folder of this very run is left too, whoever seems to be alive: nobody else drives it.
 */
async function removeLeftovers(root: string, { run, onNotice }: Site): Promise<void> {
  for (const entry of existsSync(root) ? readdirSync(root, { withFileTypes: true }) : []) {
    if (!entry.isDirectory()) continue;
    const folder = join(root, entry.name);
    if (entry.name !== run && lockOwner(lockOf(folder), LIVENESS) !== undefined) continue;
    const { bringOutLogins } = await import("../sandbox/logins.ts");
    bringOutLogins(folder, onNotice);
    removeAll(folder, onNotice);
    rmSync(lockOf(folder), { force: true });
  }
}

/** What somebody inside has made so that it cannot be removed keeps no run from its start or its end. */
function removeAll(folder: string, onNotice: Site["onNotice"]): void {
  try {
    removeTree(folder);
  } catch (error) {
    const why = codeOf(error) ?? messageOf(error);
    onNotice(
      `${folder} could not be removed (${why}); it may hold a copy of a log-in: remove it yourself`,
      "warning",
    );
  }
}

function lockOf(folder: string): string {
  return `${folder}.lock`;
}
