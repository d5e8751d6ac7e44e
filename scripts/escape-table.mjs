// Lets a hostile agent try to get out of every kind of sandbox that this machine has, and prints what held: the table of
// docs/sandbox-kinds.md. `npm run build` first.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "ralph-escape-"));
const path = join(folder, "table.json");
const ran = spawnSync("npx", ["vitest", "run", "test/sandbox/escape.test.ts", "--maxWorkers=1"], {
  env: { ...process.env, ESCAPE_TABLE: path },
  encoding: "utf8",
});
const table = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
rmSync(folder, { recursive: true, force: true });

const kinds = Object.keys(table);
const attempts = [...new Set(kinds.flatMap((kind) => Object.keys(table[kind])))];
console.log(`| attempt | ${kinds.join(" | ")} |\n|---|${"---|".repeat(kinds.length)}`);
for (const attempt of attempts) {
  console.log(`| ${attempt} | ${kinds.map((kind) => word(table[kind][attempt])).join(" | ")} |`);
}
if (ran.status !== 0) console.error(`${ran.stdout}${ran.stderr}`);
process.exitCode = ran.status ?? 1;

function word(held) {
  if (held === undefined) return "not tried";
  return held ? "held" : "**NOT held**";
}
