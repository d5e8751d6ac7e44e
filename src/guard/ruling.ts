/** Where a command would run, and what its user said about it. */
export interface Place {
  /** Absolute path of the project folder: what is in it is the agent's to change. */
  readonly project: string;
  /** Where the command starts. */
  readonly cwd: string;
  readonly home: string;
  /** Nobody watches: what cannot be known before it runs is denied. */
  readonly unattended: boolean;
  /** Patterns of commands that the user allows, and of those that nobody may run. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** More files and folders of the harness, besides those in the project that are known by name. */
  readonly protected: readonly string[];
}

/** What the guard says about a command or a tool call. */
export type Ruling =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      /** The name of the rule. */
      readonly rule: string;
      readonly category: string;
      readonly why: string;
      /** What to do in its place. */
      readonly instead: string;
    };
