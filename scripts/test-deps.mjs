// Makes sure that the programs which the tests use are there. As root on Debian it installs what is missing;
// elsewhere it says which suites will not run, and why. In CI a missing program is a failure.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const RUNTIME = "@anthropic-ai/sandbox-runtime";

/** Program, Debian package, and which suites need it. */
const NEEDED = [
  { program: "git", pkg: "git", suites: "scm, snapshot, e2e" },
  { program: "bwrap", pkg: "bubblewrap", suites: "what holds processes together" },
  { program: "setpriv", pkg: "util-linux", suites: "what holds processes together" },
  { program: "curl", pkg: "curl", suites: "the proxy of the sandbox" },
  { program: "openssl", pkg: "openssl", suites: "the proxy of the sandbox, by TLS" },
  { program: "podman", pkg: "podman", suites: "containers" },
  { program: "runc", pkg: "runc", suites: "containers" },
  { program: "socat", pkg: "socat", suites: "the sandbox runtime (srt)" },
  { program: "rg", pkg: "ripgrep", suites: "the sandbox runtime (srt)" },
  { program: "keyctl", pkg: "keyutils", suites: "attempts at the kernel's keyring" },
  { program: "script", pkg: "bsdutils", suites: "init on a terminal" },
];

const missing = NEEDED.filter(({ program }) => !isOnPath(program));
if (missing.length > 0 && process.getuid?.() === 0 && existsSync("/etc/debian_version")) {
  const packages = missing.map(({ pkg }) => pkg);
  console.log(`test-deps: installing ${packages.join(", ")}`);
  apt(["update", "--quiet"]);
  apt(["install", "--yes", "--quiet", "--no-install-recommends", ...packages]);
}
cacheRuntime();
const left = missing.filter(({ program }) => !isOnPath(program));
for (const { program, suites } of left) console.log(`test-deps: ${program} is missing; skipped: ${suites}`);
if (left.length > 0 && process.env.CI === "true") process.exit(1);

/** The sandbox runtime, which ralph uses where it is installed: once, in a cache outside the project. */
function cacheRuntime() {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "ralph-proof", "srt");
  if (existsSync(join(folder, "node_modules", RUNTIME))) return;
  mkdirSync(folder, { recursive: true });
  // The last version that runs on Node 20.
  const words = [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    `${RUNTIME}@0.0.78`,
  ];
  const { status } = spawnSync("npm", words, { stdio: "ignore", timeout: 120_000 });
  if (status !== 0)
    console.log(`test-deps: ${RUNTIME} cannot be installed; skipped: the sandbox runtime (srt)`);
}

function isOnPath(program) {
  return spawnSync("sh", ["-c", 'command -v "$1" >/dev/null', "-", program]).status === 0;
}

function apt(args) {
  spawnSync("apt-get", args, {
    stdio: "inherit",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
