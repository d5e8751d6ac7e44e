import type { ScmSpec } from "../spec.ts";
import type { Settings } from "./schema.ts";

/** An empty list of tasks switches version control off: that is how a local file can say no to the project's. */
export function scmOf(
  { scm }: Settings,
  from: ReadonlyMap<string, string>,
  sources: Map<string, string>,
): ScmSpec | undefined {
  sources.set("scm.command", from.get("scm.command") ?? "default");
  sources.set("scm.tasks", from.get("scm.tasks") ?? "default");
  if (scm?.command === undefined || scm.tasks === undefined || scm.tasks.length === 0) return undefined;
  return { command: scm.command, tasks: scm.tasks };
}
