import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { expectUserError, makeWorld, type World } from "./support.ts";
import { openTerminal } from "./terminal.ts";

const FRESH = { CLAUDE_CONFIG_DIR: undefined, CODEX_HOME: undefined, XDG_CONFIG_HOME: undefined };
const FILES = {
  claude: ".claude/settings.json",
  codex: ".codex/hooks.json",
  qwen: ".qwen/settings.json",
  gemini: ".gemini/settings.json",
} as const;
const AGENTS = Object.keys(FILES) as (keyof typeof FILES)[];

/** A world whose user has a home of their own. */
function fresh() {
  const world = makeWorld();
  const home = join(world.home, "user");
  mkdirSync(home);
  const env = { ...FRESH, HOME: home };
  const put = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  return {
    world,
    home,
    env,
    put,
    path: (name: string) => join(home, name),
    read: (path: string) => readFileSync(join(home, path), "utf8"),
    hooks: (...args: string[]) => world.ralph(["install-hooks", ...args], { env }),
    names: (folder: string) => readdirSync(join(home, folder)).sort(),
  };
}

interface Named {
  readonly hooks: Record<string, { hooks: { command: string; timeout: number }[] }[]>;
}

/** The only command that settings name for an event. */
function commandIn(text: string, event: string): string {
  return (JSON.parse(text) as Named).hooks[event]?.[0]?.hooks[0]?.command ?? "";
}

function runHook(world: World, command: string, input: Record<string, unknown>, home: string) {
  return spawnSync("sh", ["-c", command], {
    cwd: world.project,
    input: JSON.stringify(input),
    env: { PATH: process.env["PATH"], HOME: home, RALPH_STATE_DIR: world.state },
    encoding: "utf8",
  });
}

describe.each(AGENTS)("%s", (agent) => {
  const file = FILES[agent];

  test("gets the hooks into settings that were not there, for their owner alone", async () => {
    const { hooks, read, path, names } = fresh();
    const ended = await hooks(agent, "--yes");
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain("+ ");
    expect(statSync(path(file)).mode & 0o777).toBe(0o600);
    expect(names(dirname(file))).toHaveLength(1);
    expect(Object.keys((JSON.parse(read(file)) as Named).hooks)).toContain(
      agent === "gemini" ? "AfterAgent" : "Stop",
    );
  });

  test("has a loop by them: they start it, send back and count", async () => {
    const { world, hooks, read, home } = fresh();
    await hooks(agent, "--yes");
    const of = (ours: string, theirs: string) => (agent === "gemini" ? theirs : ours);
    const call = (event: string, more: Record<string, unknown>) =>
      runHook(
        world,
        commandIn(read(file), event),
        {
          session_id: "one",
          transcript_path: `/x/.${agent}/one.jsonl`,
          cwd: world.project,
          hook_event_name: event,
          ...more,
        },
        home,
      );
    const typed = { prompt: '/ralph-loop "Do it." --completion-promise DONE --max-iterations 3' };
    const begun = call(of("UserPromptSubmit", "BeforeAgent"), typed);
    expect(begun.stderr).toBe("");
    expect(begun.stdout).toContain("You are in a ralph loop");
    call(of("PostToolUse", "AfterTool"), { tool_name: "write" });
    const words = (text: string) =>
      agent === "gemini" ? { prompt_response: text } : { last_assistant_message: text };
    const stop = of("Stop", "AfterAgent");
    const sent = JSON.parse(call(stop, words("Not yet.")).stdout) as { decision: string };
    expect(sent.decision).toBe(of("block", "deny"));
    expect(call(stop, words("<promise>DONE</promise>")).stdout).not.toContain("decision");
    expect(readFileSync(join(world.state, "hooks.log"), "utf8")).toMatch(
      /1 tool calls.*\n.*PROMISE_ACCEPTED/,
    );
  });

  test("is left alone by a hook whose file is gone", async () => {
    const { world, hooks, read, home } = fresh();
    await hooks(agent, "--yes");
    for (const event of Object.keys((JSON.parse(read(file)) as Named).hooks)) {
      const command = commandIn(read(file), event).replaceAll("/plugin/hooks/", "/gone/plugin/hooks/");
      const { status, stdout, stderr } = runHook(world, command, {}, home);
      expect([status, stdout, stderr]).toEqual([0, "", ""]);
    }
  });

  test("--remove takes ours out and nothing else; a copy is kept each time", async () => {
    const { hooks, put, read, names, path } = fresh();
    const theirs =
      '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": [{"hooks": [{"type":"command","command":"beep"}]}]\n\t}\n}\n';
    put(file, theirs);
    chmodSync(path(file), 0o640);
    const wired = await hooks(agent, "--yes");
    expect(wired.code, wired.stderr).toBe(0);
    const once = read(file);
    expect(once).toContain("beep");
    expect(statSync(path(file)).mode & 0o777).toBe(0o640);
    const [, backup = ""] = names(dirname(file));
    expect(backup).toMatch(/\.json\.ralph-backup-\d{4}-\d\d-\d\dT/);
    expect(read(join(dirname(file), backup))).toBe(theirs);
    expect(statSync(path(join(dirname(file), backup))).mode & 0o777).toBe(0o600);

    const again = await hooks(agent, "--yes");
    expect(again.stdout).toContain("already");
    expect(read(file)).toBe(once);
    expect(names(dirname(file))).toHaveLength(2);

    const out = await hooks(agent, "--remove", "--yes");
    expect(out.code, out.stderr).toBe(0);
    expect(read(file)).toBe(theirs);
    const nothing = await hooks(agent, "--remove");
    expect(nothing.code).toBe(0);
    expect(nothing.stdout).toContain("There are no hooks of ralph's");
  });

  test("--project keeps to the folder", async () => {
    const { world, hooks, home } = fresh();
    const ended = await hooks(agent, "--project", "--yes");
    expect(ended.code, ended.stderr).toBe(0);
    expect(world.has(file)).toBe(true);
    expect(existsSync(join(home, file))).toBe(false);
    await hooks(agent, "--project", "--remove", "--yes");
    expect(world.read(file)).toBe("{}\n");
  });
});

test.each([
  ["claude", "CLAUDE_CONFIG_DIR", "settings.json"],
  ["codex", "CODEX_HOME", "hooks.json"],
])("%s has its settings where %s says", async (agent, variable, name) => {
  const { world, env, home } = fresh();
  const folder = join(home, "elsewhere");
  const ended = await world.ralph(["install-hooks", agent, "--yes"], { env: { ...env, [variable]: folder } });
  expect(ended.code, ended.stderr).toBe(0);
  expect(readdirSync(folder)).toEqual([name]);
});

describe("nothing is touched", () => {
  test("without a terminal and without --yes, but what would change is shown", async () => {
    const { hooks, home } = fresh();
    const ended = await hooks("claude");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("add --yes");
    expect(ended.stdout).toContain('+   "hooks": {');
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    ["not JSON", "{ no", /not JSON \(\w+ in line 1\)/],
    ["a list", "[]", /not a JSON object/],
    ["not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
    ["too large", Buffer.alloc(5 * 1024 * 1024, " "), /EFBIG/],
    ["of other hooks", '{"hooks": 7}', /"hooks" in it is not an object/],
  ])("in settings that are %s", async (_, bytes, why) => {
    const { hooks, put, names, path } = fresh();
    put(FILES.claude, bytes);
    const before = readFileSync(path(FILES.claude));
    expectUserError(await hooks("claude", "--yes"), why);
    expectUserError(await hooks("claude", "--remove", "--yes"), why);
    expect(readFileSync(path(FILES.claude)).equals(before)).toBe(true);
    expect(names(".claude")).toEqual(["settings.json"]);
  });

  test("through a link", async () => {
    const { hooks, put, path, read } = fresh();
    put("real.json", "{}");
    mkdirSync(path(".claude"));
    symlinkSync(path("real.json"), path(FILES.claude));
    expectUserError(await hooks("claude", "--yes"), /link/);
    expect(lstatSync(path(FILES.claude)).isSymbolicLink()).toBe(true);
    expect(read("real.json")).toBe("{}");
  });

  test("through a link to nowhere, or a folder that is one", async () => {
    const { hooks, path, home } = fresh();
    mkdirSync(path(".claude"));
    symlinkSync(path("nowhere"), path(FILES.claude));
    expectUserError(await hooks("claude", "--yes"), /link/);
    mkdirSync(path("dotfiles"));
    symlinkSync(path("dotfiles"), path(".qwen"));
    expectUserError(await hooks("qwen", "--yes"), /is a link/);
    expect(readdirSync(join(home, "dotfiles"))).toEqual([]);
    expect(existsSync(path("nowhere"))).toBe(false);
  });

  test("in the place of a folder, or in a read-only file", async () => {
    const { hooks, put, path, names, read } = fresh();
    mkdirSync(path(FILES.claude), { recursive: true });
    expectUserError(await hooks("claude", "--yes"), /no file/);
    put(FILES.qwen, "{}");
    chmodSync(path(FILES.qwen), 0o444);
    const ended = await hooks("qwen", "--yes");
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("is read-only");
    expect(read(FILES.qwen)).toBe("{}");
    expect(names(".qwen")).toEqual(["settings.json"]);
  });

  test("when the file changes while the question stands", async () => {
    const { world, env, put, read } = fresh();
    put(FILES.claude, "{}");
    const terminal = openTerminal(world, ["install-hooks", "claude"], env);
    await terminal.shows("Change this file?");
    put(FILES.claude, '{"model": "x"}');
    terminal.press("y");
    expect((await terminal.ended).code).toBe(2);
    expect(read(FILES.claude)).toBe('{"model": "x"}');
  });

  test.each([
    ["\r", 130],
    ["\u0003", 130],
  ])("when the answer is %j", async (key, code) => {
    const { world, env, home } = fresh();
    const terminal = openTerminal(world, ["install-hooks", "claude"], env);
    await terminal.shows("Change this file?");
    terminal.press(key);
    expect((await terminal.ended).code).toBe(code);
    expect(readdirSync(home)).toEqual([]);
  });

  test.each([
    [["cursor"], /there is no agent 'cursor'/],
    [["--remove"], /which agent/],
    [["claude", "--user", "--project"], /exclude each other/],
  ])("by %j", async (args, why) => {
    const { hooks } = fresh();
    expectUserError(await hooks(...args), why);
  });
});

test("on a terminal a yes puts them in", async () => {
  const { world, env, read } = fresh();
  const terminal = openTerminal(world, ["install-hooks", "claude"], env);
  await terminal.shows("Change this file?");
  terminal.press("y");
  expect((await terminal.ended).code).toBe(0);
  expect(commandIn(read(FILES.claude), "Stop")).toContain("ralph.sh' Stop");
});

test("copilot, which no file can tell of them, is told how else", async () => {
  const { hooks, home } = fresh();
  for (const args of [[], ["--yes"], ["--remove", "--yes"]]) {
    const ended = await hooks("copilot", ...args);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/copilot --plugin-dir \/.*plugin/);
  }
  expect(readdirSync(home)).toEqual([]);
});

describe("opencode, which takes a plugin", () => {
  const file = ".config/opencode/plugin/ralph-proof.js";
  const line = /^export \* from "(file:\/\/.*\/plugin\/opencode\/ralph\.js)";/;

  test("gets one line that hands it on, and loses it again; the plugins of others stay", async () => {
    const { hooks, put, read, names, path } = fresh();
    put(".config/opencode/plugin/theirs.js", "export const Theirs = async () => ({});\n");
    const shown = await hooks("opencode");
    expect(shown.code).toBe(2);
    expect(shown.stdout).toMatch(/^\+ export \* from /m);
    const wired = await hooks("opencode", "--yes");
    expect(wired.code, wired.stderr).toBe(0);
    expect(wired.stdout).toContain("`opencode run` ends when its agent stops");
    expect(read(file).trimEnd().split("\n")).toHaveLength(1);
    const [, address = ""] = line.exec(read(file)) ?? [];
    expect(Object.keys((await import(address)) as object)).toEqual(["RalphProof"]);
    expect(statSync(path(file)).mode & 0o777).toBe(0o600);
    expect((await hooks("opencode", "--yes")).stdout).toContain("already");
    expect((await hooks()).stdout).toMatch(/^opencode .* hooks in .*ralph-proof\.js$/m);

    const out = await hooks("opencode", "--remove", "--yes");
    expect(out.code, out.stderr).toBe(0);
    expect(names(dirname(file))).toEqual(["theirs.js"]);
    expect((await hooks("opencode", "--remove")).stdout).toContain("There are no hooks of ralph's");
    expect((await hooks()).stdout).toMatch(/^opencode .* no hooks in .*ralph-proof\.js$/m);
  });

  test("keeps what else stands in the file, with a copy, and replaces the line of another ralph", async () => {
    const { hooks, put, read, names } = fresh();
    const theirs = "export const Theirs = async () => ({});";
    const other = 'export * from "file:///elsewhere/plugin/opencode/ralph.js"; // ralph';
    put(file, `${other}\n${theirs}`);
    expect((await hooks()).stdout).toMatch(/^opencode .* hooks of another ralph in/m);
    await hooks("opencode", "--yes");
    expect(read(file)).toMatch(/^export const Theirs.*\nexport \* from "file:.*\n$/);
    expect(read(file)).not.toContain("elsewhere");
    const [, backup = ""] = names(dirname(file));
    // OpenCode takes every file for a plugin whose name ends like one.
    expect(backup).toMatch(/\.ralph-backup-[^.]+$/);
    expect(read(join(dirname(file), backup))).toBe(`${other}\n${theirs}`);
    await hooks("opencode", "--remove", "--yes");
    expect(read(file)).toBe(`${theirs}\n`);
  });

  test("has its plugins where XDG_CONFIG_HOME says, or in the folder; nothing is followed", async () => {
    const { world, env, hooks, path, home } = fresh();
    const elsewhere = { ...env, XDG_CONFIG_HOME: join(home, "x") };
    const ended = await world.ralph(["install-hooks", "opencode", "--yes"], { env: elsewhere });
    expect(ended.code, ended.stderr).toBe(0);
    expect(existsSync(path("x/opencode/plugin/ralph-proof.js"))).toBe(true);
    await hooks("opencode", "--project", "--yes");
    expect(world.has(".opencode/plugin/ralph-proof.js")).toBe(true);
    expect(existsSync(path(".config"))).toBe(false);

    const { world: hostile, hooks: there, path: at } = fresh();
    mkdirSync(at("target"));
    symlinkSync(at("target"), join(hostile.project, ".opencode"));
    expectUserError(await there("opencode", "--project", "--yes"), /\.opencode is a link/);
    expect(readdirSync(at("target"))).toEqual([]);
  });

  test("is told of a place that is none, and so is whoever only looks", async () => {
    const { world, env, put, path } = fresh();
    put("x", "a file\n");
    const odd = { env: { ...env, XDG_CONFIG_HOME: path("x") } };
    expectUserError(await world.ralph(["install-hooks", "opencode", "--yes"], odd), /ENOTDIR/);
    const { code, stdout } = await world.ralph(["install-hooks"], odd);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^opencode .*ENOTDIR.*ralph-proof\.js$/m);
  });
});

test("without an agent it says which are there and where the hooks are in", async () => {
  const { world, hooks, put } = fresh();
  world.install("qwen", "exit 0");
  await hooks("codex", "--project", "--yes");
  await hooks("qwen", "--yes");
  put(FILES.claude, "{ no");
  const { code, stdout } = await hooks();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^qwen +installed +hooks in .*\/\.qwen\/settings\.json$/m);
  expect(stdout).toMatch(
    /^codex .* no hooks in .*\/user\/\.codex\/hooks\.json\n +hooks in .*\/project\/\.codex\/hooks\.json$/m,
  );
  expect(stdout).toMatch(/^claude .*it is not JSON .*: .*\/\.claude\/settings\.json$/m);
  expect(stdout).toMatch(/^copilot .*--plugin-dir/m);
  expect(stdout).toMatch(/^gemini .*no hooks in/m);
});
