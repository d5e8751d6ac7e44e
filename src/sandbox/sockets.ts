import { lstatSync, readFileSync } from "node:fs";
import { real } from "./policy.ts";

/**
 * Sockets of the file system on which somebody of this machine listens now. A place that may only be read does not keep anybody from
 * talking to one in it: it would be a way round the network's list.
 */
export function listeningSockets(): string[] {
  let table: string;
  try {
    table = readFileSync("/proc/net/unix", "utf8");
  } catch {
    return []; // another system
  }
  // The flag of a socket that listens is the only one that there is; the path is the last word, and may hold spaces. It is what the
  // listener called it, which may mean nothing to us.
  const paths = [...table.matchAll(/^\S+ \S+ \S+ 00010000 \S+ \S+ +\d+ (\/.*)$/gm)].map(
    ([, path = ""]) => path,
  );
  return [...new Set(paths.filter((path) => !path.startsWith("/proc/")).flatMap(real))].filter(isSocket);
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false; // it has just gone
  }
}
