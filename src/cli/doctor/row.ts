import type { LoadedSettings } from "../../config/load.ts";
import type { UserError } from "../../errors.ts";

/** One thing that was looked at. */
export interface Row {
  /** Stays the same from version to version: `agent.claude`, `state-folder`. */
  readonly id: string;
  readonly title: string;
  /** `warn`: it works, but not as one would wish. `fail`: a run cannot do its work. */
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** Nothing is wrong, but something is absent: shown with a mark of its own. */
  readonly info?: true;
  /** How to mend it. */
  readonly fix?: string;
}

/** What the checks look at. Read once, so that all of them speak of the same moment. */
export interface Facts {
  readonly project: string;
  readonly env: NodeJS.ProcessEnv;
  readonly nodeVersion: string;
  /** The file that was started as `ralph`. */
  readonly self: string;
  readonly settings: LoadedSettings | UserError;
  /** Ends whatever a check has started. */
  readonly signal: AbortSignal;
}

/** The kind of sandbox that settings or environment ask for, if they do. */
export function askedSandbox({ settings, env }: Facts): string | undefined {
  return ("settings" in settings ? settings.settings.sandbox?.kind : undefined) ?? env["RALPH_SANDBOX"];
}

/** Looks at one thing. Changes nothing, and starts no command that the project's settings name. */
export type DoctorCheck = (facts: Facts) => readonly Row[] | Promise<readonly Row[]>;
