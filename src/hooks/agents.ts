import type { AgentSpec } from "../spec.ts";
import type { SessionAgent } from "./input.ts";

/** What has to be known of a program to loop in its sessions. */
interface Known {
  /** What a run that goes on without the session is driven with. */
  readonly agent: AgentSpec;
  /** So often in a row it can be told to go on while no tool is used; 0: always. */
  readonly mostBlocks: number;
  /** It tells of its tool calls. */
  readonly counts: boolean;
}

const CAP = 8;

/** The facts about each program, as its real sessions showed them. */
export function known(agent: SessionAgent, env: NodeJS.ProcessEnv): Known {
  const kind = agent === "other" ? "claude" : agent;
  return {
    agent: { kind, command: kind, flags: [], autonomy: "full" },
    mostBlocks: agent === "claude" ? claudeCap(env) : agent === "copilot" ? CAP : 0,
    counts: agent !== "other",
  };
}

/** Claude Code's own variable: a number, 0 for no cap. */
function claudeCap(env: NodeJS.ProcessEnv): number {
  const given = env["CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"];
  return given !== undefined && /^\d{1,6}$/.test(given) ? Number(given) : CAP;
}
