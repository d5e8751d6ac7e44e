import { existsSync, realpathSync } from "node:fs";
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
import { agentCopies } from "./home.ts";
import { agentPatterns } from "./hosts.ts";
import { isWithin, type Policy } from "./policy.ts";
import { repositoryMounts } from "./repository.ts";
import { toolPaths } from "./tools.ts";
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
  const outside = named.flatMap(real).filter((file) => !isWithin(file, project));
  return outside.map((file) => {
    const folder = dirname(file);
    return hidden.includes(folder) || isWithin(home, folder) ? file : folder;
  });
}

/** What is true inside for this project on this machine. */
export async function effectivePolicy(kind: SandboxKind, wish: Wish): Promise<Policy> {
  const { sandbox, agents, env } = wish;
  const project = realpathSync(wish.project);
  const named = env["HOME"] || homedir();
  const [home = named] = real(named);
  if (isWithin(home, project)) {
    throw new UserError(
      "the project cannot be fenced in",
      `${project} holds your home, so everything in it could be read and written`,
      "Work in a folder of its own, or start with --no-sandbox.",
    );
  }
  const hide = [...HIDDEN, home, wish.stateRoot, ...sandbox.hide].flatMap(real).filter(isHideable);
  const kinds = [...new Set(agents.map(({ kind: one }) => one))];
  const programs = programsOf(wish);
  const { rw, ro } = await repositoryMounts(project);
  const ours = [
    ".ralph",
    ACTIVE_FILE,
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/hooks.json",
  ];
  // Names are looked up by whoever connects: without the proxy that is the program itself.
  const resolver = sandbox.network.mode === "open" ? real("/etc/resolv.conf") : [];
  return {
    kind,
    project,
    home,
    rw: [...rw, ...sandbox.rw.flatMap(real)],
    ro: [
      ...ours.map((name) => join(project, name)).filter(existsSync),
      ...ro,
      ...toolPaths(env["PATH"] ?? "", [...programs, process.execPath], { hidden: hide, home }),
      ...scriptPaths(agents, hide, { home, project }),
      ...resolver,
      ...sandbox.ro.flatMap(real),
    ],
    hide,
    copies: agentCopies(kinds, env, home),
    env: {
      agent: [...USUAL_VARIABLES, ...kinds.flatMap((one) => AGENT_VARIABLES[one]), ...sandbox.env],
      check: [...USUAL_VARIABLES, ...sandbox.env],
    },
    network: {
      mode: sandbox.network.mode,
      hosts: { agent: hostsFor(kinds, wish), check: sandbox.network.allow },
    },
    limits: sandbox.limits,
    agents: kinds,
    ...(sandbox.image === undefined ? {} : { image: sandbox.image }),
  };
}

function hostsFor(kinds: readonly AgentKind[], { sandbox, services = [], env }: Wish): string[] {
  const { mode, allow } = sandbox.network;
  if (mode !== "allowlist") return [];
  const own = kinds.flatMap((kind) => agentPatterns(kind, env).map(({ text }) => text));
  return [...new Set([...own, ...allow, ...services])];
}

/** What the system itself makes up anew inside: a link to nothing leads there, and nothing must stay. */
function isHideable(path: string): boolean {
  return !["/dev", "/proc", "/sys"].some((place) => isWithin(path, place)) && path !== "/";
}

/** A path as the system knows it, without links; nothing when it is not there. */
function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
