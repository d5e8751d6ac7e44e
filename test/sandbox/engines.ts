import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { until } from "../e2e/support.ts";

const TOOLS =
  "sh env cat ls sleep mkdir rm mv head tail wc cut touch mknod setsid nohup git mount umount unshare id";
/** What only some attempts need. */
const MORE_TOOLS = ["keyctl", "perl"];

/** Is there a program of this name? */
export function hasProgram(name: string): boolean {
  return spawnSync("sh", ["-c", 'command -v "$1"', "sh", name]).status === 0;
}

/** Where `scripts/test-deps.mjs` puts the sandbox runtime; undefined when it is not there, or cannot work here. */
export function srtModules(): string | undefined {
  const cache = process.env["XDG_CACHE_HOME"] || join(userInfo().homedir, ".cache");
  const modules = join(cache, "ralph-proof/srt/node_modules");
  const needs = process.platform === "linux" ? ["bwrap", "socat", "rg"] : [];
  return existsSync(join(modules, "@anthropic-ai/sandbox-runtime")) && needs.every(hasProgram)
    ? modules
    : undefined;
}

/** An engine for the real docker client, where podman can be one. */
export interface Service {
  readonly env: Readonly<Record<string, string>>;
  stop(): void;
}

/** Starts podman as a service that the docker client talks to. */
export async function startService(): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), "ralph-engine-"));
  const socket = join(folder, "engine.sock");
  const child = spawn("podman", ["system", "service", "--time", "0", `unix://${socket}`], {
    // It leaves a note where it was started when a container runs out of memory.
    cwd: folder,
    stdio: "ignore",
  });
  await until("podman listens", () => existsSync(socket));
  return {
    env: { DOCKER_HOST: `unix://${socket}` },
    stop() {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Makes an image of some programs of this machine and the libraries that they need; needs no network. */
export function makeImage(
  name: string,
  programs: readonly string[] = [...TOOLS.split(" "), ...MORE_TOOLS.filter(hasProgram), process.execPath],
): void {
  const folder = mkdtempSync(join(tmpdir(), "ralph-image-"));
  const put = (path: string) => {
    const place = join(folder, path);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) copyFileSync(realpathSync(path), place);
  };
  for (const program of programs) {
    const path = execFileSync("sh", ["-c", 'command -v "$1"', "sh", program], { encoding: "utf8" }).trim();
    put(path);
    const needs = spawnSync("ldd", [realpathSync(path)], { encoding: "utf8" }).stdout;
    for (const [library] of needs.matchAll(/\/\S+/g)) put(library);
  }
  for (const path of ["bin/sh", "tmp/.keep"]) mkdirSync(dirname(join(folder, path)), { recursive: true });
  if (!existsSync(join(folder, "bin/sh"))) put("/bin/sh");
  execFileSync(
    "sh",
    ["-c", 'chmod 1777 "$1/tmp"; tar -C "$1" -c . | podman import - "$2"', "sh", folder, name],
    {
      stdio: "ignore",
    },
  );
  rmSync(folder, { recursive: true, force: true });
}

/** Removes an image. */
export function removeImage(name: string): void {
  spawnSync("podman", ["rmi", "--force", name], { stdio: "ignore" });
}
