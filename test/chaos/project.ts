import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A project on disk, with a state folder of its own. */
export interface Project {
  readonly home: string;
  readonly project: string;
  readonly state: string;
}

/*
 * The agent. What it does depends on the iteration alone, never on how often it was called: a turn that was cut off and is
 * had again comes to the same. It claims too early once, and leaves a process behind in every turn.
 */
const agentFor = (iterations: number) => `#!/bin/sh
case "$*" in
*--help*) exit 0 ;;
*stream-json*) ;;
*) echo "Work of iteration $RALPH_ITERATION"; exit 0 ;;
esac
sleep 300 </dev/null >/dev/null 2>&1 &
echo '{"type":"system","subtype":"init","session_id":"s","model":"scripted","tools":[]}'
echo "$RALPH_ITERATION" > "$RALPH_ITERATION.txt"
final="<response>DONE</response>"
if [ "$RALPH_ITERATION" -gt 1 ] && [ "$RALPH_ITERATION" -lt ${iterations} ]; then final="more to do"; fi
echo '{"type":"result","subtype":"success","session_id":"s","num_turns":1,"is_error":false,"result":"'"$final"'","stop_reason":"end_turn","terminal_reason":"completed","total_cost_usd":0.25,"usage":{"input_tokens":'"$RALPH_ITERATION"',"output_tokens":10},"permission_denials":[]}'
`;

/** The shortest loop does without what costs time and is tried in the longer ones. */
const SETTINGS = (agent: string, iterations: number) => ({
  ...(iterations < 3 ? { protect: false, snapshots: false } : {}),
  agent: { command: agent, kind: "claude" },
  guardrails: [{ command: "test -e 2.txt" }],
  scm: { command: "git", tasks: ["commit"] },
  maximumIterations: 5,
});

/**
 * A project whose loop takes so many iterations: a false claim, a gate that passes from the second one on, with a commit each,
 * and a true claim in the last.
 */
export function makeTemplate(iterations: number): Project {
  const home = mkdtempSync(join(tmpdir(), "ralph-chaos-"));
  const at = placesIn(home);
  mkdirSync(join(at.project, ".ralph"), { recursive: true });
  const agent = join(home, "agent");
  writeFileSync(agent, agentFor(iterations));
  chmodSync(agent, 0o755);
  writeFileSync(join(at.project, ".ralph/settings.json"), JSON.stringify(SETTINGS(agent, iterations)));
  git(at, "init", "--quiet", "--template=", "--initial-branch=main");
  git(at, "add", "--all");
  git(at, "commit", "--quiet", "-m", "first");
  return at;
}

/** A copy of the template, as fresh as the first day. */
export function copyOf(template: Project, name: string): Project {
  const at = placesIn(join(template.home, name));
  cpSync(template.project, at.project, { recursive: true });
  return at;
}

/** Runs git in a project, as a user would. */
export function git({ project }: Project, ...args: string[]): string {
  return execFileSync("git", args, { cwd: project, encoding: "utf8", env: { ...process.env, ...IDENTITY } });
}

/** Somebody who commits; settings of the machine play no part. */
export const IDENTITY = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.invalid",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.invalid",
};

function placesIn(home: string): Project {
  return { home, project: join(home, "project"), state: join(home, "state") };
}
