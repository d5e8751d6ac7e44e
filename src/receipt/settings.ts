import { redact } from "../redact.ts";
import type { Finding } from "./finding.ts";
import type { Receipt } from "./schema.ts";
import type { Store } from "./store.ts";

const FILE = ".ralph/settings.json";

/**
 * Are the gates of a receipt those that the judged tree itself asks for? Local settings can name others for an honest reason, so
 * that it is only told when they are not: a forged receipt with easier checks is found out by this where there is no journal.
 */
export async function checkSettings({ work, gates }: Receipt, store: Store): Promise<Finding[]> {
  if (work === undefined) return [];
  const path = [work.folder, FILE].filter((part) => part !== "").join("/");
  const file = await store.shadow.git(["cat-file", "blob", `${work.tree}:${path}`]);
  const named = file.code === 0 ? commandsIn(file.stdout) : [];
  if (named.length === 0) return [];
  const run = new Set(gates.map((gate) => gate.command));
  const others = named.map(redact).filter((command) => !run.has(command));
  if (others.length === 0)
    return [{ what: "settings", found: "same", how: "the tree asks for these checks" }];
  return [
    {
      what: "settings",
      found: "note",
      how: `the tree's own settings ask for other checks: ${others.join("; ")}`,
    },
  ];
}

function commandsIn(text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return []; // no settings that ralph could have read
  }
  const list = typeof value === "object" && value !== null && "guardrails" in value ? value.guardrails : [];
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) =>
    typeof one === "object" && one !== null && "command" in one && typeof one.command === "string"
      ? [one.command]
      : [],
  );
}
