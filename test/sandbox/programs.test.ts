import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { ownPath } from "../../src/supervise/which.ts";
import { environmentOf, makeWorld } from "../e2e/support.ts";
import { hasProgram } from "./engines.ts";

test("programs of our own are not looked for in the project, nor in what npm puts before PATH", () => {
  const folders = ["/p/bin", "", "bin", "/usr/bin", "/up/node_modules/.bin", "/p", "/pp/bin"];
  expect(ownPath(folders.join(delimiter), "/p")).toBe(["/usr/bin", "/pp/bin"].join(delimiter));
  expect(ownPath("/usr/bin", "/")).toBe("/usr/bin");
});

describe.skipIf(!hasProgram("bwrap"))(
  "a run in bubblewrap, with folders of the project first on PATH",
  () => {
    test.each(["bin", "node_modules/.bin", "sub/bin"])(
      "starts nothing outside that is in %s",
      async (place) => {
        const world = makeWorld({ git: true });
        const outside = join(world.home, "outside");
        const planted = `#!/bin/sh\necho "$0" >> "${outside}"\n`;
        for (const name of ["git", "bwrap", "sh", "prlimit", "systemd-run", "unshare", "setpriv", "codex"]) {
          const path = join(world.project, place, name);
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, planted);
          chmodSync(path, 0o755);
        }
        const { PATH = "" } = environmentOf(world);
        world.settings({
          agent: { command: "codex" },
          guardrails: [{ command: "true" }],
          sandbox: { limits: { processes: 500, memoryMb: 4000 } },
        });
        const path = [join(world.project, place), PATH].join(delimiter);
        const ended = await world.ralph(["run", "-p", "x", "--sandbox=bubblewrap", "-n", "1"], {
          env: { PATH: path },
        });
        expect(ended.stderr + ended.stdout).toContain("Sandbox: bubblewrap");
        expect(existsSync(outside)).toBe(false);
      },
    );
  },
);
