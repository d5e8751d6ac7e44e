import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SCHEMA_URL } from "../../src/config/schema.ts";
import { isTrusted, trustKey } from "../../src/config/trust.ts";
import { makePlace, type Place } from "./init-program.ts";

const DEFAULTS = {
  $schema: SCHEMA_URL,
  maximumIterations: 10,
  completionResponse: "DONE",
  outputTruncateChars: 5000,
  streamAgentOutput: true,
};

let place: Place;
beforeEach(() => {
  place = makePlace();
});
afterEach(() => place.remove());

const settingsFile = () => join(place.project, ".ralph/settings.json");
const written = () => JSON.parse(readFileSync(settingsFile(), "utf8"));
const scripts = JSON.stringify({ scripts: { test: "x", lint: "x", build: "x" } });

describe("ralph init without a terminal", () => {
  test("is refused in three lines", async () => {
    const { code, stdout, stderr } = await place.run(["init"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
    expect(stderr).toContain("ralph init --yes");
    expect(existsSync(join(place.project, ".ralph"))).toBe(false);
  });

  test("--yes takes what it finds", async () => {
    const codex = place.install("codex", "exit 1");
    place.write("package.json", scripts);
    const { code, stdout, stderr } = await place.run(["init", "--yes"]);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        `Agent: codex (${codex})`,
        "Guardrails: npm test (package.json), npm run lint (package.json)",
        "Hosts that may be reached from the sandbox, for packages: registry.npmjs.org",
        "Settings written to .ralph/settings.json",
        'Next: ralph run -p "what is to be done"',
        "",
      ].join("\n"),
    );
    expect(written()).toEqual({
      ...DEFAULTS,
      agent: { command: "codex" },
      guardrails: [
        { command: "npm test", failAction: "APPEND" },
        { command: "npm run lint", failAction: "APPEND" },
      ],
      sandbox: { network: { allow: ["registry.npmjs.org"] } },
    });
    expect(isTrusted(place.state, trustKey(place.project, written()))).toBe(true);
  });

  test("--yes without any agent still writes, and says so", async () => {
    const { code, stdout } = await place.run(["init", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Agent: claude (none was found on PATH");
    expect(stdout).toContain("There is no guardrail");
    expect(written().agent).toEqual({ command: "claude" });
  });

  test("--yes never overwrites", async () => {
    place.write(".ralph/settings.json", '{"maximumIterations":3}');
    const { code, stdout } = await place.run(["init", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("left as it is");
    expect(stdout).toContain("rm .ralph/settings.json");
    expect(readFileSync(settingsFile(), "utf8")).toBe('{"maximumIterations":3}');
  });

  test("--yes on settings that are broken says what is wrong with them", async () => {
    place.write(".ralph/settings.json", "{");
    const { code, stderr } = await place.run(["init", "--yes"]);
    expect(code).toBe(2);
    expect(stderr.trimEnd().split("\n")).toHaveLength(3);
    expect(readFileSync(settingsFile(), "utf8")).toBe("{");
  });

  test("a local file beside it is mentioned, and not trusted along with it", async () => {
    place.write(".ralph/settings.local.json", '{"agent":{"command":"evil"}}');
    const { code, stdout } = await place.run(["init", "--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("settings.local.json still stands");
    const merged = { ...written(), agent: { command: "evil" } };
    expect(isTrusted(place.state, trustKey(place.project, merged))).toBe(false);
  });

  test("a link in the place of the folder is refused", async () => {
    symlinkSync(place.home, join(place.project, ".ralph"));
    const { code, stderr } = await place.run(["init", "--yes"]);
    expect(code).toBe(2);
    expect(stderr).toContain("symbolic link");
    expect(readdirSync(place.home)).toEqual([]);
  });

  test("a folder in the place of the file is refused", async () => {
    mkdirSync(settingsFile(), { recursive: true });
    const { code, stderr } = await place.run(["init", "--yes"]);
    expect(code).toBe(2);
    expect(stderr).toContain("cannot write .ralph/settings.json");
  });

  test("a state folder that cannot be written only costs the memory of the trust", async () => {
    place.write("no-folder", "");
    const { code, stdout } = await place.run(["init", "--yes"], {
      RALPH_STATE_DIR: join(place.project, "no-folder"),
    });
    expect(code).toBe(0);
    expect(stdout).toContain("The first run will ask whether to trust them");
    expect(stdout).toContain("Settings written to");
  });
});
