import { describe, it } from "vitest";
import { DONE, play, type Story, start, stop, tool } from "./stories.ts";

/** What else the marker may be. */
const MARKERS: readonly (readonly [string, Story])[] = [
  [
    "an empty promise is none: nothing that is said ends the loop",
    [
      start('--completion-promise "" --max-iterations 2'),
      tool,
      stop("<promise></promise>", "goes on"),
      stop(DONE, "goes on"),
      stop("<promise></promise>", "ends"),
      { logged: "MAX_ITERATIONS_REACHED" },
    ],
  ],
  ...[".*", "a|b", "(", "[", "\\d+", "^$", "$&", "$1", "{2}", "é ✓ 完了"].map(
    (promise): readonly [string, Story] => [
      `a promise like ${JSON.stringify(promise)} is letters`,
      [
        start(`--completion-promise '${promise}'`),
        tool,
        stop("<promise>2</promise> <promise>a</promise> <promise></promise>", "goes on"),
        stop(`<promise>${promise}</promise>`, "ends"),
      ],
    ],
  ),
  [
    "a promise in the middle of 100 KB, and as many tags before it",
    [
      start(),
      tool,
      stop("<promise>".repeat(11_000), "goes on"),
      stop(`${"<promise>SOON</promise> ".repeat(2_000)}${DONE}${" and so on".repeat(5_000)}`, "ends"),
    ],
  ],
  [
    "100 KB on one line do not hide a promise on its own line",
    [start("--promise-line"), tool, stop(`${"x ".repeat(50_000)}\n${DONE}\n${"y ".repeat(50_000)}`, "ends")],
  ],
  [
    "broken characters beside it do no harm",
    [start(), tool, stop("\ud800 \ufffd \u0000", "goes on"), stop(`\ud800${DONE}\udfff\u0000`, "ends")],
  ],
];

describe.each(["claude", "codex"] as const)("the marker, in %s", (agent) => {
  it.each(MARKERS)("%s", async (_, story) => play(story, { agent }));
});
