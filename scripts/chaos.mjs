// Builds the program and the chaos test, and runs the latter: `npm run chaos -- --runs 1000 --seed 7`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "ralph-chaos-program-"));
const outfile = join(folder, "chaos.mjs");
try {
  await build({
    entryPoints: [join(root, "test/chaos/main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "warning",
  });
  const ran = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, CHAOS_ROOT: root },
  });
  process.exitCode = ran.status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
