import { describe, expect, it } from "vitest";
import { type Asked, commandIn } from "../../src/hooks/commands.ts";

const start = (args: string, ultrawork = false): Asked => ({ do: "start", ultrawork, args });

describe("a command in what the user typed", () => {
  it.each<[string, Asked | undefined]>([
    ['/ralph-loop "x" --max-iterations 3', start('"x" --max-iterations 3')],
    ['/ralph:ralph-loop "x"', start('"x"')],
    ["/ralph-loop\nfirst\nsecond", start("first\nsecond")],
    ["/ralph-loop", start("")],
    ["/ulw-loop x", start("x", true)],
    ["/ralph:ulw-loop x", start("x", true)],
    ["/cancel-ralph", { do: "cancel" }],
    ["/ralph:cancel-ralph now", { do: "cancel" }],
    ["/ralph-status", { do: "status" }],
    ["/ralph start x --criteria test_pass", start("x --criteria test_pass")],
    ["/ralph:ralph stop", { do: "cancel" }],
    ["/ralph status", { do: "status" }],
    ["/ralph rollback", { do: "rollback" }],
    ["/ralph", { do: "unknown", word: "" }],
    ["/ralph dance", { do: "unknown", word: "dance" }],
    [
      '<ralph-command name="ralph-loop">\n"x </ralph-command> y"\n</ralph-command>\n\nWhat stands…',
      start('"x </ralph-command> y"\n'),
    ],
    [
      "<command-message>ralph:ralph-loop</command-message>\n<command-name>/ralph:ralph-loop</command-name>\n<command-args>x</command-args>",
      start("x"),
    ],
    ["<command-name>/ralph:cancel-ralph</command-name>", { do: "cancel" }],
    ["<command-name>/clear</command-name>", undefined],
    ["/ralph-loops x", undefined],
    ["/ralph-loop-x", undefined],
    ["/other:ralph-loop x", undefined],
    ["Say /ralph-loop x", undefined],
    ["You attempted to end the loop. Original task: /cancel-ralph", undefined],
    ['See <ralph-command name="cancel-ralph">\n</ralph-command>', undefined],
    ["", undefined],
  ])("%j", (prompt, asked) => {
    expect(commandIn(prompt)).toEqual(asked);
  });
});
