import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { UserError } from "../errors.ts";
import { isWithin, mountsOf, type Policy, type Role } from "./policy.ts";

/** What the installed sbx can do, as it says itself: it differs by version. */
export interface Abilities {
  /** The characters of a name may be those of a path with `_` for the others. */
  readonly underscores: boolean;
  /** Agents that it has a template for. */
  readonly agents: readonly string[];
  /** A single file can be kept from being written. */
  readonly files: boolean;
  /** Rules for the network can be for one sandbox. */
  readonly scoped: boolean;
  readonly limits: boolean;
}

/** Reads what sbx says of itself: `sbx create --help`, `sbx create <agent> --help`, `sbx policy allow network --help`. */
export function readAbilities(help: {
  readonly create: string;
  readonly agent: string;
  readonly policy: string;
}): Abilities {
  const text = `${help.create}\n${help.agent}`;
  const [, commands = ""] = /Available Commands:\n([\s\S]*?)(\n\n|$)/.exec(help.create) ?? [];
  return {
    underscores: !/letters, numbers, hyphens/i.test(text) || /underscores/i.test(text),
    agents: [...commands.matchAll(/^\s+([a-z][a-z-]*)\s/gm)].map(([, name = ""]) => name),
    files: /single file/i.test(text),
    scoped: /\bSANDBOX\b/.test(help.policy),
    limits: /--cpus/.test(text) && /--memory/.test(text),
  };
}

/** The name of a project's sandbox: made of its path, and one for each path. */
export function sandboxName(project: string, { underscores }: Pick<Abilities, "underscores">): string {
  const plain = project.replace(/[^A-Za-z0-9._-]/g, underscores ? "_" : "-");
  if (plain.length <= LONGEST_NAME) return `ralph-${plain}`;
  const hash = createHash("sha256").update(project).digest("hex").slice(0, 12);
  return `ralph-${hash}${plain.slice(-LONGEST_NAME)}`;
}

/** A machine's name is not as long as a path may be. */
const LONGEST_NAME = 180;

/** The words that make the sandbox of a project. Throws a UserError for what a machine of its own cannot do. */
export function createWords(
  policy: Policy,
  {
    name,
    state,
    abilities,
  }: { readonly name: string; readonly state: string; readonly abilities: Abilities },
): string[] {
  const mounts = mountsOf({ ...policy, rw: [policy.project, ...policy.rw] });
  const isShown = (path: string) => [policy.project, ...policy.rw].some((place) => isWithin(path, place));
  const hidden = mounts.find(({ path, how }) => how === "hide" && path !== policy.project && isShown(path));
  if (hidden !== undefined) {
    throw new UserError(
      "sbx cannot hide a part of the project",
      `${hidden.path} would be seen inside`,
      "Take it out of `sandbox.hide`, or choose another kind of sandbox.",
    );
  }
  // What is in the project already needs no mount of its own; what must not be written does.
  const extra = mounts.filter(({ path, how }) => {
    if (how === "hide" || path === policy.project) return false;
    if (how === "rw") return !isWithin(path, policy.project);
    return abilities.files || lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  });
  const { limits, image } = policy;
  return [
    "create",
    "--name",
    name,
    ...(abilities.limits && limits.cpus !== undefined ? ["--cpus", String(Math.ceil(limits.cpus))] : []),
    ...(abilities.limits && limits.memoryMb !== undefined ? ["--memory", `${limits.memoryMb}m`] : []),
    ...(image === undefined ? [] : ["--template", image]),
    templateOf(policy, abilities),
    policy.project,
    state,
    ...extra.map(({ path, how }) => (how === "ro" ? `${path}:ro` : path)),
  ];
}

/** The template of the first agent that there is one for. */
function templateOf({ agents = [] }: Policy, abilities: Abilities): string {
  return agents.find((agent) => abilities.agents.includes(agent)) ?? "shell";
}

/** The words that say which hosts may be reached from this sandbox. Agents and checks share them: they share the machine. */
export function policyWords({ network }: Policy, name: string): string[] {
  if (network.mode === "none") return ["policy", "deny", "network", name, "**"];
  if (network.mode === "open") return ["policy", "allow", "network", name, "**"];
  const roles: readonly Role[] = ["agent", "check"];
  const hosts = [...new Set(roles.flatMap((role) => network.hosts[role]))].flatMap(withPorts);
  return hosts.length === 0 ? [] : ["policy", "allow", "network", name, hosts.join(",")];
}

/** As elsewhere: a host without a port is meant with those of the web. */
function withPorts(host: string): string[] {
  return /:\d+$/.test(host) ? [host] : [`${host}:443`, `${host}:80`];
}

/** What the sandbox was made of: of anything else another one has to be made. */
export function recipeOf(policy: Policy): string {
  const { project, rw, ro, network, limits, image, agents } = policy;
  const text = JSON.stringify([project, rw, ro, network, limits, image, agents]);
  return createHash("sha256").update(text).digest("hex");
}
