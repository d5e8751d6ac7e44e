/**
 * The first program in a sandbox: `node sandbox-launcher.cjs <socket> <port> [host:port …] -- <file> [args]`. It listens on
 * loopback, where programs look for a proxy, and leads to the socket on which ralph's proxy listens outside; likewise at the ports
 * of the hosts that it is given, which are reached as if they were here. Only when it listens does it start the program, so that no
 * request comes too early. It ends as the program ends. Built into one file; needs nothing but Node.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { connect, createServer, type Socket } from "node:net";
import { constants } from "node:os";
import { join } from "./pipes.ts";

/** As the shell says it: not found, cannot be run; and what other wrappers exit with when they fail themselves. */
const NOT_FOUND = 127;
const CANNOT_RUN = 126;
const OURS = 125;

const words = process.argv.slice(2);
const dashes = words.indexOf("--");
const [path = "", port = "", ...targets] = words.slice(0, Math.max(dashes, 0));
const [file, ...args] = words.slice(dashes + 1);
let program: ChildProcess | undefined;

if (dashes < 2 || file === undefined || !/^[0-9]+$/.test(port)) {
  fail(OURS, "usage: sandbox-launcher <socket> <port> [host:port ...] -- <file> [args]");
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"] as const) {
  process.on(signal, () => {
    if (program === undefined) process.exit(128 + constants.signals[signal]);
    program.kill(signal);
  });
}

let waiting = targets.length + 1;
listen("127.0.0.1", Number(port), join);
for (const target of targets) {
  const [host = "", at = ""] = target.split(/:(?=[0-9]+$)/);
  listen(host === "[::1]" ? "::1" : "127.0.0.1", Number(at), (client, proxy) => ask(target, client, proxy));
}

/** Listens, and gives each connection one to the proxy; when all of them listen, the program starts. */
function listen(host: string, at: number, serve: (client: Socket, proxy: Socket) => void): void {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    serve(client, connect({ path, allowHalfOpen: true }));
  });
  server.on("error", (error) => fail(OURS, `cannot listen on ${host}:${at}: ${error.message}`));
  server.listen(at, host, () => {
    waiting--;
    if (waiting === 0) start(file ?? "");
  });
}

/** Asks the proxy for a tunnel before anything is passed on. */
function ask(target: string, client: Socket, proxy: Socket): void {
  const drop = () => {
    client.destroy();
    proxy.destroy();
  };
  let said = Buffer.alloc(0);
  const hear = (bytes: Buffer) => {
    said = Buffer.concat([said, bytes]);
    const end = said.indexOf("\r\n\r\n");
    if (end < 0) return;
    proxy.off("data", hear).pause();
    for (const side of [client, proxy]) side.off("error", drop).off("close", drop);
    if (!said.toString("latin1").startsWith("HTTP/1.1 200 ")) return drop();
    proxy.unshift(said.subarray(end + 4));
    join(client, proxy);
  };
  for (const side of [client, proxy]) side.on("error", drop).on("close", drop);
  proxy.on("data", hear);
  proxy.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`);
}

function start(name: string): void {
  const cannot = (error: NodeJS.ErrnoException): never =>
    fail(error.code === "ENOENT" ? NOT_FOUND : CANNOT_RUN, `cannot run ${name}: ${error.message}`);
  try {
    program = spawn(name, args, { stdio: "inherit" });
  } catch (error) {
    throw cannot(error as NodeJS.ErrnoException);
  }
  program.on("error", (error) => {
    if (program?.pid === undefined) cannot(error); // else it runs, and only a signal did not arrive
  });
  program.on("exit", (code, signal) => {
    process.exit(code ?? 128 + constants.signals[signal ?? "SIGKILL"]);
  });
}

function fail(code: number, why: string): never {
  process.stderr.write(`ralph sandbox: ${why}\n`);
  process.exit(code);
}
