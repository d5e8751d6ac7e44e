import * as v from "valibot";

/*
 * A receipt travels, so whoever reads one checks it against this first: every key is known, none is missing, and nothing is
 * deeper than it is written here.
 */

/** The version of the format. */
export const RECEIPT_VERSION = 1;

const text = v.string();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const amount = v.pipe(v.number(), v.finite(), v.minValue(0));
const sha256 = v.pipe(text, v.regex(/^[0-9a-f]{64}$/));
const objectId = v.pipe(text, v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));
const moment = v.pipe(text, v.isoTimestamp());

const exitCode = v.nullable(v.pipe(v.number(), v.safeInteger()));

const gate = v.strictObject({
  name: text,
  kind: v.picklist(["guardrail", "criterion", "protect", "pristine", "clean-tree"]),
  command: text,
  /** A secret in the command is hidden, so that it cannot be run again from here. */
  redacted: v.exactOptional(v.literal(true)),
  timeoutMs: v.pipe(count, v.minValue(1), v.maxValue(100 * 3_600_000)),
  flaky: v.boolean(),
  exitCode,
  wallMs: amount,
  /** It failed first, and passed when it was run once more. */
  passedOnRetry: v.exactOptional(v.literal(true)),
  output: v.exactOptional(v.strictObject({ sha256, bytes: count, tail: text })),
  /** What it found before the agent ever ran. */
  before: v.exactOptional(v.strictObject({ pass: v.boolean(), exitCode })),
  judgment: v.exactOptional(v.strictObject({ success: v.boolean(), reason: text })),
  /** What whoever trusts it should know. */
  warnings: v.exactOptional(v.array(text)),
});

/** A folder below another, by `/`; empty when it is that one. */
const below = v.pipe(
  text,
  v.check((path) => path === "" || path.split("/").every((name) => !["", ".", ".."].includes(name))),
  v.check((path) => !/[\\\0]/.test(path)),
);

const work = v.strictObject({
  /** The project in its repository. */
  folder: below,
  /** The task's folder in the project. */
  taskFolder: v.exactOptional(below),
  /** The judged tree: git's name of exactly what stood there. */
  tree: objectId,
  base: v.exactOptional(v.strictObject({ tree: objectId, commit: v.exactOptional(objectId) })),
  /** From the base to the judged tree. */
  diff: v.exactOptional(v.strictObject({ sha256, files: count })),
  /** What scm made of it. */
  commit: v.exactOptional(v.strictObject({ id: objectId, tree: objectId, iteration: count })),
});

const tasks = v.strictObject({
  /** The folder of the list in the project. */
  folder: v.pipe(below, v.minLength(1)),
  skipReview: v.boolean(),
  reviewCap: v.pipe(count, v.minValue(1)),
  /** Reviews are those of the list, iterations those of this run. */
  stories: v.pipe(
    v.array(
      v.strictObject({
        id: text,
        reviews: count,
        iterations: v.strictObject({ implement: count, review: count, "review-fix": count }),
      }),
    ),
    v.minLength(1),
    v.maxLength(1000),
  ),
  /** Stories that ralph approved because their reviews were used up. */
  autoApproved: v.array(text),
  /** Git ignores the list, so that the judged tree does not hold it. */
  outsideTree: v.exactOptional(v.literal(true)),
});

/** The proof of a verified run. */
export const ReceiptSchema = v.strictObject({
  receipt: v.literal(RECEIPT_VERSION),
  run: v.pipe(text, v.regex(/^[0-9A-Za-z][0-9A-Za-z-]{0,63}$/)),
  ralph: text,
  startedAt: moment,
  endedAt: moment,
  asked: v.strictObject({
    kind: v.picklist(["prompt", "prompt-file", "tasks", "none"]),
    file: v.exactOptional(text),
    text: v.exactOptional(text),
    /** Of the first prompt, as it was sent. */
    sha256: v.exactOptional(sha256),
  }),
  reason: text,
  /** Absent when the project was in no git repository. */
  work: v.exactOptional(work),
  /** Of a run on a task list. */
  tasks: v.exactOptional(tasks),
  gates: v.pipe(v.array(gate), v.minLength(1), v.maxLength(1000)),
  claims: v.array(
    v.strictObject({
      iteration: count,
      said: text,
      judged: v.picklist(["believed", "refused"]),
      why: v.exactOptional(text),
    }),
  ),
  totals: v.strictObject({
    iterations: count,
    resumed: count,
    wallMs: amount,
    costUsd: amount,
    tokens: count,
    inputTokens: count,
    outputTokens: count,
    cacheReadTokens: count,
    cacheWriteTokens: count,
  }),
  agents: v.array(
    v.strictObject({
      kind: text,
      command: text,
      models: v.array(text),
      versions: v.array(text),
      turns: count,
    }),
  ),
  machine: v.exactOptional(v.strictObject({ platform: text, arch: text, release: text, node: text })),
  processes: v.exactOptional(text),
  /** The events that led here, byte for byte as they stand on disk. */
  journal: v.strictObject({ sha256, bytes: count, events: count }),
  digest: v.strictObject({ parts: v.record(text, sha256), sha256 }),
});

/** The proof of a verified run. */
export type Receipt = v.InferOutput<typeof ReceiptSchema>;

/** A receipt before it is sealed. */
export type Unsealed = Omit<Receipt, "digest">;

/** Where a value is not what a receipt holds; undefined when it is one. */
export function receiptFault(value: unknown): string | undefined {
  const result = v.safeParse(ReceiptSchema, value, { abortEarly: true });
  if (result.success) return undefined;
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  return path === null ? "it is no object" : `\`${path}\` is not what a receipt holds there`;
}
