import * as v from "valibot";
import type { GuardSpec } from "../spec.ts";
import { DEFAULTS } from "./defaults.ts";
import { key, notBlank, oneOf, section } from "./schema-parts.ts";

const patterns = () => v.array(notBlank(), "a list of patterns");

/** The settings of the guard. */
export const guard = section({
  mode: key(
    oneOf(["auto", "on", "off"]),
    "Whether the guard judges what the agent is about to do. `auto`: when the run is not in a sandbox.",
    DEFAULTS.guard.mode,
  ),
  allow: key(
    patterns(),
    "Commands that the guard lets pass, word by word: `git push --force origin mine`, `rm -rf ../build/*`. A `*` in a word is any letters, as the last word any further words.",
    [],
  ),
  deny: key(
    patterns(),
    "Commands that it never lets pass: whatever begins with these words. `npm install`, `docker *`.",
    [],
  ),
});

type Pick = <T>(key: string, flag: undefined, setting: T | undefined, otherwise: T) => T;

/** The guard of a run as its settings have it. */
export function chooseGuard(settings: v.InferOutput<typeof guard> | undefined, pick: Pick): GuardSpec {
  return {
    mode: pick<GuardSpec["mode"]>("guard.mode", undefined, settings?.mode, DEFAULTS.guard.mode),
    allow: pick("guard.allow", undefined, settings?.allow, []),
    deny: pick("guard.deny", undefined, settings?.deny, []),
  };
}
