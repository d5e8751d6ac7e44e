/** The signs that stand before lines and between words. */
export interface Marks {
  readonly ok: string;
  readonly bad: string;
  readonly warn: string;
  readonly info: string;
  readonly tool: string;
  readonly thought: string;
  readonly wait: string;
  readonly gate: string;
  readonly again: string;
  readonly commit: string;
  readonly needed: string;
  readonly stopped: string;
  readonly todos: string;
  readonly done: string;
  readonly active: string;
  readonly pending: string;
  readonly progress: string;
  /** Points from a result back to its call. */
  readonly from: string;
  /** Before the first line of a preview, and before the others. */
  readonly hook: string;
  readonly under: string;
  /** Before the first line of what a subagent does, and before the others. */
  readonly sub: string;
  readonly subUnder: string;
  /** Says that something was left out. */
  readonly more: string;
  /** Between two facts on one line. */
  readonly dot: string;
  /** What a banner is drawn with, and how wide it is drawn. */
  readonly rule: string;
  readonly bannerWidth: number;
}

const EMOJI: Marks = {
  ok: "✅",
  bad: "❌",
  warn: "⚠️",
  info: "ℹ️",
  tool: "⏺",
  thought: "💭",
  wait: "⏳",
  gate: "▶",
  again: "🔁",
  commit: "💾",
  needed: "✋",
  stopped: "🛑",
  todos: "📋",
  done: "✅",
  active: "🔄",
  pending: "⏸️",
  progress: "📊 ",
  from: "←",
  hook: "  ⎿  ",
  under: "     ",
  sub: "  ↳ ",
  subUnder: "    ",
  more: "…",
  dot: "·",
  rule: "━",
  bannerWidth: 60,
};

/** Nothing but ASCII, for logs and terminals that know no more. */
const TEXT: Marks = {
  ok: "[OK]",
  bad: "[ERR]",
  warn: "[WARN]",
  info: "[INFO]",
  tool: "[TOOL]",
  thought: "[THINK]",
  wait: "[WAIT]",
  gate: "[RUN]",
  again: "[AGAIN]",
  commit: "[COMMIT]",
  needed: "[NEED]",
  stopped: "[STOP]",
  todos: "[TODO]",
  done: "[x]",
  active: "[>]",
  pending: "[ ]",
  progress: "",
  from: "<-",
  hook: "  |  ",
  under: "  |  ",
  sub: "  > ",
  subUnder: "    ",
  more: "...",
  dot: "-",
  rule: "=",
  bannerWidth: 0,
};

/** The signs of one look. */
export function marksFor(look: { readonly emoji: boolean }): Marks {
  return look.emoji ? EMOJI : TEXT;
}
