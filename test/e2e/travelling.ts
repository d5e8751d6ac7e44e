import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { gitPhoto, photo } from "../snapshot/support.ts";
import { type Ended, makeWorld, type World } from "./support.ts";

/** All that a person would see: every file that is not ralph's own, byte for byte. */
export function files(world: World): Record<string, string> {
  return Object.fromEntries(
    Object.entries(photo(world.project)).filter(([name]) => !name.startsWith(".ralph/")),
  );
}

/** The user's git: index, HEAD, refs, stash, and their hooks. */
export function gitState(world: World): Record<string, string> {
  return {
    ...gitPhoto(world.project),
    hook: readFileSync(join(world.project, ".git/hooks/pre-commit"), "utf8"),
  };
}

/** A repository with all kinds of uncommitted work in it: staged, changed again, untracked, ignored, stashed. */
export function busyWorld(): World {
  const world = makeWorld({ git: true });
  for (const [key, value] of [
    ["user.name", "Test"],
    ["user.email", "test@example.invalid"],
  ] as const)
    world.git("config", key, value);
  mkdirSync(join(world.project, ".git/hooks"), { recursive: true });
  writeFileSync(join(world.project, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  world.write(".gitignore", "ignored/\n.env\n");
  world.write("src/a.txt", "a\n");
  world.write("src/b.txt", "b\n");
  world.git("add", "--all");
  world.git("commit", "--quiet", "-m", "second");
  world.write("src/a.txt", "stashed\n");
  world.git("stash", "--quiet");
  world.write("src/a.txt", "a, staged\n");
  world.git("add", "src/a.txt");
  world.write("src/a.txt", "a, staged and changed again\n");
  world.write("notes.txt", "the user's, in no commit\n");
  world.write("staged-new.txt", "new and staged\n");
  world.git("add", "staged-new.txt");
  world.write("ignored/cache", "the user's cache\n");
  world.write(".env", "SECRET=1\n");
  return world;
}

/** Runs an agent that does these shell lines, one a turn, against a gate that never passes. */
export async function runDeeds(world: World, deeds: readonly string[], rest: object = {}): Promise<Ended> {
  world.speaking(
    { turns: deeds.map((run) => ({ actions: [{ run }] })) },
    {
      guardrails: [{ command: "false" }],
      maximumIterations: deeds.length,
      baseline: { enabled: false },
      ...rest,
    },
  );
  const ended = await world.ralph(["run", "-p", "x"]);
  expect(ended.code).toBe(1);
  return ended;
}
