import { mkdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { UserError } from "../errors.ts";
import { exec } from "../supervise/exec.ts";
import type { Means } from "../supervise/means.ts";
import { which } from "../supervise/which.ts";
import { containerWords, type Engine } from "./container.ts";
import {
  containerName,
  containerRemote,
  labelsFor,
  removeLeftContainers,
  watchOver,
} from "./container-end.ts";
import { findEngine } from "./container-engine.ts";
import { openGateways, socketFolder } from "./gateway.ts";
import { homeMounts, makeHome, movedHomes, writeIdentity } from "./home.ts";
import { type Mount, type Policy, passing, type Role } from "./policy.ts";
import type { Backend, Place, Sandbox } from "./sandbox.ts";

/** Where our own things are inside. */
const INSIDE = "/run/ralph";

/** Variables that say where things are on this machine, which an image knows better. */
const OF_THE_MACHINE = ["PATH", "SHELL"];

/** docker or podman, by the command line. */
export const container: Backend = {
  kind: "container",
  missing(env) {
    const isThere = (name: string) => which(name, { cwd: "/", path: env["PATH"] }) !== undefined;
    if (isThere("docker") || isThere("podman")) return undefined;
    return {
      words: "neither docker nor podman is installed",
      fix: "Install podman (apt install podman), or docker.",
    };
  },
  open: openContainer,
};

async function openContainer(policy: Policy, place: Place): Promise<Sandbox> {
  const { image, network, limits } = policy;
  const { env, folder } = place;
  if (network.mode === "allowlist" && process.platform !== "linux") {
    throw new UserError(
      "no allowlist for containers here",
      "the engine runs in a virtual machine, which cannot reach ralph's proxy",
      "Choose another kind (sbx, srt), or another `sandbox.network.mode`.",
    );
  }
  const engine = await findEngine(image, env);
  await removeLeftContainers(engine, env);
  const run = basename(folder);
  mkdirSync(place.exchange, { recursive: true, mode: 0o700 });
  const agentHome = makeHome(join(folder, "agent"), { ...policy, moved: movedHomes(env, policy.project) });
  const identity = join(folder, "gitconfig");
  await writeIdentity(policy.project, identity);
  const hollow = makeHollow(join(folder, "hollow"));
  const sockets = socketFolder(folder);
  const node = image === undefined ? process.execPath : await nodeInside(engine, image, env);
  if (node === undefined) throw noNode(image ?? "");
  const gateways = await openGateways(policy, sockets.path, place);
  const lifeline = watchOver(engine, run, env);
  const own: Record<Role, Mount[]> = {
    agent: homeMounts(policy, agentHome, place.exchange),
    check: [],
  };
  const common: Mount[] = [
    { path: `${INSIDE}/gitconfig`, how: "ro", from: identity },
    ...(image === undefined ? [] : [{ path: `${INSIDE}/node`, how: "ro", from: process.execPath } as const]),
  ];
  const means = (role: Role): Means => {
    const gateway = gateways[role];
    const ours = [...common, ...own[role], ...(gateway === undefined ? [] : gateway.mounts(INSIDE))];
    const names = policy.env[role].filter((name) => image === undefined || !OF_THE_MACHINE.includes(name));
    const ownPath = env["PATH"] === undefined ? {} : { PATH: env["PATH"] };
    return {
      name: "sandbox",
      words: `sandbox (${wordsOf(policy, engine)})`,
      wrapper: (cwd, start) =>
        containerWords({
          engine,
          policy,
          ours,
          cwd,
          hollow,
          name: containerName(start.mark),
          labels: labelsFor(run, env),
          names: [...Object.keys(start.env).filter((one) => one !== "PATH"), "RALPH_PROCESS_MARK"],
          variables: {
            ...(image === undefined && start.path !== undefined ? { PATH: start.path } : {}),
            ...gateway?.environment,
            TMPDIR: "/tmp",
            GIT_CONFIG_GLOBAL: `${INSIDE}/gitconfig`,
            // A ralph in there is fenced in already, and could make no other fence.
            RALPH_SANDBOX: "none",
          },
        }),
      inside: gateway === undefined ? [] : [node, ...gateway.words(INSIDE).slice(1)],
      // The engine looks for its helpers on PATH, where an agent may have left some of its own.
      environment: (all) => ({ ...passing(all, names), ...ownPath }),
      // The engine leaves a note where it was started when a container runs out of memory.
      cwd: place.folder,
      remote: containerRemote(engine, env),
      limits: limits.timeMs === undefined ? {} : { timeMs: limits.timeMs },
      diesWithUs: true,
    };
  };
  return {
    policy,
    words: wordsOf(policy, engine),
    ...(image === undefined ? {} : { node }),
    means,
    home: agentHome,
    async close() {
      lifeline.release();
      await Promise.all(Object.values(gateways).map((gateway) => gateway.close()));
      sockets.dispose();
      agentHome.dispose();
    },
  };
}

/** Something empty of each sort, to be shown where something is hidden. */
function makeHollow(folder: string): string {
  mkdirSync(join(folder, "folder"), { recursive: true, mode: 0o755 });
  writeFileSync(join(folder, "file"), "");
  return folder;
}

/** The Node that runs in an image: ours where it can, or the image's own. */
async function nodeInside(
  engine: Engine,
  image: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const ours = `${INSIDE}/node`;
  const mount = ["--mount", `type=bind,src=${process.execPath},dst=${ours},readonly`];
  const words = ["run", "--rm", "--network", "none", ...engine.options, ...engine.user, ...mount].concat(
    ["--pull", "never", "--entrypoint", "/bin/sh", image, "-c"],
    `for node in ${ours} node; do "$node" -e 0 && command -v "$node" && exit; done 2>/dev/null`,
  );
  const found = await exec(engine.program, words, { cwd: "/", env, wallMs: 60_000 });
  return found.stdout.trim() || undefined;
}

function noNode(image: string): UserError {
  return new UserError(
    `what ${image} keeps in cannot be known`,
    "ralph's own Node does not run in it (another C library), and the image has none",
    "Take an image with Node.",
  );
}

function wordsOf({ network, image }: Policy, { name }: Engine): string {
  const reach = { none: "no network", allowlist: "network by allowlist", open: "open network" }[network.mode];
  return [`container by ${name}`, ...(image === undefined ? [] : [image]), reach].join(", ");
}
