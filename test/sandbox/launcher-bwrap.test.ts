import { execFile, spawnSync } from "node:child_process";
import { createServer as createTlsServer } from "node:https";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { launcherWords, proxyEnvironment } from "../../src/sandbox/wiring.ts";
import { certificate, listen, names, patterns, proxyFor, website } from "./world.ts";

const LAUNCHER = fileURLToPath(new URL("../../dist/sandbox-launcher.cjs", import.meta.url));
const BWRAP =
  "--unshare-all --unshare-user --cap-drop ALL --die-with-parent --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp".split(
    " ",
  );
const PORT = 3128;

/** Why this cannot be tried here; undefined when it can. */
function missing(): string | undefined {
  const probe = spawnSync("bwrap", [...BWRAP, "true"], { encoding: "utf8" });
  if (probe.status !== 0) return `bwrap does not work here: ${probe.error?.message ?? probe.stderr.trim()}`;
  return spawnSync("curl", ["--version"]).status === 0 ? undefined : "curl is missing";
}

/** Runs a shell line in a sandbox without a network, behind the launcher; what it said. */
async function inside(socketPath: string, allow: readonly string[], line: string, ...args: string[]) {
  const files = [
    dirname(socketPath),
    LAUNCHER,
    ...args.filter((arg) => arg.startsWith("/") && arg !== socketPath),
  ];
  const environment = { ...proxyEnvironment(PORT, patterns(...allow)), PATH: process.env["PATH"] ?? "" };
  const { stdout } = await promisify(execFile)("bwrap", [
    ...BWRAP,
    ...files.flatMap((path) => ["--ro-bind", path, path]),
    "--clearenv",
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    process.execPath,
    LAUNCHER,
    ...launcherWords(socketPath, PORT, patterns(...allow)),
    "sh",
    "-c",
    line,
    "-",
    ...args,
  ]).catch((error: { stdout: string }) => error); // the line's last command may be one that fails
  return stdout;
}

const why = missing();

describe.skipIf(why !== undefined)(
  `in a sandbox without a network${why === undefined ? "" : ` (${why})`}`,
  () => {
    const lookup = names({ "site.test": ["127.0.0.1"], localhost: ["127.0.0.1"] });

    test("what is allowed is reached, plain and by TLS; the rest is refused", async (context) => {
      const made = certificate("site.test");
      if (made === undefined) return context.skip("openssl is missing");
      const plain = await website((_, answer) => void answer.end("plain"));
      const secret = await listen(
        createTlsServer({ key: made.key, cert: made.cert }, (_, answer) => void answer.end("by TLS")),
      );
      const allow = [`site.test:${plain}`, `site.test:${secret}`];
      const { socketPath, decisions } = await proxyFor(allow, { lookup });
      const said = await inside(
        socketPath,
        allow,
        `curl -sS "http://site.test:$1/"; echo
       curl -sS --cacert "$3" "https://site.test:$2/"; echo
       curl -sS -o /dev/null -w '%{http_code}\\n' http://other.test/
       curl -s -o /dev/null -w '%{http_connect}\\n' https://other.test/
       curl -s -o /dev/null -w '%{http_code}\\n' --noproxy '' "http://127.0.0.1:$1/"`,
        String(plain),
        String(secret),
        made.file,
      );
      expect(said.split("\n")).toEqual(["plain", "by TLS", "403", "403", "403", ""]);
      expect(decisions.map(({ host, allowed }) => [host, allowed])).toEqual([
        ["site.test", true],
        ["site.test", true],
        ["other.test", false],
        ["other.test", false],
        ["127.0.0.1", false],
      ]);
    });

    test("there is no way round the proxy", async () => {
      let reached = 0;
      const port = await listen(
        createServer(() => void reached++),
        "0.0.0.0",
      );
      const { socketPath, decisions } = await proxyFor(["site.test"], { lookup });
      const said = await inside(
        socketPath,
        ["site.test"],
        `for host in 127.0.0.1 localhost "[::1]" 0.0.0.0 1.1.1.1 site.test; do
         curl -s --noproxy '*' --max-time 20 "http://$host:$1/" >/dev/null; [ $? -ne 0 ] && echo no
       done`,
        String(port),
      );
      expect(said).toBe("no\n".repeat(6));
      expect({ reached, decisions }).toEqual({ reached: 0, decisions: [] });
    });

    test("loopback is the sandbox's own, but for a port that the list names", async () => {
      const port = await website((_, answer) => void answer.end("outside"));
      const allow = [`localhost:${port}`];
      const { socketPath, decisions } = await proxyFor(allow, { lookup });
      const own = `require("node:http").createServer((_, answer) => answer.end("inside")).listen(0, "127.0.0.1", function () {
      require("node:child_process").execFile("curl", ["-sS", "http://localhost:" + this.address().port], (_, out) => {
        process.stdout.write(out);
        process.exit();
      });
    });`;
      const said = await inside(
        socketPath,
        allow,
        `"$2" -e "$3"; echo; curl -sS "http://localhost:$1/"; echo; curl -sS "http://127.0.0.1:$1/"`,
        String(port),
        process.execPath,
        own,
      );
      expect(said.split("\n")).toEqual(["inside", "outside", "outside"]);
      expect(decisions).toMatchObject([
        { host: "localhost", port, allowed: true },
        { host: "localhost", port, allowed: true },
      ]);
    });

    test("the first request arrives, 20 times of 20", async () => {
      const port = await website((_, answer) => void answer.end("yes"));
      const allow = [`site.test:${port}`];
      const { socketPath } = await proxyFor(allow, { lookup });
      const said: string[] = [];
      for (let n = 0; n < 20; n++) {
        said.push(await inside(socketPath, allow, 'exec curl -sS "http://site.test:$1/"', String(port)));
      }
      expect(said).toEqual(Array(20).fill("yes"));
    });

    test("the program cannot put another proxy in its place", async () => {
      const { socketPath } = await proxyFor([], { lookup });
      expect(await inside(socketPath, [], 'rm -f "$1" 2>&1; mv "$1" "$1.old" 2>&1', socketPath)).toMatch(
        /Read-only[\s\S]*(?:Read-only|busy)/,
      );
    });
  },
);
