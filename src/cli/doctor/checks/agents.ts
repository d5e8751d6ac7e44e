import { KNOWN_AGENTS, kindOf } from "../../../agents/registry.ts";
import { chooseAgent } from "../../../config/agent-choice.ts";
import { chooseFallback } from "../../../config/fallback-choice.ts";
import { visible } from "../../../config/say.ts";
import { UserError } from "../../../errors.ts";
import type { AgentSpec } from "../../../spec.ts";
import { askVersion, findProgram, type ProgramState } from "../programs.ts";
import { askedSandbox, type DoctorCheck, type Facts, type Row } from "../row.ts";

const INSTALL =
  "Install one, for example: npm install -g @anthropic-ai/claude-code (or @openai/codex, @sourcegraph/amp). `ralph demo` needs none.";

/** The agents that ralph knows how to drive. One that is absent is nobody's fault, unless all are. */
export const checkKnownAgents: DoctorCheck = async (facts) => {
  const states = await Promise.all(
    KNOWN_AGENTS.map(async ({ program }) => ({ program, state: await askVersion(program, facts) })),
  );
  const rows = states.map(({ program, state }) => rowFor(program, state));
  if (states.some(({ state }) => state.kind !== "absent") || (await namesAnother(facts))) return rows;
  const names = KNOWN_AGENTS.map(({ program }) => program).join(", ");
  const none: Row = {
    id: "agents",
    title: "agents",
    status: "fail",
    detail: `none of ${names} is on PATH, and there is nothing that ralph could run`,
    fix: INSTALL,
  };
  return [...rows, none];
};

/** The agent that `ralph run` would take here, found by the very code that takes it. It is not started. */
export const checkChosenAgent: DoctorCheck = async (facts) => {
  if (facts.settings instanceof UserError) return []; // its own row says what is wrong
  const row = { id: "agent", title: "chosen agent" };
  const chosen = await choose(facts);
  if (!(chosen instanceof UserError)) {
    const instead =
      chosen.fallback.length === 0 ? "" : `, else ${chosen.fallback.map(visible).join(", else ")}`;
    const detail = `${visible(chosen.command)} (${chosen.source})${instead}`;
    return [{ ...row, status: "ok", detail }, ownConfigRow(chosen.agents, facts)];
  }
  // That there is none at all is said already, by the row about the known ones.
  const { agent, fallbackAgent } = facts.settings.settings;
  if (agent?.command === undefined && fallbackAgent === undefined) return [];
  return [{ ...row, status: "fail", detail: `${chosen.what}: ${chosen.why}`, fix: chosen.fix }];
};

/** Whether the user's own hooks and plugins take part in the turns: many a loop was stopped by one that nobody thought of. */
function ownConfigRow(agents: readonly AgentSpec[], facts: Facts): Row {
  const row = { id: "agent.config", title: "own settings" };
  const isFenced = askedSandbox(facts) !== "none";
  const isOut = ({ kind }: AgentSpec) => kind === "claude" || (kind === "codex" && isFenced);
  const asked = agents.filter(({ inheritUserConfig }) => inheritUserConfig === false);
  const stay = asked.filter((agent) => !isOut(agent)).map(({ command }) => visible(command));
  if (asked.length === 0)
    return {
      ...row,
      status: "ok",
      info: true,
      detail: "your own hooks and plugins count in runs too (agent.inheritUserConfig: false keeps them out)",
    };
  if (stay.length === 0)
    return { ...row, status: "ok", detail: "your own hooks and plugins stay out of runs" };
  return {
    ...row,
    status: "warn",
    detail: `agent.inheritUserConfig is false, but ${stay.join(", ")} cannot leave your own hooks and plugins out`,
    fix: "Only Claude Code can, and Codex in a sandbox. With others, take out of your own settings what disturbs runs.",
  };
}

function rowFor(program: string, state: ProgramState): Row {
  const row = { id: `agent.${program}`, title: program };
  switch (state.kind) {
    case "absent":
      return { ...row, status: "ok", info: true, detail: "not installed" };
    case "answers":
      return { ...row, status: "ok", detail: `${state.version}  ${visible(state.path)}` };
    case "not-asked":
      return {
        ...row,
        status: "ok",
        detail: `${visible(state.path)} (inside the project, so it was not asked for its version)`,
      };
    case "silent":
      return {
        ...row,
        status: "warn",
        detail: `${visible(state.path)} does not tell its version (${state.why})`,
        fix: `Run \`${program} --version\` yourself; if that fails too, install ${program} again.`,
      };
  }
}

/** Whether the settings name an agent of another kind that can be started. */
async function namesAnother(facts: Facts): Promise<boolean> {
  if (facts.settings instanceof UserError || facts.settings.settings.agent?.command === undefined)
    return false;
  return !((await choose(facts)) instanceof UserError);
}

interface Chosen {
  readonly command: string;
  readonly source: string;
  readonly fallback: readonly string[];
  readonly agents: readonly AgentSpec[];
}

async function choose(facts: Facts): Promise<Chosen | UserError> {
  if (facts.settings instanceof UserError) return facts.settings;
  const sources = new Map<string, string>();
  const input = {
    flags: {},
    env: facts.env,
    kindOf,
    findProgram: (name: string) => findProgram(name, facts),
  };
  try {
    const agent = await chooseAgent(input, facts.settings, sources);
    const fallback = await chooseFallback(input, facts.settings, agent, sources);
    const source = sources.get("agent.command") ?? "default";
    const instead = fallback.map(({ command }) => command);
    return { command: agent.command, source, fallback: instead, agents: [agent, ...fallback] };
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
