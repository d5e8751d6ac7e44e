import { OTHER_RULES, RULES } from "./rules.ts";
import type { Place, Ruling } from "./ruling.ts";
import { Walk } from "./walk.ts";

/** Longer lines are not followed. */
const LONGEST = 64 * 1024;

/** What the guard says of a line for a shell. Pure; never throws. */
export function judgeCommand(command: string, at: Place): Ruling {
  if (command.length > LONGEST) return unresolved(at);
  const walk = new Walk();
  try {
    walk.start(command, at);
  } catch {
    return firstOf(walk.found, at) ?? unresolved(at); // nested so deep that it cannot be followed
  }
  return firstOf(walk.found, at) ?? { allowed: true };
}

/** The ruling that names this rule. */
export function denied(rule: keyof typeof RULES | keyof typeof OTHER_RULES): Ruling {
  const { category, why, instead } =
    rule in RULES ? RULES[rule as keyof typeof RULES] : OTHER_RULES[rule as keyof typeof OTHER_RULES];
  return { allowed: false, rule, category, why, instead };
}

function unresolved({ unattended }: Place): Ruling {
  return unattended ? denied("unresolved") : { allowed: true };
}

/** What is known to be wrong comes before what is not known. */
function firstOf(found: Walk["found"], at: Place): Ruling | undefined {
  const wrong = found.find((one) => one !== "unresolved");
  if (wrong !== undefined) return denied(wrong);
  return found.length > 0 ? unresolved(at) : undefined;
}
