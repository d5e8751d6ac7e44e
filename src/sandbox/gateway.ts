import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UserError } from "../errors.ts";
import { type HostPattern, parsePattern } from "./hosts.ts";
import type { Mount, Policy, Role } from "./policy.ts";
import { startProxy } from "./proxy.ts";
import type { Connection, Place } from "./sandbox.ts";
import { readUpstreams, type Upstreams } from "./upstream.ts";
import { launcherWords, proxyEnvironment } from "./wiring.ts";

/** The way out of a sandbox: a proxy of ours outside, and the launcher inside that leads to it. */
export interface Gateway {
  /** What has to be seen inside, in a folder of ours. */
  mounts(folder: string): Mount[];
  /** The words before the program. */
  words(folder: string): string[];
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The ways out of a policy, one for each role; none where there is no network, or nothing between the program and it. */
export async function openGateways(
  { network }: Policy,
  folder: string,
  { env, onConnection: onDecision }: Pick<Place, "env" | "onConnection">,
): Promise<Partial<Record<Role, Gateway>>> {
  const gateways: Partial<Record<Role, Gateway>> = {};
  if (network.mode !== "allowlist") return gateways;
  const upstreams = readUpstreams(env);
  for (const role of ["agent", "check"] as const) {
    const hosts = network.hosts[role];
    gateways[role] = await openGateway({
      socket: join(folder, `${role}.sock`),
      hosts,
      upstreams,
      onDecision,
    });
  }
  return gateways;
}

/** Where programs inside find the proxy. */
const PORT = 3128;

/** A socket has room for a path of about a hundred characters. */
const LONGEST_FOLDER = 75;

/** A private folder in which a socket can be made: this one, or another where its path is too long. */
export function socketFolder(folder: string): { readonly path: string; dispose(): void } {
  if (folder.length < LONGEST_FOLDER) return { path: folder, dispose: () => {} };
  const path = mkdtempSync(join(tmpdir(), "ralph-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** Opens a way out to these hosts. */
async function openGateway({
  socket,
  hosts,
  upstreams,
  onDecision,
}: {
  readonly socket: string;
  readonly hosts: readonly string[];
  readonly upstreams: Upstreams;
  readonly onDecision: (connection: Connection) => void;
}): Promise<Gateway> {
  const patterns = hosts.map(patternOf);
  const proxy = await startProxy({ socketPath: socket, patterns, upstreams, onDecision });
  return {
    mounts: (folder) => [
      { path: `${folder}/proxy.sock`, how: "rw", from: socket },
      { path: `${folder}/launcher.cjs`, how: "ro", from: launcherPath() },
      { path: `${folder}/node`, how: "ro", from: realpathSync(process.execPath) },
    ],
    words: (folder) => [
      `${folder}/node`,
      `${folder}/launcher.cjs`,
      ...launcherWords(`${folder}/proxy.sock`, PORT, patterns),
    ],
    environment: proxyEnvironment(PORT, patterns),
    close: () => proxy.close(),
  };
}

function patternOf(text: string): HostPattern {
  const pattern = parsePattern(text);
  if (pattern instanceof UserError) throw pattern;
  return pattern;
}

/** The launcher, as it was built: beside the program, or in the checkout. */
function launcherPath(): string {
  const found = ["./sandbox-launcher.cjs", "../../dist/sandbox-launcher.cjs"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find(existsSync);
  if (found === undefined) {
    throw new UserError("ralph is not whole", "sandbox-launcher.cjs is missing", "Install ralph again.");
  }
  return found;
}
