import { redact } from "../redact.ts";
import type { GateSpec } from "../spec.ts";

/** A command as part of a file name: `./mvnw clean install -T 2C` is `mvnw_clean_install_T_2C`. */
export function slugOf(command: string): string {
  // A file name is no place for a secret: it is shown, quoted in prompts, and kept.
  const slug = redact(command)
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+/, "");
  return slug.slice(0, 50).replace(/_+$/, "") || "guardrail";
}

/** Where each gate of an iteration logs, in order. A second gate with the same slug gets `_1`. */
export function logPaths(gates: readonly GateSpec[], iteration: number): string[] {
  const taken = new Set<string>();
  return gates.map((gate) => {
    const slug = slugOf(gate.command || gate.name);
    let name = slug;
    for (let n = 1; taken.has(name); n++) name = `${slug}_${n}`;
    taken.add(name);
    return `.ralph/${gate.kind}_${String(iteration).padStart(3, "0")}_${name}.log`;
  });
}
