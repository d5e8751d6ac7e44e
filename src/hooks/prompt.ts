import { existsSync, readFileSync } from "node:fs";
import { messageOf, UserError } from "../errors.ts";
import { promptCopy } from "../loop/prompt-copy.ts";
import type { Answer } from "./answer.ts";
import { type Asked, commandIn } from "./commands.ts";
import { cancel, describeLoop, describeRollback } from "./control.ts";
import type { HookInput } from "./input.ts";
import { log } from "./log.ts";
import { openLoop } from "./open-loop.ts";
import { readMarker } from "./places.ts";
import { runHook } from "./run-hook.ts";
import { noteSpoken } from "./said.ts";

void runHook(async (input, root) => {
  const asked = commandIn(input.prompt);
  if (asked === undefined) {
    noteUser(input, root);
    return undefined;
  }
  try {
    return await answer(asked, input, root);
  } catch (error) {
    log(root, `session ${input.session}: ${asked.do} failed: ${messageOf(error)}`);
    return told(asked.do === "start" ? `No ralph loop was started: ${wordsOf(error)}` : wordsOf(error));
  }
});

async function answer(asked: Asked, input: HookInput, root: string): Promise<Answer> {
  switch (asked.do) {
    case "start": {
      const { startLoop } = await import("./start.ts");
      return startLoop(input, root, asked);
    }
    case "cancel":
      return told(await cancel(input, root));
    case "status":
      return told(describeLoop(input, root));
    case "rollback":
      return told(describeRollback(input, root));
    case "unknown":
      return told(
        '/ralph takes start, stop, status or rollback. For example: /ralph start "Make the tests pass"',
      );
  }
}

/** The agent is to say it and to do no more: some programs show their user nothing but what the agent says. */
function told(words: string): Answer {
  return {
    context: `This command was for ralph, whose hook has answered it. Tell the user exactly this, and do nothing else:\n\n${words}`,
    tell: `ralph: ${words}`,
  };
}

/** What the user says in a session with a loop is none of our business; only that they said something is remembered. */
function noteUser({ session, prompt }: HookInput, root: string): void {
  const marker = readMarker(root, session);
  const loop = marker === undefined ? undefined : openLoop(marker, session);
  if (loop === undefined || "why" in loop) return;
  // Some programs hand our own words to this hook as if the user had typed them.
  const kept = promptCopy(loop.marker.folder, loop.state.iteration);
  const ours = existsSync(kept) ? readFileSync(kept, "utf8") : "";
  if (prompt.trim() !== ours.trim()) noteSpoken(root, session);
}

function wordsOf(error: unknown): string {
  if (!(error instanceof UserError)) return messageOf(error);
  return [`${error.what}: ${error.why}`, error.fix].filter((one) => one !== "").join("\n");
}
