import { createHash } from "node:crypto";
import type { Receipt, Unsealed } from "./schema.ts";

/** Seals a receipt: a hash of each part, so that it can be told which one was changed, and one over all of them. */
export function seal(receipt: Unsealed): Receipt {
  return { ...receipt, digest: digestOf(receipt) };
}

/** The parts of a receipt that are not what they were when it was sealed; `digest` when the seal itself is not. */
export function changedParts({ digest, ...rest }: Receipt): string[] {
  const now = digestOf(rest);
  const changed = differingParts(digest.parts, now.parts);
  if (changed.length > 0) return changed;
  return digest.sha256 === now.sha256 ? [] : ["digest"];
}

/** The parts in which two receipts differ. */
export function differingParts(
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => one[name] !== other[name]).sort();
}

/** The sha256 of bytes or of a text. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function digestOf(receipt: Unsealed): Receipt["digest"] {
  const parts = Object.fromEntries(
    Object.entries(receipt)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, sha256(canonical(value))]),
  );
  return { parts, sha256: sha256(canonical(parts)) };
}

/** JSON with sorted keys and no space: one text for one value. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(",")}}`;
}
