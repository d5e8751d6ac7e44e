import type { AgentCommand, TurnRequest } from "../agent.ts";
import { promptWithHint } from "../stdin.ts";
import { commandWords } from "../words.ts";

/** The command of one turn of a program that ralph knows nothing about: the user's words, and no more. */
export function customCommand(turn: TurnRequest): AgentCommand {
  const [file, ...words] = commandWords(turn.agent.command);
  const args = [...words, ...turn.agent.flags];
  return { file, args, env: {}, stdin: promptWithHint(turn), answerFromFile: false };
}
