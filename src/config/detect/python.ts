import type { Check } from "./check.ts";
import { hasFile, hasFolder, readManifest } from "./look.ts";

/** Tools live in the project's environment, and these know how to get into it. */
const RUNNERS: readonly (readonly [string, string])[] = [
  ["uv.lock", "uv run "],
  ["poetry.lock", "poetry run "],
  ["pdm.lock", "pdm run "],
];

/** The checks of a Python project, as far as its pyproject.toml names their tools. */
export function fromPyproject(project: string): Check[] {
  const from = "pyproject.toml";
  const text = readManifest(project, from)?.replace(/^[ \t]*#.*$/gm, "");
  if (text === undefined) return [];
  const run = RUNNERS.find(([lock]) => hasFile(project, lock))?.[1] ?? "";
  const hasTests = /\bpytest\b/.test(text) || hasFolder(project, "tests") || hasFolder(project, "test");
  const checks: (Check | false)[] = [
    hasTests && { kind: "test", command: `${run}pytest`, from },
    /\bruff\b/.test(text) && { kind: "lint", command: `${run}ruff check`, from },
    /^[ \t]*\[tool\.mypy/m.test(text) && { kind: "type-check", command: `${run}mypy .`, from },
    /^[ \t]*\[tool\.pyright/m.test(text) && { kind: "type-check", command: `${run}pyright`, from },
  ];
  return checks.filter((check) => check !== false);
}
