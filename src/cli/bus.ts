import { resolve } from "node:path";
import type { Command } from "commander";
import type { BusMessage } from "../bus/bus.ts";
import { UserError } from "../errors.ts";

/** How often a followed bus is looked at where the system does not tell of changes. */
const POLL_MS = 500;

/** How many earlier messages `follow` begins with. */
const EARLIER = 10;

interface WhereFlags {
  readonly taskDir?: string;
  readonly project?: boolean;
}

interface PostFlags extends WhereFlags {
  readonly type?: string;
  readonly run?: string;
}

interface ReadFlags extends WhereFlags {
  readonly type?: string;
  readonly json?: boolean;
  readonly number?: string;
}

/** Adds `ralph bus` and its commands. The bus's own code is loaded when one of them is asked for. */
export function addBusCommand(program: Command): void {
  const bus = program
    .command("bus")
    .description("messages between agents, runs and you: post, read, follow")
    .usage("<post|read|follow> [options]")
    .argument("[words...]") // taken only to be refused with a better word than commander's
    .action((words: string[]) => {
      if (words[0] === undefined) return bus.outputHelp();
      bus.error(`error: there is no command 'bus ${words[0]}'`, {
        exitCode: 2,
        code: "ralph.unknownCommand",
      });
    });
  addWhere(bus.command("post"))
    .description("append a message; its text is the words, or what comes on stdin")
    .argument("[body...]", "the text")
    .option("--type <type>", "what kind of message: note (default), fact, ask, wait_without_restart, …")
    .option("--run <id>", "the run that it belongs to (default $RALPH_RUN_ID)")
    .action(postAction);
  addReading(bus.command("read"), "the last n messages (default all)")
    .description("print the messages")
    .action(readAction);
  addReading(bus.command("follow"), `begin with the last n messages (default ${EARLIER})`)
    .description("print the messages as they come, until Ctrl-C")
    .action(followAction);
}

function addWhere(command: Command): Command {
  return command
    .option("--task-dir <dir>", "the task's folder, whose bus is meant (default $TASK_FOLDER)")
    .option("--project", "the project's bus, also when there is a task");
}

function addReading(command: Command, number: string): Command {
  return addWhere(command)
    .option("--type <type>", "only messages of this type")
    .option("--json", "one object a line")
    .option("-n, --number <n>", number);
}

async function postAction(words: readonly string[], flags: PostFlags): Promise<void> {
  const path = await whereOf(flags);
  const body = words.length > 0 ? words.join(" ") : await readBody();
  if (body === "" && flags.type === undefined) throw nothingToPost("the text is empty");
  const { post } = await import("../bus/bus.ts");
  const ownRun = process.env["RALPH_RUN_ID"] ?? "";
  const posted = post(path, {
    type: flags.type ?? "note",
    body,
    run: flags.run ?? ownRun,
    from: ownRun === "" ? "user" : "agent",
    nowMs: Date.now(),
  });
  process.stdout.write(`${posted.id}\n`);
}

async function readAction(flags: ReadFlags): Promise<void> {
  const path = await whereOf(flags);
  const most = numberOf(flags.number) ?? Infinity;
  const { print, isWanted } = await printer(flags);
  const { lastMessages, messagesFrom } = await import("../bus/bus.ts");
  const messages = most === Infinity ? messagesFrom(path, 0) : lastMessages(path, most, isWanted).messages;
  for (const message of messages) if (isWanted(message)) print(message);
}

async function followAction(flags: ReadFlags): Promise<void> {
  const path = await whereOf(flags);
  const most = numberOf(flags.number) ?? EARLIER;
  const { print, isWanted } = await printer(flags);
  const { lastMessages, follow } = await import("../bus/bus.ts");
  const { listenForSignals } = await import("./signals.ts");
  const signals = listenForSignals(() => {});
  const unheard = new AbortController();
  // With nobody left to read it, following would go on for ever (`ralph bus follow | head -1`).
  process.stdout.once("error", () => unheard.abort());
  try {
    const { messages, next } = lastMessages(path, most, isWanted);
    for (const message of messages) print(message);
    const signal = AbortSignal.any([signals.soft, unheard.signal]);
    for await (const message of follow(path, { from: next, signal, pollMs: POLL_MS })) {
      if (isWanted(message)) print(message);
    }
    if (signals.soft.aborted) process.exitCode = 130;
  } finally {
    signals.release();
  }
}

/** An agent inside a run has its folders in the environment; anybody else stands in the project. */
async function whereOf(flags: WhereFlags): Promise<string> {
  if (flags.project === true && flags.taskDir !== undefined) {
    throw new UserError(
      "cannot choose a message bus",
      "--project and --task-dir name two of them",
      "Leave one of the two out.",
    );
  }
  const { busPath } = await import("../bus/bus.ts");
  const task = flags.taskDir ?? process.env["TASK_FOLDER"] ?? "";
  if (flags.project !== true && task !== "") return busPath(resolve(task), "task");
  return busPath(resolve(process.env["RALPH_PROJECT"] || "."), "project");
}

/** Standard input to its end, or to where it is too long anyway. */
async function readBody(): Promise<string> {
  if (process.stdin.isTTY === true) throw nothingToPost("no text was given");
  const { BODY_MOST } = await import("../bus/message.ts");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes);
    length += bytes.length;
    if (length > BODY_MOST + 2) break;
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}

function nothingToPost(why: string): UserError {
  return new UserError(
    "there is nothing to post",
    why,
    'Give it in words, ralph bus post "…", or on standard input.',
  );
}

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new UserError(
    "cannot understand the command line",
    "-n takes a whole number of messages",
    "Write for example -n 20.",
  );
}

/** JSON leaves these as they are, but a terminal obeys the first and many line readers break at the last. */
const UNSAFE = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/g;

async function printer(flags: ReadFlags): Promise<{
  print: (message: BusMessage) => void;
  isWanted: (message: BusMessage) => boolean;
}> {
  const { clean, cleanLine } = await import("../ui/clean.ts");
  const { formatClock } = await import("../ui/format.ts");
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const inWords = ({ at, type, run, body, truncated }: BusMessage) => {
    const about = run === undefined ? "" : ` [${cleanLine(run, 60, "…")}]`;
    // Later lines stand in from the edge, or a body could show lines that look like messages of others.
    const text = clean(body).trim().replaceAll("\n", "\n  ");
    const line = `${formatClock(Date.parse(at ?? ""))} ${type}${about} ${text}`.trimEnd();
    return truncated === true ? `${line} … [truncated]` : line;
  };
  const wanted = flags.type?.toLowerCase();
  return {
    print: (message) => {
      const line = flags.json === true ? JSON.stringify(message).replace(UNSAFE, escaped) : inWords(message);
      process.stdout.write(`${line}\n`);
    },
    isWanted: ({ type }) => wanted === undefined || type === wanted,
  };
}
