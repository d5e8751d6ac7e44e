import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { isWithin, leadsThrough } from "./policy.ts";

/** What stands beside a folder of programs and belongs to them. */
const BESIDE = ["lib", "lib64", "libexec", "include"];

/** What belongs to programs in `~/.local/bin`: not all of `share`, where keys and histories are too. */
const LOCAL = ["claude", "pnpm", "uv", "mise", "fnm", "pipx", "rtx", "virtualenv", "cursor-agent"].map(
  (name) => join("share", name),
);

/** Folders of tools in a home that hold nothing but tools. */
const WHOLE = [
  ".rustup",
  ".nvm/versions",
  ".pyenv",
  ".rbenv",
  ".volta",
  ".bun/install",
  ".deno",
  ".sdkman",
  ".asdf",
];

/**
 * What of the programs on PATH stands in a place that is hidden, and has to be seen to be run: the folders, what belongs to them, and
 * what links in them lead to.
 */
export function toolPaths(
  path: string,
  programs: readonly string[],
  {
    hidden,
    home,
    project,
  }: { readonly hidden: readonly string[]; readonly home: string; readonly project: string },
): string[] {
  // What is in the project is there anyway, and may be a link to anything by now.
  const isOurs = (one: string) => !leadsThrough(one, project);
  const isHidden = (one: string) => hidden.some((place) => isWithin(one, place));
  const folders = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && existsSync(folder) && isOurs(folder));
  const wanted = [
    ...folders.flatMap((folder) => around(folder, home)),
    ...(folders.filter((folder) => isWithin(folder, home)).length > 0
      ? WHOLE.map((name) => join(home, name))
      : []),
    ...programs.filter(isOurs).flatMap(packageOf),
  ];
  const found = wanted.filter((one) => existsSync(one) && isOurs(one)).map((one) => realpathSync(one));
  // A home as a whole is never shown, whatever PATH says.
  return [...new Set(found)].filter((one) => isHidden(one) && one !== home && !isWithin(home, one));
}

function around(folder: string, home: string): string[] {
  const parent = dirname(folder);
  if (!["bin", "sbin"].includes(basename(folder)) || parent === home || parent === "/") return [folder];
  const beside = parent === join(home, ".local") ? [...BESIDE, ...LOCAL] : [...BESIDE, "share"];
  return [folder, ...beside.map((name) => join(parent, name))];
}

/** A program, and the package that it is a part of: what stands below the last `node_modules` or beside what the link leads to. */
function packageOf(program: string): string[] {
  if (!existsSync(program)) return [];
  const real = realpathSync(program);
  const parts = real.split("/");
  const modules = parts.lastIndexOf("node_modules");
  if (modules > 0) return [parts.slice(0, modules + 1).join("/")];
  return [real];
}
