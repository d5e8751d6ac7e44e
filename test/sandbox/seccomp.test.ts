import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bubblewrap } from "../../src/sandbox/bubblewrap-open.ts";
import { REFUSED, REFUSED_REQUESTS, seccompFilter } from "../../src/sandbox/seccomp.ts";
import { hasProgram } from "./engines.ts";
import { openFor, shell } from "./opened.ts";
import { tinyProgram } from "./tiny-program.ts";

const ALLOWED = 0x7fff_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const X32 = 0x4000_0000;
const MACHINES = { x86_64: 0xc000_003e, i386: 0x4000_0003, aarch64: 0xc000_00b7, arm: 0x4000_0028 } as const;
type Machine = keyof typeof MACHINES;
const ALL = Object.keys(MACHINES) as Machine[];
const IOCTL = { x86_64: 16, i386: 54, aarch64: 29, arm: 54 } as const;

/** What the kernel would answer, by its rules for such programs. */
function answered(machine: number, call: number, second = 0n): number {
  const program = seccompFilter("x64") ?? Buffer.alloc(0);
  const shown = Buffer.alloc(64);
  shown.writeUInt32LE(call, 0);
  shown.writeUInt32LE(machine, 4);
  shown.writeBigUInt64LE(second, 24);
  let loaded = 0;
  for (let at = 0; at < program.length; at += 8) {
    const value = program.readUInt32LE(at + 4);
    const jump = (isSo: boolean) => 8 * program.readUInt8(at + (isSo ? 2 : 3));
    const code = program.readUInt16LE(at);
    if (code === 0x06) return value;
    else if (code === 0x20) loaded = shown.readUInt32LE(value);
    else if (code === 0x15) at += jump(loaded === value);
    else if (code === 0x35) at += jump(loaded >= value);
    else throw new Error(`an instruction that is not known: ${code}`);
  }
  throw new Error("it never answers");
}

describe("the filter of calls", () => {
  test.each(ALL)("of %s refuses what is listed, and nothing else", (machine) => {
    const refused = Array.from({ length: 600 }, (_, call) => call).filter(
      (call) => answered(MACHINES[machine], call) !== ALLOWED,
    );
    const listed = Object.values(REFUSED).map((numbers) => numbers[machine]);
    expect(refused).toEqual(listed.sort((a, b) => a - b));
    expect(new Set(refused.map((call) => answered(MACHINES[machine], call)))).toEqual(new Set([EPERM]));
  });

  test.each(ALL)("of %s looks at the lower half of a terminal's request", (machine) => {
    const asked = (request: bigint) => answered(MACHINES[machine], IOCTL[machine], request);
    for (const request of Object.values(REFUSED_REQUESTS)) {
      expect(asked(BigInt(request))).toBe(EPERM);
      expect(asked(BigInt(request) | (0xdeadn << 32n))).toBe(EPERM);
      expect(asked(BigInt(request + 1))).toBe(ALLOWED);
    }
  });

  test("knows no x32, and lets a call that a debugger skips be skipped", () => {
    for (const call of [0, 16, 250, 512]) expect(answered(MACHINES.x86_64, X32 + call)).toBe(ENOSYS);
    expect(answered(MACHINES.x86_64, 0xffff_ffff)).toBe(ALLOWED);
  });

  test("answers nothing in a language that it does not know, and is not made for such machines", () => {
    expect(answered(0xc000_00f3, 0)).toBe(ENOSYS);
    expect(seccompFilter("riscv64")).toBeUndefined();
    expect(seccompFilter("arm64")).toEqual(seccompFilter("x64"));
  });
});

describe.skipIf(!hasProgram("bwrap") || process.arch !== "x64")("inside bubblewrap the kernel", () => {
  const CALLS = [
    ...Object.entries(REFUSED).flatMap(([name, { x86_64, i386 }]) => [
      { name, machine: "x86_64", call: x86_64, second: 0n, error: 1 } as const,
      { name: `${name} (i386)`, machine: "i386", call: i386, second: 0n, error: 1 } as const,
    ]),
    { name: "TIOCSTI", machine: "x86_64", call: 16, second: 0x1_0000_5412n, error: 1 },
    { name: "TIOCSTI (i386)", machine: "i386", call: 54, second: 0x5412n, error: 1 },
    // Of a pipe: there is no such request.
    { name: "another request", machine: "x86_64", call: 16, second: 0x5413n, error: 25 },
    { name: "keyctl (x32)", machine: "x86_64", call: X32 + 250, second: 0n, error: 38 },
  ] as const;

  test("answers as the filter says, in every language that it understands", async () => {
    const opened = await openFor(bubblewrap);
    const found: Record<string, number | null> = {};
    const wanted: Record<string, number> = {};
    for (const [n, { name, machine, call, second, error }] of CALLS.entries()) {
      const path = join(opened.world.project, `call-${n}`);
      writeFileSync(path, tinyProgram(machine, call, second));
      chmodSync(path, 0o755);
      // Not every kernel runs programs of 32 bits.
      const outside = spawnSync(path, { stdio: "pipe" });
      if (outside.status === null || outside.signal !== null) continue;
      wanted[name] = error;
      found[name] = (await shell(opened, `exec ./call-${n}`)).code;
      if (/key/.test(name) && !name.includes("x32")) expect([name, outside.status]).not.toEqual([name, 1]);
    }
    expect(Object.keys(found).length).toBeGreaterThan(8);
    expect(found).toEqual(wanted);
  });

  test.each(["agent", "check"] as const)("tells %ss of no keys, and leaves no file open", async (role) => {
    const opened = await openFor(bubblewrap);
    const means = opened.sandbox.means(role);
    const script = "cat /proc/keys /proc/key-users; ls -l /proc/self/fd | grep -c bpf";
    expect(await shell(opened, script, { means })).toMatchObject({ stdout: "0\n" });
  });
});
