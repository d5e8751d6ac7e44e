import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { environmentOf, makeWorld, RALPH } from "../e2e/support.ts";

test.runIf(process.platform === "linux")("what whoever started ralph left open is not handed on", () => {
  const world = makeWorld();
  world.write("agent.sh", "ls /proc/self/fd/77/ > seen; echo over >> seen\n");
  const words = ["run", "-p", "x", "-n", "1", "--no-sandbox", "--agent", "/bin/sh agent.sh"];
  // Folders of the machine, by numbers that Node does not look at.
  const script = 'exec 77</; exec "$0" "$@"';
  spawnSync("bash", ["-c", script, process.execPath, RALPH, ...words], {
    cwd: world.project,
    env: environmentOf(world),
  });
  expect(world.read("seen")).toBe("over\n");
});
