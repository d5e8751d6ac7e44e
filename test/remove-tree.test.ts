import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { removeTree } from "../src/files.ts";

function folder(): string {
  return mkdtempSync(join(tmpdir(), "ralph-remove-"));
}

test("folders that were made read-only go, and what a link leads to stays", () => {
  const [root, other] = [folder(), folder()];
  mkdirSync(join(root, "go/mod"), { recursive: true });
  writeFileSync(join(root, "go/mod/file"), "1");
  writeFileSync(join(other, "file"), "1");
  symlinkSync(other, join(root, "go/mod/link"));
  chmodSync(join(root, "go/mod"), 0o000);
  chmodSync(join(root, "go"), 0o500);
  chmodSync(other, 0o500);
  removeTree(root);
  expect(existsSync(root)).toBe(false);
  expect(existsSync(join(other, "file"))).toBe(true);
  chmodSync(other, 0o700);
  rmSync(other, { recursive: true });
});

test("folders that are deeper than a path may be long go", () => {
  const root = folder();
  const chain = Array<string>(15).fill("d".repeat(200)).join("/");
  for (const n of [1, 2, 3]) {
    mkdirSync(join(root, `${n}`, chain), { recursive: true });
    if (n > 1) renameSync(join(root, `${n - 1}`), join(root, `${n}`, chain, "more"));
  }
  expect(() => rmSync(root, { recursive: true, force: true })).toThrow("ENAMETOOLONG");
  removeTree(root);
  expect(existsSync(root)).toBe(false);
});

test("what is not there is removed already", () => {
  removeTree(join(folder(), "none"));
});
