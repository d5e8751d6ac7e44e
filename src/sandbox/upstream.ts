/**
 * The user's own proxy, where the environment names one: what is allowed is then reached through it, as `curl` would. The list comes
 * first, and what is checked is the name: it is not resolved here, where often only that proxy can, so that a wildcard stands for
 * whatever the proxy finds under such a name. An address still has to be on the list itself, and this machine is reached directly.
 */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { BlockList, connect, isIP, isIPv4, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { codeOf, messageOf } from "../errors.ts";
import { canonicalAddress, isHere } from "./addresses.ts";
import { canonicalHost, parseTarget, type Target, writtenHost } from "./hosts.ts";

/** A proxy that was read. Its password is in here and nowhere else. */
export interface Upstream extends Target {
  readonly tls: boolean;
  /** What it is told of the user, as a header has it. */
  readonly authorization?: string;
}

/** A variable that names no proxy that we can go through, and why; without its value, which may hold a password. */
export interface Unusable {
  readonly unusable: string;
}

/** How a connection is meant by whoever asks for it. */
export type Scheme = "http" | "https";

/** The proxies of an environment, and what goes past them. */
export interface Upstreams {
  readonly https?: Upstream | Unusable;
  readonly http?: Upstream | Unusable;
  readonly except: readonly string[];
}

/** No proxy at all. */
export const NO_UPSTREAMS: Upstreams = { except: [] };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the proxies that an environment names. As for `curl`, small letters win, and an empty variable is none. */
export function readUpstreams(env: Environment): Upstreams {
  const except = (env["no_proxy"] || env["NO_PROXY"] || "").split(/[\s,]+/).filter(Boolean);
  if (except.includes("*")) return NO_UPSTREAMS;
  const [https, http] = (["https", "http"] as const).map((scheme) => {
    const own = `${scheme}_proxy`;
    const name = [own, own.toUpperCase(), "all_proxy", "ALL_PROXY"].find((one) => env[one]);
    return name === undefined ? undefined : readUpstream(name, env[name] ?? "");
  });
  return { ...(https === undefined ? {} : { https }), ...(http === undefined ? {} : { http }), except };
}

function readUpstream(name: string, value: string): Upstream | Unusable {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(value)?.[1]?.toLowerCase();
  if (scheme?.startsWith("socks") === true) {
    return {
      unusable: `${name} names a SOCKS proxy, and the sandbox goes through http:// and https:// only`,
    };
  }
  const text = scheme === undefined ? `http://${value}` : value;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = canonicalHost(url?.hostname ?? "");
  const tls = url?.protocol === "https:";
  // What comes after the host may be the rest of a password that was not written as an address wants it.
  const whole = url !== undefined && url.pathname.length < 2 && `${url.search}${url.hash}` === "";
  const user = whole ? decoded(`${url.username}:${url.password}`) : undefined;
  if (host === undefined || user === undefined || !(tls || url?.protocol === "http:")) {
    return { unusable: `${name} is not the address of a proxy, like http://proxy.example:3128` };
  }
  const authorization =
    user === ":" ? {} : { authorization: `Basic ${Buffer.from(user).toString("base64")}` };
  return { host, port: Number(url?.port) || (tls ? 443 : 80), tls, ...authorization };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The way to a host; undefined: directly. */
export function upstreamFor(
  target: Target,
  scheme: Scheme,
  { except, ...proxies }: Upstreams,
): Upstream | Unusable | undefined {
  if (isHere(target.host) || except.some((entry) => excepts(entry, target))) return undefined;
  // Some ask for a tunnel where a plain request is meant.
  return proxies[target.port === 80 ? "http" : scheme];
}

/** Does an entry of NO_PROXY cover it: `host` and all below, `.host`, `host:port`, an address, or a network like 10.0.0.0/8? */
function excepts(entry: string, { host, port }: Target): boolean {
  const [, net = "", bits = ""] = /^(.+)\/([0-9]{1,3})$/.exec(entry) ?? [];
  if (bits !== "") return lies(host, net, Number(bits));
  const whole = entry.replace(/^\*?\./, "");
  const named = canonicalHost(whole) ?? parseTarget(whole);
  if (named === undefined) return false;
  const wanted = typeof named === "string" ? { host: named, port } : named;
  const below = isIP(host) === 0 && host.endsWith(`.${wanted.host}`);
  return wanted.port === port && (host === wanted.host || below);
}

function lies(host: string, net: string, bits: number): boolean {
  const address = canonicalAddress(net);
  if (address === undefined || isIP(host) !== isIP(address) || bits > (isIPv4(address) ? 32 : 128))
    return false;
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(address, bits, family);
  return list.check(host, family);
}

/** A proxy as it is shown: without its user. */
export function shownUpstream({ host, port }: Upstream): string {
  return `${writtenHost(host)}:${port}`;
}

/** What people are told of the proxies of an environment; undefined when there are none. */
export function upstreamWords({
  https,
  http,
}: Upstreams): { readonly words: string; readonly usable: boolean } | undefined {
  const named = [https, http].filter((one) => one !== undefined);
  if (named.length === 0) return undefined;
  const wrong = named.find((one) => "unusable" in one);
  if (wrong !== undefined) return { words: wrong.unusable, usable: false };
  const shown = new Set(named.flatMap((one) => ("unusable" in one ? [] : [shownUpstream(one)])));
  const only = named.length > 1 ? "" : ` (${https === undefined ? "http" : "https"} only)`;
  return { words: `through your proxy ${[...shown].join(" and ")}${only}`, usable: true };
}

/** Connects to a proxy. */
export function dialUpstream({ host, port, tls }: Upstream): Socket {
  const where = { host, port, autoSelectFamily: true, allowHalfOpen: true, noDelay: true };
  return tls ? connectTls({ ...where, servername: isIP(host) === 0 ? host : "" }) : connect(where);
}

/** The headers that a proxy wants besides. */
export function upstreamHeaders({ authorization }: Upstream): string[] {
  return authorization === undefined ? [] : ["Proxy-Authorization", authorization];
}

/** Asks a proxy, on a connection to it, for a tunnel. Undefined when there is one; otherwise what went wrong. */
export async function askForTunnel(
  socket: Socket,
  upstream: Upstream,
  { host, port }: Target,
): Promise<string | undefined> {
  const path = `${writtenHost(host)}:${port}`;
  const asked = request({
    createConnection: () => socket,
    method: "CONNECT",
    path,
    headers: ["Host", path, ...upstreamHeaders(upstream)],
  });
  asked.end();
  try {
    const [answer, , head] = (await once(asked, "connect")) as [IncomingMessage, Socket, Buffer];
    const status = answer.statusCode ?? 0;
    if (status < 200 || status > 299) return answeredWords(upstream, answer);
    socket.unshift(head);
    return undefined;
  } catch (error) {
    return lostWords(upstream, error);
  }
}

/** What a proxy said instead of what was wanted. */
export function answeredWords(upstream: Upstream, answer: IncomingMessage): string {
  const said = `${answer.statusCode} ${answer.statusMessage ?? ""}`
    .replace(/[^\x20-\x7e]/g, "?")
    .slice(0, 100);
  return `your proxy ${shownUpstream(upstream)} answered ${said.trim()}`;
}

/** That a proxy is not there, or has hung up. */
export function lostWords(upstream: Upstream, error: unknown): string {
  return `your proxy ${shownUpstream(upstream)} does not answer (${codeOf(error) ?? messageOf(error)})`;
}
