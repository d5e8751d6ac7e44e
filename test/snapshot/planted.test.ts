import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DONE, makeWorld, type World } from "../e2e/support.ts";

/** An agent that sets up a repository whose filter is a program of its own, which ralph's own git would run outside. */
function agentThatPlants(world: World, folder: string): string {
  world.write(
    "agent.sh",
    `mkdir -p ${folder}
     if [ ! -e ${folder}/.git ]; then
       git init -q ${folder}
       echo '* filter=own' > ${folder}/.gitattributes
       echo x > ${folder}/file
       git -C ${folder} -c user.name=T -c user.email=t@example.invalid add -A
       git -C ${folder} -c user.name=T -c user.email=t@example.invalid commit -qm x
       git -C ${folder} config filter.own.clean 'touch "${world.home}/outside"; cat'
       [ ${folder} = . ] || { : > .gitmodules; git add -A; }
     fi
     date +%N > ${folder}/file
     echo '${DONE}'`,
  );
  return "/bin/sh agent.sh";
}

const run = (world: World, agent: string) =>
  world.ralph(["run", "-p", "x", "-n", "1", "--no-sandbox", "--agent", agent]);

test.each([
  ["the project", false, "."],
  ["a folder of the project", true, "sub"],
])("a repository that an agent set up in %s runs nothing in the next run", async (_, git, folder) => {
  const world = makeWorld({ git });
  const agent = agentThatPlants(world, folder);
  await run(world, agent);
  expect(world.has(join(folder, ".git"))).toBe(true);
  const next = await run(world, agent);
  expect(existsSync(join(world.home, "outside"))).toBe(false);
  expect(next.stderr).toContain("may have been set up by an agent");
  expect(next.stderr).toContain("config --unset filter.own.clean");
});

test("what a repository named before its first run goes on to be the user's", async () => {
  const world = makeWorld({ git: true });
  world.git("config", "filter.own.clean", "cat");
  world.write("agent.sh", `date +%N > file; echo '${DONE}'`);
  await run(world, "/bin/sh agent.sh");
  world.git("config", "filter.other.clean", "cat");
  const next = await run(world, "/bin/sh agent.sh");
  expect(next.stderr).not.toContain("set up by an agent");
});
