// `npm run test:agents [-- --all | claude codex@0.166.0 …] [test files]`: the built program with the real agents, which talk to a
// model server of the test's own on loopback. Where there is no network to install them, it says so; in CI that is a failure.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ALL_AGENTS, cached, readWish } from "./agents-cache.mjs";

const words = process.argv.slice(2);
const files = words.filter((word) => word.includes("/") || word.endsWith(".ts"));
const named = words.filter((word) => !files.includes(word) && word !== "--all");
const wishes = words.includes("--all") ? ALL_AGENTS : named.length > 0 ? named : ["claude", "codex"];

const agents = [];
for (const wish of read(wishes)) {
  try {
    agents.push(await cached(wish));
  } catch (error) {
    const why = String(error.stderr || error.message).trim();
    if (process.env.CI === "true") {
      console.error(`test:agents: ${wish.name} ${wish.version} could not be installed\n${why}`);
      process.exit(1);
    }
    console.log(`skipped: ${wish.name} ${wish.version} could not be installed (${why.split("\n")[0]})`);
  }
}
if (agents.length === 0) process.exit(0);

const alone = aloneWithLoopback();
const where =
  alone.length > 0 ? "with nothing but loopback" : "not cut off from the network: bwrap cannot do it here";
console.log(`test:agents: ${agents.map(({ name, version }) => `${name} ${version}`).join(", ")}; ${where}`);
const vitest = [process.execPath, join("node_modules", "vitest", "vitest.mjs")];
const [file, ...args] = [
  ...alone,
  ...vitest,
  "run",
  "--config",
  "test/real-agents/vitest.config.ts",
  ...files,
];
const ran = spawnSync(file, args, {
  stdio: "inherit",
  env: { ...process.env, RALPH_REAL_AGENTS: JSON.stringify(agents) },
});
process.exit(ran.status ?? 1);

function read(words) {
  try {
    return words.map(readWish);
  } catch (error) {
    console.error(`test:agents: ${error.message}`);
    process.exit(2);
  }
}

/** The words that run a command with a network of its own, in which there is only loopback; none where that does not work. */
function aloneWithLoopback() {
  const root = process.getuid?.() === 0 ? ["--cap-add", "ALL"] : [];
  const bwrap = ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--die-with-parent", ...root, "--"];
  const [file, ...args] = bwrap;
  return spawnSync(file, [...args, "true"]).status === 0 ? bwrap : [];
}
