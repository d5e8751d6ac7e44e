import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { quote } from "shlex";
import { afterEach, expect } from "vitest";
import {
  environmentOf,
  makeWorld,
  processesWith,
  type RunOptions,
  type Started,
  until,
  type World,
  watch,
} from "../e2e/support.ts";
import type { Script } from "../model-server/script.ts";
import { type ModelServer, modelServer } from "../model-server/server.ts";
import { POINTING } from "./pointing.ts";

/** A real agent that was installed for this run of the tests. */
export interface RealAgent {
  readonly name: string;
  readonly version: string;
  /** The words that start it. */
  readonly command: readonly string[];
}

/** A project, a model server that plays a script, and a real agent that knows nothing but these. */
export interface RealWorld extends World {
  readonly server: ModelServer;
  /** The agent's variables: a fresh home, the server's address, a dummy key. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts the agent itself in the project, without ralph. */
  direct(args: readonly string[], options?: DirectOptions): Started;
  /** Fails when a process of this world lives on. */
  expectNothingLeft(): Promise<void>;
  /** Makes the journal of the only run so much older, as if nobody had driven it meanwhile. */
  age(ms: number): void;
}

export interface DirectOptions extends RunOptions {
  /** Its input stays open, for whoever started it to write to. */
  readonly keepsInput?: boolean;
}

export interface RealWorldOptions {
  /** Settings beside the agent. */
  readonly settings?: Record<string, unknown>;
  /** How often the agent may ask again by itself. Default: never, so that what the service says reaches ralph. */
  readonly retries?: number;
  /** Other agents that are on PATH and know the same server. */
  readonly beside?: readonly RealAgent[];
}

/** The installed agents of these names, of every version that was asked for. */
export function installed(...names: string[]): RealAgent[] {
  const all = JSON.parse(process.env["RALPH_REAL_AGENTS"] ?? "[]") as RealAgent[];
  return all.filter((agent) => names.includes(agent.name));
}

/** The fence of such a world: the wrapper on PATH leads to a program that is installed elsewhere, and the model server is on this machine. */
export function fenceFor(agent: RealAgent, world: RealWorld): Record<string, unknown> {
  return {
    kind: "bubblewrap",
    ro: [...agent.command.map((word) => dirname(word)), "../edit.cjs"],
    network: { allow: [new URL(world.server.url).host] },
    env: ["MODEL_SERVER_KEY", "GIT_*"],
  };
}

const open: ModelServer[] = [];
afterEach(async () => {
  const faults = open.flatMap((server) => server.faults);
  for (const server of open.splice(0)) await server.close();
  // A script that did not fit would make every other expectation meaningless.
  expect(faults).toEqual([]);
});

/** A git project with a real agent on PATH and in the settings, whose model says what the script says. */
export async function realWorld(
  agent: RealAgent,
  script: Script,
  options: RealWorldOptions = {},
): Promise<RealWorld> {
  const world = makeWorld({ git: true });
  const server = await modelServer(script, world.project);
  open.push(server);
  const home = join(world.home, "agent-home");
  mkdirSync(home);
  const place = { home, url: server.url, retries: options.retries ?? 0 };
  const env: Record<string, string> = { HOME: home };
  for (const { name, command } of [agent, ...(options.beside ?? [])]) {
    const pointing = POINTING[name];
    if (pointing === undefined) throw new Error(`nobody knows how ${name} is pointed at a server`);
    Object.assign(env, pointing(place));
    world.install(name, `exec ${command.map(quote).join(" ")} "$@"`);
  }
  world.settings({ agent: { command: agent.name }, ...options.settings });

  const start = (args: readonly string[], how: RunOptions = {}) =>
    world.start(args, { ...how, env: { ...env, ...how.env } });
  return {
    ...world,
    server,
    env,
    start,
    ralph: (args, how) => start(args, how).ended,
    direct(args, how = {}) {
      const child = spawn(join(world.bin, agent.name), args, {
        cwd: how.cwd ?? world.project,
        env: { ...environmentOf(world), ...env, ...how.env },
        stdio: ["pipe", "pipe", "pipe"],
        detached: how.detached === true,
      });
      child.stdin.on("error", () => {}); // a program that does not read its input may close it
      if (how.keepsInput !== true) child.stdin.end(how.input ?? "");
      return watch(child);
    },
    expectNothingLeft: () => until("no process is left", () => processesWith(world.home).length === 0),
    age(ms) {
      const path = join(world.runFolder(), "journal.ndjson");
      const earlier = (_: string, key: string, at: string) => `"${key}":${Number(at) - ms}`;
      writeFileSync(path, readFileSync(path, "utf8").replace(/"(at|retryAtMs)":(\d+)/g, earlier));
    },
  };
}
