import { pathToFileURL } from "node:url";
import type { Presence } from "./install.ts";
import type { FilePlace } from "./wiring.ts";

/** Where OpenCode looks for plugins: each file there is one. Its name is ours alone, so that it meets no plugin of others. */
export const OPENCODE_PLUGIN: FilePlace = {
  folder: ".opencode/plugin",
  home: ".config/opencode/plugin",
  variable: "XDG_CONFIG_HOME",
  below: "opencode/plugin",
  file: "ralph-proof.js",
};

/** The line that hands on our plugin for OpenCode. It is an address, for a path may hold what means something in one. */
function lineFor(plugin: string): string {
  return `export * from ${JSON.stringify(pathToFileURL(plugin).href)}; // ralph install-hooks opencode --remove`;
}

const OURS = /^export \* from "file:\/\/[^"]*\/plugin\/opencode\/ralph\.js";.*\r?\n?/gm;

/** The text of a plugin file with our line and no others of ours. Pure; the same text when it is in. */
export function wirePlugin(text: string, plugin: string): string {
  if (pluginPresence(text, plugin) === "in") return text;
  const rest = unwirePlugin(text);
  return `${rest}${rest === "" || rest.endsWith("\n") ? "" : "\n"}${lineFor(plugin)}\n`;
}

/** The text of a plugin file without any line of ours. Pure; the same text when there is none. */
export function unwirePlugin(text: string): string {
  return text.replace(OURS, "");
}

/** Whether our line is in the text of a plugin file. */
export function pluginPresence(text: string, plugin: string): Presence {
  const found = text.match(OURS) ?? [];
  if (found.length === 0) return "out";
  return found.length === 1 && found[0].trimEnd() === lineFor(plugin) ? "in" : "other";
}
