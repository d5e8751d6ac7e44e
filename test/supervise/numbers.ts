import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnTree } from "../../src/supervise/spawn.ts";

/*
 * A program for the tests, to be run in a process namespace of its own: the numbers of processes start over while a
 * tree runs, and pass the number of the tree again. Says what became of a child with a lower number than its parent.
 */
const [folder = ""] = process.argv.slice(2);
const file = (name: string) => join(folder, name);
const nextNumber = (pid: number) => writeFileSync("/proc/sys/kernel/ns_last_pid", String(pid));

async function numberIn(name: string): Promise<number> {
  for (let tries = 0; tries < 2000; tries++) {
    const text = existsSync(file(name)) ? readFileSync(file(name), "utf8") : "";
    if (text.endsWith("\n")) return Number(text);
    await sleep(5);
  }
  throw new Error(`nothing in ${name}`);
}

nextNumber(5000);
const script = `
  echo $$ > leader; while [ ! -e go ]; do sleep 0.02; done
  setsid sh -c 'echo $$ > child; exec sleep 100' &
  while [ ! -e leave ]; do sleep 0.02; done`;
const tree = spawnTree({
  file: "sh",
  args: ["-c", script],
  cwd: folder,
  env: process.env,
  stdin: "",
  onStdout: () => undefined,
  onStderr: () => {},
});
const leader = await numberIn("leader");
await sleep(300); // the shortcut for programs that have only just started must not be what is tried here
nextNumber(3000);
writeFileSync(file("go"), "");
const child = await numberIn("child");
nextNumber(9000);
writeFileSync(file("leave"), "");
await tree.exited;
const latest = Number(readFileSync("/proc/loadavg", "latin1").trim().split(" ")[4]);
const result = {
  isLower: child < leader,
  isPassed: latest > leader,
  isLeft: existsSync(`/proc/${child}`) && !readFileSync(`/proc/${child}/stat`, "latin1").includes(") Z "),
};
process.stdout.write(JSON.stringify(result));
