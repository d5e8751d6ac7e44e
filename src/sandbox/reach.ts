/**
 * Decides whether a host may be reached, and connects to exactly what was decided on. The name is resolved here, once, and the
 * connection goes to an address that was looked at: a name that answers differently the second time gains nothing.
 */
import { lookup as systemLookup } from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { codeOf } from "../errors.ts";
import { isPublic } from "./addresses.ts";
import { findPattern, type HostPattern, patternFor, type Target, writtenHost } from "./hosts.ts";

/** One address of a name. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name, as a port: tests have names of their own. */
export type Lookup = (host: string) => Promise<readonly Address[]>;

/** The machine's own way to resolve names. */
export const lookupBySystem: Lookup = (host) => systemLookup(host, { all: true });

/** What was decided, and in `why` the reason in a few words. */
export type Verdict =
  | { readonly allowed: true; readonly why: string; readonly addresses: readonly Address[] }
  /** `words` are for whoever asked; the status is that of an HTTP answer. */
  | { readonly allowed: false; readonly why: string; readonly status: number; readonly words: string };

/** May this host be reached, and at which addresses? Names that are not on the list are not even resolved. */
export async function judge(
  target: Target,
  patterns: readonly HostPattern[],
  lookup: Lookup,
): Promise<Verdict> {
  const { host, port } = target;
  const shown = `${writtenHost(host)}:${port}`;
  const pattern = findPattern(host, port, patterns);
  if (pattern === undefined) {
    const words = `${shown} is not among the hosts that this run may reach. If the work needs it, ask for "${patternFor(target)}" to be added to sandbox.network.allow in the settings of ralph.`;
    return { allowed: false, why: "not on the list", status: 403, words };
  }
  const why = `allowed by ${pattern.text}`;
  const family = isIP(host);
  if (family !== 0) return { allowed: true, why, addresses: [{ address: host, family }] };
  let found: readonly Address[];
  try {
    found = await lookup(host);
  } catch (error) {
    const reason = `the name cannot be resolved (${codeOf(error) ?? "no answer"})`;
    return { allowed: false, why: reason, status: 502, words: `${shown}: ${reason}.` };
  }
  const addresses = pattern.subdomains ? found.filter(({ address }) => isPublic(address)) : found;
  if (addresses.length > 0) return { allowed: true, why, addresses };
  if (found.length === 0) {
    const reason = "the name has no address";
    return { allowed: false, why: reason, status: 502, words: `${shown}: ${reason}.` };
  }
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

/** Connects to one of these addresses and to no other. A connection on which nothing moves for too long is broken off. */
export function reach(
  { host, port }: Target,
  addresses: readonly Address[],
  { connectMs, idleMs }: Patience,
): Socket {
  const pinned: LookupFunction = (_, options, done) => {
    const [first] = addresses;
    if (options.all === true) done(null, [...addresses]);
    else done(null, first?.address ?? "", first?.family ?? 0);
  };
  const socket = connect({
    host,
    port,
    lookup: pinned,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
    allowHalfOpen: true,
    noDelay: true,
  });
  socket.setTimeout(connectMs);
  socket.once("connect", () => socket.setTimeout(idleMs));
  socket.on("timeout", () => socket.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" })));
  return socket;
}
