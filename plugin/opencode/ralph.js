// src/hooks/opencode.ts
import { fileURLToPath } from "node:url";

// src/hooks/ask-hook.ts
import { spawn } from "node:child_process";

// src/hooks/timeouts.ts
var TIMEOUTS = { Stop: 7200, UserPromptSubmit: 120, SessionEnd: 3 };
var TIMEOUT = 30;
function timeoutOf(event) {
  return TIMEOUTS[event] ?? TIMEOUT;
}

// src/hooks/ask-hook.ts
var MOST_CHARS = 1024 * 1024;
async function askHook(question) {
  try {
    return await ended(question);
  } catch {
    return { code: null, stdout: "" };
  }
}
function ended({ script, event, input, cwd, env }) {
  const text = JSON.stringify(input);
  return new Promise((resolve) => {
    const child = spawn("sh", [script, script, event], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
    let stdout = "";
    const end = (code) => {
      clearTimeout(timer);
      resolve({ code, stdout });
    };
    const cut = () => {
      end(null);
      child.kill("SIGKILL");
      child.stdout.destroy();
      child.stdin.destroy();
    };
    const timer = setTimeout(cut, timeoutOf(event) * 1e3);
    timer.unref();
    child.on("error", () => end(null));
    child.on("close", end);
    child.stdin.on("error", () => {
    });
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text2) => {
      stdout += text2;
      if (stdout.length > MOST_CHARS) cut();
    });
    child.stdin.end(text);
  });
}

// src/hooks/opencode-told.ts
function lastTurn(messages) {
  const last = recordOf(Array.isArray(messages) ? messages.at(-1) : void 0);
  const info = recordOf(last["info"]);
  const id = textAt(info, "id");
  if (info["role"] !== "assistant" || info["summary"] === true || id === void 0) return void 0;
  if (typeof recordOf(info["time"])["completed"] !== "number") return void 0;
  const error = recordOf(info["error"]);
  const cutOff = textAt(error, "name") ?? (info["finish"] === "tool-calls" ? "a refused tool" : void 0);
  const agent = textAt(info, "agent") ?? textAt(info, "mode");
  const providerID = textAt(info, "providerID");
  const modelID = textAt(info, "modelID");
  return {
    id,
    text: wordsIn(last["parts"]),
    ...cutOff === void 0 ? {} : { cutOff },
    ...agent === void 0 ? {} : { agent },
    ...providerID === void 0 || modelID === void 0 ? {} : { model: { providerID, modelID } }
  };
}
function wordsIn(parts) {
  if (!Array.isArray(parts)) return "";
  return parts.map(recordOf).filter(({ type, synthetic, ignored }) => type === "text" && synthetic !== true && ignored !== true).flatMap(({ text }) => typeof text === "string" ? [text] : []).join("\n");
}
function contextOf(info) {
  const tokens = recordOf(recordOf(info)["tokens"]);
  const cache = recordOf(tokens["cache"]);
  const sum = [tokens["input"], tokens["output"], cache["read"], cache["write"]].filter((count) => typeof count === "number" && Number.isFinite(count) && count > 0).reduce((all, count) => all + Number(count), 0);
  return sum > 0 ? sum : void 0;
}
function endsAtStop(argv) {
  const words = argv.slice(2);
  const command = words.find((word, at) => !word.startsWith("-") && words[at - 1] !== "--log-level");
  return command === "run";
}
function answerIn(stdout) {
  if (stdout.trim() === "") return {};
  let said;
  try {
    said = recordOf(JSON.parse(stdout));
  } catch {
    return void 0;
  }
  const more = recordOf(said["hookSpecificOutput"]);
  const goOn = said["decision"] === "block" ? textAt(said, "reason") : void 0;
  const context = textAt(more, "additionalContext");
  const tell = textAt(said, "systemMessage");
  const deny = more["permissionDecision"] === "deny" ? textAt(more, "permissionDecisionReason") : void 0;
  return {
    ...goOn === void 0 ? {} : { goOn },
    ...context === void 0 ? {} : { context },
    ...tell === void 0 ? {} : { tell },
    ...deny === void 0 ? {} : { deny }
  };
}
function recordOf(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
function textAt(value, key) {
  const text = value[key];
  return typeof text === "string" && text !== "" ? text : void 0;
}

// src/hooks/opencode.ts
var SCRIPT = fileURLToPath(new URL("../hooks/ralph.sh", import.meta.url));
var TAKEN = /* @__PURE__ */ Symbol.for("ralph-proof.opencode");
async function RalphProof(given) {
  const all = globalThis;
  all[TAKEN] ??= /* @__PURE__ */ new WeakSet();
  if (all[TAKEN].has(given.client)) return {};
  all[TAKEN].add(given.client);
  return hooksOf(given);
}
function hooksOf({ client, directory }) {
  const isOneShot = endsAtStop(process.argv);
  const helpers = /* @__PURE__ */ new Map();
  const filled = /* @__PURE__ */ new Map();
  const judged = /* @__PURE__ */ new Map();
  const sentBack = /* @__PURE__ */ new Map();
  async function ask(event, session, more) {
    const input = {
      session_id: session,
      hook_event_name: event,
      program: "opencode",
      cwd: directory,
      ...more
    };
    const env = { ...process.env, CLAUDE_CODE_SESSION_ID: session, CLAUDE_PROJECT_DIR: directory };
    return askHook({ script: SCRIPT, event, input, cwd: directory, env });
  }
  async function answer(...question) {
    const { code, stdout } = await ask(...question);
    const said = code === 0 ? answerIn(stdout) : void 0;
    if (said?.tell !== void 0) await tell(said.tell);
    return said ?? {};
  }
  async function tell(message) {
    await quietly(() => client.tui.showToast({ body: { message, variant: "info" } }));
  }
  async function isHelper(session) {
    const known = helpers.get(session);
    if (known !== void 0) return known;
    const { data } = await client.session.get({ path: { id: session } });
    const told = recordOf(data);
    if (textAt(told, "id") !== session) return true;
    const found = textAt(told, "parentID") !== void 0;
    helpers.set(session, found);
    return found;
  }
  async function stopped(session) {
    if (isOneShot || await isHelper(session)) return;
    const { data } = await client.session.messages({ path: { id: session }, query: { limit: 2 } });
    const turn = lastTurn(data);
    if (turn === void 0 || judged.get(session) === turn.id) return;
    judged.set(session, turn.id);
    if (turn.cutOff !== void 0) await answer("StopFailure", session, { error: turn.cutOff });
    else await judge(session, turn);
  }
  async function judge(session, { text, agent, model }) {
    const { goOn } = await answer("Stop", session, { last_assistant_message: text });
    if (goOn === void 0) return;
    sentBack.set(session, goOn);
    const parts = [{ type: "text", text: goOn }];
    const body = {
      parts,
      ...agent === void 0 ? {} : { agent },
      ...model === void 0 ? {} : { model }
    };
    const isTaken = await client.session.promptAsync({ path: { id: session }, body }).then(
      ({ error }) => error === void 0,
      () => false
    );
    if (!isTaken) await tell("ralph: OpenCode did not take the prompt; the loop stands still.");
  }
  return {
    event: (about) => quietly(async () => {
      const { type, properties } = recordOf(recordOf(about)["event"]);
      const told = recordOf(properties);
      const info = recordOf(told["info"]);
      const session = textAt(told, "sessionID") ?? textAt(info, "sessionID") ?? textAt(info, "id");
      if (session === void 0) return;
      if (type === "message.updated") {
        const tokens = info["role"] === "assistant" ? contextOf(info) : void 0;
        if (tokens !== void 0) filled.set(session, tokens);
      } else if (type === "session.created") {
        helpers.set(session, textAt(info, "parentID") !== void 0);
        if (helpers.get(session) === false) await answer("SessionStart", session, { source: "startup" });
      } else if (type === "session.deleted") {
        for (const known of [helpers, filled, judged, sentBack]) known.delete(session);
        await answer("SessionEnd", session, { reason: "clear" });
      } else if (type === "session.idle") await stopped(session);
    }),
    "chat.message": (of, told) => quietly(async () => {
      const sessionID = textAt(recordOf(of), "sessionID");
      const { message, parts } = recordOf(told);
      if (sessionID === void 0 || !Array.isArray(parts)) return;
      const prompt = wordsIn(parts);
      if (sentBack.get(sessionID) === prompt || await isHelper(sessionID)) return;
      const more = { prompt, ...isOneShot ? { ends_at_stop: true } : {} };
      const { context } = await answer("UserPromptSubmit", sessionID, more);
      if (context === void 0 || parts.length === 0) return;
      const last = recordOf(parts.at(-1));
      const id = `${String(last["id"])}r`;
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
    "tool.execute.after": (call, from) => quietly(async () => {
      const { tool, callID } = recordOf(call);
      const sessionID = textAt(recordOf(call), "sessionID");
      if (sessionID === void 0) return;
      const { context } = await answer("PostToolUse", sessionID, {
        tool_name: tool,
        context_tokens: filled.get(sessionID) ?? 0,
        // what the first message took is not known until it is over
        ...await isHelper(sessionID) ? { agent_id: sessionID } : {},
        tool_use_id: callID
      });
      if (context !== void 0 && hasOutput(from)) from.output += `

${context}`;
    })
  };
}
function hasOutput(from) {
  return typeof recordOf(from)["output"] === "string";
}
async function quietly(work) {
  try {
    await work();
  } catch {
  }
}
export {
  RalphProof
};
