import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeWorld, ofType, processesWith, RALPH, until, type World } from "./support.ts";

const QUICK = ["--restart-delay", "10ms", "--poll-interval", "20ms"];

/** A world in which the command of the first run starts a child run in the background and leaves; the second says DONE. */
function family(processes: string): { world: World; child: string; go: () => void } {
  const world = makeWorld();
  const child = join(world.home, "child");
  mkdirSync(join(child, ".ralph"), { recursive: true });
  writeFileSync(join(child, ".ralph", "settings.json"), JSON.stringify({ processes }));
  world.settings({ processes });
  const go = join(world.home, "go");
  const inner = `until [ -e '${go}' ]; do sleep 0.02; done; touch DONE`;
  world.install("child-task", inner);
  const start = `'${process.execPath}' '${RALPH}' supervise ${QUICK.join(" ")} -- child-task`;
  world.install(
    "task",
    `echo x >> '${world.home}/runs'; N=$(wc -l < '${world.home}/runs')
sleep 321 &
if [ $N -eq 1 ]; then
  (cd '${child}' && nohup ${start} > /dev/null 2>&1 &)
  until grep -q child.started "$TASK_FOLDER"/*BUS.md 2>/dev/null; do sleep 0.02; done
  exit 0
fi
touch DONE`,
  );
  return { world, child, go: () => writeFileSync(go, "") };
}

const sleepers = (world: World) =>
  processesWith(world.home).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("321");
    } catch {
      return false; // gone in the meantime
    }
  });

describe.each(["auto", "group"])("a child run, processes held by %s", (processes) => {
  test("outlives the turn that started it, and is waited for when DONE is there", async () => {
    const { world, child, go } = family(processes);
    const parent = world.start(["supervise", ...QUICK, "--", "task"]);
    const journal = () => (world.hasJournal() ? world.runs() : []);
    await until("the second turn is over", () => {
      const [first] = journal();
      return first !== undefined && ofType(first, "agent.exited").length === 2;
    });
    expect(sleepers(world)).toEqual([]);
    expect(existsSync(join(child, "DONE"))).toBe(false);
    go();
    expect((await parent.ended).code).toBe(0);
    const [first = [], second = []] = world.runs();
    expect(ofType(first, "children.settled")[0]).toMatchObject({
      waitedFor: [second[0]?.run],
      stillActive: [],
    });
    expect(second.at(-1)).toMatchObject({ type: "run.ended", outcome: { kind: "claimed" } });
    expect(processesWith(world.home)).toEqual([]);
  });

  test("is waited for only so long, and ends with its parent", async () => {
    const { world } = family(processes);
    const ended = await world.ralph(["supervise", ...QUICK, "--wait-timeout", "200ms", "--", "task"]);
    expect(ended.code).toBe(0);
    const [first = [], second = []] = world.runs();
    expect(ofType(first, "children.settled")[0]).toMatchObject({ stillActive: [second[0]?.run] });
    expect(processesWith(world.home)).toEqual([]);
  });

  test("does not outlive a parent that was killed for longer than the next start", async () => {
    const { world } = family(processes);
    const parent = world.start(["supervise", ...QUICK, "--", "task"]);
    await until("both runs have begun", () => world.hasJournal() && world.runs().length === 2);
    parent.process.kill("SIGKILL");
    await parent.ended;
    writeFileSync(join(world.project, "DONE"), "");
    expect((await world.ralph(["supervise", ...QUICK, "--", "task"])).code).toBe(0);
    expect(processesWith(world.home)).toEqual([]);
  });

  test("cannot be started in the folder of its parent", async () => {
    const world = makeWorld();
    world.settings({ processes });
    world.install(
      "task",
      `'${process.execPath}' '${RALPH}' -p x --agent true > said 2>&1; echo $? > code; touch DONE`,
    );
    expect((await world.ralph(["supervise", ...QUICK, "--", "task"])).code).toBe(0);
    expect(world.read("code").trim()).toBe("2");
    expect(world.read("said")).toContain("another run is under way in this folder");
    expect(world.runs()).toHaveLength(1);
  });
});

describe("a child run that is only registered on the bus", () => {
  const register = (run: string, body: string) =>
    `'${process.execPath}' '${RALPH}' bus post --type child.started --run ${run} '${body}' > /dev/null`;

  test("in a folder that is not there is none, and harms nothing", async () => {
    const world = makeWorld();
    world.install("task", `${register("kid", join(world.home, "gone"))}\nsleep 321 &\ntouch DONE`);
    const ended = await world.ralph(["supervise", ...QUICK, "--", "task"]);
    expect(ended.stderr).not.toContain("ENOENT");
    expect(ended.code).toBe(0);
    expect(ofType(world.journal(), "children.settled")[0]).toMatchObject({ waitedFor: [] });
    expect(processesWith(world.home)).toEqual([]);
  });

  test("is not waited for beyond the wait timeout, however seldom it is looked at", async () => {
    const world = makeWorld();
    world.install("task", `${register("kid", "elsewhere")}\ntouch DONE`);
    const seldom = ["--wait-timeout", "100ms", "--poll-interval", "1h"];
    expect((await world.ralph(["supervise", ...seldom, "--", "task"])).code).toBe(0);
    expect(ofType(world.journal(), "children.settled")[0]).toMatchObject({ stillActive: ["kid"] });
  });
});
