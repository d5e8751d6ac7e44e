// Packs the project, installs the tarball into an empty folder, starts the program and type-checks a consumer.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), "ralph-package-"));
const run = (file, args, cwd = folder) =>
  execFileSync(file, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
try {
  run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], root);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module" }),
  );
  run("npm", ["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", `./${tarball}`]);
  const version = run(join(folder, "node_modules/.bin/ralph"), ["--version"]).trim();
  const wired = run(join(folder, "node_modules/.bin/ralph"), ["install-hooks", "copilot"]);
  const plugin = join(folder, "node_modules/ralph-proof/plugin");
  const named = readFileSync(join(plugin, "hooks/hooks.json"), "utf8").match(/hooks\/[\w-]+\.[cm]js/g) ?? [];
  if (named.length === 0) throw new Error("the plugin's hooks name no file");
  const wanted = [
    ".claude-plugin/plugin.json",
    "../.claude-plugin/marketplace.json",
    "hooks/ralph.sh",
    "opencode/ralph.js",
    "../dist/sandbox-launcher.cjs",
    ...named,
  ];
  for (const path of wanted) {
    if (!existsSync(join(plugin, path))) throw new Error(`the package lacks ${join("plugin", path)}`);
  }
  if (!wired.includes(realpathSync(plugin)))
    throw new Error(`install-hooks does not find ${plugin}: ${wired}`);
  cpSync(join(root, "test/types-consumer"), folder, { recursive: true });
  run(process.execPath, [
    join(root, "node_modules/typescript/bin/tsc"),
    "-p",
    "tsconfig.json",
    "--typeRoots",
    join(root, "node_modules/@types"),
  ]);
  const kib = Number(run("du", ["-sk", "node_modules/ralph-proof"]).split("\t")[0]);
  console.log(`package: ralph ${version} installs from its tarball (${kib} KiB), types hold for a consumer`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
