import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { UserError } from "../../src/errors.ts";
import { bubblewrap } from "../../src/sandbox/bubblewrap-open.ts";
import { effectivePolicy } from "../../src/sandbox/effective.ts";
import { makeHome } from "../../src/sandbox/home.ts";
import { isWithin, type Policy, real } from "../../src/sandbox/policy.ts";
import type { SandboxSpec } from "../../src/spec.ts";
import { spawnTree } from "../../src/supervise/spawn.ts";
import { environmentOf, makeWorld, type World } from "../e2e/support.ts";
import { hasProgram } from "./engines.ts";
import { openFor, shell } from "./opened.ts";

/*
 * What an agent leaves in the project is looked at from outside when the next turn or the next run begins. None of it may show more
 * of the machine than there was to be seen before.
 */

interface Scene {
  readonly world: World;
  readonly home: string;
  readonly secret: string;
}

function scene(git = true): Scene {
  const world = makeWorld({ git });
  const home = join(world.home, "home");
  const secret = join(home, ".ssh/id");
  put(secret, "top secret");
  return { world, home, secret };
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function link(to: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(to, path);
}

interface More {
  readonly sandbox?: Partial<SandboxSpec>;
  readonly command?: string;
  readonly env?: NodeJS.ProcessEnv;
}

function policyOf({ world, home }: Scene, { sandbox = {}, command, env = {} }: More = {}): Promise<Policy> {
  return effectivePolicy("bubblewrap", {
    project: world.project,
    sandbox: {
      kind: "bubblewrap",
      network: { mode: "none", allow: [] },
      rw: [],
      ro: [],
      hide: [],
      env: [],
      limits: {},
      ...sandbox,
    },
    agents: command === undefined ? [] : [{ kind: "custom", command, flags: [], autonomy: "full" }],
    env: { ...environmentOf(world), HOME: home, ...env },
    stateRoot: world.state,
  });
}

/** What of a policy shows something of the home. */
function shown({ rw, ro, copies }: Policy, { home }: Scene): string[] {
  return [...rw, ...ro, ...copies.map(({ from }) => from)]
    .flatMap(real)
    .filter((path) => isWithin(path, home) || isWithin(home, path));
}

describe("the next run does not show", () => {
  const plants: Record<string, (at: Scene) => More> = {
    "what settings of an agent are a link to"({ world, secret }) {
      link(secret, join(world.project, ".claude/settings.json"));
      return {};
    },
    "what the config of a submodule is a link to"({ world, secret }) {
      put(join(world.project, ".git/modules/evil/HEAD"), "ref: refs/heads/main\n");
      link(secret, join(world.project, ".git/modules/evil/config"));
      return {};
    },
    "what a submodule is a link to"({ world, home }) {
      put(join(home, "other/HEAD"), "ref: refs/heads/main\n");
      put(join(home, "other/config"), "");
      link(join(home, "other"), join(world.project, ".git/modules/evil"));
      return {};
    },
    "where a script of the agent's in the project is a link to"({ world, secret }) {
      link(secret, join(world.project, "agent.js"));
      return { command: `node ${world.project}/agent.js` };
    },
    "where a program in the project is a link to"({ world, secret }) {
      put(join(dirname(secret), "tool"), "#!/bin/sh\n");
      chmodSync(join(dirname(secret), "tool"), 0o755);
      link(join(dirname(secret), "tool"), join(world.project, "agent"));
      return { command: `${world.project}/agent` };
    },
    "where a folder on PATH in the project is a link to"({ world, secret }) {
      link(dirname(secret), join(world.project, "node_modules/.bin"));
      return { env: { PATH: `${world.project}/node_modules/.bin:${process.env["PATH"]}` } };
    },
    "what is beside a folder on PATH in the project"({ world, secret }) {
      mkdirSync(join(world.project, "bin"));
      link(dirname(secret), join(world.project, "lib"));
      return { env: { PATH: `${world.project}/bin:${process.env["PATH"]}` } };
    },
  };
  test.each(Object.keys(plants))("%s", async (name) => {
    const at = scene();
    const more = plants[name]?.(at);
    expect(shown(await policyOf(at, more), at)).toEqual([]);
  });

  const repositories: Record<string, (at: Scene, other: string) => void> = {
    "another repository that a file names": ({ world }, other) =>
      put(join(world.project, ".git"), `gitdir: ${other}/.git\n`),
    "another repository that a link leads to": ({ world }, other) =>
      link(join(other, ".git"), join(world.project, ".git")),
    "another repository as the common one"({ world }, other) {
      world.git("init", "-q");
      put(join(world.project, ".git/commondir"), `${other}/.git\n`);
    },
    "what a borrowed store is said to be"({ world, secret }) {
      world.git("init", "-q");
      put(join(world.project, ".git/objects/info/alternates"), `${dirname(secret)}\n`);
    },
    "a folder that is said to hold hooks"({ world, secret }) {
      world.git("init", "-q");
      world.git("config", "core.hooksPath", dirname(secret));
    },
  };
  test.each(Object.keys(repositories))("%s", async (name) => {
    const at = scene(false);
    const other = join(at.home, "other");
    mkdirSync(other, { recursive: true });
    at.world.git("init", "-q", other);
    repositories[name]?.(at, other);
    const found = await policyOf(at).catch((error: unknown) => error);
    if (!(found instanceof UserError)) expect(shown(found as Policy, at)).toEqual([]);
  });

  test.each(["rw", "ro"] as const)("what a folder in sandbox.%s has become a link to", async (how) => {
    const at = scene();
    link(dirname(at.secret), join(at.world.project, "build"));
    const sandbox = { [how]: [join(at.world.project, "build")] };
    await expect(policyOf(at, { sandbox })).rejects.toThrow(UserError);
  });

  test("what a link in the project leads to that an agent's settings lead to", () => {
    const { world, home, secret } = scene();
    put(join(world.project, "skill/SKILL.md"), "mine");
    link(secret, join(world.project, "skill/key"));
    link(dirname(secret), join(world.project, "skill/keys"));
    put(join(home, "dotfiles/note.md"), "mine too");
    link(join(world.project, "skill"), join(home, ".claude/skills/one"));
    link(join(home, "dotfiles"), join(home, ".claude/skills/two"));
    const from = join(home, ".claude/skills");
    const made = makeHome(join(world.state, "made"), {
      home,
      project: world.project,
      copies: [{ from, to: from }],
      moved: [],
    });
    const skills = join(made.path, ".claude/skills");
    const found = ["one/SKILL.md", "one/key", "one/keys", "two/note.md"].filter((name) =>
      exists(skills, name),
    );
    expect(found).toEqual(["one/SKILL.md", "two/note.md"]);
  });
});

test("a line break in the path of a project is the user's to mend", async () => {
  const at = scene();
  const project = join(at.world.project, "one\ntwo");
  mkdirSync(project);
  await expect(policyOf({ ...at, world: { ...at.world, project } })).rejects.toThrow(UserError);
});

test("a file of the project in which the config of its repository goes on is only read", async () => {
  const at = scene();
  at.world.write("conf/git", "[core]\n\tpager = less\n");
  at.world.git("config", "include.path", "../conf/git");
  const project = join(at.world.project, "part");
  mkdirSync(project);
  expect((await policyOf(at)).ro).toContain(join(at.world.project, "conf/git"));
  const inPart = await policyOf({ ...at, world: { ...at.world, project } });
  expect(inPart.ro).toContain(join(at.world.project, "conf/git"));
});

test("worktrees, submodules and borrowed stores of the user's own still work", async () => {
  const at = scene(false);
  const { world, home } = at;
  const other = join(home, "other");
  mkdirSync(other);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@example.invalid", ...args], { cwd: other });
  git("init", "-q");
  git("commit", "-q", "--allow-empty", "-m", "first");
  rmSync(world.project, { recursive: true });
  git("worktree", "add", "-q", world.project);
  const { rw, ro } = await policyOf(at);
  expect(rw).toContain(join(other, ".git"));
  expect(ro).toEqual(expect.arrayContaining([join(other, ".git/config"), join(other, ".git/hooks")]));

  rmSync(world.project, { recursive: true });
  git("clone", "-q", "--shared", other, world.project);
  const store = join(other, ".git/objects");
  await expect(policyOf(at)).rejects.toThrow(UserError);
  expect((await policyOf(at, { sandbox: { ro: [store] } })).ro).toContain(store);

  rmSync(world.project, { recursive: true });
  git("init", "-q", "--separate-git-dir", join(home, "apart"), world.project);
  await expect(policyOf(at)).rejects.toThrow(UserError);
  expect((await policyOf(at, { sandbox: { rw: [join(home, "apart")] } })).rw).toContain(join(home, "apart"));

  rmSync(world.project, { recursive: true });
  git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
  const module = join(other, ".git/modules/sub");
  const inside = { ...at, world: { ...world, project: join(other, "sub") } };
  expect((await policyOf(inside)).rw).toEqual([module]);
});

describe.skipIf(!hasProgram("bwrap"))("the next turn does not show", () => {
  test("what a protected file was replaced with, folder and all", async () => {
    const { world, secret } = scene();
    put(join(world.project, ".claude/settings.json"), "{}");
    const opened = await openFor(bubblewrap, {}, { world });
    const means = opened.sandbox.means("agent");
    await shell(
      opened,
      "mkdir -p ~/.ssh; : > ~/.ssh/id; mv .claude away; mkdir .claude; ln -s ../../home/.ssh/id .claude/settings.json",
      { means },
    );
    const said = await shell(opened, `cat .claude/settings.json ~/.ssh/id ${secret}`, { means });
    expect(said.stdout).not.toContain("top secret");
    expect(said.stdout).toContain("{}");
  });

  test("what is hidden in a folder that was moved away", async () => {
    const { world } = scene();
    put(join(world.project, "conf/deep/.env"), "top secret");
    const hide = [join(world.project, "conf/deep/.env")];
    const opened = await openFor(bubblewrap, { hide }, { world });
    await shell(opened, "mv conf away; mv conf/deep conf/away; cp -r conf copy");
    const said = await shell(opened, "grep -rs . . --include=.env");
    expect(said.stdout).toBe("");
  });

  test("a program that is not found outside", async () => {
    const { world, env, sandbox } = await openFor(bubblewrap, {}, { world: scene().world });
    const agent = world.install("agent", "exit 0");
    writeFileSync(agent, "#!/nowhere/sh\n");
    const started = async (file: string, cwd: string) => {
      let said = "";
      const onStdout = (chunk: Buffer) => {
        said += chunk.toString();
        return undefined;
      };
      const means = sandbox.means("agent");
      const tree = spawnTree({ file, args: [], cwd, env, stdin: "", means, onStdout, onStderr: () => {} });
      return { ...(await tree.exited), said };
    };
    expect(await started("agent", world.project)).toMatchObject({ spawnError: { code: "ENOENT" } });
    // Looked for in the folder that we are in, by whoever starts it, where PATH has an empty entry.
    env["PATH"] = `${env["PATH"]}:`;
    put(join(world.project, "only-here"), "#!/bin/sh\necho outside\n");
    chmodSync(join(world.project, "only-here"), 0o755);
    expect(await started("only-here", world.project)).toMatchObject({
      spawnError: { code: "ENOENT" },
      said: "",
    });
    // A name of an interpreter ends where the system says that it ends.
    put(join(world.project, "odd"), "#!/bin/sh\0x\ncat ../home/.ssh/id || echo inside\n");
    chmodSync(join(world.project, "odd"), 0o755);
    expect(await started("./odd", world.project)).toMatchObject({ code: 0, said: "inside\n" });
  });

  test("anything but what is committed as usual", async () => {
    const { world } = scene();
    const opened = await openFor(bubblewrap, {}, { world });
    const said = await shell(
      opened,
      "echo x > x && git add x && git commit -qm x && git gc -q && git branch b && git stash list && git worktree add -q w && git worktree remove w && git fsck && git status --short",
      { means: opened.sandbox.means("agent") },
    );
    expect(said).toMatchObject({ code: 0, stdout: "" });
  });
});

function exists(folder: string, name: string): boolean {
  return existsSync(join(folder, name));
}
