import { describe, it } from "vitest";
import { DONE, type Happening, play, type Story, start, stop, tool } from "./stories.ts";

/** A line of Claude Code's transcript in which its main agent says something, or calls a tool. */
const says = (text: string, more: object = {}): object => ({
  type: "assistant",
  isSidechain: false,
  message: { id: "m1", role: "assistant", content: [{ type: "text", text }] },
  ...more,
});
const calls = (input: object): object => ({
  type: "assistant",
  message: { id: "m1", role: "assistant", stop_reason: "tool_use", content: [{ type: "tool_use", input }] },
});
const result = (text: string): object => ({
  type: "user",
  message: { role: "user", content: [{ type: "tool_result", content: text }] },
});
const queued = (operation: string, content?: string): object => ({
  type: "queue-operation",
  operation,
  ...(content === undefined ? {} : { content }),
});
const beside = (one: Happening): Happening => ({ beside: one });
const background = { background_tasks: [{ id: "t1", type: "shell", status: "running" }] };

/**
 * D1: nine cases in which the published plugins of Claude Code were tried, and what is right in each.
 * https://github.com/anthropics/claude-plugins-official, plugins/ralph-loop
 */
const PLUGINS: readonly (readonly [string, Story])[] = [
  ["D1.1 the promise, tagged, in its own session, ends it", [start(), tool, stop(DONE, "ends")]],
  ["D1.2 the bare word, without a tag, does not", [start(), tool, stop("DONE", "goes on")]],
  [
    "D1.3 a refusal that quotes it does not, where it must have its own line",
    [
      start("--promise-line"),
      tool,
      stop(`I will not say ${DONE} yet`, "goes on"),
      stop(`I will not say it yet:\n${DONE} is for later`, "goes on"),
      stop(`- ${DONE}`, "goes on"),
      stop(`It is all there.\n\n${DONE}\n`, "ends"),
    ],
  ],
  [
    "D1.4 another tag first, and the right one second, ends it",
    [start(), tool, stop(`<promise>SOON</promise>, no: ${DONE}`, "ends")],
  ],
  [
    "D1.5 the promise with a call of a tool behind it is the agent's last word, and nothing dies silently",
    [start(), tool, { written: [says(DONE), calls({ command: "ls" })] }, stop(undefined, "ends")],
  ],
  [
    "D1.5 a call of a tool without any words before it is no promise",
    [start(), tool, { written: [calls({ text: DONE })] }, stop(undefined, "goes on")],
  ],
  [
    "D1.6 another session's stop is left alone",
    [start(), tool, beside(stop(DONE, "left alone")), beside(stop("x", "left alone")), stop("x", "goes on")],
  ],
  [
    "D1.7 a session that its program gives no id owns no loop, and has none",
    [
      { hook: "UserPromptSubmit", more: { prompt: "/ralph-loop x", session_id: "" } },
      stop("x", "left alone", { session_id: "" }),
      { counted: 0 },
    ],
  ],
  [
    "D1.8 the most iterations end it",
    [start("--max-iterations 2"), tool, stop("a", "goes on"), stop("b", "goes on"), stop("c", "ends")],
  ],
  [
    "D1.9 a line break inside of the tag is no promise: it is letter for letter",
    [start(), tool, stop("<promise>\nDONE\n</promise>", "goes on"), stop(DONE, "ends")],
  ],
];

/** D5: what smart-ralph's stop hook is asked. */
const STATES: readonly (readonly [string, Story])[] = [
  ...(["journal", "marker", "run"] as const).flatMap((what) => [
    [
      `D5 a corrupt state (${what} is gone) traps nobody`,
      [start(), tool, { damage: what, by: "removal" }, stop("x", "left alone"), stop(DONE, "left alone")],
    ] as const,
  ]),
  ...(["journal", "marker"] as const).flatMap((what) => [
    [
      `D5 a corrupt state (${what} is garbage) traps nobody, is told, and another loop can begin`,
      [
        start(),
        tool,
        { damage: what, by: "garbage" },
        stop("x", "left alone"),
        { logged: "left to itself" },
        start(),
        stop("x", "goes on"),
      ],
    ] as const,
  ]),
  [
    "D5 no cwd, or one that is not there: the loop is the session's all the same",
    [
      start(),
      tool,
      stop("x", "goes on", { cwd: undefined }),
      stop("x", "goes on", { cwd: "/no/such/folder" }),
      stop(DONE, "ends", { cwd: 7 }),
    ],
  ],
  [
    "D5 stop_hook_active says nothing about us",
    [
      start("--max-iterations 1"),
      tool,
      stop("x", "goes on", { stop_hook_active: true }),
      stop("x", "ends", { stop_hook_active: true }),
    ],
  ],
  ...["**%**", "`%`", "```\n%\n```", "> %", "__%__.", "# %"].map(
    (markdown) =>
      [
        `D5 a promise that Markdown decorates counts: ${JSON.stringify(markdown)}`,
        [start(), tool, stop(`It is there.\n${markdown.replace("%", DONE)}`, "ends")],
      ] as const,
  ),
  [
    "D5 decoration inside of the tag is no promise",
    [
      start(),
      tool,
      stop("<promise>**DONE**</promise>", "goes on"),
      stop("<promise>`DONE`</promise>", "goes on"),
    ],
  ],
  [
    "D5 on its own line, emphasis and code may stand around it, and words may not",
    [
      start("--promise-line"),
      tool,
      stop(`> ${DONE}`, "goes on"),
      stop(`${DONE}.`, "goes on"),
      stop(`Done:\r\n  **\`${DONE}\`**  \r\nBye.`, "ends"),
    ],
  ],
  [
    "D5 fields of the wrong kind are as if they were not there",
    [
      start(),
      tool,
      stop("x", "goes on", { last_assistant_message: { text: DONE } }),
      stop("x", "goes on", { background_tasks: "none", transcript_path: 7, agent_id: null }),
      stop(DONE, "ends"),
    ],
  ],
];

/** D6: what oh-my-openagent's ralph loop is asked. */
const EVENTS: readonly (readonly [string, Story])[] = [
  [
    "D6 a promise in the result of a tool, or in what a tool was called with, never counts",
    [
      start(),
      tool,
      { written: [says("Looking."), calls({ command: `echo ${DONE}` }), result(DONE)] },
      stop(undefined, "goes on"),
    ],
  ],
  [
    "D6 a promise in a thought, or of a subagent, never counts",
    [
      start(),
      tool,
      {
        written: [
          says("Hm."),
          { type: "assistant", message: { id: "m1", content: [{ type: "thinking", thinking: DONE }] } },
          says(DONE, { isSidechain: true }),
          says(DONE, { parent_tool_use_id: "call_1" }),
        ],
      },
      stop(undefined, "goes on"),
      stop(DONE, "left alone", { agent_id: "sub-1" }),
      stop("x", "goes on"),
    ],
  ],
  [
    "D6 a promise from before the loop is ignored",
    [
      { written: [says(`An old one: ${DONE}`)] },
      start(),
      tool,
      stop(undefined, "goes on"),
      stop(DONE, "ends"),
    ],
  ],
  [
    "D6 a promise that was judged before is not taken for a new one",
    [start(), { written: [says(DONE)] }, stop(undefined, "goes on"), tool, stop(undefined, "goes on")],
  ],
  [
    "D6 a background task defers the continuation, and nothing is counted",
    [
      start("--max-iterations 1"),
      tool,
      stop("waiting", "left alone", background),
      stop(DONE, "left alone", background),
      { counted: 0 },
      stop("x", "goes on", { background_tasks: [{ id: "t1", status: "completed" }] }),
      { counted: 1 },
    ],
  ],
  [
    "D6 a fresh message of the user that waits wins over the continuation, and nothing is counted",
    [
      start("--max-iterations 1"),
      tool,
      { written: [queued("enqueue", "Which colour?")] },
      stop("x", "left alone"),
      { counted: 0 },
      { written: [queued("dequeue")] },
      { type: "Which colour?" },
      stop("Blue.", "goes on"),
      { counted: 1 },
      stop(DONE, "ends"),
    ],
  ],
  [
    "D6 a message of the user between two turns is answered, and the loop goes on after it",
    [start(), tool, stop("x", "goes on"), { type: `What does ${DONE} mean?` }, stop("That.", "goes on")],
  ],
  [
    "D6 a dispatch that failed does not advance the counter",
    [
      start("--max-iterations 2"),
      tool,
      stop("x", "goes on"),
      ...Array<Happening>(3).fill({ hook: "StopFailure", more: { error: "rate_limit" } }),
      { counted: 1 },
      stop("x", "goes on"),
      stop("x", "ends"),
    ],
  ],
  [
    "D6 a turn that ended without a stop (most turns, Ctrl-C) does not advance it either, and its tools are work",
    [
      start("--max-iterations 1"),
      tool,
      { hook: "SessionEnd", more: { reason: "other" } },
      { hook: "SessionStart", more: { source: "resume" } },
      { type: "Go on." },
      { counted: 0 },
      stop("x", "goes on"),
      stop(DONE, "ends"),
    ],
  ],
  [
    "D6 a stop that is told twice at once counts once",
    [start("--max-iterations 1"), tool, { twice: stop("x", "goes on") }, { counted: 1 }, stop(DONE, "ends")],
  ],
  [
    "D6 a cancel between the stop and the next is the end, whatever is said after it",
    [start(), tool, stop("x", "goes on"), { type: "/cancel-ralph" }, stop(DONE, "left alone")],
  ],
  [
    "D6 checks are asked after the promise, and a red one goes on",
    [
      start('--gate "false" --max-iterations 1'),
      tool,
      stop(DONE, "goes on"),
      { logged: "failed: false; sent back" },
      stop(DONE, "ends"),
      { logged: "MAX_ITERATIONS_REACHED" },
    ],
  ],
];

describe.each(["claude", "codex"] as const)("what the published plugins get wrong, in %s", (agent) => {
  it.each(PLUGINS)("%s", async (_, story) => play(story, { agent }));
});

describe("states and inputs that other hooks are asked about", () => {
  it.each(STATES)("%s", async (_, story) => play(story));
});

describe("sequences of events that other loops are asked about", () => {
  it.each(EVENTS)("%s", async (_, story) => play(story));
});
