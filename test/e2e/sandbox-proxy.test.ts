import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { company } from "../sandbox/company.ts";
import { website } from "../sandbox/world.ts";
import { DONE, makeWorld } from "./support.ts";

const HAS_BWRAP =
  spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"], { stdio: "ignore" }).status === 0;

/** A project whose agent is a script of sh, and who is allowed to reach one host. */
function fenced(lines: string) {
  const world = makeWorld({ git: true });
  const user = join(world.home, "user");
  mkdirSync(user);
  world.write("agent.sh", `#!/bin/sh\ncat >/dev/null\n${lines}\necho '${DONE}'\n`);
  chmodSync(join(world.project, "agent.sh"), 0o755);
  world.settings({
    noProgressThreshold: 0,
    agent: { command: "./agent.sh" },
    sandbox: { network: { allow: ["model.example"] } },
  });
  return { world, env: { RALPH_SANDBOX: undefined, HOME: user } };
}

describe.skipIf(!HAS_BWRAP)("behind a company's proxy, a run in bubblewrap", () => {
  test("reaches what is allowed through it, and nothing else; its password stays outside", async () => {
    const port = await website((asked, answer) => void answer.end(`the model at ${asked.headers.host}`));
    const { port: proxy, asked } = await company(
      { "model.example": port, "other.example": port },
      { user: "me:hush-hush" },
    );
    const { world, env } = fenced(
      `curl -s http://model.example/ > plain.txt; curl -s -p http://model.example:443/ > tunnel.txt
       curl -s http://other.example/ > other.txt; curl -s -p http://1.2.3.4:443/ >> other.txt
       curl -s --noproxy '*' -x http://127.0.0.1:${proxy} http://model.example/ >> other.txt
       env > env.txt; cat /proc/*/environ >> env.txt; true`,
    );
    const behind = { env: { ...env, ALL_PROXY: `http://me:hush-hush@127.0.0.1:${proxy}` } };
    const ended = await world.ralph(["run", "-p", "go", "-m", "1"], behind);
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.read("plain.txt")).toBe("the model at model.example");
    expect(world.read("tunnel.txt")).toBe("the model at model.example:443");
    expect(world.read("other.txt")).not.toContain("the model");
    expect(asked.map(({ line }) => line)).toEqual(["GET http://model.example/", "CONNECT model.example:443"]);
    expect(ended.stderr).toContain("refused a connection to other.example:80");
    const explained = await world.ralph(["sandbox", "explain"], behind);
    expect(explained.stdout).toContain(`Hosts elsewhere: through your proxy 127.0.0.1:${proxy}\n`);
    const found = spawnSync("grep", ["-rl", "hush\\|bWU6aHVzaC", world.state, world.project]);
    expect({ status: found.status, files: found.stdout.toString() }).toEqual({ status: 1, files: "" });
    expect(ended.stderr + ended.stdout + explained.stdout).not.toMatch(/hush|bWU6/);
  });

  test("tells of a proxy that does not take its user, once", async () => {
    const { port } = await company({}, { user: "me:hush" });
    const { world, env } = fenced("for n in 1 2 3; do curl -s http://model.example/ > said.txt; done");
    const ended = await world.ralph(["run", "-p", "go", "-m", "1"], {
      env: { ...env, HTTP_PROXY: `http://127.0.0.1:${port}` },
    });
    const why = `your proxy 127.0.0.1:${port} answered 407 Proxy Authentication Required`;
    expect(world.read("said.txt")).toBe(`model.example:80 cannot be reached: ${why}.\n`);
    expect(ended.stderr.split(`model.example:80 cannot be reached from the sandbox: ${why}`)).toHaveLength(2);
    const log = readFileSync(join(world.runFolder(), "network.jsonl"), "utf8").trim().split("\n");
    expect(JSON.parse(log[1] ?? "")).toMatchObject({
      host: "model.example",
      allowed: true,
      why,
      failed: true,
    });
  });

  test("a proxy that cannot be gone through is explained, by doctor too", async () => {
    const { world, env } = fenced("true");
    const behind = { env: { ...env, ALL_PROXY: "socks5://me:hush@127.0.0.1:1080" } };
    const words = "cannot be reached: ALL_PROXY names a SOCKS proxy";
    const explained = await world.ralph(["sandbox", "explain"], behind);
    expect(explained.stdout).toContain(`Hosts elsewhere: ${words}`);
    const doctor = await world.ralph(["doctor", "--json"], behind);
    const { rows } = JSON.parse(doctor.stdout) as { rows: { id: string; status: string; detail: string }[] };
    expect(rows.find(({ id }) => id === "sandbox.proxy")).toMatchObject({
      status: "warn",
      detail: expect.stringContaining(words),
    });
    expect(explained.stdout + doctor.stdout).not.toContain("hush");
  });
});
