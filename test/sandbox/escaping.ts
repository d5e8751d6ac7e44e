import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { makeWorld, RALPH, type Started, until, type World, watch } from "../e2e/support.ts";
import { endNow } from "../processes.ts";
import {
  addressesHere,
  gone,
  linesOf,
  livesWith,
  openTerminal,
  plant,
  serve,
  serveAbstract,
  textOf,
  withKey,
} from "./outside.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const MEMORY_MB = 192;
const PROCESSES = 60;

/** Somebody who is kept in: by which kind, and as which user. */
export interface Kept {
  readonly name: string;
  readonly kind: "bubblewrap" | "container" | "srt" | "none";
  /** The user who starts ralph, where it is not the one who runs the tests. */
  readonly uid?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** The image of a container. */
  readonly image?: string;
}

/** What was tried, and whether the fence held; undefined: it could not be tried here. */
export type Findings = Record<string, boolean | undefined>;

interface Scene {
  readonly world: World;
  readonly token: string;
  /** What must be as it was when all is over. */
  readonly untouched: Readonly<Record<string, () => boolean>>;
  readonly met: () => boolean;
  /** What came of what was left for the next run, and for ralph itself. */
  readonly planted: () => Findings;
  /** The words of the agent. */
  readonly program: string;
  start(...more: string[]): Started;
}

/** Lets a hostile agent try everything, once to the end and once until ralph is killed, and says what came of it. */
export async function tryToEscape(kept: Kept): Promise<Findings> {
  const scene = await prepare(kept);
  const { world, token } = scene;
  const run = scene.start("-n", "4");
  const reached = (file: string) => reachedBy(run, file, world);
  await reached("turn-2");
  const findings: Findings = { "outlive its own end": !livesWith(`${token}-end-`) };
  await reached("ready-stopped");
  const couldHold = (name: string) => readdirSync(world.project).some((file) => file.startsWith(name));
  findings["take more memory than it may"] = !couldHold("memory-");
  findings["start more processes than it may"] = !couldHold("processes.");
  run.process.kill("SIGTERM");
  await run.printed("Received signal");
  run.process.kill("SIGTERM");
  await run.ended;
  findings["outlive a stop of the run"] = !livesWith(`${token}-stopped-`);
  Object.assign(findings, fromInside(world));
  for (const [what, isSo] of Object.entries(scene.untouched)) findings[what] = isSo();
  findings["reach a server that is not on the list"] = !scene.met();
  findings["read what is hidden or protected, after its folder was moved"] = seen(world, "turn").length === 0;

  const second = scene.start("-n", "1", "--agent", `${scene.program} hang`);
  await reachedBy(second, "ready-killed", world);
  second.process.kill("SIGKILL");
  await second.ended;
  findings["outlive a SIGKILL of ralph"] = await gone(`${token}-killed-`);
  Object.assign(findings, scene.planted());
  if (kept.kind === "container") findings["leave a container behind"] = await noContainerOf(world);
  return findings;
}

/** Waits for a file of the agent's; one that does not come is told with what ralph said. */
function reachedBy({ ended }: Started, file: string, world: World): Promise<unknown> {
  const over = ended.then(({ stdout, stderr }) => {
    if (!world.has(file)) throw new Error(`ralph ended early:\n${stdout}\n${stderr}`);
  });
  return Promise.race([until(file, () => world.has(file)), over]);
}

/** What the same agent can do in one turn; for a look at whether it tries hard enough. */
export async function tryOnce(kept: Kept): Promise<Findings> {
  const scene = await prepare(kept);
  const { world, untouched } = scene;
  await scene.start("-n", "1").ended;
  await scene.start("-n", "1", "--agent", `${scene.program} look`).ended;
  const outside = Object.entries(untouched).map(([what, isSo]) => [what, isSo()]);
  return { ...fromInside(world), ...Object.fromEntries(outside), ...scene.planted() };
}

/** The files in which the agent found a secret, in a later turn. */
function seen(world: World, moment: string): string[] {
  return JSON.parse(world.read(`seen-${moment}.json`)) as string[];
}

/** What the agent says it could do. Two of them it has to be able to. */
function fromInside(world: World): Findings {
  const found = JSON.parse(world.read("found.json")) as Record<string, boolean>;
  const must = ["reach what is allowed", "commit"];
  return Object.fromEntries(
    Object.entries(found).map(([what, could]) =>
      must.includes(what) ? [`(it can still) ${what}`, could] : [what, !could],
    ),
  );
}

async function prepare(kept: Kept): Promise<Scene> {
  const world = makeWorld({ git: true });
  for (const [key, value] of [
    ["name", "Test"],
    ["email", "test@example.invalid"],
  ]) {
    world.git("config", `user.${key}`, `${value}`);
  }
  const token = `escape-${randomBytes(6).toString("hex")}`;
  const secret = randomBytes(12).toString("hex");
  const home = join(world.home, "home");
  mkdirSync(join(home, ".ssh"), { recursive: true });
  const canaries = {
    "a secret in the home": plant(join(home, ".ssh/id_test"), secret),
    "a secret beside the project": plant(join(world.home, "beside"), secret),
    "a secret in the state folder": plant(join(world.state, "secret"), secret),
    ...(isRoot() ? { "a secret in /root": plant(`/root/.${token}`, secret) } : {}),
    ...(isRoot() ? { "a secret in another home": plant(`/home/${token}/.netrc`, secret) } : {}),
  };
  const outside = [
    join(world.home, "outside"),
    join(home, ".profile"),
    ...(isRoot() ? [`/etc/${token}`] : []),
  ];
  for (const path of outside) plant(path, "as it was");
  plant(join(home, "other/HEAD"), "ref: refs/heads/main\n");
  plant(join(home, "other/config"), `# ${secret}`);
  symlinkSync(canaries["a secret in the home"], join(world.project, "link"));
  for (const name of ["attempts.cjs", "plants.cjs"])
    copyFileSync(join(HERE, name), join(world.project, name));
  world.write(".claude/settings.json", "{}");
  world.write("conf/deep/.env", secret);
  const ran = join(world.home, "ran");
  const allowed = await serve(token, () => {});
  let met = false;
  const forbidden = await serve(token, () => {
    met = true;
  });
  const program = `${process.execPath} ${world.project}/attempts.cjs plan.json`;
  world.settings({
    agent: { command: program, kind: "custom" },
    noProgressThreshold: 0,
    maximumFailures: 9,
    sandbox: {
      ...(kept.image === undefined ? {} : { image: kept.image }),
      network: { allow: [`localhost:${allowed}`] },
      hide: ["conf/deep/.env"],
      limits: { memoryMb: MEMORY_MB, processes: PROCESSES },
    },
  });
  world.write(
    "plan.json",
    JSON.stringify({
      project: world.project,
      state: world.state,
      secret,
      token,
      canaries,
      outside,
      ran,
      allowed,
      forbidden,
      addresses: addressesHere(),
      abstract: await serveAbstract(token),
      terminal: await openTerminal(),
      memoryMb: MEMORY_MB * 3,
      processes: PROCESSES * 5,
    }),
  );
  const sleeper = spawn("/bin/sh", ["-c", "sleep 600", `${token}-host`], { stdio: "ignore", detached: true });
  onTestFinished(() => endNow(-(sleeper.pid ?? 0)));
  const git = join(world.project, ".git");
  const before = { hooks: readdirSync(join(git, "hooks")).sort().join(), inode: lstatSync(git).ino };
  const same = ["config", "../.ralph/settings.json"].map((name) => [
    join(git, name),
    readFileSync(join(git, name), "utf8"),
  ]);
  const isSame = (n: number) => textOf(same[n]?.[0] ?? "") === same[n]?.[1];
  const ralph = programFor(world, kept, withKey(token, secret));
  if (kept.uid !== undefined) execFileSync("chown", ["-R", `${kept.uid}:${kept.uid}`, world.home]);
  if (kept.uid !== undefined) chmodSync(world.home, 0o755);
  const start = (...more: string[]) =>
    watch(
      spawn(ralph[0] ?? "", [...ralph.slice(1), "run", "-p", "x", `--sandbox=${kept.kind}`, ...more], {
        cwd: world.project,
        env: {
          ...process.env,
          ...kept.env,
          HOME: home,
          PATH: `${world.project}/bin:${process.env["PATH"]}`,
          RALPH_STATE_DIR: world.state,
          RALPH_TRUST_PROJECT: "1",
          A_SECRET_OF_THE_HOST: secret,
        },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
  return {
    world,
    token,
    met: () => met,
    program,
    planted: () => ({
      "leave a program for the user's git to run": !linesOf(join(world.project, "sub/.git/config")).some(
        (line) => line.includes("filter"),
      ),
      "read at the next run by links that it left": seen(world, "killed").length === 0,
      "have its own filter run by ralph's git": !linesOf(ran).includes("filter"),
      "have its own programs run from PATH": linesOf(ran).every((line) => line === "filter"),
    }),
    untouched: {
      "write outside the project": () => outside.every((path) => textOf(path) === "as it was"),
      "change a hook of git": () => readdirSync(join(git, "hooks")).sort().join() === before.hooks,
      "change the config of git": () => isSame(0) && !existsSync(join(git, "config.worktree")),
      "move .git away": () => lstatSync(git).ino === before.inode && !world.has("git-away"),
      "change ralph's settings": () =>
        isSame(1) && !world.has("ralph-away") && !world.has(".ralph/settings.local.json"),
      "write to the state folder": () => !existsSync(join(world.state, "planted")),
    },
    start,
  };
}

/** The words that start ralph; for another user from a place that everybody may read. */
function programFor(world: World, { uid }: Kept, before: readonly string[]): string[] {
  if (uid === undefined) return [...before, process.execPath, RALPH];
  const root = dirname(dirname(RALPH));
  const place = join(world.home, "ralph");
  for (const name of ["bin", "dist", "package.json"])
    cpSync(join(root, name), join(place, name), { recursive: true });
  return [
    execFileSync("sh", ["-c", "command -v setpriv"], { encoding: "utf8" }).trim(),
    `--reuid=${uid}`,
    `--regid=${uid}`,
    "--clear-groups",
    ...before,
    process.execPath,
    join(place, "bin/ralph"),
  ];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Are the containers of every run of this world removed, in the end? */
async function noContainerOf(world: World): Promise<boolean> {
  const runs = world.runs().map((journal) => (journal[0] as { run: string }).run);
  const left = () =>
    runs.map((run) =>
      execFileSync("podman", ["ps", "-aq", "--filter", `label=ralph.run=${run}`], { encoding: "utf8" }),
    );
  return until("no container", () => left().join("") === "").then(
    () => true,
    () => false,
  );
}
