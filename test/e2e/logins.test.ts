import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ScriptedTurn } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { hasProgram, srtModules } from "../sandbox/engines.ts";
import { jwt } from "../sandbox/tokens.ts";
import { DONE, environmentOf, makeWorld, pidIn, RALPH, until, watch } from "./support.ts";

const HAS_BWRAP =
  spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"], { stdio: "ignore" }).status === 0;
/** A pid namespace of its own, as a container has. */
const UNSHARE = ["--pid", "--fork", "--mount-proc", "--kill-child"];
const CAN_UNSHARE = spawnSync("unshare", [...UNSHARE, "true"], { stdio: "ignore" }).status === 0;
const CAN_CONTAIN = process.getuid?.() === 0 && hasProgram("podman");

const claude = (n: number) =>
  JSON.stringify({ claudeAiOauth: { accessToken: `a${n}`, refreshToken: `r${n}`, expiresAt: n } });
const codex = (n: number, sub: string) =>
  JSON.stringify({
    OPENAI_API_KEY: null,
    tokens: {
      id_token: jwt({ sub, n }),
      access_token: jwt({ sub, n }),
      refresh_token: `r${n}`,
      account_id: "a",
    },
    last_refresh: `2026-01-0${n}T00:00:00Z`,
  });
const FILES = { claude: ".claude/.credentials.json", codex: ".codex/auth.json" };

/** A user with a log-in, and an agent that plays these turns inside. */
function loggedIn(
  turns: readonly ScriptedTurn[],
  how: {
    readonly voice?: keyof typeof FILES;
    readonly text?: string;
    readonly commitTurns?: readonly ScriptedTurn[];
    readonly settings?: Record<string, unknown>;
    readonly sandbox?: Record<string, unknown>;
    readonly env?: Record<string, string | undefined>;
  } = {},
) {
  const { voice = "claude", text = claude(1), commitTurns = [] } = how;
  const world = makeWorld({ git: true });
  const home = join(world.home, "user");
  const mine = join(home, FILES[voice]);
  mkdirSync(dirname(mine), { recursive: true });
  writeFileSync(mine, text, { mode: 0o600 });
  world.speaking(
    { voice, turns, commitTurns },
    {
      noProgressThreshold: 0,
      ...how.settings,
      // The scripted agent remembers beside its script which turn it is.
      sandbox: { kind: "bubblewrap", rw: ["../agent-1"], ...how.sandbox },
    },
  );
  const env = {
    RALPH_SANDBOX: undefined,
    HOME: home,
    CODEX_HOME: undefined,
    CLAUDE_CONFIG_DIR: undefined,
    ...how.env,
  };
  return {
    world,
    mine,
    env,
    outside: () => readFileSync(mine, "utf8"),
    ralph: (...args: string[]) => world.ralph(args, { env }),
    start: (...args: string[]) => world.start(args, { env }),
  };
}

const put = (text: string, file: string) => ({ run: `printf %s '${text}' > ~/${file}` });
/** Until the file `go` is there. */
const WAIT = { run: "while ! test -e go; do sleep 0.05; done" };
const SEE = { run: `cat ~/${FILES.claude} >> seen.txt; echo >> seen.txt` };
const REFUSED = "was changed in a way that is no renewal; yours stays as it is";

describe.skipIf(!HAS_BWRAP)("a log-in that the agent renews in bubblewrap", () => {
  test("becomes the user's own, and the next turn has it", async () => {
    const turns = [
      { actions: [put(claude(2), FILES.claude)], final: "not yet" },
      { actions: [SEE], final: DONE },
    ];
    const { ralph, outside, mine, world } = loggedIn(turns);
    const ended = await ralph("run", "-p", "go", "-m", "2");
    expect(ended.code, ended.stderr).toBe(0);
    expect(outside()).toBe(claude(2));
    expect(statSync(mine).mode & 0o777).toBe(0o600);
    expect(world.read("seen.txt")).toBe(`${claude(2)}\n`);
    expect(ended.stderr.match(/Claude Code renewed its log-in; yours is the new one/g)).toHaveLength(1);
    expect(world.stateFiles().filter((path) => path.endsWith(".credentials.json"))).toEqual([]);
  });

  test("is exchanged between turns, also before one that words a commit", async () => {
    const beside = { run: `cp ~/${FILES.claude} ../agent-1/seen` };
    const { start, outside, mine, world } = loggedIn(
      [{ actions: [put(claude(2), FILES.claude), { write: "made.txt", text: "1" }], final: DONE }],
      {
        commitTurns: [{ actions: [beside, put(claude(4), FILES.claude)], final: "Make it" }],
        settings: { scm: { command: "git", tasks: ["commit"] }, guardrails: [{ command: WAIT.run }] },
      },
    );
    const run = start("run", "-p", "go", "-m", "1", "--no-baseline");
    await until("the user has what was renewed", () => outside() === claude(2));
    writeFileSync(mine, claude(3));
    world.write("go", "");
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.git("log", "-1", "--format=%s").trim()).toBe("Make it");
    expect(readFileSync(join(world.home, "agent-1/seen"), "utf8")).toBe(claude(3));
    expect(outside()).toBe(claude(4));
  });

  test("of another account is not taken, and the user is told", async () => {
    const turns = [{ actions: [put(codex(2, "you"), FILES.codex)], final: DONE }];
    const { ralph, outside } = loggedIn(turns, { voice: "codex", text: codex(1, "me") });
    const ended = await ralph("run", "-p", "go", "-m", "1");
    expect(ended.stderr).toContain(`Codex's log-in in the sandbox ${REFUSED}`);
    expect(outside()).toBe(codex(1, "me"));
  });

  test("of the same account is taken", async () => {
    const turns = [{ actions: [put(codex(2, "me"), FILES.codex)], final: DONE }];
    const { ralph, outside } = loggedIn(turns, { voice: "codex", text: codex(1, "me") });
    await ralph("run", "-p", "go", "-m", "1");
    expect(outside()).toBe(codex(2, "me"));
  });

  test.each([
    ["a link", `ln -sf /etc/hostname ~/${FILES.claude}`],
    ["huge", `head -c 1M /dev/zero > ~/${FILES.claude}`],
    ["no JSON", `echo no > ~/${FILES.claude}`],
  ])("is not taken when it is %s", async (_what, run) => {
    const { ralph, outside } = loggedIn([{ actions: [{ run }], final: DONE }]);
    const ended = await ralph("run", "-p", "go", "-m", "1");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain(REFUSED);
    expect(outside()).toBe(claude(1));
  });

  test("gives way to what the user renewed meanwhile, which the next turn has", async () => {
    const turns = [
      { actions: [put(claude(2), FILES.claude), { write: "changed", text: "" }, WAIT], final: "not yet" },
      { actions: [SEE], final: DONE },
    ];
    const { start, outside, mine, world } = loggedIn(turns);
    const run = start("run", "-p", "go", "-m", "2");
    await until("the agent has renewed", () => world.has("changed"));
    writeFileSync(mine, claude(3));
    world.write("go", "");
    expect((await run.ended).code).toBe(0);
    expect(outside()).toBe(claude(3));
    expect(world.read("seen.txt")).toBe(`${claude(3)}\n`);
  });

  test.each([
    ["", []],
    [" without a sandbox", ["--no-sandbox"]],
  ])(
    "is brought out of a run that was killed, and the agent has it that is resumed%s",
    async (_how, flags) => {
      const turns = [
        { actions: [put(claude(2), FILES.claude), { hang: "hanging" }], final: "never" },
        { actions: [SEE], final: DONE },
      ];
      const { start, ralph, outside, world } = loggedIn(turns);
      const run = start("run", "-p", "go", "-m", "2");
      await pidIn(join(world.project, "hanging"));
      expect(outside()).toBe(claude(1));
      run.process.kill("SIGKILL");
      await run.ended;
      const resumed = await ralph("resume", ...flags);
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(resumed.stderr).toContain("Claude Code renewed its log-in; yours is the new one");
      expect(outside()).toBe(claude(2));
      expect(world.read("seen.txt")).toBe(`${claude(2)}\n`);
      expect(world.stateFiles().filter((path) => path.endsWith("logins.json"))).toEqual([]);
    },
  );

  test.skipIf(!CAN_UNSHARE)("is left to its run by one in a container that shares the state", async () => {
    const turns = [
      { actions: [{ write: "begun", text: "" }, WAIT, put(claude(2), FILES.claude)], final: DONE },
    ];
    const { start, outside, world, env } = loggedIn(turns);
    const run = start("run", "-p", "go", "-m", "1");
    await until("it is under way", () => world.has("begun"));
    const folder = join(world.home, "other");
    mkdirSync(folder);
    const words = ["run", "-p", "x", "-m", "1", "--no-sandbox", "--agent", "cat"];
    const elsewhere = spawn("unshare", [...UNSHARE, process.execPath, RALPH, ...words], {
      cwd: folder,
      env: { ...environmentOf(world), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect((await watch(elsewhere).ended).stderr).toContain("1 iteration used");
    world.write("go", "");
    const ended = await run.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(outside()).toBe(claude(2));
    expect(world.stateFiles().filter((path) => path.startsWith("sandbox/"))).toEqual([]);
  });

  test("stays inside when that is asked for; explain says which it is", async () => {
    const { ralph, outside, mine } = loggedIn([{ actions: [put(claude(2), FILES.claude)], final: DONE }], {
      sandbox: { renewLogin: false },
    });
    expect((await ralph("run", "-p", "go", "-m", "1")).code).toBe(0);
    expect(outside()).toBe(claude(1));
    const words = "Log-ins that become yours when an agent renews them:";
    expect((await ralph("sandbox", "explain")).stdout).toContain(`${words} none\n`);
    const other = loggedIn([{ final: DONE }]);
    const told = await other.ralph("sandbox", "explain");
    expect(told.stdout).toContain(`${words} ${other.mine}\n`);
    expect(mine).not.toBe(other.mine);
  });
});

test.for([
  ["container", CAN_CONTAIN, {}],
  ["srt", srtModules() !== undefined, { NODE_PATH: srtModules() }],
] as const)(
  "a log-in that the agent renews in %s becomes the user's own",
  async ([kind, isHere, env], { skip }) => {
    skip(!isHere, `there is no ${kind} here`);
    const { ralph, outside } = loggedIn([{ actions: [put(claude(2), FILES.claude)], final: DONE }], {
      sandbox: { kind },
      env,
    });
    const ended = await ralph("run", "-p", "go", "-m", "1");
    expect(ended.code, ended.stderr).toBe(0);
    expect(outside()).toBe(claude(2));
  },
);
