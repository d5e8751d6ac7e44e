import { UserError } from "../errors.ts";
import type { SandboxKind } from "../spec.ts";
import { ownPath } from "../supervise/which.ts";
import { bubblewrap } from "./bubblewrap-open.ts";
import { effectivePolicy, programsOf, type Wish } from "./effective.ts";
import { type Probing, probeBackend, probeSandbox } from "./probe.ts";
import type { Backend, Place, Probe, Sandbox } from "./sandbox.ts";

/** Every kind that there is. Loaded when it is looked at: most are never. */
const BACKENDS: Readonly<Partial<Record<SandboxKind, () => Promise<Backend>>>> = {
  bubblewrap: () => Promise.resolve(bubblewrap),
  srt: async () => (await import("./srt.ts")).srt,
  sbx: async () => (await import("./sbx-open.ts")).sbx,
  container: async () => (await import("./container-open.ts")).container,
};

/** What `auto` tries, first the one that it takes when it works. */
function autoKinds(platform: NodeJS.Platform): readonly SandboxKind[] {
  return platform === "linux" ? ["bubblewrap", "container", "sbx"] : ["sbx", "srt"];
}

/** Nothing that was tried keeps an agent in. */
export interface Nothing {
  readonly tried: readonly Probe[];
}

/**
 * Opens the sandbox that is asked for, or the first that works, after it has shown that it holds. One that was asked for and does
 * not hold is a UserError: nothing is started without the fence that was wanted.
 */
export async function openSandbox(wish: Wish, given: Place): Promise<Sandbox | Nothing> {
  const { kind } = wish.sandbox;
  if (kind === "none") return { tried: [] };
  const place = withOwnPath(given, wish);
  const probing: Probing = { place, stateRoot: wish.stateRoot, programs: programsOf(wish) };
  const tried: Probe[] = [];
  for (const one of kind === "auto" ? autoKinds(process.platform) : [kind]) {
    const backend = await BACKENDS[one]?.();
    if (backend === undefined) continue;
    const absent = backend.missing(place.env);
    if (absent !== undefined) {
      tried.push({ kind: one, works: false, ...absent, findings: [] });
      continue;
    }
    const policy = await effectivePolicy(one, wish);
    const sandbox = await backend.open(policy, place).catch((error: unknown) => {
      // One that was asked for says itself what is wrong; of several the next is tried.
      if (kind !== "auto" || !(error instanceof UserError)) throw error;
      tried.push({ kind: one, works: false, words: error.why, fix: error.fix, findings: [] });
    });
    if (sandbox === undefined) continue;
    const probe = await probeSandbox(sandbox, probing);
    if (probe.works) return sandbox;
    await sandbox.close();
    tried.push(probe);
  }
  if (kind === "auto") return { tried };
  throw doesNotHold(kind, tried[0]);
}

/** Tries every kind on this machine, for people to read. */
export async function probeAll(wish: Wish, given: Place): Promise<Probe[]> {
  const place = withOwnPath(given, wish);
  const found: Probe[] = [];
  for (const load of Object.values(BACKENDS)) {
    const backend = await load();
    const probing = { place, stateRoot: wish.stateRoot, programs: [] };
    found.push(await probeBackend(backend, await effectivePolicy(backend.kind, wish), probing));
  }
  return found;
}

/** A fence is never made by a program out of the project that it is to keep in. */
function withOwnPath(place: Place, { project }: Wish): Place {
  return { ...place, env: { ...place.env, PATH: ownPath(place.env["PATH"], project) } };
}

function doesNotHold(kind: SandboxKind, probe: Probe | undefined): UserError {
  const broken = probe?.findings.filter(({ held }) => !held).map(({ what }) => `not so: ${what}`) ?? [];
  return new UserError(
    `the sandbox (${kind}) does not hold`,
    broken.length > 0 ? broken.join("; ") : (probe?.words ?? "it could not be tried"),
    probe?.fix ?? "`ralph doctor` shows what works here.",
  );
}
