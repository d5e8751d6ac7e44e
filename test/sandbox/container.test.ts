import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openSandbox } from "../../src/sandbox/choose.ts";
import { containerWords, type Engine } from "../../src/sandbox/container.ts";
import { container } from "../../src/sandbox/container-open.ts";
import type { Policy } from "../../src/sandbox/policy.ts";
import { makeWorld } from "../e2e/support.ts";
import { hasProgram, makeImage, removeImage } from "./engines.ts";
import { openFor, shell } from "./opened.ts";

const canRun = process.getuid?.() === 0 && hasProgram("podman");

describe("the command line", () => {
  const engine: Engine = {
    name: "docker",
    program: "docker",
    options: ["--ulimit", "nproc=9"],
    user: ["--user", "1:1"],
  };
  const policy: Policy = {
    kind: "container",
    project: "/",
    rw: [],
    ro: [],
    hide: [],
    home: "/nowhere",
    copies: [],
    env: { agent: [], check: [] },
    network: { mode: "none", hosts: { agent: [], check: [] } },
    limits: { memoryMb: 100, processes: 7, cpus: 0.5 },
    image: "some/image",
  };
  const words = (more: Partial<Policy> = {}, names: string[] = []) =>
    containerWords({
      engine,
      policy: { ...policy, ...more },
      ours: [{ path: "/run/ralph/x", how: "ro", from: "/dev/null" }],
      cwd: "/",
      name: "n",
      labels: { a: "b" },
      names,
      variables: { TMPDIR: "/tmp" },
      hollow: "/hollow",
    }).join(" ");

  test("drops what can be dropped and keeps the limits", () => {
    expect(words()).toContain("--cap-drop ALL --security-opt no-new-privileges");
    expect(words()).toContain("--network none");
    expect(words()).toContain("--memory 100m --memory-swap 100m --pids-limit 7 --cpus 0.5");
    expect(words()).toContain("--ulimit nproc=9 --user 1:1");
    expect(words({ network: { ...policy.network, mode: "open" } })).not.toContain("--network");
  });

  test("names variables and tells no value of the user's", () => {
    expect(words({}, ["A_KEY"])).toContain("--env A_KEY --env TMPDIR=/tmp");
  });

  test("keeps the proxy out that docker's own settings name", () => {
    expect(words()).toMatch(/--env HTTPS_PROXY= .*--env https_proxy= .*--env TMPDIR=/);
    expect(words({ network: { ...policy.network, mode: "open" } })).not.toContain("PROXY");
  });

  test("takes the image's own shell, whatever its entry point, and pulls nothing", () => {
    expect(words()).toContain("--pull never --entrypoint /bin/sh some/image -c");
  });

  test("a comma in a path is a part of the path", () => {
    const world = makeWorld();
    world.write("a,b/file", "");
    expect(words({ project: `${world.project}/a,b` })).toContain(
      `--mount type=bind,"src=${world.project}/a,b","dst=${world.project}/a,b"`,
    );
  });
});

test("an image that is an option is refused", async () => {
  await expect(openFor(container, { image: "--privileged" })).rejects.toMatchObject({
    why: '"--privileged" is not the name of an image',
  });
});

test("an engine that does not work leaves the choice to the next kind, and is told of", async () => {
  const world = makeWorld();
  world.install("podman", "echo no luck today >&2; exit 125");
  const env = { PATH: world.bin, HOME: world.home };
  const limits = {};
  const lists = { rw: [], ro: [], hide: [], env: [] };
  const network = { mode: "none", allow: [] } as const;
  const wish = { project: world.project, agents: [], env, stateRoot: world.state };
  const place = { folder: world.state, exchange: world.state, env, onConnection: () => {} };
  const found = await openSandbox({ ...wish, sandbox: { kind: "auto", network, limits, ...lists } }, place);
  if (!("tried" in found)) throw new Error(`it took ${found.words}`);
  const told = found.tried.find(({ kind }) => kind === "container")?.words;
  expect(told).toBe("podman: the engine does not answer");
  expect(found.tried.at(-1)?.kind).toBe("sbx");
});

describe.skipIf(!canRun)("a container of this machine's own files", () => {
  test("takes input, keeps the two outputs apart and tells how the program ended", async () => {
    const opened = await openFor(container);
    expect(await shell(opened, "cat; echo bad >&2; exit 7", { stdin: "good" })).toMatchObject({
      stdout: "good",
      stderr: "bad\n",
      code: 7,
      signal: null,
    });
    expect(await shell(opened, "kill -9 $$")).toMatchObject({ signal: "SIGKILL", stderr: "" });
  });

  test("a stop gives the program time to say goodbye, and takes what does not go", async () => {
    const opened = await openFor(container);
    const stop = (text: string, tree: { stop(ms: number): void }) => {
      if (text === "ready\n") tree.stop(20_000);
    };
    const polite = "trap 'echo bye; exit 3' TERM; echo ready; while :; do sleep 0.1; done";
    expect(await shell(opened, polite, { heard: stop })).toMatchObject({
      stdout: "ready\nbye\n",
      code: 3,
      endedBy: "stopped",
    });
    const deaf = (text: string, tree: { stop(ms: number): void }) => {
      if (text === "ready\n") tree.stop(1);
    };
    const rude = "trap '' TERM; echo ready; while :; do sleep 0.1; done";
    expect(await shell(opened, rude, { heard: deaf })).toMatchObject({
      signal: "SIGKILL",
      endedBy: "stopped",
    });
  });

  test("what is hidden is empty, what is read-only stays, what is new belongs to us", async () => {
    const world = makeWorld({ git: true });
    world.write("secrets/key", "secret");
    world.write(".env", "secret");
    world.write("fixed/file", "as it was");
    const at = (path: string) => `${world.project}/${path}`;
    const opened = await openFor(
      container,
      { hide: [at("secrets"), at(".env")], ro: [at("fixed")] },
      { world },
    );
    const said = await shell(opened, "ls secrets; cat .env; echo new > fixed/file; echo work > work.txt");
    expect(said).toMatchObject({ stdout: "", code: 0 });
    expect(world.read("fixed/file")).toBe("as it was");
    expect(world.read("work.txt")).toBe("work\n");
    expect(world.read("secrets/key")).toBe("secret");
  });

  test("only variables that are named go in, and no value is in a command line", async () => {
    const more = { A_SECRET: "hidden-value", WANTED: "shown-value" };
    const opened = await openFor(container, { env: ["WANTED"] }, { env: more });
    let line = "";
    const look = () => {
      line ||= spawnSync("sh", ["-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '"], {
        encoding: "utf8",
      }).stdout;
    };
    const said = await shell(opened, "echo ready; env", { heard: look });
    expect(said.stdout).toContain("WANTED=shown-value");
    expect(said.stdout).not.toContain("hidden-value");
    expect(line).toContain("--env WANTED");
    expect(line).not.toContain("shown-value");
  });

  test("a container whose ralph is gone is removed at the next start, another's is left alone", async () => {
    const options = readLimits();
    const start = (owner: unknown) =>
      spawnSync(
        "podman",
        [
          "run",
          "-d",
          "--network",
          "none",
          ...options,
          "--label",
          `ralph.owner=${JSON.stringify(owner)}`,
          "--rootfs",
          "/:O",
          "sleep",
          "300",
        ],
        { encoding: "utf8" },
      ).stdout.trim();
    const host = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
    const dead = start({ pid: 4_000_000, startTicks: 1, host });
    const elsewhere = start({ pid: 4_000_000, startTicks: 1, host: "another-machine" });
    try {
      await openFor(container);
      const left = spawnSync("podman", ["ps", "-aq", "--no-trunc"], { encoding: "utf8" }).stdout;
      expect(left).not.toContain(dead);
      expect(left).toContain(elsewhere);
    } finally {
      for (const id of [dead, elsewhere]) spawnSync("podman", ["rm", "-f", "-t", "0", id]);
    }
  });
});

test.skipIf(!canRun)("an image in which no Node runs has no allowlist, and says so", async () => {
  const image = `localhost/ralph-bare-${process.pid}:1`;
  makeImage(image, ["sh"]);
  try {
    const network = { mode: "allowlist", allow: [] } as const;
    await expect(openFor(container, { image, network })).rejects.toMatchObject({
      fix: "Take an image with Node.",
    });
  } finally {
    removeImage(image);
  }
});

/** Limits that every machine can give. */
function readLimits(): string[] {
  return ["--ulimit", "nofile=1024", "--ulimit", "nproc=4096"];
}
