import { messageOf } from "../errors.ts";
import type { Place, Ruling } from "../guard/ruling.ts";
import { judgeTool } from "../guard/tools.ts";
import type { Answer } from "./answer.ts";
import type { HookInput } from "./input.ts";

/** A tool call that the guard is asked about. */
export type GuardedCall = Pick<HookInput, "tool" | "toolInput" | "cwd">;

/** What the guard answers before a tool is used. Undefined: it may be. It fails closed: what cannot be judged is denied. */
export function guardAnswer(input: GuardedCall, place: Place): Answer {
  try {
    const at = input.cwd.startsWith("/") ? { ...place, cwd: input.cwd } : place;
    const ruling = judgeTool(input.tool, input.toolInput, at);
    return ruling.allowed ? undefined : { deny: denialText(ruling) };
  } catch (error) {
    return { deny: `ralph's guard could not judge this, so it is not allowed: ${messageOf(error)}` };
  }
}

function denialText({ rule, why, instead }: Extract<Ruling, { allowed: false }>): string {
  return `ralph's guard does not allow this: ${why} (rule ${rule}). ${instead}`;
}

/** The place that a run wrote down for its guard; undefined when it is none. */
export function placeIn(json: string): Place | undefined {
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return undefined;
  const { project, cwd, home, unattended, allow, deny, protected: more } = value as Record<string, unknown>;
  if (typeof project !== "string" || typeof cwd !== "string" || typeof home !== "string") return undefined;
  if (!isList(allow) || !isList(deny) || !isList(more)) return undefined;
  return { project, cwd, home, unattended: unattended !== false, allow, deny, protected: more };
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
