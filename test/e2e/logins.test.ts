import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script, ScriptedTurn } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { jwt } from "../sandbox/tokens.ts";
import { DONE, makeWorld, pidIn, until } from "./support.ts";

const HAS_BWRAP =
  spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"], { stdio: "ignore" }).status === 0;
const HAS_PODMAN = spawnSync("podman", ["--version"], { stdio: "ignore" }).status === 0;

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
  {
    voice = "claude",
    text = claude(1),
    kind = "bubblewrap",
    ...settings
  }: {
    voice?: keyof typeof FILES;
    text?: string;
    kind?: string;
    sandbox?: Record<string, unknown>;
    [key: string]: unknown;
  } = {},
) {
  const world = makeWorld({ git: true });
  const home = join(world.home, "user");
  const mine = join(home, FILES[voice]);
  mkdirSync(join(mine, ".."), { recursive: true });
  writeFileSync(mine, text, { mode: 0o600 });
  const script: Script = { voice, turns };
  world.speaking(script, {
    noProgressThreshold: 0,
    ...settings,
    // The scripted agent remembers beside its script which turn it is.
    sandbox: { kind, rw: ["../agent-1"], ...settings.sandbox },
  });
  const env = { RALPH_SANDBOX: undefined, HOME: home, CODEX_HOME: undefined, CLAUDE_CONFIG_DIR: undefined };
  return {
    world,
    mine,
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

  test("in a turn that words a commit becomes the user's own too", async () => {
    const world = loggedIn([{ actions: [{ write: "made.txt", text: "1" }], final: DONE }], {
      scm: { command: "git", tasks: ["commit"] },
    });
    const script = join(world.world.home, "agent-1/script.json");
    const played = JSON.parse(readFileSync(script, "utf8")) as Script;
    const commitTurns = [{ actions: [put(claude(2), FILES.claude)], final: "Make it" }];
    writeFileSync(script, JSON.stringify({ ...played, commitTurns }));
    const ended = await world.ralph("run", "-p", "go", "-m", "1");
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.world.git("log", "-1", "--format=%s").trim()).toBe("Make it");
    expect(world.outside()).toBe(claude(2));
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

  test("is brought out of a run that was killed, and the resumed agent has it", async () => {
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
    const resumed = await ralph("resume");
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(resumed.stderr).toContain("Claude Code renewed its log-in; yours is the new one");
    expect(outside()).toBe(claude(2));
    expect(world.read("seen.txt")).toBe(`${claude(2)}\n`);
    expect(existsSync(join(world.state, "sandbox"))).toBe(true);
    expect(world.stateFiles().filter((path) => path.endsWith("logins.json"))).toEqual([]);
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

test.skipIf(!HAS_PODMAN)("a log-in that the agent renews in a container becomes the user's own", async () => {
  const { ralph, outside } = loggedIn([{ actions: [put(claude(2), FILES.claude)], final: DONE }], {
    kind: "container",
  });
  const ended = await ralph("run", "-p", "go", "-m", "1");
  if (ended.stderr.includes("(container) does not hold")) return;
  expect(ended.code, ended.stderr).toBe(0);
  expect(outside()).toBe(claude(2));
});
