/**
 * IP addresses in one spelling each, and which of them lie in the internet. Pure. A name that somebody else controls may lead to
 * any address, also to a service of this machine or of the network that it stands in; what leads there is told by `isPublic`.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net";

/** One spelling for each address, an IPv4 address in IPv6 clothes as what it is; undefined when it is none, or has a zone. */
export function canonicalAddress(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (text.includes("%") || !isIPv6(text)) return undefined;
  const short = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const groups = groupsOf(short);
  return startsWith(groups, [0, 0, 0, 0, 0, 0xffff]) ? dotted(groups, 6) : short;
}

/** Does it lie in the internet, and not in this machine, its network, or where nobody is? */
export function isPublic(text: string): boolean {
  const address = canonicalAddress(text);
  if (address === undefined) return false;
  if (isIPv4(address)) return !NOT_PUBLIC.check(address, "ipv4");
  const groups = groupsOf(address);
  // Translators carry an IPv4 address inside: it is that one which is reached.
  if (startsWith(groups, [0x64, 0xff9b, 0, 0, 0, 0])) return isPublic(dotted(groups, 6));
  if (startsWith(groups, [0x2002])) return isPublic(dotted(groups, 1));
  return !NOT_PUBLIC.check(address, "ipv6");
}

/** Does a host in its one form always mean this machine itself? */
export function isHere(host: string): boolean {
  if (isIPv4(host)) return HERE.check(host, "ipv4");
  return isIPv6(host) ? HERE.check(host, "ipv6") : /(?:^|\.)localhost$/.test(host);
}

const HERE = new BlockList();
HERE.addSubnet("127.0.0.0", 8, "ipv4");
HERE.addSubnet("0.0.0.0", 8, "ipv4");
HERE.addSubnet("::", 127, "ipv6"); // unspecified, and loopback

const NOT_PUBLIC = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8], // this machine
  ["10.0.0.0", 8],
  ["100.64.0.0", 10], // behind a provider's own translation
  ["127.0.0.0", 8],
  ["169.254.0.0", 16], // link-local; a cloud tells its machines their secrets there
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24], // for examples
  ["192.168.0.0", 16],
  ["198.18.0.0", 15], // for measuring
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4], // many at once
  ["240.0.0.0", 4],
] as const) {
  NOT_PUBLIC.addSubnet(net, bits, "ipv4");
}
for (const [net, bits] of [
  ["::", 96], // unspecified, loopback, and IPv4 in a spelling that is out of use
  ["64:ff9b:1::", 48], // a network's own translation
  ["100::", 64],
  ["2001::", 23], // tunnels and trials
  ["2001:db8::", 32], // for examples
  ["fc00::", 7], // private
  ["fe80::", 10], // link-local
  ["fec0::", 10],
  ["ff00::", 8], // many at once
] as const) {
  NOT_PUBLIC.addSubnet(net, bits, "ipv6");
}

/** The eight numbers of an IPv6 address in its shortest spelling. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const gap = Array<string>(8 - head.length - tail.length).fill("0");
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16));
}

function startsWith(groups: readonly number[], wanted: readonly number[]): boolean {
  return wanted.every((group, at) => groups[at] === group);
}

/** Two of the numbers as an IPv4 address. */
function dotted(groups: readonly number[], at: number): string {
  return groups
    .slice(at, at + 2)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join(".");
}
