import { isAbsolute, join, resolve } from "node:path";
import * as v from "valibot";
import type { NetworkMode, SandboxLimits, SandboxSpec } from "../spec.ts";
import { parseDuration } from "./duration.ts";
import { choiceFlag, type Given } from "./flags.ts";
import { duration, key, notBlank, oneOf, section, wholeNumber } from "./schema-parts.ts";

/** Every kind that can be asked for. */
export const SANDBOX_KINDS = ["auto", "bubblewrap", "container", "sbx", "srt", "none"] as const;
const NETWORK_MODES = ["none", "allowlist", "open"] as const;

const paths = () => v.array(notBlank(), "a list of paths");
const HOST = /^[^\s/@]+$/;
const host = () =>
  v.pipe(
    v.string("a host"),
    v.regex(HOST, "a host such as api.example.com, *.example.com or localhost:5432"),
  );
const NAME = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;
const name = () =>
  v.pipe(v.string("a name"), v.regex(NAME, "the name of a variable, such as DATABASE_URL or MY_*"));
const CPUS_WANTED = "a number of CPUs, from 0.01 to 1024";

/** The fence around agents and checks. */
export const sandbox = section({
  kind: key(
    oneOf(SANDBOX_KINDS),
    "What agents and checks are fenced in by. `auto`: the strongest that works here; `none`: nothing, with the guard on.",
    "auto",
  ),
  network: key(
    section({
      mode: key(
        oneOf(NETWORK_MODES),
        "Which hosts can be reached from inside: none, the agent's own services and those in `allow`, or all.",
        "allowlist",
      ),
      allow: key(
        v.array(host(), "a list of hosts"),
        "Hosts that may be reached: `registry.npmjs.org`, `*.example.com`, `localhost:5432`. Without a port: 443 and 80.",
        [],
      ),
    }),
    "The network inside.",
  ),
  rw: key(paths(), "Folders and files besides the project that may be written. `~/` is your home.", []),
  ro: key(
    paths(),
    "What may be read although it is hidden (tools in your home), and what of the project may not be written.",
    [],
  ),
  hide: key(paths(), "What is not there inside: `.env`, `secrets/`.", []),
  env: key(
    v.array(name(), "a list of names"),
    "Variables of your environment that go in, besides the usual ones and the agent's own: `DATABASE_URL`, `MY_*`.",
    [],
  ),
  renewLogin: key(
    v.boolean("true or false"),
    "Whether a log-in that an agent renews inside becomes your own; otherwise you may have to log in again. Only new tokens with the same account beside them are taken, but whoever is inside could make them up.",
    true,
  ),
  limits: key(
    section({
      memoryMb: key(wholeNumber(1), "Memory in MB, of an agent or a check with all that it starts."),
      processes: key(wholeNumber(1), "Processes at the same time."),
      cpus: key(
        v.pipe(v.number(CPUS_WANTED), v.minValue(0.01, CPUS_WANTED), v.maxValue(1024, CPUS_WANTED)),
        "CPUs; 0.5 is half of one.",
      ),
      time: key(duration(), "How long a turn or a check may take, whatever else is said."),
    }),
    "What agents and checks may use. `ralph sandbox explain` says who keeps these limits here.",
  ),
  image: key(
    notBlank(),
    "The image of a container. Without one podman shows this machine's own files, unchanged.",
  ),
});

/** The settings of a sandbox. */
export type SandboxSettings = v.InferOutput<typeof sandbox>;

/** Variable that says which kind is meant where neither flag nor setting does: for machines that are a fence themselves. */
export const SANDBOX_VARIABLE = "RALPH_SANDBOX";

interface Choice {
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  /** `--sandbox`, `--sandbox=kind`, `--no-sandbox`. */
  readonly flag: string | boolean | undefined;
  readonly settings: SandboxSettings | undefined;
  readonly pick: <T>(key: string, flag: Given<T> | undefined, setting: T | undefined, otherwise: T) => T;
}

/** The fence that is asked for. */
export function chooseSandbox({ project, env, flag, settings = {}, pick }: Choice): SandboxSpec {
  const { network = {}, limits = {} } = settings;
  const path = (one: string) => pathOf(one, project, env);
  const kind = pick("sandbox.kind", sandboxFlag(flag), settings.kind, kindByVariable(env) ?? "auto");
  return {
    kind,
    network: {
      mode: pick<NetworkMode>("sandbox.network.mode", undefined, network.mode, "allowlist"),
      allow: pick<readonly string[]>("sandbox.network.allow", undefined, network.allow, []),
    },
    rw: pick<readonly string[]>("sandbox.rw", undefined, settings.rw, []).map(path),
    ro: pick<readonly string[]>("sandbox.ro", undefined, settings.ro, []).map(path),
    hide: pick<readonly string[]>("sandbox.hide", undefined, settings.hide, []).map(path),
    env: pick<readonly string[]>("sandbox.env", undefined, settings.env, []),
    renewLogin: pick("sandbox.renewLogin", undefined, settings.renewLogin, true),
    limits: limitsOf(limits),
    ...(settings.image === undefined ? {} : { image: settings.image }),
  };
}

/** The fence of which nobody has said anything. */
export function usualSandbox(project: string, env: NodeJS.ProcessEnv): SandboxSpec {
  return chooseSandbox({
    project,
    env,
    flag: undefined,
    settings: undefined,
    pick: (_key, _flag, _setting, usual) => usual,
  });
}

/** `--sandbox` alone means that there must be one: the first that works, and no run without. */
export function sandboxFlag(flag: string | boolean | undefined): Given<SandboxSpec["kind"]> | undefined {
  if (flag === undefined) return undefined;
  if (flag === false) return { name: "--no-sandbox", value: "none" };
  return flag === true ? { name: "--sandbox", value: "auto" } : choiceFlag("--sandbox", flag, SANDBOX_KINDS);
}

function kindByVariable(env: NodeJS.ProcessEnv): SandboxSpec["kind"] | undefined {
  const value = env[SANDBOX_VARIABLE];
  return value === undefined || value === ""
    ? undefined
    : choiceFlag(SANDBOX_VARIABLE, value, SANDBOX_KINDS)?.value;
}

function limitsOf({
  memoryMb,
  processes,
  cpus,
  time,
}: NonNullable<SandboxSettings["limits"]>): SandboxLimits {
  const timeMs = time === undefined ? undefined : parseDuration(time);
  return {
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(processes === undefined ? {} : { processes }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
}

function pathOf(path: string, project: string, env: NodeJS.ProcessEnv): string {
  if (path === "~" || path.startsWith("~/")) return join(env["HOME"] ?? "/", path.slice(1));
  return isAbsolute(path) ? path : resolve(project, path);
}

/** What settings let out of the fence, in human words: whoever trusts them must see it. */
export function openings({ sandbox: given }: { readonly sandbox?: SandboxSettings }): string[] {
  const { kind, network = {}, rw = [], ro = [], env = [], image } = given ?? {};
  const list = (title: string, all: readonly string[]) =>
    all.length === 0 ? [] : [`${title}: ${all.join(", ")}`];
  return [
    ...(kind === "none" ? ["sandbox: none"] : []),
    ...(network.mode === "open" ? ["network: open"] : []),
    ...list("hosts that may be reached", network.allow ?? []),
    ...list("writable outside the project", rw),
    ...list("readable", ro),
    ...list("variables that go in", env),
    ...(image === undefined ? [] : [`container image: ${image}`]),
  ];
}
