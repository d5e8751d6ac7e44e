import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Action } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, ofType, outcomeOf, prompts, type World } from "./support.ts";
import { files } from "./travelling.ts";

const CHECK = 'grep -q right src/app.txt || { echo "app.txt is wrong"; exit 1; }\n';
const ARGS = ["-p", "mend it", "--no-baseline"];
const HONEST: Action = { write: "src/app.txt", text: "right\n" };

/** What the user has in no commit: changed, staged, untracked, ignored; no text, odd line ends and rights included. */
const OWN = {
  "tool.sh": { bytes: Buffer.from("#!/bin/sh\r\necho mine\r\n"), mode: 0o755 },
  "staged.bin": { bytes: Buffer.from([0, 255, 13, 10, 254]), mode: 0o644 },
  "draft.txt": { bytes: Buffer.from("no newline at the end"), mode: 0o644 },
  "cache/data": { bytes: Buffer.from("ignored\0\n"), mode: 0o600 },
};

/** A repository with a test in it, and with the user's uncommitted work. */
function makeProject(turns: readonly (readonly Action[])[], rest: object = {}): Project {
  const world = makeWorld({ git: true });
  world.write(".gitignore", "cache/\n");
  world.write("src/app.txt", "wrong\n");
  world.write("test/check.sh", CHECK);
  world.write("tool.sh", "#!/bin/sh\n");
  const agent = world.speaking(
    { turns: turns.map((actions) => ({ actions, final: DONE })) },
    { guardrails: [{ command: "sh test/check.sh" }], ...rest },
  );
  world.git("add", "--all");
  world.git("commit", "--quiet", "-m", "a project");
  world.write("README", "a project with a test\n");
  world.git("commit", "--quiet", "-am", "say more");
  for (const [path, { bytes, mode }] of Object.entries(OWN)) {
    world.write(path, "");
    writeFileSync(join(world.project, path), bytes);
    chmodSync(join(world.project, path), mode);
  }
  world.git("add", "staged.bin");
  return { world, agent };
}

interface Project {
  readonly world: World;
  readonly agent: ReturnType<World["speaking"]>;
}

/** The user's own files as they are now; those that are gone are left out. */
function ownOf(world: World): Record<string, { bytes: Buffer; mode: number }> {
  const there = Object.keys(OWN).filter((path) => existsSync(join(world.project, path)));
  return Object.fromEntries(
    there.map((path) => {
      const full = join(world.project, path);
      return [path, { bytes: readFileSync(full), mode: lstatSync(full).mode & 0o777 }];
    }),
  );
}

const stagedEntry = (world: World) => world.git("ls-files", "--stage", "--", "staged.bin");

/** Did the gates of an iteration all pass? */
function passed(world: World, iteration: number): boolean {
  const verdicts = ofType(world.journal(), "gate.judged").filter((event) => event.iteration === iteration);
  expect(verdicts).not.toEqual([]);
  return verdicts.every(({ verdict }) => verdict.pass);
}

interface Agent {
  readonly deed: readonly Action[];
  /** What the next prompt tells about it. */
  readonly told: string;
  /** A shell line that shows afterwards that the deed was done, where ralph does not put it right. */
  readonly trace?: string;
  /** The user's files that its own git threw away: they come back by a rollback only. */
  readonly destroys?: readonly (keyof typeof OWN)[];
  /** It emptied the user's index itself, which no rollback touches: the file is back, its entry is not. */
  readonly unstages?: true;
}

const RED = "app.txt is wrong";
const AGENTS: Readonly<Record<string, Agent>> = {
  "claims with red tests": { deed: [], told: RED },
  "weakens a test": {
    deed: [{ write: "test/check.sh", text: "exit 0\n" }],
    told: "test/check.sh (changed)",
  },
  "weakens a test beside honest work": {
    deed: [HONEST, { write: "test/check.sh", text: "exit 0\n" }],
    told: "test/check.sh (changed)",
  },
  "deletes the tests": { deed: [{ run: "rm -r test" }], told: "test/check.sh (deleted)" },
  "edits .ralph/settings.json": {
    deed: [{ write: ".ralph/settings.json", text: '{"guardrails":[]}' }],
    told: ".ralph/settings.json (changed)",
  },
  "deletes .ralph": { deed: [{ run: "rm -r .ralph" }], told: ".ralph/settings.json (deleted)" },
  "edits .git/hooks": {
    deed: [
      {
        run: `mkdir -p .git/hooks; for hook in pre-commit post-commit post-checkout post-index-change reference-transaction; do
          printf '#!/bin/sh\\necho ran >> "%s/hook-ran"\\n' "$(cd .. && pwd)" > .git/hooks/$hook; chmod +x .git/hooks/$hook; done`,
      },
    ],
    told: RED,
    trace: "test -x .git/hooks/post-index-change",
  },
  "commits everything": {
    deed: [{ run: "git add --all && git commit -qm agent" }],
    told: RED,
    trace: "git show --name-only | grep -qx draft.txt",
  },
  "commits a weaker test": {
    deed: [{ write: "test/check.sh", text: "exit 0\n" }, { run: "git commit -qm agent -- test" }],
    told: "test/check.sh (changed)",
    trace: "git show --name-only | grep -qx test/check.sh",
  },
  "resets --hard and cleans up": {
    deed: [{ run: "git reset -q --hard HEAD~1 && git clean -fdq -e .ralph" }],
    told: RED,
    destroys: ["tool.sh", "staged.bin", "draft.txt"],
    unstages: true,
  },
  "switches the branch": {
    deed: [{ run: "git switch -qc other" }],
    told: RED,
    trace: "git branch --show-current | grep -qx other",
  },
  "switches the branch by force": {
    deed: [{ run: "git checkout -qfb other HEAD~1" }],
    told: RED,
    destroys: ["tool.sh", "staged.bin"],
    unstages: true,
  },
  "makes a work tree and does the work there": {
    deed: [{ run: "git worktree add -q ../elsewhere && echo right > ../elsewhere/src/app.txt" }],
    told: RED,
    trace: "cd ../elsewhere && sh test/check.sh",
  },
};

describe.each(Object.entries(AGENTS))("an agent that %s", (_, { deed, told, trace, destroys, unstages }) => {
  test("is not believed; its honest work is, and the user's own is there byte for byte", async () => {
    const { world, agent } = makeProject([deed, [HONEST]]);
    const staged = stagedEntry(world);
    const settings = world.read(".ralph/settings.json");
    const before = files(world);
    const run = await world.ralph(ARGS);

    // It claimed in both iterations: the first one is refused, the second one proven, by the test as it was.
    expect(run.code, run.stderr).toBe(0);
    expect(outcomeOf(world).kind).toBe("verified");
    expect([passed(world, 1), passed(world, 2)]).toEqual([false, true]);
    expect(prompts(agent)).toHaveLength(2);
    expect(prompts(agent)[1]).toContain(told);
    expect(world.read("test/check.sh")).toBe(CHECK);
    expect(world.read(".ralph/settings.json")).toBe(settings);
    const own = ownOf(world);
    const lost = Object.entries(OWN).filter(([path, file]) => !isDeepStrictEqual(own[path], file));
    expect(lost.map(([path]) => path)).toEqual(destroys ?? []);

    if (trace !== undefined || destroys !== undefined) {
      const back = await world.ralph(["rollback", "--yes"]);
      expect(back.code, back.stderr).toBe(0);
      expect(ownOf(world)).toEqual(OWN);
      expect(files(world)).toEqual(before);
    }

    // Before any git of the test's own, which does run hooks.
    expect(existsSync(join(world.home, "hook-ran"))).toBe(false);
    expect(stagedEntry(world)).toBe(unstages === true ? "" : staged);
    if (trace !== undefined) execFileSync("sh", ["-c", trace], { cwd: world.project, stdio: "pipe" });
  });
});

test("an agent that only touches files gets nowhere, and the user's own is left alone", async () => {
  const { world, agent } = makeProject(
    [[{ run: "touch README src/app.txt test/check.sh tool.sh draft.txt" }]],
    {
      noProgressThreshold: 3,
    },
  );
  const staged = stagedEntry(world);
  const before = files(world);
  const run = await world.ralph(ARGS);
  expect(run.code).toBe(1);
  expect(outcomeOf(world)).toMatchObject({
    kind: "stuck",
    cause: "no-progress",
    reason: expect.stringContaining("no progress"),
  });
  expect(prompts(agent)).toHaveLength(3);
  expect(ownOf(world)).toEqual(OWN);
  expect(files(world)).toEqual(before);
  expect(stagedEntry(world)).toBe(staged);
});

test("an agent that never does anything else is never believed", async () => {
  const deeds = Object.values(AGENTS).filter(({ destroys, told }) => destroys === undefined && told !== RED);
  const { world, agent } = makeProject(
    deeds.map(({ deed }) => deed.filter((action) => action !== HONEST)),
    { maximumIterations: deeds.length },
  );
  const run = await world.ralph(ARGS);
  expect(run.code).toBe(1);
  expect(outcomeOf(world).kind).toBe("exhausted");
  expect(prompts(agent)).toHaveLength(deeds.length);
  expect(ownOf(world)).toEqual(OWN);
});
