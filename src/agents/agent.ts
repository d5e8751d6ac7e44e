import type { AgentEnding, AgentEvent } from "../events.ts";
import type { AgentKind, AgentSpec } from "../spec.ts";

/** What one turn asks of an agent. */
export interface TurnRequest {
  readonly agent: AgentSpec;
  /** The prompt, whole. Adapters pass it by stdin wherever the agent allows it. */
  readonly prompt: string;
  /** How the agent is told to claim; adapters put it outside the prompt where the agent has a place for it. */
  readonly hint?: string;
  /** `work` streams structured events; `text` asks for one plain answer with write tools off (a commit message). */
  readonly mode: "work" | "text";
  /** What the installed program printed for `helpArgs`; empty when it was not asked or did not answer. */
  readonly help: string;
  /** Some agents refuse full autonomy to root. */
  readonly isRoot: boolean;
  /** There is a fence around the agent: its own prompts and its own fence are in the way. */
  readonly fenced?: boolean;
  /** Where an agent that can write its final answer to a file should put it (text mode). */
  readonly answerPath: string;
  /** Where its hooks are answered while it works. */
  readonly hooks?: HookAddress;
}

/** Where an agent can ask ralph itself what its hooks would say, over HTTP. */
export interface HookAddress {
  readonly url: string;
  /** Shown by whoever asks, as `Authorization: Bearer …`. It is for the environment: everybody on the machine sees a command line. */
  readonly token: string;
  /** The events that are answered, each with the seconds that an answer may take. */
  readonly events: Readonly<Record<string, number>>;
}

/** What an agent that asks ralph itself has in its environment; hooks that it is also wired with keep still then. */
export const HOOKS_URL_VARIABLE = "RALPH_HOOKS_URL";
export const HOOKS_TOKEN_VARIABLE = "RALPH_HOOKS_TOKEN";

/** The exact command of one turn: an argument vector, never a shell line. */
export interface AgentCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables to add to the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Set when the final answer is to be read from `answerPath` rather than from stdout. */
  readonly answerFromFile: boolean;
}

/** What a session at the user's own terminal begins with. */
export interface SessionRequest {
  readonly agent: AgentSpec;
  /** The first prompt. It becomes an argument, so it must be small. */
  readonly prompt: string;
}

/** A pure line parser for one stream. It may remember what it saw, and never throws. */
export interface StreamParser {
  /** Every line that is not blank gives at least one event; an unknown one gives `unrecognised`. */
  line(line: string): readonly AgentEvent[];
}

/** Everything that was seen of a turn, for the adapter to say how it ended. */
export interface TurnFacts {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Set when ralph itself ended the process. */
  readonly killedBy?: "idle" | "timeout" | "stopped" | "limit";
  /** Set when the process could not be started at all. */
  readonly spawnError?: string;
  /** At least one line belonged to the agent's own stream format. */
  readonly structured: boolean;
  /** The last `result` event. */
  readonly result?: Extract<AgentEvent, { type: "result" }>;
  /** The last `limited` event that the agent gave up on; the last one at all when there is none. */
  readonly limited?: Extract<AgentEvent, { type: "limited" }>;
  /** The final text of the main agent; standard output for an agent without a structured stream. */
  readonly finalText: string;
  /** The end of standard error, at most 16 KiB. */
  readonly stderrTail: string;
  readonly nowMs: number;
}

/** What people want to know of an agent before they choose it. */
export interface AgentAbout {
  /** Its name as its makers write it. */
  readonly title: string;
  /** How it gets the prompt. */
  readonly prompt: "stdin" | "argument" | "file";
  /** Its own name for the format in which it tells what it does. */
  readonly stream: string;
  /** `plugins`: code that it loads, and no hook that can keep a session going. */
  readonly hooks: "yes" | "plugins" | "unknown";
  /** What it tells of what a turn has used. */
  readonly cost: "cost and tokens" | "tokens" | "none";
  /** Can a session of its be gone on with? */
  readonly resume: "yes" | "unknown";
  /** The versions that were run by ralph's makers. None: what is known of it is its documentation. */
  readonly tried: readonly string[];
}

/** What ralph has to know of one agent program. Adding an agent is one folder and one line in `registry.ts`. */
export interface AgentAdapter {
  readonly kind: AgentKind;
  /** The program's usual name, by which the kind is inferred. */
  readonly program: string;
  /** Absent for a program of which nothing is known. */
  readonly about?: AgentAbout;
  /** Arguments that make the program print what it takes; asked once a run, never with a prompt. */
  readonly helpArgs?: readonly string[];
  /** Its hooks can be asked for over HTTP: `command` takes `hooks`. */
  readonly asksByHttp?: true;
  /** Pure. */
  command(turn: TurnRequest): AgentCommand;
  /** Pure. The command of a session at the user's terminal; absent where no way to begin one with a prompt is known. */
  readonly interactive?: (session: SessionRequest) => Pick<AgentCommand, "file" | "args">;
  parser(): StreamParser;
  /** Pure. Unknown is an error, never `finished`. */
  classify(facts: TurnFacts): AgentEnding;
}
