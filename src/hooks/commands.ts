/** What a user asks of us in a session. */
export type Asked =
  | { readonly do: "start"; readonly ultrawork: boolean; readonly args: string }
  | { readonly do: "cancel" }
  | { readonly do: "status" }
  | { readonly do: "rollback" }
  /** `/ralph` with a word after it that it does not know. */
  | { readonly do: "unknown"; readonly word: string };

/** As it was typed, with or without the plugin's name before it. */
const TYPED = /^\s*\/(?:ralph:)?(ralph-loop|ulw-loop|cancel-ralph|ralph-status|ralph)(?:\s+([\s\S]*))?$/;

/** As our own command files expand it, for programs that show hooks what became of a command. */
const EXPANDED = /^\s*<ralph-command name="([a-z-]+)">\r?\n?([\s\S]*)<\/ralph-command>/;

/** As Claude Code writes a command down. */
const WRITTEN =
  /^\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>\/?(?:ralph:)?([a-z-]+)<\/command-name>(?:[\s\S]*?<command-args>([\s\S]*)<\/command-args>)?/;

/** The command in what a user typed, or undefined when it is none of ours. It only counts at the very beginning. Pure. */
export function commandIn(prompt: string): Asked | undefined {
  for (const form of [TYPED, EXPANDED, WRITTEN]) {
    const found = form.exec(prompt);
    if (found !== null) return askedBy(found[1] ?? "", found[2] ?? "");
  }
  return undefined;
}

function askedBy(name: string, args: string): Asked | undefined {
  switch (name) {
    case "ralph-loop":
    case "ulw-loop":
      return { do: "start", ultrawork: name === "ulw-loop", args };
    case "cancel-ralph":
      return { do: "cancel" };
    case "ralph-status":
      return { do: "status" };
    case "ralph":
      return bySubcommand(args);
    default:
      return undefined;
  }
}

/** The commands of spec 000. */
function bySubcommand(args: string): Asked {
  const [, word = "", rest = ""] = /^\s*(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
  switch (word) {
    case "start":
      return { do: "start", ultrawork: false, args: rest };
    case "stop":
      return { do: "cancel" };
    case "status":
      return { do: "status" };
    case "rollback":
      return { do: "rollback" };
    default:
      return { do: "unknown", word };
  }
}
