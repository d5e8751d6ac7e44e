/**
 * Decides whether a host may be reached, and connects to exactly what was decided on. The name is resolved here, once, and the
 * connection goes to an address that was looked at: a name that answers differently the second time gains nothing. Only where the
 * user has a proxy is the name left to that.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { codeOf } from "../errors.ts";
import { isPublic } from "./addresses.ts";
import { findPattern, type HostPattern, patternFor, type Target, writtenHost } from "./hosts.ts";
import { dialUpstream, shownUpstream, type Unusable, type Upstream } from "./upstream.ts";

/** One address of a name. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name, as a port: tests have names of their own. */
export type Lookup = (host: string) => Promise<readonly Address[]>;

/** The machine's own way to resolve names. */
export const lookupBySystem: Lookup = (host) => systemLookup(host, { all: true });

/** How a host is reached: at one of these addresses, or through the user's proxy. */
export type Way =
  | { readonly addresses: readonly Address[]; readonly upstream?: never }
  | { readonly upstream: Upstream };

/** What was decided, and in `why` the reason in a few words. */
export type Verdict =
  | { readonly allowed: true; readonly why: string; readonly way: Way }
  /** `words` are for whoever asked; the status is that of an HTTP answer. `failed`: it is on the list, and cannot be reached. */
  | {
      readonly allowed: false;
      readonly why: string;
      readonly status: number;
      readonly words: string;
      readonly failed?: true;
    };

/** May this host be reached, and how? Names that are not on the list are not even resolved. */
export async function judge(
  target: Target,
  patterns: readonly HostPattern[],
  lookup: Lookup,
  upstream?: Upstream | Unusable,
): Promise<Verdict> {
  const { host, port } = target;
  const shown = `${writtenHost(host)}:${port}`;
  const pattern = findPattern(host, port, patterns);
  if (pattern === undefined) {
    const words = `${shown} is not among the hosts that this run may reach. If the work needs it, ask for "${patternFor(target)}" to be added to sandbox.network.allow in the settings of ralph.`;
    return { allowed: false, why: "not on the list", status: 403, words };
  }
  const failed = (reason: string): Verdict => ({
    allowed: false,
    why: reason,
    status: 502,
    words: `${shown}: ${reason}.`,
    failed: true,
  });
  const why = `allowed by ${pattern.text}`;
  if (upstream !== undefined) {
    if ("unusable" in upstream) return failed(upstream.unusable);
    return { allowed: true, why: `${why}, through ${shownUpstream(upstream)}`, way: { upstream } };
  }
  const family = isIP(host);
  if (family !== 0) return { allowed: true, why, way: { addresses: [{ address: host, family }] } };
  let found: readonly Address[];
  try {
    found = await lookup(host);
  } catch (error) {
    return failed(`the name cannot be resolved (${codeOf(error) ?? "no answer"})`);
  }
  const addresses = pattern.subdomains ? found.filter(({ address }) => isPublic(address)) : found;
  if (addresses.length > 0) return { allowed: true, why, way: { addresses } };
  if (found.length === 0) return failed("the name has no address");
  const leads = `leads to ${found[0]?.address}, which is not in the internet`;
  const words = `${shown} ${leads}, and ${pattern.text} does not cover that. If the work needs it, ask for "${patternFor(target)}" to be added to sandbox.network.allow in the settings of ralph.`;
  return { allowed: false, why: leads, status: 403, words };
}

/** How long nothing may happen. */
export interface Patience {
  readonly connectMs: number;
  readonly idleMs: number;
}

/** How long one address is tried before the next one is tried too. */
const NEXT_ADDRESS_MS = 1000;

/** Connects in this way and in no other. A connection on which nothing moves for too long is broken off. */
export function reach(target: Target, way: Way, { connectMs, idleMs }: Patience): Socket {
  const { upstream } = way;
  const socket = upstream === undefined ? dial(target, way.addresses) : dialUpstream(upstream);
  socket.setTimeout(connectMs);
  socket.once(upstream?.tls === true ? "secureConnect" : "connect", () => socket.setTimeout(idleMs));
  socket.on("timeout", () => socket.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })));
  return socket;
}

function dial({ host, port }: Target, addresses: readonly Address[]): Socket {
  const pinned: LookupFunction = (_, options, done) => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family ?? 0);
  };
  return connect({
    host,
    port,
    lookup: pinned,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    allowHalfOpen: true,
    noDelay: true,
  });
}
