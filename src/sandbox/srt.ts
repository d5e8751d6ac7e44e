import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { UserError } from "../errors.ts";
import { GROUP, type Means } from "../supervise/means.ts";
import { makeHome, movedHomes, type PrivateHome, writeIdentity } from "./home.ts";
import { isWithin, type Policy, passing, type Role } from "./policy.ts";
import type { Backend, Place, Sandbox } from "./sandbox.ts";
import { MOVED_HOMES } from "./usual.ts";

const PACKAGE = "@anthropic-ai/sandbox-runtime";
const INSTALL = `npm install --global ${PACKAGE} (with Node older than 22.12: ${PACKAGE}@0.0.78).`;

/** What we use of the package. It is not a dependency of ours: 16 MB that most people never need. */
interface Runtime {
  initialize(
    config: RuntimeConfig,
    ask: (asked: { host: string; port?: number }) => Promise<boolean>,
  ): Promise<void>;
  getLinuxHttpSocketPath(): string | undefined;
  getLinuxSocksSocketPath(): string | undefined;
  updateConfig(config: RuntimeConfig): void;
  checkDependencies(): { readonly errors: readonly string[] };
  wrapWithSandboxArgv(command: string, shell: string): Promise<{ readonly argv: readonly string[] }>;
  reset(): Promise<void>;
}

/** The policy as the package wants it. */
export interface RuntimeConfig {
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    readonly allowLocalBinding: boolean;
  };
  readonly filesystem: {
    readonly denyRead: readonly string[];
    readonly allowRead: readonly string[];
    readonly allowWrite: readonly string[];
    readonly denyWrite: readonly string[];
  };
}

/** Anthropic's sandbox runtime: Seatbelt on macOS. */
export const srt: Backend = {
  kind: "srt",
  missing() {
    if (process.platform === "win32")
      return { words: "srt is for macOS and Linux", fix: "Choose another kind of sandbox." };
    return whereIs() === undefined
      ? { words: `${PACKAGE} is not installed`, fix: `Install it: ${INSTALL}` }
      : undefined;
  },
  open: openRuntime,
};

/** Found beside ralph, or where NODE_PATH says; never in a project, which may hold anything. */
function whereIs(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(PACKAGE);
  } catch {
    return undefined;
  }
}

/**
 * What the shell inside does: the words of the command come by variables, because the package takes a line of shell, and none is ever
 * built from what others wrote.
 */
const TAKES_WORDS = `n=0
while [ "$n" -lt "$RALPH_WORDS" ]; do
  eval "set -- \\"\\$@\\" \\"\\$RALPH_WORD_$n\\"; unset RALPH_WORD_$n"
  n=$((n + 1))
done
NO_PROXY=$RALPH_NO_PROXY no_proxy=$RALPH_NO_PROXY TMPDIR=$RALPH_TMPDIR PATH=$RALPH_PATH
export NO_PROXY no_proxy TMPDIR PATH
unset RALPH_WORDS RALPH_NO_PROXY RALPH_TMPDIR RALPH_PATH n
exec "$@"`;

/** The package looks for its helpers on our PATH, where an agent may have left some of its own: while it starts, that is another. */
async function openRuntime(policy: Policy, place: Place): Promise<Sandbox> {
  const { PATH } = process.env;
  if (place.env["PATH"] !== undefined) process.env["PATH"] = place.env["PATH"];
  try {
    return await open(policy, place);
  } finally {
    if (PATH !== undefined) process.env["PATH"] = PATH;
  }
}

async function open(policy: Policy, place: Place): Promise<Sandbox> {
  const found = whereIs();
  if (found === undefined)
    throw new UserError("no srt", `${PACKAGE} is not installed`, `Install it: ${INSTALL}`);
  const { SandboxManager: runtime } = (await import(pathToFileURL(found).href)) as {
    SandboxManager: Runtime;
  };
  const { errors } = runtime.checkDependencies();
  if (errors.length > 0)
    throw new UserError("srt cannot be used yet", errors.join("; "), "Install what it names.");
  const { network } = policy;
  mkdirSync(place.exchange, { recursive: true, mode: 0o700 });
  const agentHome = makeHome(join(place.folder, "agent"), {
    ...policy,
    moved: movedHomes(place.env, policy.project),
  });
  const own = ["check-home", "tmp", "anchor"].map((name) => join(place.folder, name));
  for (const folder of own) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [checkHome = "", temporary = "", anchor = ""] = own;
  const identity = join(place.folder, "gitconfig");
  await writeIdentity(policy.project, identity);
  const config = runtimeConfig(policy, {
    written: [join(place.folder, "agent"), checkHome, temporary, place.exchange],
    // It runs helpers of its own inside.
    read: [identity, dirname(dirname(found))],
  });
  await runtime.initialize(config, ({ host, port = 443 }) => {
    const allowed = network.mode === "open";
    place.onConnection({
      at: Date.now(),
      host,
      port,
      allowed,
      why: allowed ? "open network" : "not on the list",
    });
    return Promise.resolve(allowed);
  });
  // Its proxy listens in a folder that is hidden.
  const sockets = [runtime.getLinuxHttpSocketPath(), runtime.getLinuxSocksSocketPath()].filter(isText);
  runtime.updateConfig({
    ...config,
    filesystem: { ...config.filesystem, allowRead: [...config.filesystem.allowRead, ...sockets] },
  });
  const argv = await wrapped(runtime, anchor);
  const homes: Record<Role, string> = { agent: agentHome.path, check: checkHome };
  const direct = ["localhost", "127.0.0.1", "::1"].filter((name) => !isListed(policy, name)).join(",");
  const means = (role: Role): Means => ({
    ...GROUP,
    name: "sandbox",
    words: `sandbox (${wordsOf(policy)}); processes held by ${GROUP.words}`,
    enter: (command) => ({
      words: argv,
      env: {
        ...Object.fromEntries(command.map((word, n) => [`RALPH_WORD_${n}`, word])),
        RALPH_WORDS: String(command.length),
        RALPH_NO_PROXY: direct,
        RALPH_TMPDIR: temporary,
      },
    }),
    environment: (env) => ({
      ...passing(env, policy.env[role]),
      ...movedIn(agentHome, env),
      // Outside a shell looks for bubblewrap on it; the program has its own.
      PATH: place.env["PATH"],
      RALPH_PATH: env["PATH"],
      HOME: homes[role],
      GIT_CONFIG_GLOBAL: identity,
      RALPH_SANDBOX: "none",
    }),
    limits: policy.limits.timeMs === undefined ? {} : { timeMs: policy.limits.timeMs },
  });
  return {
    policy,
    words: wordsOf(policy),
    means,
    home: agentHome,
    async close() {
      await runtime.reset();
      agentHome.dispose();
    },
  };
}

/** The policy in the package's words. Agents and checks share one: there is one proxy for both. */
export function runtimeConfig(
  policy: Policy,
  ours: { readonly written: readonly string[]; readonly read: readonly string[] },
): RuntimeConfig {
  const { network, project, rw, ro, hide } = policy;
  const hosts = network.mode === "allowlist" ? [...network.hosts.agent, ...network.hosts.check] : [];
  const written = [project, ...rw, ...ours.written];
  const everybody = process.platform === "darwin" ? ["/Users"] : [];
  return {
    network: {
      allowedDomains: [...new Set(hosts)].flatMap(withPorts),
      deniedDomains: [],
      allowLocalBinding: false,
    },
    filesystem: {
      denyRead: [...everybody, ...hide],
      // What is hidden although it stands in something that is shown stays hidden: the deeper path decides.
      allowRead: [...written, ...ro, ...ours.read].filter((path) => !hide.includes(path)),
      allowWrite: written,
      denyWrite: ro.filter((path) => written.some((place) => isWithin(path, place))),
    },
  };
}

/** As elsewhere: a host without a port is meant with those of the web. */
function withPorts(host: string): string[] {
  return /:\d+$/.test(host) ? [host] : [`${host}:443`, `${host}:80`];
}

function isText(path: string | undefined): path is string {
  return path !== undefined;
}

function isListed({ network }: Policy, name: string): boolean {
  return [...network.hosts.agent, ...network.hosts.check].some((host) => host.replace(/:\d+$/, "") === name);
}

/** Folders of agents that variables name: there the private copies are. */
function movedIn({ others }: PrivateHome, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const found = Object.keys(MOVED_HOMES).flatMap((variable) => {
    const other = others.find(({ seenAt }) => seenAt === env[variable]);
    return other === undefined ? [] : [[variable, other.path]];
  });
  return Object.fromEntries(found) as NodeJS.ProcessEnv;
}

/**
 * The words that put a command inside. The package leaves files of its own in the folder that we are in, to protect what might be
 * made there: it finds an empty one.
 */
async function wrapped(runtime: Runtime, anchor: string): Promise<readonly string[]> {
  const before = process.cwd();
  process.chdir(anchor);
  try {
    const { argv } = await runtime.wrapWithSandboxArgv(TAKES_WORDS, "/bin/sh");
    const [shell = "", flag = "", line = ""] = argv;
    // Where the shell stayed, the sandbox would be its child, and not know when we die.
    return process.platform === "linux" && flag === "-c" ? [shell, flag, `exec ${line}`] : argv;
  } finally {
    process.chdir(before);
  }
}

function wordsOf({ network, limits }: Policy): string {
  const reach = { none: "no network", allowlist: "network by allowlist", open: "open network" }[network.mode];
  const { memoryMb, processes, cpus } = limits;
  const unlimited = [memoryMb, processes, cpus].some((limit) => limit !== undefined);
  return `srt, ${reach}${unlimited ? "; memory, processes and CPU: NOT limited here" : ""}`;
}
