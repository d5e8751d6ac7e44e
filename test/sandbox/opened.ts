import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { effectivePolicy } from "../../src/sandbox/effective.ts";
import type { Backend, Sandbox } from "../../src/sandbox/sandbox.ts";
import type { SandboxSpec } from "../../src/spec.ts";
import type { Means } from "../../src/supervise/means.ts";
import { spawnTree, type Tree, type TreeExit } from "../../src/supervise/spawn.ts";
import { environmentOf, makeWorld, type World } from "../e2e/support.ts";

/** What is asked for when nothing is said. */
const PLAIN: Omit<SandboxSpec, "kind"> = {
  network: { mode: "none", allow: [] },
  rw: [],
  ro: [],
  hide: [],
  env: [],
  limits: {},
};

/** A sandbox that is open, with a project and a home of its own. */
export interface Opened {
  readonly world: World;
  readonly sandbox: Sandbox;
  readonly env: NodeJS.ProcessEnv;
}

/** Opens one. It is closed when the test is over. */
export async function openFor(
  backend: Backend,
  wish: Partial<SandboxSpec> = {},
  { env: more = {}, world = makeWorld({ git: true }) }: { env?: NodeJS.ProcessEnv; world?: World } = {},
): Promise<Opened> {
  const home = join(world.home, "home");
  mkdirSync(home, { recursive: true });
  const env = { ...environmentOf(world), HOME: home, ...more };
  const spec = { ...PLAIN, kind: backend.kind, ...wish };
  const asked = { project: world.project, sandbox: spec, agents: [], env, stateRoot: world.state };
  const folder = join(world.state, "sandbox", "20260101-000000-abcdef");
  mkdirSync(folder, { recursive: true });
  const sandbox = await backend.open(await effectivePolicy(backend.kind, asked), {
    folder,
    exchange: join(world.state, "exchange"),
    env,
    onConnection: () => {},
  });
  onTestFinished(() => sandbox.close());
  return { world, sandbox, env };
}

/** What a command said and how it ended. */
export interface Said extends TreeExit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a line of sh inside. `heard` is told all that is said so far. */
export function shell(
  { world, sandbox, env }: Opened,
  script: string,
  how: { stdin?: string; wallMs?: number; heard?: (text: string, tree: Tree) => void; means?: Means } = {},
): Promise<Said> {
  let stdout = "";
  let stderr = "";
  const tree = spawnTree({
    file: "/bin/sh",
    args: ["-c", script],
    cwd: world.project,
    env,
    stdin: how.stdin ?? "",
    means: how.means ?? sandbox.means("check"),
    ...(how.wallMs === undefined ? {} : { wallMs: how.wallMs }),
    onStdout: (chunk) => {
      stdout += chunk.toString();
      how.heard?.(stdout, tree);
      return undefined;
    },
    onStderr: (chunk) => {
      stderr += chunk.toString();
    },
  });
  return tree.exited.then((exit) => ({ ...exit, stdout, stderr }));
}
