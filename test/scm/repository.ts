import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { temporaryFolder } from "../supervise/folder.ts";

/** Nobody's own git settings and identity may have a say in these tests; each repository has its own. */
export function useNoGitSettings(): void {
  beforeAll(() => {
    vi.stubEnv("GIT_CONFIG_GLOBAL", "/dev/null");
    vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
    for (const who of ["AUTHOR", "COMMITTER"]) {
      for (const what of ["NAME", "EMAIL"]) vi.stubEnv(`GIT_${who}_${what}`, undefined);
    }
  });
  afterAll(() => {
    vi.unstubAllEnvs();
  });
}

/** Runs git in a folder and returns what it said; a git that fails fails the test. */
export function gitIn(folder: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** A new repository without a commit. */
export function emptyRepository(): string {
  const folder = temporaryFolder();
  gitIn(folder, "init", "--quiet", "--initial-branch=main");
  gitIn(folder, "config", "user.name", "Test");
  gitIn(folder, "config", "user.email", "test@example.invalid");
  return folder;
}

/** A new repository with one commit of these files. */
export function repository(files: Readonly<Record<string, string>> = { "a.txt": "a\n" }): string {
  const folder = emptyRepository();
  write(folder, files);
  gitIn(folder, "add", "--all");
  gitIn(folder, "commit", "--quiet", "--message=first");
  return folder;
}

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The files of the last commit, in order. */
export function committedFiles(folder: string): string[] {
  return gitIn(folder, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD").split("\0").slice(0, -1);
}

export function commitCount(folder: string): number {
  return Number(gitIn(folder, "rev-list", "--count", "HEAD"));
}
