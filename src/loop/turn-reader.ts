import type { AgentAdapter, TurnFacts } from "../agents/agent.ts";
import { type AgentEvent, NO_USAGE, type Usage } from "../events.ts";
import { HeadAndTail } from "../text.ts";

const PLAIN_HALF_BYTES = 2 * 1024 * 1024;
const STDERR_TAIL_BYTES = 16 * 1024;

/** Folds what an agent said in one turn into the few facts that matter, in bounded memory. */
export class TurnReader {
  toolCalls = 0;
  denials = 0;
  model: string | undefined;
  version: string | undefined;
  usage: Usage = NO_USAGE;
  readonly #plain = new HeadAndTail(PLAIN_HALF_BYTES);
  readonly #stderr = new HeadAndTail(STDERR_TAIL_BYTES / 2);
  readonly #hasOwnFormat: boolean;
  #structured = false;
  #result: TurnFacts["result"];
  #limited: TurnFacts["limited"];

  constructor(adapter: AgentAdapter) {
    this.#hasOwnFormat = adapter.kind !== "custom";
  }

  /**
   * Takes an event in and returns it as it is to be shown. A known agent that has said nothing in its own format yet
   * may be a wrapper that prints plain text: its lines are text then, not noise.
   */
  add(event: AgentEvent): AgentEvent {
    if (this.#hasOwnFormat && event.type !== "unrecognised") this.#structured = true;
    switch (event.type) {
      case "unrecognised":
        if (this.#structured || event.line.trimStart().startsWith("{")) return event;
        return { type: "text", text: event.line };
      case "session":
        this.model = event.model ?? this.model;
        this.version = event.version ?? this.version;
        break;
      case "tool.started":
        this.toolCalls++;
        break;
      case "tool.ended":
        if (event.denied) this.denials++;
        break;
      case "usage":
        this.usage = event.usage;
        break;
      case "limited":
        // One that the agent gave up on says how the turn ended; one that it is trying again does not undo that.
        if (event.final || this.#limited?.final !== true) this.#limited = event;
        break;
      case "result":
        this.#result = event;
        this.usage = event.usage ?? this.usage;
        this.denials = Math.max(this.denials, event.denials ?? 0);
        break;
      default:
        break;
    }
    return event;
  }

  stdout(chunk: Buffer): void {
    if (!this.#structured) this.#plain.add(chunk);
  }

  stderr(chunk: Buffer): void {
    this.#stderr.add(chunk);
  }

  facts(exit: Pick<TurnFacts, "exitCode" | "signal" | "killedBy" | "spawnError" | "nowMs">): TurnFacts {
    return {
      ...exit,
      structured: this.#structured,
      finalText: this.#structured ? (this.#result?.text ?? "") : this.#plain.text(),
      stderrTail: this.#stderr.text(),
      ...(this.#result === undefined ? {} : { result: this.#result }),
      ...(this.#limited === undefined ? {} : { limited: this.#limited }),
    };
  }
}
