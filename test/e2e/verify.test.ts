import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECK, type Honest, honestRun, sealedAnew, withGate } from "./receipts.ts";
import { expectUserError, pidIn, processesWith } from "./support.ts";

describe("an honest receipt", () => {
  test("of a run with protected files holds too; only the run itself could look back", async () => {
    const honest = await honestRun({ settings: { protect: ["README"] } });
    const seen = await honest.elsewhere([]);
    expect(seen.stdout).toMatch(/^not checked +protected files: it compared/m);
    expect([seen.code, seen.stdout.split("\n").at(-2)]).toEqual([0, "The receipt holds."]);
    // A check that calls itself a protection is run all the same.
    const gates = honest.receipt.gates.map((gate) =>
      gate.command === CHECK ? { ...gate, kind: "protect" as const, command: "exit 4" } : gate,
    );
    honest.put(sealedAnew({ ...honest.receipt, gates }));
    expect((await honest.elsewhere([])).code).toBe(1);
  });

  test("holds where the run was, and in a clone on another machine", async () => {
    const honest = await honestRun();
    const here = await honest.here([]);
    expect(here.stdout).toMatch(/^same +journal: \d+ events lead to this receipt$/m);
    expect([here.code, here.stdout.split("\n").at(-2)]).toEqual([0, "The receipt holds."]);
    mkdirSync(join(honest.world.project, "inner"));
    const inner = await honest.here([], { cwd: join(honest.world.project, "inner") });
    expect([inner.code, inner.stdout]).toEqual([0, here.stdout]);
    const elsewhere = await honest.elsewhere(["--json"]);
    expect(elsewhere.code).toBe(0);
    const answer = JSON.parse(elsewhere.stdout) as { holds: boolean; findings: Record<string, unknown>[] };
    expect(answer.holds).toBe(true);
    expect(answer.findings.map(({ what, found }) => `${String(found)} ${String(what)}`)).toEqual([
      "same receipt",
      "not checked journal",
      "same tree",
      "same diff",
      "same commit",
      "same settings",
      `same ${CHECK}`,
      "same test -f README && echo there",
    ]);
    // Neither the project nor the clone hears of it.
    expect(honest.git(honest.clone, "status", "--porcelain")).toBe("");
    expect(honest.world.git("status", "--porcelain")).toBe("");
  });

  test("holds when the user has gone on working since, in files and in commits", async () => {
    const honest = await honestRun();
    honest.world.write("work.txt", "broken since\n");
    honest.world.git("commit", "--quiet", "-am", "more");
    expect((await honest.here([])).code).toBe(0);
  });

  test("of a run without a commit holds elsewhere by its bundle, and only by that", async () => {
    const honest = await honestRun({ scm: false });
    const alone = await honest.elsewhere([]);
    expect(alone.code).toBe(1);
    expect(alone.stdout).toMatch(
      /^missing +tree: [0-9a-f]{40} is not in this repository; --bundle brings it along$/m,
    );
    expect(alone.stdout).toMatch(/^not checked +grep -q good work\.txt: not run$/m);
    const bundle = join(honest.world.home, "trees.bundle");
    expect((await honest.world.ralph(["receipt", "--bundle", bundle])).code).toBe(0);
    const both = await honest.elsewhere(["--bundle", bundle]);
    expect(both.stdout).toContain("The receipt holds.");
    expect(both.code).toBe(0);
    // The bundle is all that is needed: no repository at all.
    const nowhere = await honest.elsewhere(["--bundle", bundle], { cwd: honest.world.bin });
    expect(nowhere.code).toBe(0);
    expect(honest.git(honest.clone, "for-each-ref", "refs/ralph")).toBe("");
  });

  test("needs what git ignores to be set up first, and says so", async () => {
    const honest = await honestRun({
      guardrails: [{ command: `${CHECK} && cat node_modules/tool` }],
      files: { ".gitignore": "node_modules\n", "node_modules/tool": "a tool\n" },
    });
    const bare = await honest.elsewhere([]);
    expect(bare.code).toBe(1);
    expect(bare.stdout).toMatch(/^different +grep .*: exit 1, was 0$/m);
    expect(bare.stdout).toMatch(/^ +\| cat: .*node_modules\/tool/m);
    expect(bare.stdout).toContain('To install it first: --setup "npm ci"');
    const setup = "mkdir node_modules && echo a tool > node_modules/tool";
    const typed = await honest.elsewhere(["--setup", setup]);
    expect(typed.stdout).toMatch(/^same +grep .*: exit 0, the same output$/m);
    expect(typed.code).toBe(0);
    const failing = await honest.elsewhere(["--setup", "echo no net; exit 7"]);
    expect(failing.code).toBe(1);
    expect(failing.stdout).toMatch(/^different +setup: exit 7, was 0\n +\| no net$/m);
    // From the settings it came with the project, and is asked about.
    mkdirSync(join(honest.clone, ".ralph"), { recursive: true });
    writeFileSync(join(honest.clone, ".ralph/settings.json"), JSON.stringify({ verify: { setup } }));
    expect((await honest.elsewhere([])).code).toBe(0);
    const untrusted = { env: { RALPH_TRUST_PROJECT: undefined, CI: undefined } };
    expectUserError(await honest.elsewhere([], untrusted), "not trusted yet", setup);
  });

  test("whose gates ask git find a repository in the checkout", async () => {
    const honest = await honestRun({ guardrails: [{ command: `${CHECK} && git log --format=%s` }] });
    const found = await honest.elsewhere([]);
    // The checkout is a repository, with the base and the judged tree and nothing else.
    expect(found.stdout).toMatch(/^same +grep .*: exit 0, another output$/m);
    expect(found.code).toBe(0);
  });
});

describe("a repository that is not the one of the receipt any more", () => {
  const amended = async (honest: Honest, change: () => void) => {
    change();
    honest.git(honest.clone, "add", "--all");
    honest.git(honest.clone, "commit", "--quiet", "--amend", "--no-edit");
    return honest.elsewhere([]);
  };

  test("a file that was changed in the amended commit is named", async () => {
    const honest = await honestRun();
    const found = await amended(honest, () =>
      writeFileSync(join(honest.clone, "work.txt"), "good, and evil\n"),
    );
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(
      /^different +commit: [0-9a-f]{12} was rewritten as [0-9a-f]{12}: changed work\.txt$/m,
    );
  });

  test("a file that was moved is told apart from one that was changed", async () => {
    const honest = await honestRun();
    const found = await amended(honest, () => honest.git(honest.clone, "mv", "work.txt", "elsewhere.txt"));
    expect(found.stdout).toMatch(/^different +commit: .*: moved work\.txt to elsewhere\.txt$/m);
  });

  test("a commit that was amended before it was cloned is told, though its tree never came along", async () => {
    const honest = await honestRun();
    honest.world.write("work.txt", "good, and evil\n");
    honest.world.git("commit", "--quiet", "-a", "--amend", "--no-edit");
    const clone = join(honest.world.home, "late");
    honest.git(honest.world.home, "clone", "--quiet", "--no-local", honest.world.project, clone);
    const found = await honest.elsewhere([], { cwd: clone });
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/^missing +tree: /m);
    expect(found.stdout).toMatch(/^different +commit: [0-9a-f]{12} was rewritten as [0-9a-f]{12}$/m);
    // Where the run was, its own objects are still there.
    expect((await honest.here([])).stdout).toMatch(
      /^different +commit: .* as [0-9a-f]{12}: changed work\.txt$/m,
    );
  });

  test("a commit that no branch holds is told", async () => {
    const honest = await honestRun();
    honest.git(honest.clone, "reset", "--quiet", "--hard", "HEAD~1");
    honest.git(honest.clone, "update-ref", "-d", "refs/remotes/origin/main");
    honest.git(honest.clone, "update-ref", "-d", "refs/remotes/origin/HEAD");
    expect((await honest.elsewhere([])).stdout).toMatch(/^different +commit: .* is on no branch any more$/m);
  });

  test("a repository of something else has neither tree nor commit, and a bundle of another tree does not help", async () => {
    const honest = await honestRun();
    const other = await honestRun({ guardrails: [{ command: "test -f work.txt" }] });
    const bundle = join(other.world.home, "other.bundle");
    await other.world.ralph(["receipt", "--bundle", bundle]);
    honest.git(honest.world.home, "init", "--quiet", "strange");
    const strange = { cwd: join(honest.world.home, "strange") };
    const found = await honest.elsewhere(["--bundle", bundle], strange);
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(
      /^missing +tree: [0-9a-f]{40} is not in this repository, nor in the bundle$/m,
    );
    expect(found.stdout).toMatch(/^missing +commit: [0-9a-f]{12} is not in this repository$/m);
    writeFileSync(bundle, "no bundle");
    expectUserError(
      await honest.elsewhere(["--bundle", bundle], strange),
      "cannot be checked here",
      /bundle/,
    );
  });
});

describe("what is no receipt", () => {
  test("is refused with exit code 2, whatever it is", async () => {
    const honest = await honestRun();
    honest.put(JSON.stringify(honest.receipt).slice(0, -20));
    expectUserError(await honest.elsewhere([]), "cannot read the receipt", "is cut off or no JSON");
    const file = honest.put(honest.receipt);
    rmSync(file);
    expectUserError(await honest.elsewhere([]), "cannot read the receipt", "is not there");
    symlinkSync(join(honest.world.runFolder(), "receipt.json"), file);
    expectUserError(await honest.elsewhere([]), "cannot read the receipt", "is a link");
  });
});

describe("a stranger's receipt", () => {
  test("runs nothing before somebody vouched for its commands", async () => {
    const honest = await honestRun();
    const untrusted = { env: { RALPH_TRUST_PROJECT: undefined, CI: undefined } };
    const refused = await honest.elsewhere([], untrusted);
    expectUserError(refused, "this receipt's commands are not trusted yet", CHECK, "--trust or --yes");
    expect((await honest.elsewhere(["--trust"], untrusted)).code).toBe(0);
    expect((await honest.elsewhere(["-y"], untrusted)).code).toBe(0);
    // Whose run it was ran these very commands already.
    expect((await honest.here([], untrusted)).code).toBe(0);
    honest.put(sealedAnew(withGate(honest.receipt, { command: "touch stolen" })));
    expectUserError(await honest.here([], untrusted), "not trusted yet", "touch stolen");
  });
});

describe("a check that is broken off", () => {
  test("ends its gate and leaves nothing behind, like one that came to its end", async () => {
    const honest = await honestRun({
      guardrails: [
        { command: `${CHECK} && { test -z "$HANG" || { echo $$ > "$HANG"; exec sleep 1000; }; }` },
      ],
    });
    const hang = join(honest.world.home, "hangs");
    const temporary = join(honest.world.home, "tmp");
    mkdirSync(temporary);
    const whole = await honest.elsewhere([], { env: { TMPDIR: temporary } });
    expect(whole.code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    const file = honest.put(honest.receipt);
    const started = honest.world.start(["verify", file], { env: { TMPDIR: temporary, HANG: hang } });
    await pidIn(hang);
    process.kill(started.pid, "SIGINT");
    const ended = await started.ended;
    expect([ended.code, ended.stdout]).toEqual([130, ""]);
    expect(ended.stderr).toContain("Stopped before all was checked.");
    expect(readdirSync(temporary)).toEqual([]);
    expect(processesWith(hang)).toEqual([]);
  });
});
