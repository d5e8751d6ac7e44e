import { describe, expect, test } from "vitest";
import { effectivePolicy } from "../../src/sandbox/effective.ts";
import { runtimeConfig, srt } from "../../src/sandbox/srt.ts";
import { environmentOf, makeWorld, ofType } from "../e2e/support.ts";
import { srtModules } from "./engines.ts";

const modules = srtModules();
const settings = (command: string, more: Record<string, unknown> = {}) => ({
  agent: { command, kind: "custom" },
  noProgressThreshold: 0,
  ...more,
});

test("the policy in the package's words: what is read-only of the project is not written, the home is not read", async () => {
  const world = makeWorld({ git: true });
  world.write(".ralph/settings.json", "{}");
  const env = { ...environmentOf(world), HOME: world.home };
  const policy = await effectivePolicy("srt", {
    project: world.project,
    agents: [],
    env,
    stateRoot: world.state,
    sandbox: {
      kind: "srt",
      network: { mode: "allowlist", allow: ["a.example.com", "b.example.com:8080"] },
      rw: [],
      ro: [],
      hide: [],
      env: [],
      limits: {},
    },
  });
  const { network, filesystem } = runtimeConfig(policy, { written: ["/private"], read: ["/file"] });
  expect(network.allowedDomains).toEqual(["a.example.com:443", "a.example.com:80", "b.example.com:8080"]);
  expect(filesystem.denyRead).toContain(world.home);
  expect(filesystem.allowRead).toEqual(expect.arrayContaining([world.project, "/private", "/file"]));
  expect(filesystem.allowWrite).toEqual(expect.arrayContaining([world.project, "/private"]));
  expect(filesystem.denyWrite).toEqual(
    expect.arrayContaining([".git/hooks", ".git/config", ".ralph"].map((name) => `${world.project}/${name}`)),
  );
  expect(filesystem.allowWrite).not.toContain("/file");
});

test.runIf(modules === undefined)("without the package it says how to get it", () => {
  expect(srt.missing({})?.fix).toContain("npm install --global @anthropic-ai/sandbox-runtime");
});

describe.skipIf(modules === undefined)("a run in srt", () => {
  const run = (world: ReturnType<typeof makeWorld>) =>
    world.ralph(["run", "-p", "x", "--sandbox=srt", "-n", "1"], {
      env: { NODE_PATH: modules, HOME: `${world.home}/home`, MY_SECRET: "hidden" },
    });

  test("takes every word of a command as it is, and no variable that is not named", async () => {
    const world = makeWorld({ git: true });
    const odd = ["a b", "$(touch evil)", "`touch evil`", "it's", 'say "x"', "", "new\nline", "$HOME", "\\"];
    world.write(
      "agent.cjs",
      `require("node:fs").writeFileSync("seen.json", JSON.stringify([process.argv.slice(2), process.env]));
       console.log("<response>DONE</response>");`,
    );
    world.settings(settings([process.execPath, "agent.cjs", ...odd.map(quoted)].join(" ")));
    world.git("add", "--all");
    world.git("commit", "--quiet", "-m", "agent");
    const ended = await run(world);
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    const [argv, env] = JSON.parse(world.read("seen.json")) as [string[], Record<string, string>];
    expect(argv).toEqual(odd);
    expect(JSON.stringify(env)).not.toContain("hidden");
    expect(Object.keys(env).filter((name) => name.startsWith("RALPH_WORD"))).toEqual([]);
    // Nothing is planted in the project.
    expect(
      world
        .git("status", "--porcelain")
        .trim()
        .split("\n")
        .filter((line) => !line.includes(".ralph/")),
    ).toEqual(["?? seen.json"]);
  });

  test("tells how a check ended", async () => {
    const world = makeWorld({ git: true });
    world.write("agent.cjs", 'console.log("<response>DONE</response>");');
    world.settings(
      settings(`${process.execPath} agent.cjs`, {
        guardrails: [{ command: `echo "it's $((40 + 2))"; exit 7` }],
      }),
    );
    const ended = await run(world);
    expect(ended.code).toBe(1);
    const codes = ofType(world.journal(), "gate.judged").map(({ verdict }) => verdict.exitCode);
    expect(codes.filter((code) => code !== null)).toEqual([7, 7]);
    expect(ended.stderr).toContain("(exit 7");
    const log = world.ralphFiles().find((name) => name.startsWith("guardrail_001")) ?? "";
    expect(world.read(`.ralph/${log}`)).toContain("it's 42");
  });
});

/** A word as a command in the settings has it. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'"'"'`)}'`;
}
