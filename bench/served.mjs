// What a hook costs that is asked of a running ralph, beside a process that does nothing: a real run on a task list, whose agent asks.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROUNDS = 100;
const STORY = {
  id: "US-001",
  title: "A story",
  description: "",
  acceptanceCriteria: ["it works"],
  priority: 1,
  passes: false,
  reviewStatus: null,
  reviewCount: 0,
  reviewFeedback: "",
  notes: "",
  dependsOn: [],
};

/** The median wall time of each case in ms, over interleaved rounds, as the run's agent saw it. */
export function measureServed(root, home, env) {
  const project = join(home, "served");
  const out = join(home, "served.json");
  mkdirSync(join(project, "ralph"), { recursive: true });
  mkdirSync(join(project, ".ralph"));
  const put = (name, text) => writeFileSync(join(project, name), text);
  const list = {
    project: "p",
    branchName: "",
    description: "",
    verifyCommands: ["true"],
    userStories: [STORY],
  };
  put("ralph/tasks.json", JSON.stringify(list, null, 2));
  put("ralph/prd.md", "# What is to be built\n");
  put("ralph/progress.txt", "# Ralph Progress Log\n");
  put("ralph/prompt.md", "Work on the list.\n");
  put(".gitignore", ".ralph-active\n.ralph/\n");
  const client = join(root, "bench/served-client.mjs");
  const command = [process.execPath, client, out, String(ROUNDS)].map((word) => `'${word}'`).join(" ");
  put(".ralph/settings.json", JSON.stringify({ agent: { command, kind: "claude" } }));
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@b", ...args], { cwd: project });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "-m", "list");
  // Inside a fence it could not leave what it measured outside of the project.
  const args = [join(root, "bin/ralph"), "run", "--tasks", "-n", "1", "--no-sandbox"];
  const ran = spawnSync(process.execPath, args, { cwd: project, env, encoding: "utf8" });
  const times = JSON.parse(readTimes(out, ran));
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

function readTimes(out, ran) {
  try {
    return readFileSync(out, "utf8");
  } catch {
    throw new Error(`the agent measured nothing: ${ran.stdout}${ran.stderr}`);
  }
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}
