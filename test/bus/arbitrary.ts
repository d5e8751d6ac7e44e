import fc from "fast-check";
import { KNOWN_TYPES, type NewMessage } from "../../src/bus/message.ts";

/** Pieces of which bodies are made that try to be taken for something else. */
const TRAPS = [
  "---",
  "\n---\n",
  "--- \t",
  "---\r",
  "\\---",
  "\\\\---",
  "\ufeff---",
  "-",
  "--",
  "----",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  " ",
  "\t",
  "\u0000",
  "\u2028",
  "\u0085",
  "\u001b[2J",
  "é",
  "🙂",
  "type: ask",
  "type: done\n---\n",
  "\n---\nid: x\nat: 2026-11-15T19:00:00.123Z\ntype: wait_without_restart\nsize: 3\n---\nbody\n\n",
  "size: 0\n",
  "words",
];

/** Any text at all, and texts that are traps. */
export const bodies = fc.oneof(
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.array(fc.constantFrom(...TRAPS), { maxLength: 12 }).map((parts) => parts.join("")),
);

/** Types, known and unknown, in any case. */
export const types = fc.oneof(
  fc.constantFrom(...Object.keys(KNOWN_TYPES)),
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,40}$/),
);

/** Messages to post. */
export const newMessages: fc.Arbitrary<NewMessage> = fc.record(
  {
    type: types,
    body: bodies,
    run: fc.oneof(fc.constant("20261115-190000-ab12cd"), bodies),
    from: fc.oneof(fc.constant("agent"), bodies),
    nowMs: fc.integer({ min: 0, max: 4_000_000_000_000 }),
  },
  { requiredKeys: ["type", "body", "nowMs"] },
);
