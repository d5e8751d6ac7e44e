// The real agents, from npm, in a cache outside the project: each version once, without install scripts.
// `node scripts/agents-cache.mjs [claude codex@0.166.0 …]` installs and prints how each is called.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const PLATFORM = `${process.platform}-${process.arch}`;
const INSTALL_MS = 10 * 60_000;
const START_MS = 60_000;
/** How Codex names the machine in its own folder. */
const TRIPLES = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
};

/**
 * What npm calls them, the version that was tried last, and the program. Where a package fetches or links its program in
 * an install script, which we do not run, the program of its platform package is called.
 */
const AGENTS = {
  claude: {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: `@anthropic-ai/claude-code-${PLATFORM}/claude`,
  },
  codex: {
    package: "@openai/codex",
    version: "0.166.0",
    program: `@openai/codex-${PLATFORM}/vendor/${TRIPLES[PLATFORM]}/bin/codex`,
  },
  copilot: { package: "@github/copilot", version: "1.0.102", program: `@github/copilot-${PLATFORM}/copilot` },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", script: "@google/gemini-cli/bundle/gemini.js" },
  qwen: { package: "@qwen-code/qwen-code", version: "0.15.10", script: "@qwen-code/qwen-code/cli.js" },
  opencode: {
    package: "opencode-ai",
    version: "1.18.33",
    program: `opencode-${PLATFORM}/bin/opencode`,
  },
};

/** Every agent that can be had from npm. */
export const ALL_AGENTS = Object.keys(AGENTS);

/** A wish in the form `claude` or `claude@2.1.197`; throws when there is no such agent or the version is not exact. */
export function readWish(word) {
  const [name, version] = word.split("@");
  const known = AGENTS[name];
  if (known === undefined) throw new Error(`no agent "${name}"; there are ${ALL_AGENTS.join(", ")}`);
  if (version !== undefined && !/^\d+(\.\d+)+[\w.-]*$/.test(version)) {
    throw new Error(`"${version}" is no exact version: the cache would not know when it is old`);
  }
  return { name, ...known, version: version ?? known.version };
}

/** Makes sure that an agent is in the cache. Gives its name, its version, and the words that start it. */
export async function cached(wish) {
  const folder = join(cacheFolder(), `${wish.name}@${wish.version}`);
  if (!existsSync(folder)) await install(wish, folder);
  return { name: wish.name, version: wish.version, command: commandIn(folder, wish) };
}

/** Installed beside its place and moved there when it has started once, so that half an install is never found. */
async function install(wish, folder) {
  mkdirSync(dirname(folder), { recursive: true });
  const begun = mkdtempSync(`${folder}-`);
  const home = mkdtempSync(join(tmpdir(), "ralph-agent-home-"));
  try {
    writeFileSync(join(begun, "package.json"), JSON.stringify({ name: "agents-cache", private: true }));
    // Without a network npm would try again for more than a minute by itself.
    const patience = ["--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000"];
    const flags = [
      ...patience,
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--no-package-lock",
      "--loglevel=error",
    ];
    await run("npm", ["install", ...flags, `${wish.package}@${wish.version}`], {
      cwd: begun,
      timeout: INSTALL_MS,
      env: { ...process.env, npm_config_prefix: undefined, npm_config_local_prefix: undefined },
    });
    const [file, ...args] = commandIn(begun, wish);
    const env = { PATH: process.env.PATH, HOME: home };
    const { stdout } = await run(file, [...args, "--version"], { cwd: home, env, timeout: START_MS });
    if (!stdout.includes(wish.version)) throw new Error(`it calls itself ${stdout.trim()}`);
    if (existsSync(folder)) return; // somebody else was faster
    renameSync(begun, folder);
  } finally {
    rmSync(begun, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  }
}

function commandIn(folder, { program, script }) {
  const inside = (path) => join(folder, "node_modules", path);
  return script === undefined ? [inside(program)] : [process.execPath, inside(script)];
}

function cacheFolder() {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(base, "ralph-proof", "agents");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  for (const word of words.length > 0 ? words : ["claude", "codex"]) {
    console.log(JSON.stringify(await cached(readWish(word))));
  }
}
