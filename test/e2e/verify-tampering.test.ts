import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Receipt } from "../../src/receipt/schema.ts";
import { honestRun, sealedAnew, withGate } from "./receipts.ts";
import { type Ended, makeWorld } from "./support.ts";

type Edit = (receipt: Receipt) => Receipt;

/** One honest run for all edits: a clone of its repository, which nobody changes, and its receipt. */
const clone = mkdtempSync(join(tmpdir(), "ralph-clone-"));
let honest: Receipt;
beforeAll(async () => {
  const run = await honestRun();
  honest = run.receipt;
  cpSync(run.clone, clone, { recursive: true });
});
afterAll(() => rmSync(clone, { recursive: true, force: true, maxRetries: 5 }));

/** Verifies a receipt in the clone, on a machine that never heard of the run. */
function verify(receipt: Receipt): Promise<Ended> {
  const world = makeWorld();
  world.write("../receipt.json", JSON.stringify(receipt));
  return world.ralph(["verify", join(world.home, "receipt.json")], { cwd: clone });
}

const work = (receipt: Receipt, change: Partial<NonNullable<Receipt["work"]>>): Receipt => {
  if (receipt.work === undefined) throw new Error("the run was outside git");
  return { ...receipt, work: { ...receipt.work, ...change } };
};
const base = (receipt: Receipt): string => receipt.work?.base?.tree ?? "";
const first = (): string => honest.work?.base?.commit ?? "";

const EDITS: readonly (readonly [string, Edit, string])[] = [
  ["an exit code", (receipt) => withGate(receipt, { exitCode: 1 }), "gates"],
  ["a command", (receipt) => withGate(receipt, { command: "true" }), "gates"],
  ["a gate less", (receipt) => ({ ...receipt, gates: receipt.gates.slice(1) }), "gates"],
  ["another tree", (receipt) => work(receipt, { tree: base(receipt) }), "work"],
  [
    "another commit",
    (receipt) =>
      work(receipt, {
        commit: { id: receipt.work?.base?.commit ?? "", tree: base(receipt), iteration: 2 },
      }),
    "work",
  ],
  ["a hash of the diff", (receipt) => work(receipt, { diff: { sha256: "0".repeat(64), files: 1 } }), "work"],
  ["the claims", (receipt) => ({ ...receipt, claims: receipt.claims.slice(1) }), "claims"],
  ["the cost", (receipt) => ({ ...receipt, totals: { ...receipt.totals, costUsd: 0 } }), "totals"],
  ["the agent", (receipt) => ({ ...receipt, agents: [] }), "agents"],
  [
    "the seal",
    (receipt) => ({ ...receipt, digest: { ...receipt.digest, sha256: "0".repeat(64) } }),
    "digest",
  ],
];

describe("a receipt that was edited", () => {
  test.each(EDITS)(
    "in %s is told as changed, with its part, and no command of it runs",
    async (_, edit, part) => {
      const found = await verify(edit(honest));
      expect(found.code).toBe(1);
      expect(found.stdout).toMatch(
        new RegExp(`^different +receipt: changed since it was written: ${part}$`, "m"),
      );
      expect(found.stdout).toMatch(/: not run$/m);
      expect(found.stderr).not.toContain("Running");
      expect(found.stdout).toContain("The receipt does not hold.");
    },
  );

  test("and sealed anew is contradicted by the journal where the run was, part by part", async () => {
    const run = await honestRun();
    const forged = EDITS.slice(0, -1).reduce((receipt, [, edit]) => edit(receipt), run.receipt);
    run.put(sealedAnew(forged));
    const found = await run.here([]);
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(
      /^different +journal: its events tell otherwise: agents, claims, gates, totals, work$/m,
    );
    const { journal } = run.receipt;
    run.put(sealedAnew({ ...run.receipt, journal: { ...journal, sha256: "0".repeat(64) } }));
    expect((await run.here([])).stdout).toMatch(/^different +journal: another journal led to this receipt/m);
  });
});

describe("a receipt that was edited and sealed anew is contradicted elsewhere by what it names", () => {
  test.each<readonly [string, Edit, RegExp]>([
    ["an exit code", (receipt) => withGate(receipt, { exitCode: 3 }), /^different +grep .*: exit 0, was 3$/m],
    [
      "a command that fails",
      (receipt) => withGate(receipt, { command: "exit 4" }),
      /^different +grep .*: exit 4, was 0$/m,
    ],
    [
      "another tree",
      (receipt) => work(receipt, { tree: base(receipt) }),
      /^different +diff: the two trees differ otherwise \(0 files changed, was 1\)$/m,
    ],
    [
      "another commit",
      (receipt) => work(receipt, { commit: { id: first(), tree: receipt.work?.tree ?? "", iteration: 2 } }),
      /^different +commit: [0-9a-f]{12} holds another tree/m,
    ],
    [
      "a hash of the diff",
      (receipt) => work(receipt, { diff: { sha256: "0".repeat(64), files: 1 } }),
      /^different +diff: /m,
    ],
    [
      "a tree that is a commit",
      (receipt) => work(receipt, { tree: first() }),
      /^different +tree: [0-9a-f]{40} is a commit, and no tree$/m,
    ],
    [
      "the tree of the base, on which the check is red",
      (receipt) => work(receipt, { tree: base(receipt) }),
      /^different +grep -q good work\.txt: exit 2, was 0$/m,
    ],
  ])("%s", async (_, edit, told) => {
    const found = await verify(sealedAnew(edit(honest)));
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(told);
  });

  test("an easier check passes, but the tree itself tells that it asks for another", async () => {
    const found = await verify(sealedAnew(withGate(honest, { command: "true" })));
    expect(found.stdout).toMatch(
      /^note +settings: the tree's own settings ask for other checks: grep -q good work\.txt$/m,
    );
  });
});
