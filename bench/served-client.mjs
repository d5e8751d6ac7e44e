// The agent of bench/served.mjs: a program that is up already and asks the ralph that started it, as Claude Code does. Beside each
// question a process that does nothing is started. What it measured goes into the file that it is given.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const [out, rounds] = process.argv.slice(2);
const { RALPH_HOOKS_URL: url, RALPH_HOOKS_TOKEN: token } = process.env;

async function ask(event) {
  const told = {
    session_id: "s-1",
    cwd: process.cwd(),
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: {},
  };
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(told) });
  const said = await answer.text();
  if (answer.status !== 200 || said !== "{}") throw new Error(`${event}: ${answer.status} ${said}`);
}

const cases = {
  true: () => spawnSync("true"),
  servedStop: () => ask("Stop"),
  servedGuard: () => ask("PreToolUse"),
  servedTool: () => ask("PostToolUse"),
};
const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
for (let round = -10; round < Number(rounds); round++) {
  for (const name of Object.keys(cases).sort(() => Math.random() - 0.5)) {
    const begun = performance.now();
    await cases[name]();
    if (round >= 0) times[name].push(performance.now() - begun); // the first ones are warm-up
  }
}
writeFileSync(out, JSON.stringify(times));
