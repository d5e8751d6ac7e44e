import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { launcherWords, proxyEnvironment } from "../../src/sandbox/wiring.ts";
import {
  certificate,
  freePort,
  HAS_IPV6,
  listen,
  names,
  patterns,
  proxyFor,
  SITE,
  website,
} from "./world.ts";

const LAUNCHER = fileURLToPath(new URL("../../dist/sandbox-launcher.cjs", import.meta.url));
const HAS_CURL = spawnSync("curl", ["--version"]).status === 0;

interface Launched {
  readonly child: ChildProcess;
  /** How it ended, and all that was said. */
  readonly ended: Promise<{ code: number | null; signal: string | null; out: string; err: string }>;
}

async function launch(
  socketPath: string,
  command: readonly string[],
  targets: readonly string[] = [],
): Promise<Launched> {
  const port = await freePort();
  const child = spawn(process.execPath, [LAUNCHER, socketPath, String(port), ...targets, "--", ...command], {
    env: { PATH: process.env["PATH"] ?? "", ...proxyEnvironment(port, []) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = Promise.all([once(child, "exit"), text(child.stdout), text(child.stderr)]);
  const ended = said.then(([[code, signal], out, err]) => ({ code, signal, out, err }));
  return { child, ended };
}

/** A request in few words, by Node's own client, through the proxy that the environment names. */
const ASK = `
const { request } = require("node:http");
const { hostname, port } = new URL(process.env.HTTP_PROXY);
request({ host: hostname, port, path: process.argv[1], headers: { Host: new URL(process.argv[1]).host } }, (answer) => {
  process.stdout.write(answer.statusCode + " ");
  answer.pipe(process.stdout);
}).end();
`;

describe("the launcher", () => {
  test("listens before the program starts: its first request arrives, 20 times of 20", async () => {
    const port = await website((_, answer) => void answer.end("hello"));
    const { socketPath } = await proxyFor([`site.test:${port}`], SITE);
    const said: string[] = [];
    for (let n = 0; n < 20; n++) {
      const { ended } = await launch(socketPath, [process.execPath, "-e", ASK, `http://site.test:${port}/`]);
      said.push((await ended).out);
    }
    expect(said).toEqual(Array(20).fill("200 hello"));
  });

  test.skipIf(!HAS_CURL)(
    "curl goes through it, plain and by TLS, and is refused other hosts",
    async (context) => {
      const made = certificate("site.test");
      if (made === undefined) return context.skip("openssl is missing");
      const plain = await website((_, answer) => void answer.end("plain"));
      const secret = await listen(
        createTlsServer({ key: made.key, cert: made.cert }, (_, answer) => void answer.end("by TLS")),
      );
      const { socketPath, decisions } = await proxyFor([`site.test:${plain}`, `site.test:${secret}`], SITE);
      const curl = async (...args: string[]) =>
        (await (await launch(socketPath, ["curl", "-sS", "--max-time", "30", ...args])).ended).out;
      expect(await curl(`http://site.test:${plain}/`)).toBe("plain");
      expect(await curl("--cacert", made.file, `https://site.test:${secret}/`)).toBe("by TLS");
      expect(await curl("-w", " %{http_code}", "http://other.test/")).toMatch(
        /sandbox\.network\.allow.*\n 403$/,
      );
      expect(await curl("-w", "%{http_connect}", "https://other.test/")).toBe("403");
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false, false]);
    },
  );

  test("a port outside is reached as if it were here, by whatever protocol, if it is allowed", async (context) => {
    if (!HAS_IPV6) return context.skip("this machine has no IPv6");
    // In a sandbox the two sides have a loopback each; here IPv6 is the other side.
    const server = createServer((socket) => {
      socket.write("hello"); // speaks first
      socket.once("data", (bytes) => void socket.end(bytes));
    });
    const port = await listen(server, "::1");
    const lookup = names({ "site.test": ["::1"] });
    const program = `
const socket = require("node:net").connect(${port}, "127.0.0.1", () => socket.write(" and bye"));
socket.on("error", (error) => console.log(error.code));
socket.pipe(process.stdout);`;
    const run = async (allowed: string) => {
      const { socketPath, decisions } = await proxyFor([allowed], { lookup });
      const { ended } = await launch(socketPath, [process.execPath, "-e", program], [`site.test:${port}`]);
      return { ...(await ended), decisions };
    };
    expect(await run(`site.test:${port}`)).toMatchObject({
      code: 0,
      out: "hello and bye",
      decisions: [{ host: "site.test", port, allowed: true }],
    });
    const refused = await run("other.test");
    expect(refused).toMatchObject({ code: 0, decisions: [{ allowed: false }] });
    expect(refused.out).not.toContain("hello");
  });

  test("a large body goes through", async () => {
    const port = await website((_, answer) => void answer.end(Buffer.alloc(8 << 20, "x")));
    const { socketPath } = await proxyFor([`site.test:${port}`], SITE);
    const { ended } = await launch(socketPath, [process.execPath, "-e", ASK, `http://site.test:${port}/`]);
    expect((await ended).out).toHaveLength("200 ".length + (8 << 20));
  });

  test.each([0, 1, 42, 255])("exit code %d is passed on", async (code) => {
    const { ended } = await launch("/nowhere", ["sh", "-c", `exit ${code}`]);
    expect(await ended).toEqual({ code, signal: null, out: "", err: "" });
  });

  test.each([
    ["TERM", 143],
    ["KILL", 137],
    ["SEGV", 139],
  ])("an end by SIG%s is code %d", async (signal, code) => {
    const { ended } = await launch("/nowhere", ["sh", "-c", `kill -${signal} $$`]);
    expect((await ended).code).toBe(code);
  });

  test("a program that is not there, or cannot be run, is told as a shell does", async () => {
    const missing = await (await launch("/nowhere", ["no-such-program"])).ended;
    expect(missing.code).toBe(127);
    expect(missing.err).toContain("cannot run no-such-program");
    expect((await (await launch("/nowhere", ["/etc/passwd"])).ended).code).toBe(126);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s is passed on, and the program may take its time",
    async (signal) => {
      const { child, ended } = await launch("/nowhere", [
        process.execPath,
        "-e",
        `process.on("${signal}", () => { console.log("heard ${signal}"); process.exit(7); });
       setInterval(() => {}, 1000); console.log("ready");`,
      ]);
      await once(child.stdout ?? child, "data");
      child.kill(signal);
      expect(await ended).toMatchObject({ code: 7, out: `ready\nheard ${signal}\n` });
    },
  );

  test("the program has the launcher's own streams and words", async () => {
    const { child, ended } = await launch("/nowhere", [
      "sh",
      "-c",
      'cat; printf "%s|" "$@" >&2',
      "-",
      "a b",
      "$x",
      "--",
      "",
    ]);
    child.stdin?.end("from outside");
    expect(await ended).toMatchObject({ code: 0, out: "from outside", err: "a b|$x|--||" });
  });

  test("without a proxy behind it a request fails, and the program lives", async () => {
    const { ended } = await launch("/nowhere", [
      process.execPath,
      "-e",
      `require("node:http").get(process.env.HTTP_PROXY).on("error", (error) => console.log("no: " + error.code));`,
    ]);
    expect(await ended).toMatchObject({ code: 0, out: "no: ECONNRESET\n" });
  });

  test("a port that is taken, and a wrong use, are told; nothing is started", async () => {
    const taken = await listen(createServer());
    const run = (...args: string[]) => spawnSync(process.execPath, [LAUNCHER, ...args], { encoding: "utf8" });
    expect(run("/nowhere", String(taken), "--", "echo", "started")).toMatchObject({
      status: 125,
      stdout: "",
    });
    for (const args of [
      [],
      ["/nowhere", "80"],
      ["/nowhere", "x", "--", "echo"],
      ["/nowhere", "80", "echo"],
    ]) {
      const { status, stderr } = run(...args);
      expect({ status, usage: stderr.includes("usage") }).toEqual({ status: 125, usage: true });
    }
  });

  test("when the program ends, connections that its children left open end too", async () => {
    const server = createServer((socket) => void socket.write("on and on"));
    const port = await listen(server);
    const { socketPath } = await proxyFor([`site.test:${port}`], SITE);
    const served = once(server, "connection") as Promise<[Socket]>;
    // The child holds its connection until that is taken from it; the program ends as soon as the child has it.
    const hold = `
const { hostname, port } = new URL(process.env.HTTP_PROXY);
const socket = require("node:net").connect(Number(port), hostname);
socket.write("CONNECT site.test:${port} HTTP/1.1\\r\\nHost: site.test:${port}\\r\\n\\r\\n");
socket.on("data", () => process.send("open", () => process.disconnect()));
socket.on("close", () => process.exit());`;
    const program = `
const { spawn } = require("node:child_process");
const child = spawn(process.execPath, ["-e", process.argv[1]], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
child.once("message", () => { console.log(child.pid); process.exit(3); });`;
    const { ended } = await launch(socketPath, [process.execPath, "-e", program, hold]);
    const [upstream] = await served;
    const gone = once(upstream, "close");
    expect(await ended).toMatchObject({ code: 3, out: expect.stringMatching(/^\d+\n$/) });
    await gone;
  });

  test("is one small file that asks for nothing but Node", () => {
    expect(existsSync(LAUNCHER)).toBe(true);
    const source = readFileSync(LAUNCHER, "utf8");
    expect(source.length).toBeLessThan(5000);
    expect([...source.matchAll(/require\("([^"]+)"\)/g)].map(([, name]) => name)).toEqual(
      expect.arrayContaining(["node:child_process", "node:net"]),
    );
    expect([...source.matchAll(/require\("([^"]+)"\)/g)].every(([, name]) => name?.startsWith("node:"))).toBe(
      true,
    );
  });
});

describe("the variables", () => {
  test("name the proxy, in both spellings, and nothing to go round it with but the sandbox itself", () => {
    const env = proxyEnvironment(3128, patterns("*.localhost", "api.test"));
    for (const name of ["HTTP_PROXY", "https_proxy", "ALL_PROXY", "npm_config_https_proxy", "PIP_PROXY"]) {
      expect(env[name]).toBe("http://127.0.0.1:3128");
    }
    expect(env["NO_PROXY"]).toBe("localhost,127.0.0.1,::1");
    expect(env["no_proxy"]).toBe(env["NO_PROXY"]);
    expect(env["NODE_USE_ENV_PROXY"]).toBe("1");
  });

  test.each<[string[], string[], string]>([
    [["localhost:5432"], ["localhost:5432"], "localhost,127.0.0.1,::1"],
    [["[::1]:5432", "127.0.0.1:5432"], ["[::1]:5432", "127.0.0.1:5432"], "localhost,127.0.0.1,::1"],
    [["localhost:5432", "127.0.0.1:5432"], ["localhost:5432"], "localhost,127.0.0.1,::1"],
    [["localhost"], [], "127.0.0.1,::1"],
    [["localhost:80", "localhost:5432"], ["localhost:5432"], "127.0.0.1,::1"],
    [["127.0.0.1:*"], [], "localhost,::1"],
    [["localhost:3128"], [], "127.0.0.1,::1"],
    [["*.localhost:5432", "api.test:5432"], [], "localhost,127.0.0.1,::1"],
  ])("a port of loopback that %j name is held open, or asked of the proxy", (texts, targets, direct) => {
    expect(launcherWords("/s", 3128, patterns(...texts))).toEqual(["/s", "3128", ...targets, "--"]);
    expect(proxyEnvironment(3128, patterns(...texts))["NO_PROXY"]).toBe(direct);
  });
});
