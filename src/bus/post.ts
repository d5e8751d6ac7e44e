import { closeSync, readSync, writeSync } from "node:fs";
import { compose } from "./compose.ts";
import type { NewMessage, PostedMessage } from "./message.ts";
import { busError, type OpenBus, openForAppending } from "./open.ts";

/**
 * Appends a message to a bus, and makes the bus when it is not there. It is one write to a file that is open for
 * appending, which the system never mixes with the writes of others.
 */
export function post(path: string, message: NewMessage): PostedMessage {
  const { message: posted, text } = compose(message);
  const bus = openForAppending(path);
  try {
    const bytes = Buffer.from(`${gapBefore(bus)}${text}`, "utf8");
    const written = writeSync(bus.fd, bytes);
    // The rest must not be written after it: by now another message may stand there.
    if (written < bytes.length) throw Object.assign(new Error("written only in part"), { code: "ENOSPC" });
    return posted;
  } catch (error) {
    throw busError("cannot write to the message bus", path, error);
  } finally {
    closeSync(bus.fd);
  }
}

/**
 * What must stand between the present end and a new message. The blank line is more than looks: what a killed writer
 * left of a front matter would take our first fence for its last.
 */
function gapBefore({ fd, info }: OpenBus): string {
  if (info.size === 0) return "";
  const tail = Buffer.alloc(2);
  const from = Math.max(0, info.size - tail.length);
  const text = tail.toString("latin1", 0, readSync(fd, tail, 0, tail.length, from));
  if (text === "\n\n") return "";
  return text.endsWith("\n") ? "\n" : "\n\n";
}
