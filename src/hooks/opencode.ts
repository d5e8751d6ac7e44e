import { fileURLToPath } from "node:url";
import { askHook } from "./ask-hook.ts";
import {
  answerIn,
  contextOf,
  endsAtStop,
  type HookAnswer,
  type LastTurn,
  lastTurn,
  recordOf,
  textAt,
  wordsIn,
} from "./opencode-told.ts";

/*
 * ralph's plugin for OpenCode, which has no settings that name hooks: what it tells its plugins is told to the same hooks that other
 * agents start, and what these answer is done here. Whatever goes wrong, the session goes on as it would without us; only the guard of
 * a run says no then.
 */

/** What we use of the client that OpenCode gives its plugins. */
interface Client {
  readonly session: {
    get(of: { path: { id: string } }): Promise<{ data?: unknown }>;
    messages(of: { path: { id: string }; query: { limit: number } }): Promise<{ data?: unknown }>;
    promptAsync(what: { path: { id: string }; body: unknown }): Promise<{ error?: unknown }>;
  };
  readonly tui: { showToast(what: { body: { message: string; variant: string } }): Promise<unknown> };
}

interface Given {
  readonly client: Client;
  readonly directory: string;
}

/** What OpenCode tells them is looked at inside: another version of it may tell something else. */
interface Hooks {
  event?(told: unknown): Promise<void>;
  "chat.message"?(of: unknown, message: unknown): Promise<void>;
  "tool.execute.before"?(call: unknown, to: unknown): Promise<void>;
  "tool.execute.after"?(call: unknown, from: unknown): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL("../hooks/ralph.sh", import.meta.url));
/** It stands in the settings of the user and of the project, or of two copies of ralph: one of them speaks. */
const TAKEN = Symbol.for("ralph-proof.opencode");

/** The plugin, as OpenCode calls it: once for each folder that it works in. */
export async function RalphProof(given: Given): Promise<Hooks> {
  const all = globalThis as { [TAKEN]?: WeakSet<object> };
  all[TAKEN] ??= new WeakSet();
  if (all[TAKEN].has(given.client)) return {};
  all[TAKEN].add(given.client);
  return hooksOf(given);
}

function hooksOf({ client, directory }: Given): Hooks {
  const isOneShot = endsAtStop(process.argv);
  const helpers = new Map<string, boolean>();
  const filled = new Map<string, number>();
  const judged = new Map<string, string>();
  const sentBack = new Map<string, string>();

  async function ask(event: string, session: string, more: Readonly<Record<string, unknown>>) {
    const input = {
      session_id: session,
      hook_event_name: event,
      program: "opencode",
      cwd: directory,
      ...more,
    };
    // By these names the hooks know the session and its folder before they read anything; those of a program around us are wrong.
    const env = { ...process.env, CLAUDE_CODE_SESSION_ID: session, CLAUDE_PROJECT_DIR: directory };
    return askHook({ script: SCRIPT, event, input, cwd: directory, env });
  }

  /** What a hook says that is for the loop: nothing, when anything is wrong with it. */
  async function answer(...question: Parameters<typeof ask>): Promise<HookAnswer> {
    const { code, stdout } = await ask(...question);
    const said = code === 0 ? answerIn(stdout) : undefined;
    if (said?.tell !== undefined) await tell(said.tell);
    return said ?? {};
  }

  async function tell(message: string): Promise<void> {
    await quietly(() => client.tui.showToast({ body: { message, variant: "info" } }));
  }

  /** Is it the session of an agent that the session's agent called for help? One that nothing is known of is taken for one. */
  async function isHelper(session: string): Promise<boolean> {
    const known = helpers.get(session);
    if (known !== undefined) return known;
    const { data } = await client.session.get({ path: { id: session } });
    const told = recordOf(data);
    if (textAt(told, "id") !== session) return true;
    const found = textAt(told, "parentID") !== undefined;
    helpers.set(session, found);
    return found;
  }

  async function stopped(session: string): Promise<void> {
    // A prompt would not keep `opencode run`: it is gone by then.
    if (isOneShot || (await isHelper(session))) return;
    const { data } = await client.session.messages({ path: { id: session }, query: { limit: 2 } });
    const turn = lastTurn(data);
    // It may say twice that it is idle.
    if (turn === undefined || judged.get(session) === turn.id) return;
    judged.set(session, turn.id);
    if (turn.cutOff !== undefined) await answer("StopFailure", session, { error: turn.cutOff });
    else await judge(session, turn);
  }

  async function judge(session: string, { text, agent, model }: LastTurn): Promise<void> {
    const { goOn } = await answer("Stop", session, { last_assistant_message: text });
    if (goOn === undefined) return;
    sentBack.set(session, goOn);
    const parts = [{ type: "text", text: goOn }];
    const body = {
      parts,
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
    };
    const isTaken = await client.session.promptAsync({ path: { id: session }, body }).then(
      ({ error }) => error === undefined,
      () => false,
    );
    if (!isTaken) await tell("ralph: OpenCode did not take the prompt; the loop stands still.");
  }

  return {
    event: (about) =>
      quietly(async () => {
        const { type, properties } = recordOf(recordOf(about)["event"]);
        const told = recordOf(properties);
        const info = recordOf(told["info"]);
        const session = textAt(told, "sessionID") ?? textAt(info, "sessionID") ?? textAt(info, "id");
        if (session === undefined) return;
        if (type === "message.updated") {
          const tokens = info["role"] === "assistant" ? contextOf(info) : undefined;
          if (tokens !== undefined) filled.set(session, tokens);
        } else if (type === "session.created") {
          helpers.set(session, textAt(info, "parentID") !== undefined);
          if (helpers.get(session) === false) await answer("SessionStart", session, { source: "startup" });
        } else if (type === "session.deleted") {
          for (const known of [helpers, filled, judged, sentBack]) known.delete(session);
          await answer("SessionEnd", session, { reason: "clear" });
        } else if (type === "session.idle") await stopped(session);
      }),

    "chat.message": (of, told) =>
      quietly(async () => {
        const sessionID = textAt(recordOf(of), "sessionID");
        const { message, parts } = recordOf(told);
        if (sessionID === undefined || !Array.isArray(parts)) return;
        const prompt = wordsIn(parts);
        // What an agent tells its helpers is no command, and what we said ourselves is none of the user's.
        if (sentBack.get(sessionID) === prompt || (await isHelper(sessionID))) return;
        const more = { prompt, ...(isOneShot ? { ends_at_stop: true } : {}) };
        const { context } = await answer("UserPromptSubmit", sessionID, more);
        if (context === undefined || parts.length === 0) return;
        const last = recordOf(parts.at(-1));
        const id = `${String(last["id"])}r`; // the parts of a message are sorted by it
        const messageID = textAt(recordOf(message), "id") ?? last["messageID"];
        parts.push({ id, messageID, sessionID, type: "text", text: context, synthetic: true });
      }),

    async "tool.execute.before"(call, to) {
      const { RALPH_GUARD: guard = "", RALPH_HOOKS_URL: served = "" } = process.env;
      if (guard === "" || served !== "") return;
      const { tool, sessionID, callID } = recordOf(call);
      const input = { tool_name: tool, tool_input: recordOf(to)["args"], tool_use_id: callID };
      const { code, stdout } = await ask("PreToolUse", String(sessionID), input);
      if (code === 0 && stdout.trim() === "") return;
      throw new Error(answerIn(stdout)?.deny ?? "ralph's guard could not run, so this is not allowed");
    },

    "tool.execute.after": (call, from) =>
      quietly(async () => {
        const { tool, callID } = recordOf(call);
        const sessionID = textAt(recordOf(call), "sessionID");
        if (sessionID === undefined) return;
        const { context } = await answer("PostToolUse", sessionID, {
          tool_name: tool,
          context_tokens: filled.get(sessionID) ?? 0, // what the first message took is not known until it is over
          ...((await isHelper(sessionID)) ? { agent_id: sessionID } : {}),
          tool_use_id: callID,
        });
        if (context !== undefined && hasOutput(from)) from.output += `\n\n${context}`;
      }),
  };
}

function hasOutput(from: unknown): from is { output: string } {
  return typeof recordOf(from)["output"] === "string";
}

/** A session is never disturbed by a fault of ours. */
async function quietly(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch {
    // What the hooks did until then is in their log.
  }
}
