// What the hooks cost, as a program starts them (`sh -c`), beside a process that does nothing; and the usual design of such hooks.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROUNDS = 60;
const SESSION = "11111111-2222-3333-4444-555555555555";

/** The published plugins' way: bash, jq, and the whole transcript at each stop. */
const BASH_AND_JQ = `
state="$BENCH_STATE"; [ -f "$state" ] || exit 0
input=$(cat); transcript=$(printf %s "$input" | jq -r .transcript_path)
iteration=$(grep '^iteration:' "$state" | sed 's/iteration: *//')
last=$(grep '"role":"assistant"' "$transcript" | tail -1)
text=$(printf %s "$last" | jq -r '.message.content | map(select(.type == "text")) | map(.text) | join("\\n")')
printf %s "$text" | perl -0777 -pe 's/.*?<promise>(.*?)<\\/promise>.*/$1/s' >/dev/null
sed "s/^iteration: .*/iteration: $((iteration + 1))/" "$state" > "$state.new" && mv "$state.new" "$state"
jq -n --arg r "go on" '{decision: "block", reason: $r}'`;

/** The median wall time of each case in ms, over interleaved rounds. */
export function measureHooks(root, home) {
  const plugin = join(root, "plugin");
  const { hooks } = JSON.parse(readFileSync(join(plugin, "hooks/hooks.json"), "utf8"));
  const project = join(home, "session");
  mkdirSync(project);
  execFileSync("git", ["init", "--quiet"], { cwd: project });
  const transcripts = Object.fromEntries([1, 50].map((mb) => [mb, transcript(home, mb)]));
  const place = (state) => ({
    ...process.env,
    HOME: home,
    CLAUDE_PLUGIN_ROOT: plugin,
    CLAUDE_PROJECT_DIR: project,
    CLAUDE_CODE_SESSION_ID: SESSION,
    CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "0",
    // Without it the program is a stranger whose tool calls cannot be counted, and the tree is looked at instead.
    CLAUDECODE: "1",
    RALPH_STATE_DIR: join(home, state),
    BENCH_STATE: join(home, "bash-state"),
  });
  const input = (event, more = {}) =>
    JSON.stringify({
      session_id: SESSION,
      transcript_path: transcripts[1],
      cwd: project,
      hook_event_name: event,
      last_assistant_message: "Not yet.",
      ...more,
    });
  const hook = (event, state, more) => ({
    file: "sh",
    args: ["-c", hooks[event][0].hooks[0].command],
    env: place(state),
    input: input(event, more),
  });
  const tool = { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: { stdout: "" } };
  const large = { ...tool, tool_response: { stdout: "x".repeat(560 * 1024) } };
  for (const state of ["busy", "late"]) {
    const start = hook("UserPromptSubmit", state, { prompt: '/ralph-loop "work" --max-iterations 9999' });
    const started = spawn(start, project);
    if (!started.stdout.includes("hookSpecificOutput")) throw new Error(`no loop began: ${started.stderr}`);
  }
  spawn(hook("Stop", "late"), project);
  growJournal(join(home, "late"), 1000);
  const inRun = { RALPH_RUN_ID: "run-1", RALPH_ITERATION: "1", RALPH_PROJECT: taskProject(home) };
  const task = hook("Stop", "tasks");
  writeFileSync(join(home, "bash-state"), "iteration: 1\n");
  const bash = { file: "bash", args: ["-c", BASH_AND_JQ], env: place("busy"), input: input("Stop") };
  const cases = {
    true: { file: "true", args: [], env: process.env, input: "" },
    node: { file: process.execPath, args: ["-e", "0"], env: process.env, input: "" },
    idleStop: hook("Stop", "idle"),
    idleTool: hook("PostToolUse", "idle", tool),
    idlePrompt: hook("UserPromptSubmit", "idle", { prompt: "hello" }),
    idleGuard: hook("PreToolUse", "idle", tool),
    idleStart: hook("SessionStart", "idle", { source: "startup" }),
    tool: hook("PostToolUse", "busy", tool),
    largeTool: hook("PostToolUse", "busy", large),
    stop: hook("Stop", "busy"),
    lateStop: hook("Stop", "late"),
    longStop: hook("Stop", "busy", { transcript_path: transcripts[50] }),
    taskStop: { ...task, env: { ...task.env, ...inRun } },
    bash,
    bashLong: { ...bash, input: input("Stop", { transcript_path: transcripts[50] }) },
  };
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    const order = Object.keys(cases).sort(() => Math.random() - 0.5);
    for (const name of order) {
      const begun = performance.now();
      const done = spawn(cases[name], project);
      times[name].push(performance.now() - begun);
      if (done.status !== 0) throw new Error(`${name}: ${done.stderr}`);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

/** PreToolUse as a guarded run's agent asks it; the first call keeps the guard's code for the others. */
export function guardCase(root, home) {
  const plugin = join(root, "plugin");
  const { hooks } = JSON.parse(readFileSync(join(plugin, "hooks/hooks.json"), "utf8"));
  const folder = join(home, "guarded");
  mkdirSync(folder);
  const place = {
    project: home,
    cwd: home,
    home,
    unattended: true,
    allow: [],
    deny: [],
    protected: [folder],
  };
  writeFileSync(join(folder, "guard.json"), JSON.stringify(place));
  const command = 'cd src && for f in *.ts; do npx tsc --noEmit "$f" 2>&1 | tail -20; done; git reset --hard';
  const input = JSON.stringify({
    session_id: SESSION,
    cwd: home,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
  });
  const env = { ...process.env, CLAUDE_PLUGIN_ROOT: plugin, RALPH_GUARD: join(folder, "guard.json") };
  const one = { file: "sh", args: ["-c", hooks.PreToolUse[0].hooks[0].command], env, input };
  const said = spawn(one, home).stdout;
  if (!said.includes("discard-edits")) throw new Error(`the guard did not deny: ${said}`);
  return one;
}

function spawn({ file, args, env, input }, cwd) {
  return spawnSync(file, args, { cwd, env, input, encoding: "utf8" });
}

/** A project in which a run on a task list is under way: this process says that it drives it. */
function taskProject(home) {
  const project = join(home, "tasks-project");
  mkdirSync(join(project, "ralph"), { recursive: true });
  const list = { project: "p", branchName: "", description: "", verifyCommands: ["true"], userStories: [] };
  writeFileSync(join(project, "ralph/tasks.json"), JSON.stringify(list));
  const active = { pid: process.pid, timestamp: new Date().toISOString(), max_iterations: 1, mode: "direct" };
  const rest = { skipReview: false, reviewCap: 5, iterationMode: "implement", preIterationSnapshot: {} };
  writeFileSync(join(project, ".ralph-active"), JSON.stringify({ ...active, ...rest }));
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], { cwd: project });
  git("init", "--quiet");
  git("add", "ralph");
  git("commit", "--quiet", "-m", "list");
  return project;
}

/** Makes a loop one of so many turns: the last one again and again. */
function growJournal(state, turns) {
  const name = readdirSync(state, { recursive: true }).find((path) => path.endsWith("journal.ndjson"));
  const path = join(state, name);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const [exited, started] = lines.slice(-2).map((line) => JSON.parse(line));
  for (let n = started.iteration; n < turns; n++) {
    lines.push(JSON.stringify({ ...exited, iteration: n }), JSON.stringify({ ...started, iteration: n + 1 }));
  }
  writeFileSync(path, `${lines.join("\n")}\n`);
}

function transcript(home, mb) {
  const path = join(home, `transcript-${mb}.jsonl`);
  const message = { role: "assistant", content: [{ type: "text", text: "words ".repeat(300) }] };
  const line = `${JSON.stringify({ type: "assistant", sessionId: SESSION, isSidechain: false, message })}\n`;
  writeFileSync(path, line.repeat(Math.ceil((mb * 1024 * 1024) / line.length)));
  return path;
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}
