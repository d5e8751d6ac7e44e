/** What a run is, as plain data: every command builds one, and it can be sent to another machine. Imports nothing. */

/** Names of the agents that ralph knows how to drive; `custom` is any other program. */
export type AgentKind =
  | "claude"
  | "codex"
  | "amp"
  | "copilot"
  | "gemini"
  | "qwen"
  | "opencode"
  | "cursor"
  | "custom";

/** What the agent may do without asking. */
export type Autonomy = "full" | "edits" | "none";

export interface AgentSpec {
  readonly kind: AgentKind;
  /** The program, and words that always come first. */
  readonly command: string;
  /** The user's own flags, already split into words. */
  readonly flags: readonly string[];
  readonly model?: string;
  readonly autonomy: Autonomy;
  /** False: the user's own settings, hooks and plugins stay out of its turns, where it has a way. */
  readonly inheritUserConfig?: boolean;
}

export type FailAction = "APPEND" | "PREPEND" | "REPLACE";

interface AnyGate {
  readonly name: string;
  /** A shell line of the user's, run by `sh -c` (`cmd /c` on Windows). */
  readonly command: string;
  readonly failAction: FailAction;
  readonly hint?: string;
  readonly timeoutMs: number;
  readonly flaky: boolean;
}

/** A check that must pass before a claim is believed. */
export interface Guardrail extends AnyGate {
  readonly kind: "guardrail";
}

/** What can be asked of a project without words of one's own. */
export type CriterionType = "test_pass" | "build_success" | "lint_clean" | "type_check" | "custom";

/** A check that says by itself that the work is done: with criteria no claim is needed. */
export interface Criterion extends AnyGate {
  readonly kind: "criterion";
  readonly criterion: CriterionType;
  /** A judge reads the output as well; without one the exit code alone judges. */
  readonly judged?: boolean;
  /** The file that told of the command, where nobody named one. */
  readonly foundIn?: string;
}

/** Who reads outputs where the exit code is not enough. */
export interface JudgeSpec {
  /** Absent: whoever had the turn. */
  readonly agent?: AgentSpec;
  /** The most of an output that it is given, in characters: beyond that, a head and a tail. */
  readonly maxChars: number;
  /** It also compares each failed iteration with the one before. */
  readonly progress: boolean;
}

/** Files that the agent may not change: what was changed is put back, and the iteration is refused. Its command is empty. */
export interface Protection extends AnyGate {
  readonly kind: "protect";
  /** The user's own patterns: `test/**`, `package.json#scripts`, and `!notes.md` for what is not meant. */
  readonly patterns: readonly string[];
  /** The same for what defines the other gates. */
  readonly defining: readonly string[];
}

/** The tests as they were when the run began, against the sources as they are now. */
export interface Pristine extends AnyGate {
  readonly kind: "pristine";
  /** Which files are tests. */
  readonly patterns: readonly string[];
  /** A shell line that installs what the tests need. Without one, installed dependencies are linked. */
  readonly setup?: string;
  /** The user asked for it: where it cannot be done, the run does not start. */
  readonly required: boolean;
}

/** What the agent changed must be committed by the end of its iteration. Its command is empty. */
export interface CleanTree extends AnyGate {
  readonly kind: "clean-tree";
}

/** A check that ralph runs. */
export type GateSpec = Guardrail | Criterion | Protection | Pristine | CleanTree;

/** Does this gate say something about the work? That files were left alone, or committed, proves nothing about it. */
export function checksWork(gate: GateSpec): boolean {
  return gate.kind !== "protect" && gate.kind !== "clean-tree";
}

/** What an iteration on a task list is for. */
export type TaskMode = "implement" | "review" | "review-fix";

/** A task list as the work of a run. */
export interface TaskWork {
  readonly kind: "tasks";
  /** The folder of the list, relative to the project. */
  readonly dir: string;
  /** No review cycle: implementing iterations set `passes` themselves. */
  readonly skipReview: boolean;
  /** So many reviews of one story are enough. */
  readonly reviewCap: number;
  /** Who reviews, where that is not whoever implements. */
  readonly reviewer?: AgentSpec;
  /** The branch that the list is for, which tells it from the lists before it. */
  readonly branch: string;
  /** What was left to do when the run was described, and how many iterations that may take. */
  readonly budget: { readonly stories: number; readonly open: number; readonly iterations: number };
}

/** What ends a run that does not finish. */
export interface Limits {
  readonly iterations: number;
  /** Consecutive failed agent turns. */
  readonly failures: number;
  /** How often in a row an agent may be held back by its service before it is given up on. */
  readonly waits: number;
  /** Consecutive iterations that changed nothing, or that only repeated the same failure. 0: no such limit. */
  readonly noProgress: number;
  /** How long the run may work, waits apart. Absent or 0: no such limit. */
  readonly durationMs?: number;
}

/** How long an agent's turn may take. 0: as long as it likes. */
export interface Timeouts {
  readonly turnMs: number;
  /** Without a byte on either stream. */
  readonly idleMs: number;
  /** Silent after it gave its result, but not gone: then it is ended, and the result counts. */
  readonly lingerMs: number;
}

/** What is done with a promise that comes without any work. */
export type OnNoWork = "reject" | "warn" | "accept";

/** A loop inside a session that an agent already has with its user: its turns are the session's own. */
export interface SessionSpec {
  /** The agent's own id of the session that started the loop; nobody else's turns are any business of ours. */
  readonly id: string;
  /** The program that has the session. */
  readonly agent: string;
  /** A promise with fewer tool calls than this since the loop began is one without work. */
  readonly minToolCalls: number;
  readonly onNoWork: OnNoWork;
  /** Every continuation begins with the ultrawork instruction. */
  readonly ultrawork: boolean;
  /** So often in a row the program takes "go on" for an answer while no tool is used; 0: always. */
  readonly mostBlocks: number;
  /** The program does not tell of its tool calls: a changed tree is work too. */
  readonly uncounted?: true;
}

/** What happens between two turns. */
export interface Restart {
  /** A pause before the next turn, also after one that ended well. */
  readonly delayMs: number;
  /** Exit code 42, a file WAIT_WITHOUT_RESTART or a message of that type end the run as waiting. */
  readonly honoursWaits: boolean;
  /** How long child runs are waited for when the work is done. */
  readonly childWaitMs: number;
  readonly pollMs: number;
}

export interface ScmSpec {
  readonly command: string;
  readonly tasks: readonly string[];
}

/** What the agent may not do, judged before it does it. */
export interface GuardSpec {
  /** `auto`: where no sandbox holds it. */
  readonly mode: "auto" | "on" | "off";
  /** Patterns of commands that are let pass, and of those that never are. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** What holds the processes of an agent together; `auto` is the strongest that works on the machine. */
export type Processes = "auto" | "namespace" | "cgroup" | "group";

/** By what an agent is kept inside its fence. */
export type SandboxKind = "bubblewrap" | "container" | "sbx" | "srt" | "none";

/** Which hosts can be reached: none, those that are named, or all. */
export type NetworkMode = "none" | "allowlist" | "open";

/** What an agent or a check may use, with all that it starts. Absent: as much as there is. */
export interface SandboxLimits {
  readonly memoryMb?: number;
  readonly processes?: number;
  readonly cpus?: number;
  /** One turn, or one check. */
  readonly timeMs?: number;
}

/** The fence around agents and checks, as it was asked for. */
export interface SandboxSpec {
  /** `auto` is the strongest that works on the machine. */
  readonly kind: SandboxKind | "auto";
  readonly network: { readonly mode: NetworkMode; readonly allow: readonly string[] };
  /** Folders and files besides the project that may be written; absolute, as are the next two. */
  readonly rw: readonly string[];
  /** What may be read although it stands in a place that is hidden, and what may not be written although it stands in the project. */
  readonly ro: readonly string[];
  /** What is not there inside. */
  readonly hide: readonly string[];
  /** Names of variables that go in, besides the usual ones; `*` at the end stands for any rest. */
  readonly env: readonly string[];
  readonly limits: SandboxLimits;
  /** A log-in that an agent renews inside becomes the user's own. Absent: yes. */
  readonly renewLogin?: boolean;
  /** The image of a container. */
  readonly image?: string;
  /** The user has said that it may go without where nothing works. */
  readonly orNone?: boolean;
}

/** What keeps the agents and checks of a run in. */
export interface FenceNote {
  readonly kind: SandboxKind;
  /** The same for people. */
  readonly words: string;
}

/** One run, as plain data. Every command builds one; it is the first record of the journal. */
export interface RunSpec {
  readonly kind: "run" | "supervise" | "session";
  /** Absolute path of the project folder. */
  readonly project: string;
  readonly agent: AgentSpec;
  /** Who has the turns, in this order, while the service of the ones before holds them back. */
  readonly fallback?: readonly AgentSpec[];
  readonly work:
    | { readonly kind: "prompt"; readonly text: string }
    | { readonly kind: "prompt-file"; readonly path: string }
    | TaskWork
    /** A command that knows its work itself; it gets no prompt. */
    | { readonly kind: "none" };
  readonly claim: {
    /** The word in `<response>` that says done. Empty: no such claim. */
    readonly response: string;
    /** Tell the agent how to claim. */
    readonly hint: boolean;
    /** A file `DONE` in the task's folder is a claim too. */
    readonly done: boolean;
    /** Without it, gates that all pass are enough. Absent: needed. */
    readonly needed?: boolean;
    /** The exact words in `<promise>` that say done, in place of a response. Empty or absent: no such claim. */
    readonly promise?: string;
    /** The promise counts only on a line of its own. */
    readonly promiseLine?: boolean;
  };
  /** The session that has the turns, where the loop runs inside one. */
  readonly session?: SessionSpec;
  /** The folder of the task: where DONE and the task's bus are. Absolute; the project when nothing else is said. */
  readonly taskDir: string;
  readonly restart: Restart;
  readonly gates: readonly GateSpec[];
  readonly judge?: JudgeSpec;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  readonly processes?: Processes;
  /** Absent: no fence, as `none`. */
  readonly sandbox?: SandboxSpec;
  readonly prompt: {
    readonly includeIterationCount: boolean;
    readonly outputTruncateChars: number;
    readonly baselineFeedback: boolean;
  };
  /** Run the gates once before the first iteration. */
  readonly baseline: boolean;
  /** Keep a snapshot of the work tree before each iteration. Absent: yes. */
  readonly snapshots?: boolean;
  readonly scm?: ScmSpec;
  /** Absent: no guard. */
  readonly guard?: GuardSpec;
}

/** Every agent of a run by its number: the main one is 0, its fallbacks follow. */
export function agentsOf(spec: Pick<RunSpec, "agent" | "fallback">): readonly AgentSpec[] {
  return [spec.agent, ...(spec.fallback ?? [])];
}
