// Taking and restoring a snapshot, beside `git status`: 10,000 files, 20 changes (16 modified, 2 deleted, 2 new).
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const FILES = 10_000;
const ROUNDS = 25;

/** The median wall time and the mean CPU of each in ms, over interleaved rounds. `root` is the repository, `home` a folder to work in. */
export async function measureSnapshots(root, home) {
  const { openShadow, takeSnapshot, planRestore, applyRestore } = await load(root, home);
  const project = join(home, "many");
  const git = (...args) => execFileSync("git", args, { cwd: project, stdio: ["ignore", "pipe", "inherit"] });
  for (let at = 0; at < FILES; at++) writeFile(project, at, `a file of some length\n`.repeat(10 + (at % 50)));
  git("init", "--quiet");
  git("add", "--all");
  git("-c", "user.name=b", "-c", "user.email=b@b", "commit", "--quiet", "-m", "b");
  git("repack", "-a", "-d", "--quiet"); // as it comes from a clone

  const times = { status: [], begin: [], take: [], restore: [] };
  const timed = async (name, act) => {
    const [started, cpu] = [performance.now(), cpuMs()];
    const value = await act();
    times[name].push({ wall: performance.now() - started, cpu: cpuMs() - cpu });
    if (value?.fault) throw new Error(value.fault);
    return value;
  };
  let shadow;
  for (let round = 0; round < 5; round++) {
    rmSync(join(home, "run"), { recursive: true, force: true });
    shadow = await timed("begin", () => openShadow(project, join(home, "run")));
  }
  const start = await takeSnapshot(shadow);
  for (let round = 0; round < ROUNDS; round++) {
    git("update-index", "--refresh"); // files that the last round restored are new to the user's index
    for (let at = 0; at < 16; at++)
      writeFile(project, (round * 400 + at * 37) % FILES, `changed in round ${round}\n`);
    for (let at = 16; at < 18; at++) rmSync(fileOf(project, (round * 400 + at * 37) % FILES));
    for (let at = 0; at < 2; at++) writeFile(project, FILES + at, `new in round ${round}\n`);
    await timed("status", () => git("--no-optional-locks", "status", "--porcelain", "-uall"));
    const present = await timed("take", () => takeSnapshot(shadow, String(round)));
    await timed("restore", async () => {
      const plan = await planRestore(shadow, { from: present.name, to: start.name, last: present.name });
      return plan.fault ? plan : applyRestore(shadow, plan);
    });
    const back = await takeSnapshot(shadow);
    if (back.name !== start.name) throw new Error("a restore did not come back to the same tree");
  }
  return Object.fromEntries(
    Object.entries(times).map(([name, list]) => [
      name,
      {
        wall: median(list.map((one) => one.wall)),
        cpu: list.reduce((sum, one) => sum + one.cpu, 0) / list.length,
      },
    ]),
  );
}

function fileOf(project, at) {
  return join(project, `folder-${at % 100}`, `sub-${at % 7}`, `file-${at}.txt`);
}

function writeFile(project, at, text) {
  mkdirSync(join(fileOf(project, at), ".."), { recursive: true });
  writeFileSync(fileOf(project, at), text);
}

/** CPU of this process and of the children that are gone, in ms (10 ms steps, which average out over the rounds). */
function cpuMs() {
  const stat = readFileSync("/proc/self/stat", "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const own = process.cpuUsage();
  return (own.user + own.system) / 1000 + (Number(fields[13]) + Number(fields[14])) * 10;
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

/** The room itself: it is measured as a library, without the start of a program around it. */
async function load(root, home) {
  const room = join(root, "src/snapshot");
  const outfile = join(home, "snapshot.mjs");
  const files = ["shadow", "take", "plan", "restore"];
  const contents = files.map((file) => `export * from "${join(room, file)}.ts";`).join("\n");
  const stdin = { contents, resolveDir: room };
  await build({ stdin, outfile, bundle: true, platform: "node", format: "esm", logLevel: "error" });
  return import(pathToFileURL(outfile).href);
}
