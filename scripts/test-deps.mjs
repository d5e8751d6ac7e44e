// Makes sure that the programs which the tests use are there. As root on Debian it installs what is missing;
// elsewhere it says which suites will not run, and why. In CI a missing program is a failure.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Program, Debian package, and which suites need it. */
const NEEDED = [
  { program: "git", pkg: "git", suites: "scm, snapshot, e2e" },
  { program: "bwrap", pkg: "bubblewrap", suites: "what holds processes together" },
  { program: "setpriv", pkg: "util-linux", suites: "what holds processes together" },
  { program: "curl", pkg: "curl", suites: "the proxy of the sandbox" },
  { program: "openssl", pkg: "openssl", suites: "the proxy of the sandbox, by TLS" },
  { program: "script", pkg: "bsdutils", suites: "init on a terminal" },
];

const missing = NEEDED.filter(({ program }) => !isOnPath(program));
if (missing.length > 0 && process.getuid?.() === 0 && existsSync("/etc/debian_version")) {
  const packages = missing.map(({ pkg }) => pkg);
  console.log(`test-deps: installing ${packages.join(", ")}`);
  apt(["update", "--quiet"]);
  apt(["install", "--yes", "--quiet", "--no-install-recommends", ...packages]);
}
const left = missing.filter(({ program }) => !isOnPath(program));
for (const { program, suites } of left) console.log(`test-deps: ${program} is missing; skipped: ${suites}`);
if (left.length > 0 && process.env.CI === "true") process.exit(1);

function isOnPath(program) {
  return spawnSync("sh", ["-c", 'command -v "$1" >/dev/null', "-", program]).status === 0;
}

function apt(args) {
  spawnSync("apt-get", args, {
    stdio: "inherit",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
