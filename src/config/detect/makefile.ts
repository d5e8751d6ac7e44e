import type { Check, CheckKind } from "./check.ts";
import { readManifest } from "./look.ts";

/** The names that make looks for, in its order. */
const NAMES = ["GNUmakefile", "makefile", "Makefile"] as const;

const TARGETS: readonly (readonly [CheckKind, readonly string[]])[] = [
  ["test", ["test"]],
  ["lint", ["lint"]],
  ["type-check", ["typecheck", "type-check"]],
  ["build", ["build"]],
];

/** The checks among the targets of a Makefile. */
export function fromMakefile(project: string): Check[] {
  for (const from of NAMES) {
    const text = readManifest(project, from);
    if (text !== undefined) return checksIn(targetsOf(text), from);
  }
  return [];
}

function checksIn(targets: ReadonlySet<string>, from: string): Check[] {
  const found = TARGETS.flatMap(([kind, names]): Check[] => {
    const name = names.find((one) => targets.has(one));
    return name === undefined ? [] : [{ kind, command: `make ${name}`, from }];
  });
  if (!targets.has("check")) return found;
  // By GNU's custom `check` runs the tests; where those have a target of their own, it is a check of some other kind.
  const free = (["test", "type-check"] as const).find((kind) => !found.some((check) => check.kind === kind));
  return free === undefined ? found : [...found, { kind: free, command: "make check", from }];
}

/** The names in front of the colon of each rule. Recipes begin with a tab, and `name := value` is no rule. */
function targetsOf(text: string): Set<string> {
  const targets = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const rule = /^([^\t#:=][^#:=]*)::?(?![:=])/.exec(line);
    for (const name of rule?.[1]?.split(/\s+/) ?? []) targets.add(name);
  }
  return targets;
}
