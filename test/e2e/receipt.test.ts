import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECK, honestRun } from "./receipts.ts";
import { DONE, expectUserError, makeWorld } from "./support.ts";

describe("the receipt of a verified run", () => {
  test("tells what was asked, what was proven on which tree, and what it took", async () => {
    const { receipt, world } = await honestRun();
    const tree = (commit: string) => world.git("rev-parse", `${commit}^{tree}`).trim();
    expect(receipt).toMatchObject({
      asked: { kind: "prompt", text: "make it good" },
      reason: "2 gates passed, claimed <response>DONE</response>",
      work: {
        folder: "",
        tree: tree("HEAD"),
        base: { tree: tree("HEAD~1"), commit: world.git("rev-parse", "HEAD~1").trim() },
        diff: { files: 1 },
        commit: { id: world.git("rev-parse", "HEAD").trim(), tree: tree("HEAD"), iteration: 2 },
      },
      gates: [
        { command: CHECK, exitCode: 0, before: { pass: false } },
        { exitCode: 0, before: { pass: true, exitCode: 0 }, output: { bytes: 6, tail: "there\n" } },
      ],
      claims: [
        { iteration: 1, judged: "refused", why: `failed: ${CHECK}` },
        { iteration: 2, judged: "believed" },
      ],
      totals: { iterations: 2, costUsd: 0.25, tokens: 70, resumed: 0 },
      agents: [{ kind: "claude", models: ["scripted"], turns: 2 }],
      machine: { platform: process.platform, arch: process.arch, node: process.version },
      journal: { events: world.journal().length },
    });
    const shown = (await world.ralph(["receipt"])).stdout;
    expect(shown).toMatch(/^gate +grep -q good work\.txt: exit 0 \([\d.]+m?s\); red before the run$/m);
    expect(shown).toMatch(/^gate +test .*; green before the run too$/m);
    expect(shown).toContain(receipt.digest.sha256);
  });

  test("is in the run's folder, private, and never in the project", async () => {
    const { receipt, world } = await honestRun();
    expect(JSON.parse(readFileSync(join(world.runFolder(), "receipt.json"), "utf8"))).toEqual(receipt);
    expect(world.ralphFiles().filter((file) => file.includes("receipt"))).toEqual([]);
  });

  test("that a crash prevented is composed again, the same to the byte", async () => {
    const { receipt, world } = await honestRun();
    const path = join(world.runFolder(), "receipt.json");
    const before = readFileSync(path, "utf8");
    rmSync(path);
    expect(JSON.parse((await world.ralph(["receipt", "--json"])).stdout)).toEqual(receipt);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("holds no secret: not of the prompt, a command, an output or the environment", async () => {
    const world = makeWorld({ git: true });
    const key = "sk-ant-0123456789abcdef0123";
    world.speaking(
      { turns: [{ actions: [{ write: "work.txt", text: "x\n" }], final: DONE }] },
      {
        protect: false,
        guardrails: [
          { command: `echo token=${key}; printf -- '-----BEGIN PRIVATE KEY-----\\nMIIabc\\n'` },
          { command: `API_TOKEN=hunter2 true` },
        ],
      },
    );
    const ended = await world.ralph(["-p", `use the api key ${key} for it`], {
      env: { SOME_SECRET: "env-secret-value" },
    });
    expect(ended.code, ended.stderr).toBe(0);
    const text = readFileSync(join(world.runFolder(), "receipt.json"), "utf8");
    for (const secret of [key, "MIIabc", "hunter2", "env-secret-value"]) expect(text).not.toContain(secret);
    expect(text).toContain("[redacted]");
    // What was hidden cannot be run again, and the receipt does not pretend that it was.
    const file = join(world.home, "receipt.json");
    await world.ralph(["receipt", "--json"]).then(({ stdout }) => world.write("../receipt.json", stdout));
    const found = await world.ralph(["verify", file]);
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/^not checked +API_TOKEN=\[redacted\] true: its command holds a secret/m);
  });

  test("says that a flaky gate passed on its second try", async () => {
    const { receipt, world } = await honestRun({
      guardrails: [
        { command: `${CHECK} && { test -e ../tried || { touch ../tried; false; }; }`, flaky: true },
      ],
    });
    expect(receipt.gates[0]).toMatchObject({ passedOnRetry: true, flaky: true, exitCode: 0 });
    expect((await world.ralph(["receipt"])).stdout).toContain("on its second try (flaky)");
  });

  test("of a project that is a folder of its repository is checked in that folder", async () => {
    const world = makeWorld({ git: true });
    const inner = join(world.project, "inner");
    mkdirSync(inner);
    const agent = world.agent({ turns: [{ actions: [{ write: "here.txt", text: "x\n" }], final: DONE }] });
    world.write(
      "inner/.ralph/settings.json",
      JSON.stringify({
        agent: { command: agent.command, kind: "claude" },
        guardrails: [{ command: "test -f here.txt && test -f ../README" }],
      }),
    );
    expect((await world.ralph(["-p", "x"], { cwd: inner })).code).toBe(0);
    const { stdout } = await world.ralph(["receipt", "--json"], { cwd: inner });
    expect(JSON.parse(stdout)).toMatchObject({ work: { folder: "inner" } });
    world.write("../receipt.json", stdout);
    const found = await world.ralph(["verify", join(world.home, "receipt.json")], { cwd: inner });
    expect(found.stdout).toContain("The receipt holds.");
  });
});

describe("no receipt", () => {
  test("has a run that proved nothing", async () => {
    const world = makeWorld({ git: true });
    world.speaking({ turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    expect(existsSync(join(world.runFolder(), "receipt.json"))).toBe(false);
    expectUserError(await world.ralph(["receipt"]), "has no receipt", "claimed is not proven");
  });

  test("outside git names a tree, and it cannot be verified", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ final: DONE }] }, { guardrails: [{ command: "true" }] });
    expect((await world.ralph(["-p", "x"])).code).toBe(0);
    world.write("../receipt.json", (await world.ralph(["receipt", "--json"])).stdout);
    const found = await world.ralph(["verify", join(world.home, "receipt.json")]);
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/^missing +tree: none was named: the run was outside git$/m);
    expectUserError(await world.ralph(["receipt", "--bundle"]), "nothing to pack", "outside git");
  });
});

describe("a bundle", () => {
  test("never writes over what is there, nor through a link", async () => {
    const { world } = await honestRun();
    const outside = join(world.home, "outside");
    symlinkSync(outside, join(world.project, "linked.bundle"));
    world.write("mine.txt", "mine\n");
    for (const file of ["linked.bundle", "mine.txt"]) {
      expectUserError(await world.ralph(["receipt", "--bundle", file]), `cannot write ${file}`, "already");
    }
    expect(existsSync(outside)).toBe(false);
    expect(world.read("mine.txt")).toBe("mine\n");
    expect((await world.ralph(["receipt", "--bundle"])).code).toBe(0);
    expect(world.has(`${world.journal()[0]?.run}.bundle`)).toBe(true);
  });
});
