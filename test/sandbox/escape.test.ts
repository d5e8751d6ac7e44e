import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { hasProgram, makeImage, removeImage, srtModules, startService } from "./engines.ts";
import { type Findings, type Kept, tryOnce, tryToEscape } from "./escaping.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

/** Every kind that this machine can have. */
const modules = srtModules();
const ALL: readonly Kept[] = [
  ...(modules === undefined ? [] : [{ name: "srt", kind: "srt", env: { NODE_PATH: modules } } as const]),
  ...(hasProgram("bwrap")
    ? [
        { name: isRoot ? "bubblewrap, root" : "bubblewrap", kind: "bubblewrap" } as const,
        ...(isRoot ? [{ name: "bubblewrap, user", kind: "bubblewrap", uid: NOBODY } as const] : []),
      ]
    : []),
  ...(isRoot && hasProgram("podman") ? [{ name: "container, podman", kind: "container" } as const] : []),
];

/** What a fence is known not to hold. */
const NOT_HELD: Readonly<Partial<Record<string, readonly string[]>>> = {
  srt: [
    "take more memory than it may",
    "start more processes than it may",
    ...(hasProgram("keyctl") ? ["read the kernel's keyring"] : []),
  ],
};

/** What a plain user cannot do in any case, and what is about a proxy or an engine that is not there. */
const KEPT_BY_THE_SYSTEM: readonly string[] = [
  "have its own filter run by ralph's git", // which is careful without a fence too
  "reach a host by a disguised address",
  "reach an abstract socket", // where Node knows none
  "reach the socket of an engine",
  "read a secret in /root",
  "read by mounting the disk",
  "type into a terminal", // of another session
  ...(hasProgram("keyctl") ? [] : ["read the kernel's keyring"]),
  "see the processes", // ralph always puts an agent into a pid namespace, where it can
];

const table: Record<string, Findings> = {};
afterAll(() => {
  const path = process.env["ESCAPE_TABLE"];
  if (path === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(table));
});

describe.skipIf(ALL.length === 0)("a hostile agent in a sandbox", () => {
  test.each(ALL)(
    "is kept in by $name",
    async (kept) => {
      const findings = await tryToEscape(kept);
      table[kept.name] = findings;
      expect(brokenIn(findings)).toEqual(NOT_HELD[kept.name] ?? []);
      expect(Object.keys(findings).length).toBeGreaterThan(25);
    },
    600_000,
  );
});

const canServe = isRoot && hasProgram("podman") && hasProgram("docker");

test.skipIf(!canServe)(
  "is kept in by a container of an image, by the docker client",
  async () => {
    const image = `localhost/ralph-escape-${process.pid}:1`;
    const service = await startService();
    makeImage(image);
    try {
      const name = "container, docker";
      table[name] = await tryToEscape({ name, kind: "container", image, env: service.env });
      expect(brokenIn(table[name])).toEqual([]);
    } finally {
      service.stop();
      removeImage(image);
    }
  },
  600_000,
);

test.skipIf(!isRoot)("without a sandbox the same agent gets out", async () => {
  const findings = await tryOnce({ name: "none", kind: "none", uid: NOBODY });
  const held = Object.keys(findings).filter((what) => findings[what] === true && !what.startsWith("("));
  expect(KEPT_BY_THE_SYSTEM).toEqual(expect.arrayContaining(held));
});

function brokenIn(findings: Findings): string[] {
  return Object.keys(findings).filter((what) => findings[what] === false);
}
