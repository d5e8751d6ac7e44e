import { hostname } from "node:os";
import { exec } from "../supervise/exec.ts";
import { holdLifeline, type Lifeline } from "../supervise/lifeline.ts";
import type { Remote } from "../supervise/remote.ts";
import { locate, type Named, nameSelf } from "../supervise/spaces.ts";
import type { Engine } from "./container.ts";

const RUN_LABEL = "ralph.run";
const OWNER_LABEL = "ralph.owner";
const QUICK_MS = 30_000;

/** What a container is known by, when all else is forgotten: whose it is. */
export function labelsFor(run: string, env: NodeJS.ProcessEnv): Record<string, string> {
  return { [RUN_LABEL]: run, [OWNER_LABEL]: JSON.stringify({ ...nameSelf(env), host: hostname() }) };
}

/** The name of the container of one start. */
export function containerName(mark: string): string {
  return `ralph-${mark}`;
}

/** Signals by the engine. A client that is killed leaves its container running. */
export function containerRemote({ program }: Engine, env: NodeJS.ProcessEnv): Remote {
  const ask = (...words: string[]) => exec(program, words, { cwd: "/", env, wallMs: QUICK_MS });
  return {
    async signal(mark, signal) {
      const name = containerName(mark);
      // The engine itself signals the first process only, which has other things to do.
      if (signal === "SIGTERM") await ask("exec", name, "/bin/sh", "-c", "kill -TERM -1");
      else await ask("kill", "--signal", "KILL", name);
    },
  };
}

/** Removes what has this label, a few times over: one may be about to start. */
const REMOVES = `for round in 1 2 3 4; do
  for id in $("$0" ps --all --quiet --filter "label=$1"); do "$0" kill "$id"; "$0" rm --force "$id"; done
  sleep 1
done`;

/** Somebody who removes the containers of a run when ralph is killed. */
export function watchOver({ program }: Engine, run: string, env: NodeJS.ProcessEnv): Lifeline {
  return holdLifeline(["/bin/sh", "-c", REMOVES, program, `${RUN_LABEL}=${run}`], env);
}

/** Removes the containers that dead runs of this machine left. */
export async function removeLeftContainers({ program }: Engine, env: NodeJS.ProcessEnv): Promise<void> {
  const ask = (...words: string[]) => exec(program, words, { cwd: "/", env, wallMs: QUICK_MS });
  const listed = await ask("ps", "--all", "--quiet", "--filter", `label=${OWNER_LABEL}`);
  for (const id of listed.stdout.split("\n").filter((line) => /^[0-9a-f]{6,}$/.test(line))) {
    const owner = await ask("inspect", "--format", `{{index .Config.Labels "${OWNER_LABEL}"}}`, id);
    if (!isGone(owner.stdout)) continue;
    await ask("kill", id);
    await ask("rm", "--force", id);
  }
}

/** Is it known that the one who started it is no more? */
function isGone(owner: string): boolean {
  try {
    const { host, ...named } = JSON.parse(owner) as Named & { readonly host: string };
    return host === hostname() && locate(named) === undefined;
  } catch {
    return false; // not a word of ours
  }
}
