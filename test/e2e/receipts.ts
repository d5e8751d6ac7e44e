import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seal } from "../../src/receipt/digest.ts";
import type { Receipt } from "../../src/receipt/schema.ts";
import { DONE, type Ended, makeWorld, type RunOptions, type World } from "./support.ts";

/** The check of every honest run: red before, green after. */
export const CHECK = "grep -q good work.txt";

/** A world in which a run was verified and committed, a clone of it on another machine, and the receipt that travelled. */
export interface Honest {
  readonly world: World;
  readonly receipt: Receipt;
  /** The clone. */
  readonly clone: string;
  /** Writes a receipt to be verified, and returns its path. */
  put(receipt: unknown): string;
  /** Verifies in the clone, on a machine that never heard of the run. */
  elsewhere(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** Verifies where the run was. */
  here(args: readonly string[], options?: RunOptions): Promise<Ended>;
  git(cwd: string, ...args: string[]): string;
}

/** What a run is to be like. */
export interface Kind {
  readonly guardrails?: readonly Record<string, unknown>[];
  readonly scm?: boolean;
  readonly settings?: Record<string, unknown>;
  /** Files of the project, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs the loop to a verified end, with its settings committed before. */
export async function honestRun(kind: Kind = {}): Promise<Honest> {
  const world = makeWorld({ git: true });
  world.speaking(
    {
      turns: [
        { actions: [{ write: "work.txt", text: "bad\n" }], final: DONE },
        {
          actions: [{ write: "work.txt", text: "good\n" }],
          final: DONE,
          usage: { costUsd: 0.25, inputTokens: 70 },
        },
      ],
    },
    {
      protect: false, // a gate of its own, which most of these tests would only have to count
      guardrails: kind.guardrails ?? [{ command: CHECK }, { command: "test -f README && echo there" }],
      ...(kind.scm === false ? {} : { scm: { command: "git", tasks: ["commit"] } }),
      ...kind.settings,
    },
  );
  for (const [path, text] of Object.entries(kind.files ?? {})) world.write(path, text);
  world.git("add", "--all");
  world.git("commit", "--quiet", "-m", "settings");
  const ended = await world.ralph(["-p", "make it good"]);
  if (ended.code !== 0) throw new Error(`the run was not verified:\n${ended.stderr}`);
  const shown = await world.ralph(["receipt", "--json"]);
  const clone = join(world.home, "clone");
  const git = (cwd: string, ...args: string[]) => execFileSync("git", args, { cwd, encoding: "utf8" });
  git(world.home, "clone", "--quiet", "--no-local", world.project, clone);
  const file = join(world.home, "receipt.json");
  const verify = (args: readonly string[], options: RunOptions) =>
    world.ralph(["verify", file, ...args], options);
  const honest: Honest = {
    world,
    clone,
    receipt: JSON.parse(shown.stdout) as Receipt,
    put(receipt) {
      writeFileSync(file, typeof receipt === "string" ? receipt : JSON.stringify(receipt));
      return file;
    },
    elsewhere: (args, options = {}) =>
      verify(args, {
        cwd: clone,
        ...options,
        env: { RALPH_STATE_DIR: join(world.home, "other-state"), ...options.env },
      }),
    here: (args, options = {}) => verify(args, options),
    git,
  };
  honest.put(honest.receipt);
  return honest;
}

/** The receipt with its first gate changed. */
export function withGate(receipt: Receipt, change: Partial<Receipt["gates"][number]>): Receipt {
  return { ...receipt, gates: receipt.gates.map((one, at) => (at === 0 ? { ...one, ...change } : one)) };
}

/** The receipt with its digest computed anew, as a forger who knows the format would. */
export function sealedAnew({ digest: _old, ...rest }: Receipt): Receipt {
  return seal(rest);
}
