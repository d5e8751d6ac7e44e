import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Verdict } from "../../src/events.ts";
import { judgeGate } from "../../src/gates/judge-gate.ts";
import { openStore } from "../../src/loop/snapshots.ts";
import { type Memory, openTrees } from "../../src/loop/trees.ts";
import type { GateSpec, Pristine, Protection } from "../../src/spec.ts";
import { GROUP } from "../../src/supervise/means.ts";
import { temporaryFolder } from "../supervise/folder.ts";

const USUAL = { failAction: "APPEND", timeoutMs: 60_000, flaky: false } as const;

/** A protection of these patterns. */
export function protection(patterns: readonly string[], defining: readonly string[] = []): Protection {
  return { kind: "protect", name: "protected files", command: "", ...USUAL, patterns, defining };
}

/** A pristine check of this command. */
export function pristine(command: string, more: Partial<Pristine> = {}): Pristine {
  const patterns = ["test/**"];
  return { kind: "pristine", name: command, command, ...USUAL, patterns, required: true, ...more };
}

/** A run that begins now, and is judged as often as one likes. */
export class Run {
  readonly project: string;
  readonly folder: string;
  readonly #gate: GateSpec;
  #trees: Memory | undefined;

  constructor(project: string, gate: GateSpec, folder = temporaryFolder()) {
    this.project = project;
    this.#gate = gate;
    this.folder = folder;
  }

  /** `isNew` is false when it is resumed. */
  async begin(isNew = true): Promise<this> {
    const { project, folder } = this;
    this.#trees = await openTrees({
      folder,
      gates: [this.#gate],
      isNew,
      opening: () => openStore({ project, folder, run: "r" }),
    });
    if (isNew) await this.#trees?.begin();
    return this;
  }

  judge(iteration = "001"): Promise<Verdict> {
    const trees = this.#trees?.of(iteration);
    return judgeGate({
      gate: this.#gate,
      project: this.project,
      logPath: ".ralph/gate.log",
      truncateChars: 5000,
      env: process.env,
      means: GROUP,
      hardStop: new AbortController().signal,
      ...(trees === undefined ? {} : { trees }),
    });
  }
}

/** Writes files; undefined takes one away. */
export function put(project: string, files: Readonly<Record<string, string | undefined>>): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(project, path);
    if (text === undefined) rmSync(file, { recursive: true, force: true });
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}
