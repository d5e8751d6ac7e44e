import { join } from "node:path";

export { follow } from "./follow.ts";
export { type BusMessage, KNOWN_TYPES, type NewMessage } from "./message.ts";
export { parseMessages } from "./parse.ts";
export { post } from "./post.ts";
export { lastMessages, messagesFrom, readFrom } from "./read.ts";

const NAMES = { project: "PROJECT-MESSAGE-BUS.md", task: "TASK-MESSAGE-BUS.md" } as const;

/** Where the bus of a project folder or of a task folder is. */
export function busPath(folder: string, kind: keyof typeof NAMES): string {
  return join(folder, NAMES[kind]);
}
