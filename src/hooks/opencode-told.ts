/*
 * What OpenCode tells its plugins, and what it comes to for ralph. All of it is hostile: a field that is not as expected is none.
 */

type Json = Readonly<Record<string, unknown>>;

/** How the last turn of a session ended. */
export interface LastTurn {
  /** The message in which it did. */
  readonly id: string;
  /** What the agent said there. */
  readonly text: string;
  /** What cut it off: an error of the service, its user, or a tool call that was refused. */
  readonly cutOff?: string;
  /** With what it was had, so that the next one is had with the same. */
  readonly agent?: string;
  readonly model?: { readonly providerID: string; readonly modelID: string };
}

/**
 * The last turn in a session's messages, oldest first; undefined when it does not end with words of the agent: somebody has said
 * something since, the turn is not over, or all was only summed up. Pure.
 */
export function lastTurn(messages: unknown): LastTurn | undefined {
  const last = recordOf(Array.isArray(messages) ? messages.at(-1) : undefined);
  const info = recordOf(last["info"]);
  const id = textAt(info, "id");
  if (info["role"] !== "assistant" || info["summary"] === true || id === undefined) return undefined;
  // After an error it says that it is idle before it has written down what happened, and once more after that.
  if (typeof recordOf(info["time"])["completed"] !== "number") return undefined;
  const error = recordOf(info["error"]);
  // It is idle after a call of a tool only when that was refused, as its user may do.
  const cutOff = textAt(error, "name") ?? (info["finish"] === "tool-calls" ? "a refused tool" : undefined);
  const agent = textAt(info, "agent") ?? textAt(info, "mode");
  const providerID = textAt(info, "providerID");
  const modelID = textAt(info, "modelID");
  return {
    id,
    text: wordsIn(last["parts"]),
    ...(cutOff === undefined ? {} : { cutOff }),
    ...(agent === undefined ? {} : { agent }),
    ...(providerID === undefined || modelID === undefined ? {} : { model: { providerID, modelID } }),
  };
}

/** The words in a message's parts that its author said: no thoughts, results, or what a program put in. Pure. */
export function wordsIn(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts
    .map(recordOf)
    .filter(({ type, synthetic, ignored }) => type === "text" && synthetic !== true && ignored !== true)
    .flatMap(({ text }) => (typeof text === "string" ? [text] : []))
    .join("\n");
}

/** How full the context of a message was: what went in and came out, from the cache or not; undefined when it does not say. Pure. */
export function contextOf(info: unknown): number | undefined {
  const tokens = recordOf(recordOf(info)["tokens"]);
  const cache = recordOf(tokens["cache"]);
  const sum = [tokens["input"], tokens["output"], cache["read"], cache["write"]]
    .filter((count) => typeof count === "number" && Number.isFinite(count) && count > 0)
    .reduce<number>((all, count) => all + Number(count), 0);
  return sum > 0 ? sum : undefined;
}

/** Does this program end when its agent stops? `opencode run` does; its screen and its server stay. Pure. */
export function endsAtStop(argv: readonly string[]): boolean {
  const words = argv.slice(2);
  const command = words.find((word, at) => !word.startsWith("-") && words[at - 1] !== "--log-level");
  return command === "run";
}

/** What a hook answered. */
export interface HookAnswer {
  readonly goOn?: string;
  readonly context?: string;
  readonly tell?: string;
  readonly deny?: string;
}

/** The answer of a hook in the words of answer.ts; undefined when it is none. Pure. */
export function answerIn(stdout: string): HookAnswer | undefined {
  if (stdout.trim() === "") return {};
  let said: Json;
  try {
    said = recordOf(JSON.parse(stdout));
  } catch {
    return undefined;
  }
  const more = recordOf(said["hookSpecificOutput"]);
  const goOn = said["decision"] === "block" ? textAt(said, "reason") : undefined;
  const context = textAt(more, "additionalContext");
  const tell = textAt(said, "systemMessage");
  const deny = more["permissionDecision"] === "deny" ? textAt(more, "permissionDecisionReason") : undefined;
  return {
    ...(goOn === undefined ? {} : { goOn }),
    ...(context === undefined ? {} : { context }),
    ...(tell === undefined ? {} : { tell }),
    ...(deny === undefined ? {} : { deny }),
  };
}

/** An object's fields; none when it is no object. */
export function recordOf(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

/** A text of an object that is not empty. */
export function textAt(value: Json, key: string): string | undefined {
  const text = value[key];
  return typeof text === "string" && text !== "" ? text : undefined;
}
