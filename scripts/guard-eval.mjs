// What the guard denies of the three corpora in test/guard/corpus, beside another guard (cc-safety-net) in the same run.
// `--list` names what was decided wrongly in known and benign. The held-out part is only counted: rules are not made for it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const place = {
  project: "/home/dev/project",
  cwd: "/home/dev/project",
  home: "/home/dev",
  unattended: true,
  allow: [],
  deny: [],
  protected: ["/home/dev/.local/state/ralph"],
};

const corpora = Object.fromEntries(
  ["known", "held-out", "benign"].map((name) => [
    name,
    linesOf(join(root, `test/guard/corpus/${name}.jsonl`)),
  ]),
);
const ours = await ourGuard();
const guards = [{ name: "ralph", denies: (one) => !ours(one).allowed }, ...others()];

row("", ...guards.map(({ name }) => name));
for (const [name, lines] of Object.entries(corpora)) {
  row(`${name} (${lines.length})`, ...guards.map(({ denies }) => share(lines, denies)));
}
for (const name of ["known", "held-out"]) {
  console.log();
  row(`denied, ${name}`, ...guards.map((guard) => guard.name));
  for (const category of new Set(corpora[name].map((one) => one.category))) {
    const lines = corpora[name].filter((one) => one.category === category);
    row(`  ${category}`, ...guards.map(({ denies }) => share(lines, denies)));
  }
}
if (process.argv.includes("--list")) {
  const missed = corpora.known.filter((one) => ours(one).allowed);
  const wrong = corpora.benign.filter((one) => !ours(one).allowed);
  for (const one of missed) console.log(`missed: ${shown(one)}`);
  for (const one of wrong) console.log(`wrongly denied (${ours(one).rule}): ${shown(one)}`);
}

async function ourGuard() {
  const folder = mkdtempSync(join(tmpdir(), "guard-eval-"));
  try {
    const outfile = join(folder, "guard.mjs");
    const contents = 'export * from "./src/guard/judge.ts"; export * from "./src/guard/tools.ts";';
    await build({
      stdin: { contents, resolveDir: root },
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
    });
    const { judgeCommand, judgeTool } = await import(pathToFileURL(outfile).href);
    return (one) =>
      one.tool === undefined ? judgeCommand(one.command, place) : judgeTool(one.tool, one.input, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** It only knows commands: a tool call counts as let through. It wants real folders, and reads its mode from the environment. */
function others() {
  const home = join(root, "node_modules/.cache/guard-eval/home");
  const project = join(home, "project");
  mkdirSync(project, { recursive: true });
  const lines = Object.values(corpora).flat();
  const asked = lines.map((one) => (one.command ?? "").replaceAll("/home/dev", home));
  return [
    ["cc-safety-net", {}],
    ["  strict, paranoid", { CC_SAFETY_NET_STRICT: "1", CC_SAFETY_NET_PARANOID: "1" }],
  ].map(([name, mode]) => {
    const script = `
      import { readFileSync } from "node:fs";
      import { checkCommand } from "cc-safety-net/api";
      const asked = JSON.parse(readFileSync(0, "utf8"));
      const denied = (command) => { try { return checkCommand({ command, cwd: process.cwd() }).kind !== "allow"; } catch { return true; } };
      console.log(JSON.stringify(asked.map((command) => command !== "" && denied(command))));`;
    const done = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: project,
      env: { ...process.env, HOME: home, CC_SAFETY_NET_HOME: home, ...mode },
      input: JSON.stringify(asked),
      encoding: "utf8",
    });
    if (done.status !== 0) throw new Error(done.stderr);
    const denied = JSON.parse(done.stdout);
    return { name, denies: (one) => denied[lines.indexOf(one)] };
  });
}

function linesOf(path) {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function share(lines, denies) {
  const count = lines.filter(denies).length;
  return `${count}/${lines.length} ${((100 * count) / lines.length).toFixed(1)} %`;
}

function shown({ command, tool, input, why }) {
  return `${JSON.stringify(command ?? { tool, input })} (${why})`;
}

function row(first, ...cells) {
  console.log(first.padEnd(24) + cells.map((cell) => cell.padEnd(22)).join(""));
}
