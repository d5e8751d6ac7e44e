import { chooseCriteria } from "../config/criteria.ts";
import { DEFAULTS, MAXIMUM_WAITS } from "../config/defaults.ts";
import { gateOf } from "../config/gates.ts";
import { type LoadedSettings, loadSettings } from "../config/load.ts";
import { commandsOf, isTrusted, trustByEnvironment, trustKey } from "../config/trust.ts";
import { UserError } from "../errors.ts";
import type { GateSpec, RunSpec } from "../spec.ts";
import { known } from "./agents.ts";
import type { LoopWish } from "./arguments.ts";
import type { HookInput } from "./input.ts";

interface Where {
  readonly project: string;
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The run that a loop inside a session is. Throws only UserErrors. */
export async function sessionSpec(
  input: HookInput,
  wish: LoopWish & { readonly ultrawork: boolean },
  where: Where,
): Promise<RunSpec> {
  const { agent, mostBlocks, counts } = known(input.agent, where.env);
  // Criteria need no claim; whoever asks for a promise as well gets both.
  const promise = wish.promise ?? (wish.criteria.length > 0 ? "" : DEFAULTS.completionResponse);
  return {
    kind: "session",
    project: where.project,
    agent,
    work: { kind: "prompt", text: wish.task },
    claim: {
      response: "",
      hint: true,
      done: false,
      promise,
      ...(wish.promiseLine ? { promiseLine: true } : {}),
      ...(promise === "" ? { needed: false } : {}),
    },
    session: {
      id: input.session,
      agent: input.agent,
      minToolCalls: wish.minToolCalls,
      onNoWork: wish.onNoWork,
      ultrawork: wish.ultrawork,
      mostBlocks,
      ...(counts ? {} : { uncounted: true }),
    },
    taskDir: where.project,
    restart: DEFAULTS.restartMs,
    gates: await gatesOf(wish, where),
    limits: {
      // The first turn is the one that the user's command starts.
      iterations: wish.maxIterations + 1,
      failures: DEFAULTS.maximumFailures,
      waits: MAXIMUM_WAITS,
      noProgress: 0,
    },
    timeouts: DEFAULTS.timeoutsMs,
    processes: DEFAULTS.processes,
    prompt: {
      includeIterationCount: false,
      outputTruncateChars: DEFAULTS.outputTruncateChars,
      baselineFeedback: false,
    },
    baseline: false,
    snapshots: true,
  };
}

async function gatesOf(wish: LoopWish, where: Where): Promise<GateSpec[]> {
  const own = wish.gates.map((command) => gateOf({ command }));
  if (!wish.guardrails && wish.criteria.length === 0) return own;
  const loaded = await loadSettings(where.project);
  const { guardrails = [], criteria } = loaded.settings;
  if (wish.guardrails && guardrails.length === 0) {
    throw new UserError(
      "there are no guardrails",
      "the settings of this project name none",
      'Write some into .ralph/settings.json (`ralph init` helps), or name a check: --gate "npm test"',
    );
  }
  if (wish.guardrails || criteria !== undefined) mustBeTrusted(loaded, where);
  const asked = { criteria: wish.criteria, judge: false };
  return [
    ...own,
    ...(wish.guardrails ? guardrails.map(gateOf) : []),
    ...(wish.criteria.length === 0 ? [] : chooseCriteria(where.project, asked, loaded, new Map())),
  ];
}

/** A cloned project's settings name commands. Nobody can be asked here, so the answer must have been given before. */
function mustBeTrusted({ settings }: LoadedSettings, { project, root, env }: Where): void {
  const commands = commandsOf(settings);
  if (commands.length === 0 || trustByEnvironment(env, false) !== undefined) return;
  if (isTrusted(root, trustKey(project, settings))) return;
  throw new UserError(
    "this project's settings are not trusted yet",
    `they would run: ${commands.join("; ")}`,
    "Read .ralph/settings.json. Then start `ralph run` once in a terminal there and say yes, or set RALPH_TRUST_PROJECT=1 for this program.",
  );
}
