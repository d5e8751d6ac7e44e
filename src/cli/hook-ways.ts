import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { UserError } from "../errors.ts";
import { type Changed, type Presence, presenceIn, unwire, wire } from "../hooks/install.ts";
import { OPENCODE_PLUGIN, pluginPresence, unwirePlugin, wirePlugin } from "../hooks/plugin-line.ts";
import { type FilePlace, hooksFor, WIRINGS, type WiredAgent } from "../hooks/wiring.ts";

/** How the hooks come into a file of an agent's. */
export interface Way {
  readonly place: FilePlace;
  /** The text with our hooks in. */
  wire(text: string): Changed;
  /** The text without them. */
  unwire(text: string): Changed;
  presence(text: string): Presence | { readonly fault: string };
  /** An empty file means nothing to the agent, and goes with our last word in it. */
  readonly goesWhenEmpty: boolean;
}

/** How an agent's file is changed; undefined when no file can name our hooks to it. */
export function wayOf(agent: WiredAgent): Way | undefined {
  if (agent === "opencode")
    return {
      place: OPENCODE_PLUGIN,
      wire: (text) => ({ text: wirePlugin(text, packaged("opencode/ralph.js")) }),
      unwire: (text) => ({ text: unwirePlugin(text) }),
      presence: (text) => pluginPresence(text, packaged("opencode/ralph.js")),
      goesWhenEmpty: true,
    };
  const wiring = WIRINGS[agent];
  if (wiring === undefined) return undefined;
  return {
    place: wiring,
    wire: (text) => wire(text, hooksFor(wiring, script())),
    unwire,
    presence: (text) => presenceIn(text, hooksFor(wiring, script())),
    goesWhenEmpty: false,
  };
}

/** The plugin's folder of this package: beside dist/. */
export function plugin(): string {
  return fileURLToPath(new URL("../plugin", import.meta.url));
}

function script(): string {
  const path = packaged("hooks/ralph.sh");
  // Some agents take a dollar sign in their settings for a variable.
  if (path.includes("$"))
    throw new UserError(
      "the hooks cannot be named",
      `there is a dollar sign in ${path}`,
      "Install ralph-proof elsewhere.",
    );
  return path;
}

function packaged(name: string): string {
  const path = `${plugin()}/${name}`;
  if (!existsSync(path))
    throw new UserError("the hooks are not there", `${path} is missing`, "Install ralph-proof again.");
  return path;
}
