// Builds dist/: the program and the library, bundled by esbuild into small files that load lazily, and their types.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
process.chdir(root);
rmSync("dist", { recursive: true, force: true });

await build({
  entryPoints: {
    main: "src/cli/main.ts",
    index: "src/index.ts",
    testing: "src/testing.ts",
    "scripted-agent": "src/testing/program.ts",
    "settings-schema": "src/config/json-schema.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.19",
  mainFields: ["module", "main"], // jsonc-parser's CommonJS build cannot be bundled
  minifySyntax: true,
  minifyWhitespace: true,
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "linked",
  define: { RALPH_VERSION: JSON.stringify(version) },
  // Dependencies written as CommonJS ask for node's own modules by `require`.
  banner: { js: "import{createRequire as $r}from'node:module';const require=$r(import.meta.url);" },
  logLevel: "warning",
});

// The first program in a sandbox: one file that can be shown to it alone. CommonJS, because Node is up sooner with it.
await build({
  entryPoints: { "sandbox-launcher": "src/sandbox/launcher.ts" },
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node20.19",
  minify: true,
  logLevel: "warning",
});

const tsc = spawnSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.types.json"], {
  stdio: "inherit",
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

chmodSync("bin/ralph", 0o755);
// `npx ralph` in the checkout runs the checkout.
if (process.platform !== "win32" && existsSync("node_modules")) {
  mkdirSync("node_modules/.bin", { recursive: true });
  rmSync("node_modules/.bin/ralph", { force: true });
  symlinkSync("../../bin/ralph", "node_modules/.bin/ralph");
}
