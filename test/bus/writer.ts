import { post } from "../../src/bus/post.ts";

/*
 * A program for the tests: `writer <bus> <name> <messages> <most KiB>`. Waits for a byte on stdin, so that many of them
 * start together, then posts messages that say who wrote them, how long they are and with one letter all through.
 */
const [path = "", name = "", messages = "1", most = "1"] = process.argv.slice(2);

process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.destroy();
for (let n = 0; n < Number(messages); n++) {
  const letter = String.fromCharCode(97 + (Number(name) % 26));
  const length = 1024 * (1 + ((n * 7 + Number(name)) % Number(most)));
  const lines = `${`${letter.repeat(62)}\n---\n`.repeat(length / 67)}\n\n- ${letter}`;
  post(path, { type: "progress", run: name, from: String(n), body: lines, nowMs: Date.now() });
}
