import type { Check, CheckKind } from "./check.ts";
import { hasFile, readManifest } from "./look.ts";

const MANIFEST = "package.json";

/** The scripts that are looked for. Of each kind the first that is there is taken. */
const SCRIPTS: readonly (readonly [CheckKind, readonly string[]])[] = [
  ["test", ["test"]],
  ["lint", ["lint"]],
  ["type-check", ["typecheck", "type-check", "check-types", "tsc"]],
  ["build", ["build"]],
];

/** Where several lock files are, npm's is the one that was most likely left behind. */
const LOCK_FILES: readonly (readonly [string, PackageManager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

type PackageManager = "npm" | "pnpm" | "yarn" | "bun";

/** The checks among the scripts of a package.json. */
export function fromPackageJson(project: string): Check[] {
  const manifest = parse(readManifest(project, MANIFEST));
  const scripts = recordOf(manifest["scripts"]);
  const manager = packageManager(project, manifest["packageManager"]);
  return SCRIPTS.flatMap(([kind, names]): Check[] => {
    const name = names.find((one) => Object.hasOwn(scripts, one) && isCheck(scripts[one]));
    return name === undefined ? [] : [{ kind, command: commandFor(manager, name), from: MANIFEST }];
  });
}

/** A script that says something and ends: not npm's placeholder, and nothing that waits for changes for ever. */
function isCheck(script: unknown): boolean {
  if (typeof script !== "string" || script.trim() === "") return false;
  return !/no test specified/i.test(script) && !/(?:^|\s)--watch(?:All)?(?=\s|$|=true)/.test(script);
}

function commandFor(manager: PackageManager, script: string): string {
  // `bun test` is bun's own test runner, not the script.
  return script === "test" && manager !== "bun" ? `${manager} test` : `${manager} run ${script}`;
}

function packageManager(project: string, named: unknown): PackageManager {
  const byLock = LOCK_FILES.find(([name]) => hasFile(project, name))?.[1];
  if (byLock !== undefined) return byLock;
  const name = typeof named === "string" ? named.split("@")[0] : undefined;
  return name === "pnpm" || name === "yarn" || name === "bun" ? name : "npm";
}

function parse(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(text ?? "{}"));
  } catch {
    return {}; // somebody else's file: npm will tell them
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
