import { describe, expect, it } from "vitest";
import { exec } from "../../src/supervise/exec.ts";

const MB = 1024 * 1024;

function node(code: string) {
  return exec(process.execPath, ["-e", code], { cwd: "/", env: process.env });
}

describe("a command of our own", () => {
  it("hands over all that it says, up to 16 MB", async () => {
    const { code, stdout, error } = await node(`process.stdout.write("x".repeat(${16 * MB}))`);
    expect({ code, error, length: stdout.length }).toEqual({ code: 0, error: undefined, length: 16 * MB });
  });

  it("is an error when it says more, and is ended", async () => {
    const { code, error } = await node('for (;;) require("fs").writeSync(1, "x".repeat(65536))');
    expect({ code, error }).toEqual({ code: null, error: "said more than 16 MB" });
  });

  it("may complain as much as it likes: that is no answer", async () => {
    const result = await node(`process.stderr.write("x".repeat(${17 * MB})); process.stdout.write("fine")`);
    expect(result).toMatchObject({ code: 0, stdout: "fine" });
    expect(result.error).toBeUndefined();
  });
});
