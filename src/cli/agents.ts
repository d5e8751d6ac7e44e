import type { AgentAbout } from "../agents/agent.ts";
import { KNOWN_AGENTS } from "../agents/registry.ts";
import { visible } from "../config/say.ts";
import type { AgentKind } from "../spec.ts";
import { colorWanted, createPaint, type Paint } from "../ui/style.ts";
import { askVersion, type ProgramState, type Surroundings } from "./doctor/programs.ts";
import { listenForSignals } from "./signals.ts";

/** One agent, as `ralph agents --json` tells of it. */
interface Known extends AgentAbout {
  readonly kind: AgentKind;
  readonly program: string;
  readonly installed: boolean;
  readonly path?: string;
  readonly version?: string;
  /** Why its version is not known. */
  readonly problem?: string;
}

/** `ralph agents`: which of the agents that ralph knows are installed, how each is driven, and what it can do. */
export async function agentsCommand(flags: { json?: boolean }): Promise<void> {
  const signals = listenForSignals((text) => process.stderr.write(text));
  try {
    const agents = await lookAt({ project: process.cwd(), env: process.env, signal: signals.soft });
    if (signals.soft.aborted) {
      process.exitCode = 130; // the programs that were asked did not get to answer
      return;
    }
    const color = colorWanted("auto", process.env, process.stdout.isTTY === true);
    const text =
      flags.json === true ? `${JSON.stringify({ agents }, null, 2)}\n` : asPage(agents, createPaint(color));
    process.stdout.write(text);
  } finally {
    signals.release();
  }
}

async function lookAt(where: Surroundings): Promise<Known[]> {
  const all = KNOWN_AGENTS.map(async ({ kind, program, about }) =>
    about === undefined ? [] : [{ kind, program, ...stateOf(await askVersion(program, where)), ...about }],
  );
  return (await Promise.all(all)).flat();
}

function stateOf(state: ProgramState): Pick<Known, "installed" | "path" | "version" | "problem"> {
  switch (state.kind) {
    case "absent":
      return { installed: false };
    case "answers":
      return { installed: true, path: state.path, version: state.version };
    case "not-asked":
      return { installed: true, path: state.path, problem: "inside the project, so it was not asked" };
    case "silent":
      return { installed: true, path: state.path, problem: `does not tell its version (${state.why})` };
  }
}

const NONE = `None of the agents that ralph knows is installed here.
Install one, for example: npm install -g @anthropic-ai/claude-code
Any other command works too: ralph run --agent <command>. And ralph demo needs none.
`;

const HEAD = ["AGENT", "VERSION", "PROMPT", "STREAM", "HOOKS", "TELLS", "RESUME", "PROGRAM"];

function asPage(agents: readonly Known[], paint: Paint): string {
  const installed = agents.filter((agent) => agent.installed);
  const absent = agents.filter((agent) => !agent.installed).map(({ program }) => program);
  if (installed.length === 0) return `${NONE}Known: ${absent.join(", ")}\n`;
  const rows = [HEAD, ...installed.map(asRow)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row, n) => {
    const line = row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
    return n === 0 ? paint.faint(line) : line;
  });
  const notes = installed.flatMap(notesOn);
  const rest = absent.length === 0 ? [] : [`Not installed: ${absent.join(", ")}`];
  const below = [...notes, ...rest];
  return `${[...lines, ...(below.length === 0 ? [] : ["", ...below])].join("\n")}\n`;
}

function asRow(agent: Known): string[] {
  const { program, version = "?", prompt, stream, hooks, cost, resume, path = "" } = agent;
  const word = (value: string) => (value === "unknown" ? "?" : value);
  return [program, version, prompt, stream, word(hooks), cost, word(resume), visible(path)];
}

function notesOn({ program, problem, tried }: Known): string[] {
  return [
    ...(problem === undefined ? [] : [`${program}: ${problem}`]),
    ...(tried.length === 0
      ? [`${program}: built from its documentation, not tried with the real program`]
      : []),
  ];
}
