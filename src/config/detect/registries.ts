import { hasFile } from "./look.ts";

/** Where the packages of a kind of project come from. */
const REGISTRIES: readonly (readonly [file: string, hosts: readonly string[]])[] = [
  ["package.json", ["registry.npmjs.org"]],
  ["Cargo.toml", ["index.crates.io", "static.crates.io"]],
  ["go.mod", ["proxy.golang.org", "sum.golang.org"]],
  ["pyproject.toml", ["pypi.org", "files.pythonhosted.org"]],
  ["requirements.txt", ["pypi.org", "files.pythonhosted.org"]],
  ["Gemfile", ["rubygems.org", "index.rubygems.org"]],
];

/** The hosts that a project's packages come from: an agent that may not reach them cannot install what it needs. */
export function registriesOf(project: string): string[] {
  const hosts = REGISTRIES.filter(([file]) => hasFile(project, file)).flatMap(([, all]) => all);
  return [...new Set(hosts)];
}
