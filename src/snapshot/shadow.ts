import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { readPlain } from "../files.ts";
import { type GitResult, git, gitBytes, gitError } from "../scm/git.ts";
import { shareObjects } from "./objects.ts";
import { seedIndex } from "./seed.ts";

/** Why something could not be done, for people to read. */
export interface Fault {
  readonly fault: string;
}

/** What was true of the project before the agent ever ran. */
interface Place {
  readonly project: string;
  readonly top: string;
  /** The commit objects' home in the user's repository; undefined outside git. */
  readonly repository?: { readonly objects: string; readonly index: string; readonly exclude: string };
  readonly format: string;
}

/** The name that a file has while it is being restored. Never in a snapshot: a restore that was killed may leave it. */
export const RESTORING = ".ralph-restoring";

/** Outside git nobody said what is not the work: folders that a tool fills and can fill again. */
export const NOT_THE_WORK = ["node_modules", ".venv", "__pycache__"];
const MOST_RULES_BYTES = 1024 * 1024;

/**
 * No setting of anybody's, and no conversion: what git stores here is what stands on the disk, byte for byte. Time counts here
 * for more than space: objects are not compressed, and the index is the short kind.
 */
const CONFIG = `
[core]
	autocrlf = false
	safecrlf = false
	excludesFile = /dev/null
	attributesFile = /dev/null
	untrackedCache = false
	splitIndex = false
	sparseCheckout = false
	createObject = rename
	looseCompression = 0
[index]
	version = 4
	skipHash = true
[gc]
	auto = 0
`;
const ATTRIBUTES = "* -text !eol !crlf !ident !filter !working-tree-encoding !diff !merge\n";

/**
 * The shadow repository: where a run keeps its snapshots. It is ralph's own, in the run's folder, beside the user's: with a
 * configuration, an index and objects of its own, so that nothing that an agent does to `.git` has a say in it or can take
 * it away, and so that a folder outside git has snapshots too.
 */
export class Shadow {
  readonly folder: string;
  readonly project: string;
  readonly top: string;
  /** Is the project in a git repository of the user's? */
  readonly isRepository: boolean;
  readonly #env: NodeJS.ProcessEnv;

  /** `env` goes to every git: by it one that outlives a killed run is found and ended. */
  constructor(folder: string, place: Place, env: NodeJS.ProcessEnv = {}) {
    this.#env = env;
    this.folder = folder;
    this.project = place.project;
    this.top = place.top;
    this.isRepository = place.repository !== undefined;
  }

  /** Runs git on the shadow repository and the user's files. */
  git(args: readonly string[], options: ShadowOptions = {}): Promise<GitResult> {
    return git(options.cwd ?? this.top, args, this.#options(options));
  }

  /** The same for answers that are not text. */
  bytes(
    args: readonly string[],
    onStdout: (chunk: Buffer) => void,
    options: ShadowOptions = {},
  ): Promise<Omit<GitResult, "stdout">> {
    return gitBytes(options.cwd ?? this.top, args, this.#options(options), onStdout);
  }

  /** The whole answer as bytes, or why there is none. */
  async collect(args: readonly string[], options: ShadowOptions = {}): Promise<Buffer | Fault> {
    const chunks: Buffer[] = [];
    const done = await this.bytes(args, (chunk) => void chunks.push(chunk), options);
    return done.code === 0 ? Buffer.concat(chunks) : { fault: `git ${args[0]}: ${gitError(done)}` };
  }

  #options({ index = "index", workTree = this.top, stdin }: ShadowOptions) {
    const env: NodeJS.ProcessEnv = {
      ...this.#env,
      LC_ALL: "C",
      GIT_DIR: this.folder,
      GIT_COMMON_DIR: undefined,
      GIT_WORK_TREE: workTree,
      GIT_INDEX_FILE: join(this.folder, index),
      GIT_OBJECT_DIRECTORY: join(this.folder, "objects"),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: undefined,
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_ATTR_NOSYSTEM: "1",
      GIT_EXEC_PATH: join(this.folder, "bin"),
    };
    return { env, ...(stdin === undefined ? {} : { stdin }) };
  }
}

interface ShadowOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  /** Another index of the shadow's. */
  readonly index?: string;
  /** Another folder than the user's. */
  readonly workTree?: string;
}

/** Where a run keeps its snapshots. */
export function snapshotsIn(runFolder: string): string {
  return join(runFolder, "snapshots");
}

/** The shadow repository that a run has made, if it has. */
export function knownShadow(runFolder: string, env: NodeJS.ProcessEnv = {}): Shadow | undefined {
  const folder = snapshotsIn(runFolder);
  const kept = join(folder, "place.json");
  return existsSync(kept)
    ? new Shadow(folder, JSON.parse(readFileSync(kept, "utf8")) as Place, env)
    : undefined;
}

/**
 * Opens the shadow repository of a run, and makes it the first time. What is found then is kept: a run that is resumed, and
 * a rollback of it, do not ask the agent's `.git` again.
 */
export async function openShadow(
  project: string,
  runFolder: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Shadow | Fault> {
  const known = knownShadow(runFolder, env);
  if (known !== undefined) return known;
  const folder = snapshotsIn(runFolder);
  const kept = join(folder, "place.json");
  const place = await look(resolve(project));
  if ("fault" in place) return place;
  rmSync(folder, { recursive: true, force: true }); // begun by a run that was killed
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const shadow = new Shadow(folder, place, env);
  const made = await shadow.git(["init", "--quiet", "--template=", `--object-format=${place.format}`]);
  if (made.code !== 0) return { fault: `git init: ${gitError(made)}` };
  appendFileSync(join(folder, "config"), CONFIG);
  mkdirSync(join(folder, "info"));
  mkdirSync(join(folder, "bin"));
  // Git would ask a repository inside this one whether it is clean, by another git that obeys what is configured there.
  writeFileSync(join(folder, "bin", "git"), "#!/bin/sh\nexit 0\n", { mode: 0o700 });
  writeFileSync(join(folder, "info", "attributes"), ATTRIBUTES);
  writeFileSync(
    join(folder, "info", "exclude"),
    `${await rulesOf(place)}\n${RESTORING}\n${notOurs(place, runFolder)}`,
  );
  if (place.repository !== undefined) {
    shareObjects(place.repository.objects, join(folder, "objects"));
    await seedIndex(shadow, place.repository.index);
  }
  writeFileSync(`${kept}.new`, JSON.stringify(place), { mode: 0o600 });
  renameSync(`${kept}.new`, kept);
  return shadow;
}

/** Takes away all snapshots of a run. */
export function pruneSnapshots(runFolder: string): void {
  rmSync(snapshotsIn(runFolder), { recursive: true, force: true });
}

async function look(project: string): Promise<Place | Fault> {
  const inside = await git(project, ["rev-parse", "--is-inside-work-tree"], { env: { LC_ALL: "C" } });
  if (inside.error !== undefined) return { fault: `git cannot be started (${inside.error})` };
  if (inside.code !== 0) {
    if (/not a git repository/.test(inside.stderr)) return { project, top: project, format: "sha1" };
    return { fault: gitError(inside) };
  }
  if (inside.stdout.trim() !== "true")
    return { fault: "this is a bare repository or the inside of .git: no files stand in it" };
  const asked = await git(project, [
    "rev-parse",
    "--path-format=absolute",
    "--show-object-format",
    "--show-toplevel",
    ...["objects", "index", "info/exclude"].flatMap((path) => ["--git-path", path]),
  ]);
  const [format, top, objects, index, exclude, ...more] = asked.stdout.trimEnd().split("\n");
  if (asked.code !== 0) return { fault: gitError(asked) };
  if (!format || !top || !objects || !index || !exclude || more.length > 0)
    return { fault: "git does not say where the repository is" };
  return { project, top, format, repository: { objects, index, exclude } };
}

/** A state folder inside the work tree is no part of the work: a restore would take the run's own journal away. */
function notOurs({ top }: Place, runFolder: string): string {
  const way = relative(realpathSync(top), realpathSync(dirname(runFolder)));
  if (way === "" || way.startsWith("..") || isAbsolute(way)) return "";
  return `/${way.replace(/[\\*?[\] ]/g, "\\$&")}/\n`;
}

/** What git ignores here by rules that stand outside the work tree, as they were before the agent ran. */
async function rulesOf(place: Place): Promise<string> {
  if (place.repository === undefined) return NOT_THE_WORK.map((name) => `${name}/\n`).join("");
  const asked = await git(place.top, ["config", "--type=path", "--get", "core.excludesFile"]);
  const config = process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config");
  const general = asked.code === 0 ? asked.stdout.replace(/\n$/, "") : join(config, "git", "ignore");
  return [resolve(place.top, general), place.repository.exclude].map(rulesIn).join("\n");
}

function rulesIn(file: string): string {
  try {
    return readPlain(file, MOST_RULES_BYTES);
  } catch {
    return ""; // none, or nothing that git could read either
  }
}
