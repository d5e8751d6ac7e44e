// The context monitor as a real process: thresholds, words, once each, and what starts node at all.
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lastUsage } from "../../src/hooks/context.ts";
import { type Session, world } from "./support.ts";

const NOTICE =
  "NOTICE: Be mindful of remaining space. Plan to finish your current task within this session. If you discover follow-up work, add new stories to tasks.json — the next iteration will pick them up.";
const WARNING =
  "WARNING: Finish your current task and commit soon. Do not start additional tasks. If work remains, create new stories in tasks.json for the next iteration and capture any implementation details or insights in progress.txt so the next iteration has full context.";
const CRITICAL =
  "CRITICAL: Wrap up immediately. Do NOT start new work. Instead: (1) create tasks in tasks.json for any remaining work, (2) write implementation details, insights, and handoff notes to progress.txt, (3) commit all changes, (4) stop. The next iteration will continue from where you left off.";

type Options = {
  readonly inRun?: boolean;
  readonly env?: Record<string, string>;
  readonly agent?: "claude" | "codex";
};

/** The session of a run's agent, and its transcript. */
function watched({ inRun = true, env = {}, agent = "claude" }: Options = {}) {
  const at = world();
  at.write(".ralph-active", "{}");
  const run = { RALPH_RUN_ID: "run-1", RALPH_ITERATION: "2", RALPH_PROJECT: at.project };
  const session = at.session({ agent, env: { ...(inRun ? run : {}), ...env } });
  const transcript = join(at.home, "talk.jsonl");
  writeFileSync(transcript, "");
  const told = { transcript_path: transcript };
  return {
    at,
    session,
    transcript,
    /** What a tool call makes the hook say. */
    tool: async (more: Record<string, unknown> = {}) =>
      (await session.hook("PostToolUse", { tool_name: "Write", ...told, ...more })).hookSpecificOutput
        ?.additionalContext,
    event: (name: string, more: Record<string, unknown>) => session.hook(name, { ...told, ...more }),
    folders: () => (existsSync(join(at.state, "sessions")) ? readdirSync(join(at.state, "sessions")) : []),
  };
}

/** Makes a transcript of no known form this large. */
function fill(transcript: string, bytes: number): void {
  truncateSync(transcript, bytes);
}

/** A line as Claude Code writes it. */
function said(tokens: number, more: Record<string, unknown> = {}): string {
  const usage = {
    input_tokens: 7,
    cache_read_input_tokens: tokens - 100,
    cache_creation_input_tokens: 43,
    output_tokens: 50,
  };
  const message = { id: "m", role: "assistant", content: [{ type: "text", text: "x" }], usage };
  return `${JSON.stringify({ isSidechain: false, type: "assistant", message, ...more })}\n`;
}

describe("thresholds", () => {
  it("fires at each of the five, with its words, and each only once", async () => {
    const { transcript, tool } = watched();
    const heard: (string | undefined)[] = [];
    // A token is four bytes, and 200,000 fit.
    for (const percent of [1, 49, 50, 55, 60, 61, 70, 79, 80, 85, 90, 95, 100]) {
      fill(transcript, percent * 8000);
      heard.push(await tool());
      expect(await tool()).toBeUndefined();
    }
    const words = (percent: number, text: string) =>
      `About ${percent}% of the context window is used. ${text}`;
    expect(heard).toEqual([
      undefined,
      undefined,
      words(50, NOTICE),
      undefined,
      words(60, NOTICE),
      undefined,
      words(70, WARNING),
      undefined,
      words(80, WARNING),
      undefined,
      words(90, CRITICAL),
      undefined,
      undefined,
    ]);
  });

  it("tells only the highest of those that were passed at once", async () => {
    const { transcript, tool } = watched();
    fill(transcript, 75 * 8000);
    expect(await tool()).toContain("About 75% of the context window is used. WARNING: ");
    fill(transcript, 79 * 8000);
    expect(await tool()).toBeUndefined();
    fill(transcript, 250 * 8000);
    expect(await tool()).toContain("About 100% of the context window is used. CRITICAL: ");
  });

  it("takes another window and another divisor, and no nonsense for one", async () => {
    const small = watched({ env: { CLAUDE_CONTEXT_WINDOW: "1000", CLAUDE_CONTEXT_DIVISOR: "5" } });
    fill(small.transcript, 2499);
    expect(await small.tool()).toBeUndefined();
    fill(small.transcript, 2500);
    expect(await small.tool()).toContain("About 50%");
    const odd = watched({ env: { CLAUDE_CONTEXT_WINDOW: "-1", CLAUDE_CONTEXT_DIVISOR: "four" } });
    fill(odd.transcript, 400_000);
    expect(await odd.tool()).toContain("About 50%");
  });

  it("says it once when two calls end at the same time", async () => {
    const { transcript, tool } = watched();
    fill(transcript, 400_000);
    const heard = await Promise.all([tool(), tool(), tool()]);
    expect(heard.filter((one) => one !== undefined)).toHaveLength(1);
  });

  it("arms them again at SessionStart", async () => {
    const { transcript, tool, event } = watched();
    fill(transcript, 400_000);
    expect(await tool()).toContain("About 50%");
    await event("SessionStart", { source: "resume" });
    expect(await tool()).toContain("About 50%");
  });

  it("counts from where the conversation was made shorter", async () => {
    const { transcript, tool, event } = watched();
    fill(transcript, 720_000);
    expect(await tool()).toContain("About 90%");
    await event("SessionStart", { source: "compact" });
    expect(await tool()).toBeUndefined();
    fill(transcript, 720_000 + 400_000);
    expect(await tool()).toContain("About 50%");
  });
});

describe("the transcript", () => {
  it("is believed where it has figures: those of the last message of the main agent", async () => {
    const { transcript, tool } = watched();
    writeFileSync(transcript, said(20_000));
    expect(await tool()).toBeUndefined();
    appendFileSync(transcript, `${"x".repeat(600_000)}\n${said(99_999)}`);
    expect(await tool()).toBeUndefined();
    appendFileSync(
      transcript,
      [
        "y".repeat(10_000),
        said(120_000).trim(),
        said(190_000, { isSidechain: true }).trim(),
        said(190_000, { type: "user" }).trim(),
        '{"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}',
        '{"type":"assistant","message":{"usage":{"input_tok',
      ].join("\n"),
    );
    expect(await tool()).toContain("About 60% of the context window is used. NOTICE: ");
  });

  it("is read only where it was added to", async () => {
    const { transcript, tool } = watched();
    writeFileSync(transcript, said(10_000));
    await tool();
    // What was read before says something else now: whoever reads it again would believe it.
    const old = said(190_000);
    writeFileSync(transcript, old);
    appendFileSync(transcript, `${"x".repeat(800_000)}\n`);
    expect(statSync(transcript).size).toBeGreaterThan(800_000);
    expect(await tool()).toBeUndefined();
    appendFileSync(transcript, `${"x".repeat(400_000)}\n${said(141_000)}`);
    expect(await tool()).toContain("About 70%");
  });

  it("starts node only when it has grown to where something can be due", async () => {
    const { at, transcript, tool, folders } = watched();
    writeFileSync(transcript, said(20_000));
    await tool();
    const folder = join(at.state, "sessions", folders()[0] ?? "");
    const next = Number(readFileSync(join(folder, "next"), "utf8"));
    // 80,000 tokens are missing, and one takes two bytes at least.
    expect(next).toBe(said(20_000).length + 160_000);
    const before = statSync(join(folder, "seen.json")).ino;
    fill(transcript, next - 1);
    await tool();
    expect(statSync(join(folder, "seen.json")).ino).toBe(before);
    fill(transcript, next);
    await tool();
    expect(statSync(join(folder, "seen.json")).ino).not.toBe(before);
  });

  it("that is not there, or not told, costs nobody anything", async () => {
    const { session, tool } = watched();
    expect(await tool({ transcript_path: "/nowhere/at all" })).toBeUndefined();
    const none = watched({ agent: "codex" });
    expect(await none.tool({ transcript_path: undefined })).toBeUndefined();
    expect(await none.tool({ transcript_path: undefined })).toBeUndefined();
    expect((await session.raw("PostToolUse", "no JSON")).stdout).toBe("");
  });

  it("gives its figures as the last main message says", () => {
    expect(lastUsage(said(5000) + said(6000) + said(9000, { parent_tool_use_id: "t" }))).toBe(6000);
    expect(lastUsage('{"usage":1}\n"usage"\nnull\n')).toBeUndefined();
    expect(lastUsage('{"type":"assistant","message":{"usage":{"input_tokens":"9","output_tokens":3}}}')).toBe(
      3,
    );
  });
});

describe("whom it is for", () => {
  it("says nothing to a user's own session in the same folder, and writes nothing", async () => {
    const { transcript, tool, folders } = watched({ inRun: false });
    fill(transcript, 800_000);
    expect(await tool()).toBeUndefined();
    expect(folders()).toEqual([]);
  });

  it("says nothing in a run without a task list", async () => {
    const { transcript, tool } = watched({ env: { RALPH_PROJECT: "/nowhere" } });
    fill(transcript, 800_000);
    expect(await tool()).toBeUndefined();
  });

  it("is there for agents that do not name their session to hooks, and not for subagents", async () => {
    const codex = watched({ agent: "codex" });
    fill(codex.transcript, 400_000);
    expect(await codex.tool()).toContain("About 50%");
    const claude = watched();
    fill(claude.transcript, 400_000);
    expect(await claude.tool({ agent_id: "a1" })).toBeUndefined();
    fill(claude.transcript, 408_000);
    expect(await claude.tool()).toContain("About 51%");
  });

  it("keeps what it knows private, and forgets it when the session ends", async () => {
    const { at, tool, event, folders } = watched();
    await tool();
    const folder = join(at.state, "sessions", folders()[0] ?? "");
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(statSync(join(folder, "seen.json")).mode & 0o077).toBe(0);
    await event("SessionEnd", { reason: "other" });
    expect(folders()).toEqual([]);
  });

  describe('with contextMonitor: "always"', () => {
    const asking = (settings: unknown, local?: unknown) => {
      const one = watched({ inRun: false });
      one.at.write(".ralph/settings.json", JSON.stringify(settings));
      if (local !== undefined) one.at.write(".ralph/settings.local.json", JSON.stringify(local));
      fill(one.transcript, 400_000);
      return one;
    };

    it("is there in every session of the project that began since", async () => {
      const { tool, event } = asking({ contextMonitor: "always" });
      expect(await tool()).toBeUndefined();
      await event("SessionStart", { source: "startup" });
      expect(await tool()).toContain("About 50%");
      expect(await tool()).toBeUndefined();
    });

    it("obeys the local settings first, and is off for any other word", async () => {
      for (const one of [
        asking({ contextMonitor: "always" }, { contextMonitor: "runs" }),
        asking({ contextMonitor: true }),
        asking("contextMonitor always"),
      ]) {
        await one.event("SessionStart", { source: "startup" });
        expect(await one.tool()).toBeUndefined();
      }
      const own = asking({}, { contextMonitor: "always" });
      await own.event("SessionStart", { source: "startup" });
      expect(await own.tool()).toContain("About 50%");
    });
  });
});

describe("beside a loop in the same session", () => {
  it("counts tool calls all the same", async () => {
    const { at, session, transcript, tool, event } = watched({ inRun: false });
    at.write(".ralph/settings.json", JSON.stringify({ contextMonitor: "always" }));
    await event("SessionStart", { source: "startup" });
    await session.type('/ralph-loop "Write hello.txt"');
    fill(transcript, 400_000);
    expect(await tool()).toContain("About 50%");
    expect(await accepted(session)).toContain("PROMISE_ACCEPTED");
  });
});

/** A promise is rejected when no tool call was counted. */
async function accepted(session: Session): Promise<string | undefined> {
  return (await session.stop("<promise>DONE</promise>")).systemMessage;
}
