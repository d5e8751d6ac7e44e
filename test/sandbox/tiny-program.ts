/** A program of a few instructions that makes one call to the kernel and exits with its error, or 0 and more without one. */
export function tinyProgram(machine: "x86_64" | "i386", call: number, second = 0n): Buffer {
  return machine === "x86_64" ? wide(call, second) : narrow(call, second);
}

/** Where it stands in memory. */
const BASE = 0x40_0000;

function wide(call: number, second: bigint): Buffer {
  const code = Buffer.concat([
    bytes("b8", u32(call)), // mov eax, call
    bytes("48be", u64(second)), // mov rsi, second
    bytes("0f05"), // syscall
    bytes("f7d889c7"), // neg eax; mov edi, eax
    bytes("b83c0000000f05"), // exit
  ]);
  const size = 64 + 56 + code.length;
  return Buffer.concat([
    bytes("7f454c46020101", Buffer.alloc(9)),
    u16(2, 0x3e),
    u32(1),
    u64(BigInt(BASE + 64 + 56), 64n, 0n),
    u32(0),
    u16(64, 56, 1, 0, 0, 0),
    u32(1, 5),
    u64(0n, BigInt(BASE), BigInt(BASE), BigInt(size), BigInt(size), 4096n),
    code,
  ]);
}

function narrow(call: number, second: bigint): Buffer {
  const code = Buffer.concat([
    bytes("b8", u32(call)), // mov eax, call
    bytes("b9", u32(Number(second))), // mov ecx, second
    bytes("cd80"), // int 0x80
    bytes("f7d889c3"), // neg eax; mov ebx, eax
    bytes("b801000000cd80"), // exit
  ]);
  const size = 52 + 32 + code.length;
  return Buffer.concat([
    bytes("7f454c46010101", Buffer.alloc(9)),
    u16(2, 3),
    u32(1, BASE + 52 + 32, 52, 0, 0),
    u16(52, 32, 1, 0, 0, 0),
    u32(1, 0, BASE, BASE, size, size, 5, 4096),
    code,
  ]);
}

function bytes(hex: string, ...more: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(hex, "hex"), ...more]);
}

function u16(...values: number[]): Buffer {
  return Buffer.from(Uint16Array.from(values).buffer);
}

function u32(...values: number[]): Buffer {
  return Buffer.from(Uint32Array.from(values).buffer);
}

function u64(...values: bigint[]): Buffer {
  return Buffer.from(BigUint64Array.from(values).buffer);
}
