/** How a run is to be shown: the user's choices, already settled. */
export interface ShowOptions {
  readonly emoji: boolean;
  readonly color: boolean;
  readonly timestamps: boolean;
  /** Longest preview of a tool's output; 0 shows none. */
  readonly maxOutputLines: number;
  readonly maxOutputChars: number;
  readonly verbose: boolean;
  /** Off: nothing that the agent says is shown, only what happens to the run. */
  readonly streamAgentOutput: boolean;
}

/** Whether to colour: the user's word first, then the conventions of the environment, then the terminal. */
export function colorWanted(
  choice: "auto" | "always" | "never",
  env: Readonly<Record<string, string | undefined>>,
  isTTY: boolean,
): boolean {
  if (choice !== "auto") return choice === "always";
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0";
  return env["TERM"] !== "dumb" && isTTY;
}

/** Colours by meaning, so that no caller knows a code. */
export type Paint = Readonly<
  Record<"good" | "bad" | "warn" | "faint" | "strong" | "tool", (text: string) => string>
>;

/** The colours, or none at all. */
export function createPaint(color: boolean): Paint {
  const pen = (on: number, off: number) => (text: string) =>
    color && text !== "" ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    good: pen(32, 39),
    bad: pen(31, 39),
    warn: pen(33, 39),
    faint: pen(2, 22),
    strong: pen(1, 22),
    tool: pen(36, 39),
  };
}
