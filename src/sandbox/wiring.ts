/**
 * How programs in a sandbox find the proxy: by variables, and for what speaks no HTTP by ports of the sandbox that lead out. Pure.
 * Loopback inside a sandbox is the sandbox itself. Servers that its own programs start must be reached there, without a proxy;
 * where a pattern names loopback, as in `localhost:5432`, the user's machine is meant.
 */
import { type HostPattern, writtenHost } from "./hosts.ts";

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "::1"];

/** Below, only root may listen. */
const FIRST_FREE_PORT = 1024;

/** What the launcher is told before its program: its socket, its port, and the hosts whose ports it has to hold open. */
export function launcherWords(
  socketPath: string,
  port: number,
  patterns: readonly HostPattern[],
): readonly string[] {
  const targets = new Map<string, string>();
  for (const pattern of patterns) {
    const held = heldPort(pattern, port);
    if (held === undefined) continue;
    const place = `${pattern.host === "::1" ? 6 : 4} ${held}`;
    if (!targets.has(place)) targets.set(place, `${writtenHost(pattern.host)}:${held}`);
  }
  return [socketPath, String(port), ...targets.values(), "--"];
}

/** The variables that a program in the sandbox gets, in place of the user's own. */
export function proxyEnvironment(
  port: number,
  patterns: readonly HostPattern[],
): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  const outside = patterns.filter((pattern) => !pattern.subdomains && heldPort(pattern, port) === undefined);
  const direct = LOOPBACK.filter((name) => outside.every(({ host }) => host !== name)).join(",");
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    ALL_PROXY: proxy,
    NO_PROXY: direct,
    http_proxy: proxy,
    https_proxy: proxy,
    all_proxy: proxy,
    no_proxy: direct,
    // Those that read other names first, or only other names.
    NODE_USE_ENV_PROXY: "1",
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: direct,
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    PIP_PROXY: proxy,
    CARGO_HTTP_PROXY: proxy,
  };
}

/** The port at which the launcher can stand in for this pattern: one of loopback, and not the proxy's. */
function heldPort({ host, ports, subdomains }: HostPattern, proxyPort: number): number | undefined {
  if (subdomains || !LOOPBACK.includes(host) || ports === "any" || ports.length !== 1) return undefined;
  return ports.find((port) => port >= FIRST_FREE_PORT && port !== proxyPort);
}
