import { spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import {
  DONE,
  type Ended,
  environmentOf,
  expectUserError,
  makeWorld,
  ofType,
  outcomeOf,
  processesWith,
  RALPH,
  type World,
  watch,
} from "./support.ts";

const PRELOAD = fileURLToPath(new URL("../chaos/preload.mjs", import.meta.url));
const RUN = ["run", "-p", "do it", "--no-baseline"];

/** The namespace of a user who may mount: root has one of mounts, others need one of users around it. */
const NAMESPACE = process.getuid?.() === 0 ? ["--mount"] : ["--mount", "--user", "--map-root-user"];

/** Two iterations: a gate that fails, then one that passes. */
function makeLoop(): World {
  const world = makeWorld();
  // What a turn does depends on the iteration: one that was cut off and is had again comes to the same.
  world.speaking(
    { turns: [{ actions: [{ run: 'test "$RALPH_ITERATION" = 1 || touch ok' }], final: DONE }] },
    { guardrails: [{ command: "test -e ok" }], protect: false },
  );
  return world;
}

/** From its n-th write on the journal is on a disk that is full. */
const fullFrom = (n: number) => ({
  env: { NODE_OPTIONS: `--import=${PRELOAD}`, CHAOS_FULL: String(n) },
});

/** The run stopped in order: what it says, what it left. */
function expectInOrder(world: World, ended: Ended, run: string): void {
  expect(ended.stderr).toContain("the disk is full");
  expect(ended.stderr).toContain(`Make room on the disk. Then go on: ralph resume ${run}`);
  expect(ended.stderr).not.toMatch(/\n\s+at .*:\d+|a fault of ours/);
  expect(ended.code).toBe(2);
  expect(processesWith(world.home)).toEqual([]);
  expect(world.stateFiles().filter((path) => /\/lock/.test(path))).toEqual([]);
}

/** Goes on, and comes to what an undisturbed run comes to. */
async function expectResumable(world: World): Promise<void> {
  const before = readFileSync(join(world.runFolder(), "journal.ndjson"), "utf8");
  expect((await world.ralph(["resume"])).code).toBe(0);
  const after = readFileSync(join(world.runFolder(), "journal.ndjson"), "utf8");
  expect(after.startsWith(before)).toBe(true);
  expect(outcomeOf(world).kind).toBe("verified");
  expect(ofType(world.journal(), "gate.judged").map(({ verdict }) => verdict.pass)).toEqual([false, true]);
}

describe("a disk that is full", () => {
  test.each([2, 4, 5, 6, 9])(
    "from write %i of the journal on ends the run in order, and it can be gone on with",
    async (n) => {
      const world = makeLoop();
      const ended = await world.ralph(RUN, fullFrom(n));
      expectInOrder(world, ended, world.journal()[0]?.run ?? "");
      expect(world.journal()).toHaveLength(n - 1);
      expect((await world.ralph(["list"])).stdout).toContain("interrupted");
      await expectResumable(world);
    },
  );

  test("from the first write on starts nothing, and leaves no run behind", async () => {
    const world = makeLoop();
    expectUserError(
      await world.ralph(RUN, fullFrom(1)),
      "cannot write the run's journal",
      "the disk is full",
      /Make room on the disk\.$/m,
    );
    expect((await world.ralph(["list"])).stdout).toContain("No run yet");
    expect((await world.ralph(RUN)).code).toBe(0);
  });

  test("while the agent starts ends the agent: its turn could not be kept", async () => {
    const world = makeWorld();
    world.speaking({ turns: [{ actions: [{ hang: join(world.home, "hanging") }] }] });
    expectInOrder(world, await world.ralph(RUN, fullFrom(3)), world.journal()[0]?.run ?? "");
  });

  // A real one: a small file system of its own, in a namespace that only this test sees.
  test.runIf(canMount())("for real ends the run in order, and it goes on when there is room", async () => {
    const world = makeWorld();
    mkdirSync(world.state);
    world.speaking(
      {
        turns: [
          { final: DONE },
          { actions: [{ write: "ok", text: "" }, { run: 'cat /dev/zero > "$RALPH_STATE_DIR/filler"' }] },
          { final: DONE },
        ],
      },
      { guardrails: [{ command: "test -e ok" }] },
    );
    const script = `mount -t tmpfs -o size=256k none "$RALPH_STATE_DIR" || exit 99
      "$@" run -p "do it"; echo "first: $?" >&2
      find "$RALPH_STATE_DIR" -name 'lock*' >&2
      rm "$RALPH_STATE_DIR/filler"
      "$@" resume; code=$?
      cp -r "$RALPH_STATE_DIR/." "$SAVED"; exit $code`;
    const saved = join(world.home, "saved");
    mkdirSync(saved);
    const ended = await inNamespace(world, script, { SAVED: saved });
    expect(ended.stderr).toMatch(
      /the disk is full[\s\S]*Make room on the disk\. Then go on: ralph resume \S+\n/,
    );
    expect(ended.stderr).toMatch(/\nfirst: 2\n(?!\/)/);
    expect(ended.code).toBe(0);
    cpSync(saved, world.state, { recursive: true });
    expect(outcomeOf(world).kind).toBe("verified");
    const turns = ofType(world.journal(), "agent.exited").map(({ iteration }) => iteration);
    expect(turns).toEqual([...new Set(turns)]);
    expect(processesWith(world.home)).toEqual([]);
  });
});

describe("a state folder that is read-only", () => {
  const words = [/^ralph: cannot write the run's state/, /state/, /writable/] as const;

  test.runIf(canMount())("is told before anything starts", async () => {
    const world = makeLoop();
    mkdirSync(world.state);
    const script = 'mount -t tmpfs -o ro none "$RALPH_STATE_DIR" || exit 99; exec "$@" run -p "do it"';
    expectUserError(await inNamespace(world, script), ...words);
    expect(world.ralphFiles().filter((file) => file.startsWith("prompt"))).toEqual([]);
  });

  test.runIf(process.getuid?.() !== 0)("by its mode is told before anything starts", async () => {
    const world = makeLoop();
    mkdirSync(world.state);
    chmodSync(world.state, 0o500);
    const ended = await world.ralph(RUN);
    chmodSync(world.state, 0o700);
    expectUserError(ended, ...words);
  });

  test("or no folder at all is told before anything starts", async () => {
    const world = makeLoop();
    const ended = await world.ralph(RUN, { env: { RALPH_STATE_DIR: "/dev/null/state" } });
    expectUserError(ended, ...words);
  });
});

describe("a journal whose last line is torn", () => {
  test.each(["{", '{"type":"agent.exited","at":1', '{"type":"run.ended"}'])(
    "by %j is gone on with from the line before",
    async (torn) => {
      const world = makeLoop();
      await world.ralph(RUN, fullFrom(6));
      const path = join(world.runFolder(), "journal.ndjson");
      const whole = readFileSync(path, "utf8");
      appendFileSync(path, torn);
      for (const command of ["list", "status", "logs"]) {
        expect((await world.ralph([command])).code).toBe(0);
      }
      expect((await world.ralph(["resume"])).code).toBe(0);
      expect(readFileSync(path, "utf8").startsWith(`${whole}{"type":"run.resumed"`)).toBe(true);
      expect(outcomeOf(world).kind).toBe("verified");
    },
  );
});

test("a journal that is damaged does not hide the other runs", async () => {
  const world = makeLoop();
  await world.ralph(RUN);
  writeFileSync(join(world.runFolder(), "journal.ndjson"), "garbage\n");
  await world.ralph(RUN);
  const listed = await world.ralph(["list"]);
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+ .*verified.*\n$/) });
  expect(listed.stderr).toMatch(/^\S+ {2}cannot read the run's journal: line 1 of .* is damaged\n$/);
});

/** Runs a line of sh in a mount namespace of its own; `"$@"` is ralph. */
function inNamespace(world: World, script: string, env: Record<string, string> = {}): Promise<Ended> {
  const words = ["-c", script, "sh", process.execPath, RALPH];
  const child = spawn("unshare", [...NAMESPACE, "sh", ...words], {
    cwd: world.project,
    env: { ...environmentOf(world), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return watch(child).ended;
}

function canMount(): boolean {
  if (!existsSync("/proc/self/ns/mnt")) return false;
  const words = [...NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"];
  return spawnSync("unshare", words, { stdio: "ignore" }).status === 0;
}
