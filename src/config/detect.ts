import type { Check } from "./detect/check.ts";
import { fromMakefile } from "./detect/makefile.ts";
import { fromPackageJson } from "./detect/package-json.ts";
import { fromPyproject } from "./detect/python.ts";
import { fromCargo, fromGoModule } from "./detect/toolchains.ts";

export type { Check } from "./detect/check.ts";

/** One function for each kind of project; a Makefile comes last, because its targets often only call the others. */
const DETECTORS: readonly ((project: string) => Check[])[] = [
  fromPackageJson,
  fromCargo,
  fromGoModule,
  fromPyproject,
  fromMakefile,
];

/**
 * The project's own checks, as far as its files tell. Runs nothing, follows no link and never throws: the files are a
 * stranger's, and one that cannot be read or understood is passed over.
 */
export function detectChecks(project: string): Check[] {
  return DETECTORS.flatMap((detect) => detect(project));
}

/**
 * The checks that are taken when nobody chooses: tests, linters and type-checks. A build says little that they do not
 * say, and costs a lot, so it is only taken where there is nothing else; and of a Makefile only what no other file has.
 */
export function suggestedChecks(checks: readonly Check[]): Check[] {
  const others = checks.filter(({ from }) => !isMakefile(from));
  const wanted = checks.filter(
    ({ kind, from }) =>
      kind !== "build" && !(isMakefile(from) && others.some((other) => other.kind === kind)),
  );
  return wanted.length > 0 ? wanted : checks.slice(0, 1);
}

function isMakefile(name: string): boolean {
  return /makefile$/i.test(name);
}
