/**
 * Which hosts may be reached, as patterns. Pure. What is asked for comes from whatever runs in the sandbox, so every name is
 * first brought into the one form in which it is compared, resolved and told: there is no second spelling to slip through with.
 */
import { isIP } from "node:net";
import { UserError } from "../errors.ts";
import type { AgentKind } from "../spec.ts";
import { canonicalAddress } from "./addresses.ts";

/** A pattern that was read: one host, or all below it, at some ports. */
export interface HostPattern {
  /** As it was written. */
  readonly text: string;
  /** A name or an address in its one form; IPv6 without brackets. */
  readonly host: string;
  /** `*.host`: every name below it, but not itself. */
  readonly subdomains: boolean;
  readonly ports: "any" | readonly number[];
}

/** A host in its one form, and a port. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/** What a pattern without a port means. */
const WEB_PORTS: readonly number[] = [443, 80];

/** Reads `host`, `*.host`, `host:port`, `host:*` or `[::1]:port`; the user's error, as a value, when it is none of these. */
export function parsePattern(text: string): HostPattern | UserError {
  const wrong = (why: string, fix: string) =>
    new UserError(`cannot allow the host ${JSON.stringify(text.slice(0, 300))}`, why, fix);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    return wrong("it is an address of a page", "Write the host alone, without https:// and without a path.");
  }
  if (/^\*(?::|$)/.test(text)) {
    return wrong("it means every host", 'Name the hosts, or set sandbox.network.mode to "open".');
  }
  if (isIP(text) === 6) return wrong("it could be read in two ways", `Put it into brackets: [${text}]`);
  const parts = /^(\*\.)?(\[[^\]]*\]|[^:[\]]*)(?::([0-9]+|\*))?$/.exec(text);
  const host = canonicalHost(parts?.[2] ?? "");
  if (parts === null || host === undefined) {
    return wrong(
      "it is not the name of a host",
      "Write it like example.com, *.example.com or localhost:5432.",
    );
  }
  const subdomains = parts[1] !== undefined;
  if (subdomains && isIP(host) !== 0) {
    return wrong("an address has no names below it", "Write the address without the star.");
  }
  const port = parts[3];
  if (port === undefined) return { text, host, subdomains, ports: WEB_PORTS };
  if (port === "*") return { text, host, subdomains, ports: "any" };
  const number = portOf(port);
  if (number === undefined)
    return wrong(`${port} is not a port`, "Use a port between 1 and 65535, or * for all.");
  return { text, host, subdomains, ports: [number] };
}

/** May this be reached? */
export function isAllowed(host: string, port: number, patterns: readonly HostPattern[]): boolean {
  return findPattern(host, port, patterns) !== undefined;
}

/** The pattern that allows it, if there is one; rather one that names the host itself than a wildcard. */
export function findPattern(
  host: string,
  port: number,
  patterns: readonly HostPattern[],
): HostPattern | undefined {
  const asked = canonicalHost(host);
  if (asked === undefined) return undefined;
  const fitting = patterns.filter(
    (pattern) =>
      (pattern.ports === "any" || pattern.ports.includes(port)) &&
      // No address ends like a name: its last part would have to be a number.
      (pattern.subdomains ? asked.endsWith(`.${pattern.host}`) : asked === pattern.host),
  );
  return fitting.find(({ subdomains }) => !subdomains) ?? fitting[0];
}

/** What no host has, in whatever script: spaces, controls, and what has a meaning elsewhere in an address. */
const NEVER_IN_HOST = /[\u0000-\u0020\u007f-\u00a0%/\\?#@:[\]<>^|]/;
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/**
 * The one form of a host: small letters, no dot at the end, punycode, addresses in their usual spelling (`0x7f.1` and
 * `2130706433` are 127.0.0.1 to whoever connects). Undefined when it is no host, or one with a user or a zone.
 */
export function canonicalHost(text: string): string | undefined {
  const address = canonicalAddress(/^\[(.*)\]$/.exec(text)?.[1] ?? text);
  if (address !== undefined) return address;
  if (text.length > 1000 || NEVER_IN_HOST.test(text) || !URL.canParse(`http://${text}/`)) return undefined;
  const name = new URL(`http://${text}/`).hostname.replace(/\.$/, "");
  return NAME.test(name) ? name : undefined;
}

/** Reads `host:port`; without a port it is `usual`, and nothing when there is no usual one. */
export function parseTarget(text: string, usual?: number): Target | undefined {
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]+))?$/.exec(text);
  const host = canonicalHost(parts?.[1] ?? "");
  const port = parts?.[2] === undefined ? usual : portOf(parts[2]);
  return host === undefined || port === undefined ? undefined : { host, port };
}

function portOf(text: string): number | undefined {
  const port = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** A host as it is written in an address. */
export function writtenHost(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** The pattern that would allow exactly this, as a user would write it. */
export function patternFor({ host, port }: Target): string {
  return WEB_PORTS.includes(port) ? writtenHost(host) : `${writtenHost(host)}:${port}`;
}

/**
 * The services without which an agent cannot work: its model, and where its login is renewed. What counts its users and collects
 * its crashes is left out on purpose.
 */
export const AGENT_HOSTS: Readonly<Record<AgentKind, readonly string[]>> = {
  claude: ["api.anthropic.com", "claude.ai", "platform.claude.com", "console.anthropic.com"],
  codex: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
  amp: ["ampcode.com", "*.ampcode.com"],
  copilot: ["*.githubcopilot.com", "api.github.com", "github.com", "copilot-proxy.githubusercontent.com"],
  gemini: [
    "generativelanguage.googleapis.com",
    "aiplatform.googleapis.com",
    "cloudcode-pa.googleapis.com",
    "oauth2.googleapis.com",
  ],
  qwen: ["chat.qwen.ai", "portal.qwen.ai", "dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"],
  opencode: [
    "opencode.ai",
    "*.opencode.ai",
    "models.dev",
    "api.anthropic.com",
    "api.openai.com",
    "openrouter.ai",
    "generativelanguage.googleapis.com",
  ],
  cursor: ["cursor.com", "*.cursor.com", "*.cursor.sh"],
  custom: [],
};

/** Variables by which users point an agent at another service than its maker's. */
const BASE_URLS: readonly string[] = [
  "ANTHROPIC_BASE_URL",
  "ANTHROPIC_BEDROCK_BASE_URL",
  "ANTHROPIC_VERTEX_BASE_URL",
  "OPENAI_BASE_URL",
  "OPENAI_API_BASE",
  "AZURE_OPENAI_ENDPOINT",
  "GOOGLE_GEMINI_BASE_URL",
  "GOOGLE_VERTEX_BASE_URL",
  "CODE_ASSIST_ENDPOINT",
  "COPILOT_PROVIDER_BASE_URL",
  "AMP_URL",
  "CURSOR_API_ENDPOINT",
  "OPENROUTER_BASE_URL",
];

/** What an agent needs: its own services, and those that the environment names in their place. */
export function agentPatterns(
  kind: AgentKind,
  env: Readonly<Record<string, string | undefined>>,
): HostPattern[] {
  const own = AGENT_HOSTS[kind];
  const named = BASE_URLS.flatMap((name) => baseUrlHost(env[name] ?? ""));
  return [...new Set([...own, ...named])]
    .map(parsePattern)
    .filter((pattern): pattern is HostPattern => !(pattern instanceof UserError));
}

/** The host and the port of a base address; nothing when it is none. */
function baseUrlHost(text: string): string[] {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return [];
  const { hostname, port, protocol } = new URL(text);
  return [`${hostname}:${port || (protocol === "https:" ? 443 : 80)}`];
}
