import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { bubblewrap } from "../../src/sandbox/bubblewrap-open.ts";
import { makeWorld } from "../e2e/support.ts";
import { hasProgram } from "./engines.ts";
import { openFor, shell } from "./opened.ts";

const isRoot = process.getuid?.() === 0;
const CONNECT = `require("node:net").connect(process.argv[1]).on("data", (text) => console.log(String(text))).on("error", () => {})`;

describe.skipIf(!hasProgram("bwrap"))("inside bubblewrap", () => {
  // A folder that everybody may see is root's to make.
  test.skipIf(!isRoot)(
    "a service of this machine is not reached by its socket, unless it is named",
    async () => {
      const folder = mkdtempSync("/srv/ralph-test-");
      const socket = join(folder, "of a service.sock");
      const server = createServer((client) => client.end("reached"));
      onTestFinished(() => {
        server.close();
        rmSync(folder, { recursive: true });
      });
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      const asked = `"${process.execPath}" -e '${CONNECT}' "${socket}"`;
      const closed = await openFor(bubblewrap);
      expect(await shell(closed, asked)).toMatchObject({ stdout: "" });
      const open = await openFor(bubblewrap, { ro: [socket] });
      expect(await shell(open, asked)).toMatchObject({ stdout: "reached\n" });
    },
  );

  test("a folder of a larger repository sees the rest of it, and commits only what is its own", async () => {
    const whole = makeWorld({ git: true });
    whole.write("beside/file", "as it was");
    whole.write("part/file", "1");
    whole.git("add", "--all");
    whole.git("-c", "user.name=T", "-c", "user.email=t@example.invalid", "commit", "-qm", "first");
    const project = join(whole.project, "part");
    const opened = await openFor(bubblewrap, {}, { world: { ...whole, project } });
    const said = await shell(
      opened,
      `cat ../beside/file; echo 2 > file; echo no > ../beside/file
       git -c user.name=T -c user.email=t@example.invalid commit -qam second; git show --name-only --format=`,
    );
    expect(said.stdout).toBe("as it waspart/file\n");
    expect(whole.read("beside/file")).toBe("as it was");
  });

  test.each(["/tmp", "/var/tmp", "/dev/shm"])(
    "%s holds no more than the memory that there may be",
    async (place) => {
      const opened = await openFor(bubblewrap, { limits: { memoryMb: 64 } });
      const said = await shell(
        opened,
        `head -c 32M /dev/zero > ${place}/some && echo some; head -c 128M /dev/zero > ${place}/more && echo more`,
      );
      expect(said.stdout).toBe("some\n");
    },
  );
});
