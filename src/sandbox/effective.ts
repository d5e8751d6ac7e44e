import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { commandWords } from "../agents/words.ts";
import { UserError } from "../errors.ts";
import { ACTIVE_FILE } from "../files.ts";
import {
  type AgentKind,
  type AgentSpec,
  agentsOf,
  type RunSpec,
  type SandboxKind,
  type SandboxSpec,
} from "../spec.ts";
import { which } from "../supervise/which.ts";
import { agentCopies, agentLogins } from "./home.ts";
import { agentPatterns } from "./hosts.ts";
import { isWithin, leadsThrough, type Policy, real } from "./policy.ts";
import { repositoryMounts } from "./repository.ts";
import { listeningSockets } from "./sockets.ts";
import { toolPaths } from "./tools.ts";
import { readUpstreams, upstreamWords } from "./upstream.ts";
import { AGENT_VARIABLES, HIDDEN, USUAL_VARIABLES } from "./usual.ts";

/** What a policy is made of. */
export interface Wish {
  readonly project: string;
  readonly sandbox: SandboxSpec;
  /** Everybody who may have a turn: agents, reviewers, judges. */
  readonly agents: readonly AgentSpec[];
  /** What of ours its agents have to reach, as `host:port`. */
  readonly services?: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The folder of everything that ralph believes. */
  readonly stateRoot: string;
}

/** Everybody who may have a turn in a run. */
export function everyAgent(spec: RunSpec): readonly AgentSpec[] {
  const reviewer = spec.work.kind === "tasks" ? spec.work.reviewer : undefined;
  return [
    ...agentsOf(spec),
    ...(reviewer === undefined ? [] : [reviewer]),
    ...(spec.judge?.agent === undefined ? [] : [spec.judge.agent]),
  ];
}

/** The programs of the agents, as far as they can be found. */
export function programsOf({ agents, project, env }: Wish): string[] {
  return agents.flatMap(({ command }) => {
    const found = which(commandWords(command)[0], { cwd: project, path: env["PATH"] });
    return found === undefined ? [] : [found];
  });
}

/**
 * Files that a command names (`node /opt/mine/agent.js`), with the folder that they are in, unless that holds everything else too.
 * What is in the project is there anyway, and stays writable.
 */
function scriptPaths(
  agents: readonly AgentSpec[],
  hidden: readonly string[],
  { home, project }: { readonly home: string; readonly project: string },
): string[] {
  const named = agents
    .flatMap(({ command }) => commandWords(command).slice(1))
    .filter((word) => isAbsolute(word));
  const outside = named.filter((word) => !leadsThrough(word, project)).flatMap(real);
  return outside.map((file) => {
    const folder = dirname(file);
    return hidden.includes(folder) || isWithin(home, folder) ? file : folder;
  });
}

/** What is true inside for this project on this machine. */
export async function effectivePolicy(kind: SandboxKind, wish: Wish): Promise<Policy> {
  const { sandbox, agents, env } = wish;
  const project = realpathSync(wish.project);
  if (project.includes("\n")) {
    throw new UserError(
      "the project cannot be fenced in",
      `its path holds a line break: ${JSON.stringify(project)}`,
      "Give the folder another name.",
    );
  }
  const ownHome = env["HOME"] || homedir();
  const [home = ownHome] = real(ownHome);
  if (isWithin(home, project)) {
    throw new UserError(
      "the project cannot be fenced in",
      `${project} holds your home, so everything in it could be read and written`,
      "Work in a folder of its own, or start with --no-sandbox.",
    );
  }
  const named = [project, ...[...sandbox.rw, ...sandbox.ro].flatMap(real)];
  const places = [...HIDDEN, home, wish.stateRoot, ...sandbox.hide].flatMap(real).filter(isHideable);
  const sockets = listeningSockets().filter(
    (path) => isHideable(path) && !isAmong(path, [...places, ...named]),
  );
  const hide = [...places, ...sockets];
  const kinds = [...new Set(agents.map(({ kind: one }) => one))];
  const isBare = (one: AgentKind) =>
    agents.every((agent) => agent.kind !== one || agent.inheritUserConfig === false);
  const programs = programsOf(wish);
  const opened = sandbox.rw.flatMap(real);
  const written = [project, ...sandbox.rw];
  const { rw, ro, borrowed, around } = await repositoryMounts(project, opened);
  const unseen = borrowed.find((path) => isAmong(path, hide) && !isAmong(path, [...named, ...rw]));
  if (unseen !== undefined) throw borrows(unseen);
  const ours = [
    ".ralph",
    ACTIVE_FILE,
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
    ".opencode/plugin",
    ".opencode/plugins",
  ];
  // Names are looked up by whoever connects: without the proxy that is the program itself.
  const resolver = sandbox.network.mode === "open" ? real("/etc/resolv.conf") : [];
  return {
    kind,
    project,
    home,
    rw: [...rw, ...sandbox.rw.flatMap((path) => meant(path, written))],
    ro: [
      ...ours.map((name) => join(project, name)).filter((path) => real(path)[0] === path),
      ...ro,
      // To git, files that are not to be seen were deleted, and `git add --all` would commit that.
      ...(around === undefined || isWithin(home, around) ? [] : [around]),
      ...[
        ...toolPaths(env["PATH"] ?? "", [...programs, process.execPath], { hidden: hide, home, project }),
        ...scriptPaths(agents, hide, { home, project }),
      ].filter((path) => !isAmong(path, opened)),
      ...resolver,
      ...sandbox.ro.flatMap((path) => meant(path, written)),
    ],
    hide,
    copies: agentCopies(kinds, env, { home, project }, kinds.filter(isBare)),
    // What a small machine of its own writes may arrive late, and half: nothing is taken from there.
    ...(sandbox.renewLogin === false || kind === "sbx"
      ? {}
      : { logins: agentLogins(kinds, env, { home, project }) }),
    env: {
      agent: [...USUAL_VARIABLES, ...kinds.flatMap((one) => AGENT_VARIABLES[one]), ...sandbox.env],
      check: [...USUAL_VARIABLES, ...sandbox.env],
    },
    network: {
      mode: sandbox.network.mode,
      hosts: { agent: hostsFor(kinds, wish), check: sandbox.network.allow },
      ...proxyNote(kind, wish),
    },
    limits: sandbox.limits,
    agents: kinds,
    ...(sandbox.image === undefined ? {} : { image: sandbox.image }),
  };
}

function isAmong(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(path, folder));
}

/** A path of the settings, as long as it does not lead out of a place in which an agent may have made it a link. */
function meant(path: string, written: readonly string[]): string[] {
  const around = written.filter((folder) => folder !== path && isWithin(path, folder));
  const found = real(path);
  const out = found.find((one) => around.some((folder) => !isAmong(one, real(folder))));
  if (out === undefined) return found;
  throw new UserError(
    `${path} cannot be opened in the sandbox`,
    `it is a link to ${out}, and an agent may have made it`,
    "Look at it. If it is yours, name the place itself in `sandbox.rw` or `sandbox.ro`; otherwise remove it.",
  );
}

function borrows(store: string): UserError {
  return new UserError(
    "the repository borrows objects from a place that is hidden",
    `.git/objects/info/alternates names ${store}`,
    "If you made it so (`git clone --shared`), add that folder to `sandbox.ro`; otherwise remove the line.",
  );
}

function hostsFor(kinds: readonly AgentKind[], { sandbox, services = [], env }: Wish): string[] {
  const { mode, allow } = sandbox.network;
  if (mode !== "allowlist") return [];
  const own = kinds.flatMap((kind) => agentPatterns(kind, env).map(({ text }) => text));
  return [...new Set([...own, ...allow, ...services])];
}

/** The other kinds have a proxy of their own, and their own way to the user's. */
function proxyNote(kind: SandboxKind, { sandbox, env }: Wish): { readonly proxy?: string } {
  if (sandbox.network.mode !== "allowlist" || !["bubblewrap", "container"].includes(kind)) return {};
  const found = upstreamWords(readUpstreams(env));
  if (found === undefined) return {};
  return { proxy: found.usable ? found.words : `cannot be reached: ${found.words}` };
}

/** What the system itself makes up anew inside: a link to nothing leads there, and nothing must stay. */
function isHideable(path: string): boolean {
  return !["/dev", "/proc", "/sys"].some((place) => isWithin(path, place)) && path !== "/";
}
