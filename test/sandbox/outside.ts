import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname } from "node:path";
import { onTestFinished } from "vitest";
import { until } from "../e2e/support.ts";
import { endNow } from "../processes.ts";
import { hasProgram } from "./engines.ts";

/** The addresses of this machine, but for loopback. */
export function addressesHere(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address),
  );
}

/** A server on every address of this machine, which says that it was found. */
export async function serve(token: string, onMet: () => void): Promise<number> {
  const server = createHttpServer((_request, response) => {
    onMet();
    response.setHeader("x-host", token);
    response.end(token);
  });
  await listening(server, { port: 0, host: "::" });
  const address = server.address();
  return typeof address === "object" ? (address?.port ?? 0) : 0;
}

/** A socket without a file: empty where the system or Node has none. */
export async function serveAbstract(token: string): Promise<string> {
  const server = createServer((socket) => socket.end(token));
  return listening(server, { path: `\0${token}` }).then(
    () => token,
    () => "",
  );
}

function listening(server: Server, where: { port: number; host: string } | { path: string }): Promise<void> {
  onTestFinished(() => void server.close());
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, resolve);
  });
}

/** Words before a program that give its session a key of the kernel's keyring; none where there is no tool for it. */
export function withKey(name: string, secret: string): string[] {
  if (!hasProgram("keyctl")) return [];
  const script =
    'printf %s "$2" | keyctl padd user "$1" @s > /dev/null && keyctl setperm %user:"$1" 0x3f3f0000; shift 2; exec "$@"';
  return ["keyctl", "session", "-", "/bin/sh", "-c", script, "sh", name, secret];
}

/** The path of a terminal that somebody sits at; empty where none can be had. */
export async function openTerminal(): Promise<string> {
  if (!hasProgram("script")) return "";
  const child = spawn("script", ["--quiet", "--command", "tty; exec sleep 600", "/dev/null"], {
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  onTestFinished(() => endNow(-(child.pid ?? 0)));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await until("a terminal", () => said.includes("\n"));
  return said.trim();
}

/** Is there a process with these words in its command line? */
export function livesWith(words: string): boolean {
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "latin1").includes(words);
    } catch {
      return false; // it has just gone
    }
  });
}

/** Are they all gone, in the end? */
export async function gone(words: string): Promise<boolean> {
  return until(`nobody with ${words}`, () => !livesWith(words)).then(
    () => true,
    () => false,
  );
}

/** Puts a file there for one test. */
export function plant(path: string, text: string): string {
  const folder = dirname(path);
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  }
  writeFileSync(path, text);
  onTestFinished(() => rmSync(path, { force: true }));
  return path;
}

/** What a file holds, if it is there. */
export function textOf(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** The lines of a file; none when it is not there. */
export function linesOf(path: string): string[] {
  return (textOf(path) ?? "").split("\n").filter(Boolean);
}
