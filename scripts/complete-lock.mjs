// Completes package-lock.json. npm leaves an optional package of another platform out of the lock when the registry at
// hand does not carry it, and then `npm ci` refuses the lock. Its entry needs no more than its name tells: the version
// that the parent asks for, and the platform that it is for. Run it after every change of dependencies.
import { readFileSync, writeFileSync } from "node:fs";

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(path, "utf8"));
const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = [
  "arm64",
  "x64",
  "ia32",
  "ppc64",
  "riscv64",
  "s390x",
  "loong64",
  "mips64el",
  "wasm32",
  "arm",
];
const added = [];

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (lock.packages[key] !== undefined || !/^\d+\.\d+\.\d+/.test(version)) continue;
    const words = name.split(/[/-]/);
    const os = SYSTEMS.filter((system) => words.includes(system));
    const cpu = PROCESSORS.filter((processor) => words.includes(processor)).slice(0, 1);
    if (os.length === 0 && cpu.length === 0) continue;
    const libc = words.some((word) => word.startsWith("musl"))
      ? ["musl"]
      : words.some((word) => word.startsWith("gnu"))
        ? ["glibc"]
        : [];
    lock.packages[key] = {
      version,
      ...(cpu.length > 0 ? { cpu } : {}),
      dev: true,
      ...(libc.length > 0 ? { libc } : {}),
      optional: true,
      ...(os.length > 0 ? { os } : {}),
    };
    added.push(name);
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added.length} entries completed`);
