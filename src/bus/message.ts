/** The types that ralph itself writes or understands, with what they mean. Any other well-formed word is a type too. */
export const KNOWN_TYPES = {
  start: "a run began",
  progress: "how far the work is",
  fact: "something worth knowing later",
  error: "something went wrong",
  done: "the work is complete",
  ask: "a question that only a person can answer",
  wait_without_restart: "the agent waits for something outside; do not start it again",
  "child.started": "a child run began",
  "child.ended": "a child run ended",
  note: "anything else",
} as const satisfies Readonly<Record<string, string>>;

/** What a type looks like. Case does not count; readers and writers put it in lower case. */
export const TYPE_PATTERN = /^[A-Za-z][A-Za-z0-9._-]{0,40}$/;

/** The longest body that can be posted, in bytes. */
export const BODY_MOST = 64 * 1024;

/** The longest body that is read; the rest of a longer one is left out, and the message is marked. */
export const READ_MOST = 1024 * 1024;

/** The longest value in a front matter, in characters. */
export const VALUE_MOST = 200;

/** What a message says, whoever wrote it. */
export interface MessageContent {
  readonly id: string;
  /** In lower case. */
  readonly type: string;
  readonly body: string;
  /** The moment as ISO 8601 in UTC. Whoever writes by hand may leave it out. */
  readonly at?: string;
  /** The run that it belongs to, as its writer says. */
  readonly run?: string;
  readonly from?: string;
}

/** A message as it was read from a bus. */
export interface BusMessage extends MessageContent {
  /** The byte at which it starts. */
  readonly start: number;
  /** The byte after its end: reading goes on from here. */
  readonly end: number;
  /** Its body was too long and is cut off. */
  readonly truncated?: true;
}

/** A message as it was written to a bus. */
export interface PostedMessage extends MessageContent {
  readonly at: string;
}

/** A message that is to be written. */
export interface NewMessage {
  readonly type: string;
  readonly body: string;
  readonly run?: string;
  readonly from?: string;
  readonly nowMs: number;
}
