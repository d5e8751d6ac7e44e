import { readFileSync } from "node:fs";
import { UserError } from "../errors.ts";
import { exec } from "../supervise/exec.ts";
import { which } from "../supervise/which.ts";
import type { Engine } from "./container.ts";

const TRY_MS = 60_000;
const PULL_MS = 900_000;
const WORD = "it runs";

/** What was found out once is true for the life of this process. */
const known = new Map<string, Promise<Engine>>();

/** The engine that gives us a container of this image, or of this machine's own files; found by really starting one. */
export function findEngine(image: string | undefined, env: NodeJS.ProcessEnv): Promise<Engine> {
  const key = JSON.stringify([
    image,
    env["PATH"],
    env["DOCKER_HOST"],
    env["CONTAINER_HOST"],
    env["DOCKER_CONTEXT"],
  ]);
  const found = known.get(key) ?? tryEach(image, env);
  known.set(key, found);
  return found;
}

async function tryEach(image: string | undefined, env: NodeJS.ProcessEnv): Promise<Engine> {
  if (image !== undefined && /^-|\s/.test(image)) {
    throw new UserError(
      "no container",
      `${JSON.stringify(image)} is not the name of an image`,
      "Correct `sandbox.image`.",
    );
  }
  const faults: string[] = [];
  // The files of this machine are shown by podman only.
  for (const name of image === undefined ? (["podman"] as const) : (["docker", "podman"] as const)) {
    const program = which(name, { cwd: "/", path: env["PATH"] });
    if (program === undefined) continue;
    const tried = await tryEngine({ name, program, options: [], user: [] }, image, env);
    if (typeof tried !== "string") return tried;
    faults.push(`${name}: ${tried}`);
  }
  throw new UserError(
    "no container can be started",
    faults.join("; ") || "podman is not installed",
    image === undefined
      ? "See that `podman run` works, or set `sandbox.image`."
      : "Start the engine, and see that `docker run` or `podman run` works with this image.",
  );
}

/** The engine with the options that it takes here, or what it said at last. */
async function tryEngine(
  engine: Engine,
  image: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Engine | string> {
  const run = (words: readonly string[], wallMs = TRY_MS) =>
    exec(engine.program, words, { cwd: "/", env, wallMs });
  const rootless = await isRootless(engine, run);
  if (rootless === undefined) return "the engine does not answer";
  if (image !== undefined && (await run(["image", "inspect", image])).code !== 0) {
    const pulled = await run(["pull", image], PULL_MS);
    if (pulled.code !== 0) return lastLine(pulled.stderr, `no image ${image}`);
  }
  const user = userWords(engine.name, rootless);
  const shell =
    image === undefined
      ? ["--rootfs", "/:O", "/bin/sh"]
      : ["--pull", "never", "--entrypoint", "/bin/sh", image];
  let fault = "";
  for (const options of ladder(engine.name)) {
    const ran = await run([
      "run",
      "--rm",
      "--network",
      "none",
      ...options,
      ...user,
      ...shell,
      "-c",
      `echo ${WORD}`,
    ]);
    if (ran.code === 0 && ran.stdout.includes(WORD)) return { ...engine, options, user };
    fault = lastLine(ran.stderr, ran.error ?? `exit code ${ran.code}`);
  }
  return fault;
}

type Run = (words: readonly string[]) => Promise<{ readonly code: number | null; readonly stdout: string }>;

/** Does the engine run as a plain user? Undefined: it does not answer. */
async function isRootless({ name }: Engine, run: Run): Promise<boolean | undefined> {
  const format = name === "podman" ? "{{.Host.Security.Rootless}}" : "{{json .SecurityOptions}}";
  const told = await run(["info", "--format", format]);
  if (told.code !== 0) return undefined;
  return name === "podman" ? told.stdout.trim() === "true" : told.stdout.includes("name=rootless");
}

/** Files that are written inside should belong to the caller outside. */
function userWords(name: Engine["name"], rootless: boolean): string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  // In a rootless docker the superuser inside is the caller outside.
  if (rootless && name === "docker") return [];
  return [...(rootless ? ["--userns", "keep-id"] : []), "--user", `${uid}:${gid}`];
}

/** Options that some machines need: limits that an engine cannot raise, a runtime that does not know their control groups. */
function ladder(name: Engine["name"]): string[][] {
  const limits = ownLimits();
  const runtimes = name === "podman" ? [[], ["--runtime", "runc"]] : [[]];
  return runtimes.flatMap((runtime) => [runtime, ...(limits.length === 0 ? [] : [[...runtime, ...limits]])]);
}

/** Enough for any turn, and no more than engines leave themselves. */
const MOST = 16_384;

/** Limits that are no higher than those of this process. */
function ownLimits(): string[] {
  const text = limitsText();
  const hard = (name: string) => new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, "m").exec(text)?.[1];
  const found = { nofile: hard("Max open files"), nproc: hard("Max processes") };
  return Object.entries(found).flatMap(([key, value]) =>
    value === undefined ? [] : ["--ulimit", `${key}=${Math.min(Number(value), MOST)}`],
  );
}

function limitsText(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return ""; // another system
  }
}

function lastLine(text: string, otherwise: string): string {
  return text.trim().split("\n").at(-1) || otherwise;
}
