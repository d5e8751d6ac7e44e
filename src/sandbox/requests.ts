/** What a client asks of the proxy, read strictly: what could be read in two ways is refused. Pure. */
import { parseTarget, type Target, writtenHost } from "./hosts.ts";

/** A plain request: where it goes, and what is said there. */
export interface PlainRequest {
  readonly target: Target;
  /** Path and query, letter for letter. */
  readonly path: string;
  /** The host as the `Host` header has it. */
  readonly authority: string;
  /** Names and values in turn. */
  readonly headers: string[];
}

/** What is wrong with a request, for whoever sent it. */
export interface Malformed {
  readonly status: number;
  readonly words: string;
}

/** The part of a request that is read here. */
export type Asked = { readonly url?: string | undefined; readonly rawHeaders: readonly string[] };

const malformed = (words: string, status = 400): Malformed => ({ status, words });

/** Where a CONNECT wants to go. */
export function readConnect(request: Asked): Target | Malformed {
  if (valuesOf(request, "transfer-encoding").length > 0 || valuesOf(request, "content-length").length > 0) {
    return malformed("A CONNECT has no body.");
  }
  return parseTarget(plain(request.url) ?? "") ?? malformed("CONNECT needs a host and a port.");
}

/** What a request with a whole address asks for. */
export function readPlain(request: Asked): PlainRequest | Malformed {
  const parts = /^http:\/\/([^/?#]*)([/?][^#]*)?$/i.exec(plain(request.url) ?? "");
  if (parts === null)
    return malformed("This is a proxy: it takes CONNECT, and requests for http:// addresses.");
  const target = parseTarget(parts[1] ?? "", 80);
  if (target === undefined) return malformed("The address has no proper host.");
  const hosts = valuesOf(request, "host");
  const named = parseTarget(hosts[0] ?? "", 80);
  if (hosts.length !== 1 || named?.host !== target.host || named.port !== target.port) {
    return malformed("The Host header must be the host of the address.");
  }
  const encodings = valuesOf(request, "transfer-encoding");
  const lengths = valuesOf(request, "content-length");
  if (encodings.length + lengths.length > 1 || encodings.some((one) => one.toLowerCase() !== "chunked")) {
    return malformed("The body's length must be told once, and in one way.");
  }
  if (valuesOf(request, "upgrade").some((one) => /websocket/i.test(one))) {
    return malformed("A web socket needs CONNECT.", 501);
  }
  const [, , path = "/"] = parts;
  const { host, port } = target;
  const authority = port === 80 ? writtenHost(host) : `${writtenHost(host)}:${port}`;
  return {
    target,
    path: path.startsWith("/") ? path : `/${path}`,
    authority,
    headers: [
      "Host",
      authority,
      ...endToEnd(request.rawHeaders, ["host", "content-length"]),
      // How long the body is must be told as it was: without, Node would send the body of a GET as if it were a request of its own.
      ...encodings.flatMap(() => ["Transfer-Encoding", "chunked"]),
      ...lengths.flatMap((length) => ["Content-Length", length]),
      "Connection",
      "close",
    ],
  };
}

/** Headers that are meant for the next one on the way only. */
const HOP_BY_HOP: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings",
];

/** The headers that are meant for the other end, without those that this connection names as its own. */
export function endToEnd(rawHeaders: readonly string[], without: readonly string[] = []): string[] {
  const dropped = new Set([
    ...HOP_BY_HOP,
    ...without,
    ...valuesOf({ rawHeaders }, "connection").flatMap((value) =>
      value.split(",").map((name) => name.trim().toLowerCase()),
    ),
  ]);
  return rawHeaders.filter((_, at) => !dropped.has((rawHeaders[at - (at % 2)] ?? "").toLowerCase()));
}

/** Every value that a header has, each as often as it was sent. */
function valuesOf({ rawHeaders }: Pick<Asked, "rawHeaders">, name: string): string[] {
  return rawHeaders
    .filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name)
    .map((value) => value.trim());
}

/** An address in visible ASCII, as it has to be; clients write anything else in other ways. */
function plain(url: string | undefined): string | undefined {
  return url !== undefined && /^[\x21-\x7e]+$/.test(url) ? url : undefined;
}
