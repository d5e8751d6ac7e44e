import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../src/config/load.ts";
import { UserError } from "../../src/errors.ts";
import { errorOf, project } from "./project.ts";
import { LOCAL, MAIN } from "./resolving.ts";

describe("what is accepted", () => {
  test("no folder and no files", async () => {
    expect(await loadSettings(project())).toEqual({ settings: {}, files: [], sources: new Map() });
  });

  test("both files, merged, with where each value came from", async () => {
    const folder = project({
      [MAIN]: {
        maximumIterations: 5,
        agent: { command: "claude", flags: ["--model opus"] },
        guardrails: [{ command: "a" }],
      },
      [LOCAL]: { agent: { flags: ["--verbose"] }, output: { emoji: false } },
    });
    const loaded = await loadSettings(folder);
    expect(loaded.settings).toEqual({
      maximumIterations: 5,
      agent: { command: "claude", flags: ["--verbose"] },
      guardrails: [{ command: "a" }],
      output: { emoji: false },
    });
    expect(Object.fromEntries(loaded.sources)).toEqual({
      maximumIterations: MAIN,
      "agent.command": MAIN,
      "agent.flags": LOCAL,
      guardrails: MAIN,
      "output.emoji": LOCAL,
    });
    expect(loaded.files.map((file) => file.name)).toEqual([MAIN, LOCAL]);
    expect(loaded.files[1]?.text).toContain("--verbose");
  });

  test("only the local file", async () => {
    const loaded = await loadSettings(project({ [LOCAL]: { claimHint: false } }));
    expect(loaded.settings).toEqual({ claimHint: false });
  });

  test("scm in two halves", async () => {
    const folder = project({ [MAIN]: { scm: { command: "git" } }, [LOCAL]: { scm: { tasks: ["commit"] } } });
    expect((await loadSettings(folder)).settings.scm).toEqual({ command: "git", tasks: ["commit"] });
  });

  test("a byte order mark", async () => {
    expect((await loadSettings(project({ [MAIN]: '\ufeff{"claimHint": false}' }))).settings).toEqual({
      claimHint: false,
    });
  });
});

describe("odd files", () => {
  const LINK_WHY = "an agent could have made it, so ralph does not follow it";

  test(".ralph is a link", async () => {
    const folder = project();
    symlinkSync(project({ "settings.json": {} }), join(folder, ".ralph"));
    expect(await errorOf(() => loadSettings(folder))).toEqual([
      ".ralph is a symbolic link",
      LINK_WHY,
      "Put the real thing in its place.",
    ]);
  });

  test.each([MAIN, LOCAL])("%s is a link, even one that leads nowhere", async (name) => {
    const folder = project({ ".ralph/keep": "" });
    symlinkSync("nowhere", join(folder, name));
    expect(await errorOf(() => loadSettings(folder))).toEqual([
      `${name} is a symbolic link`,
      LINK_WHY,
      "Put the real thing in its place.",
    ]);
  });

  test(".ralph is a file", async () => {
    expect(await errorOf(() => loadSettings(project({ ".ralph": "x" })))).toEqual([
      ".ralph is not a folder",
      "a file of that name is in its place",
      "Move it away: ralph keeps its settings and logs there.",
    ]);
  });

  test("the settings are a folder", async () => {
    expect(await errorOf(() => loadSettings(project({ [`${MAIN}/x`]: "" })))).toEqual([
      `cannot read ${MAIN}`,
      "it is not a plain file",
      "Remove it, or put a file in its place.",
    ]);
  });

  test("too large, and not text", async () => {
    expect((await errorOf(() => loadSettings(project({ [MAIN]: " ".repeat(1024 * 1024 + 1) }))))[1]).toBe(
      "it is larger than 1 MiB",
    );
    const folder = project({ [MAIN]: "" });
    writeFileSync(join(folder, MAIN), Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
    expect(await errorOf(() => loadSettings(folder))).toEqual([
      `cannot read ${MAIN}`,
      "it is not UTF-8 text",
      "Save it as UTF-8.",
    ]);
  });
});

test("any JSON is accepted or refused with a UserError, and pollutes nothing", async () => {
  const key = fc.constantFrom(
    "maximumIterations",
    "agent",
    "guardrails",
    "scm",
    "command",
    "tasks",
    "flags",
    "__proto__",
    "output",
    "zz",
  );
  const near = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.dictionary(key, tie("value")),
      fc.array(tie("value"), { maxLength: 3 }),
    ),
  })).value;
  const folder = project({ [MAIN]: {} });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        near.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      near,
      async (text, local) => {
        writeFileSync(join(folder, MAIN), text);
        writeFileSync(join(folder, LOCAL), JSON.stringify(local));
        await loadSettings(folder).catch((error: unknown) => {
          expect(error).toBeInstanceOf(UserError);
          if (error instanceof UserError)
            expect(`${error.what}${error.why}${error.fix}`).not.toMatch(/[\n\u001b]|undefined|\[object/);
        });
        expect(Object.keys(Object.prototype)).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
