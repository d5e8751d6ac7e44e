/** One machine's language: how the kernel names it, and how its calls are numbered. */
type Machine = "x86_64" | "i386" | "aarch64" | "arm";

/** The kernel's own numbers for machines (AUDIT_ARCH_*). */
const MACHINES: Readonly<Record<Machine, number>> = {
  x86_64: 0xc000_003e,
  i386: 0x4000_0003,
  aarch64: 0xc000_00b7,
  arm: 0x4000_0028,
};

/** Where these four are all that a program can speak. */
const KNOWN: readonly string[] = ["x64", "ia32", "arm64", "arm"];

type Numbers = Readonly<Record<Machine, number>>;

/**
 * Calls that are answered with EPERM, as docker does: programs know that answer and do without. Only what a program without any
 * capability could use to get at what is not its own; namespaces, debuggers and io_uring are for the tools of agents to use.
 */
export const REFUSED: Readonly<Record<string, Numbers>> = {
  // The keyring of the user's session is in no namespace: keys of disks, Kerberos, tokens.
  add_key: { x86_64: 248, i386: 286, aarch64: 217, arm: 309 },
  request_key: { x86_64: 249, i386: 287, aarch64: 218, arm: 310 },
  keyctl: { x86_64: 250, i386: 288, aarch64: 219, arm: 311 },
  // Opens files by their number on the disk, whatever hides their names.
  open_by_handle_at: { x86_64: 304, i386: 342, aarch64: 265, arm: 371 },
  // Programs for the kernel; where it takes them from everybody it has been a way in again and again.
  bpf: { x86_64: 321, i386: 357, aarch64: 280, arm: 386 },
  // Watches what the processor does, for others too where the machine is set so; as often a way in.
  perf_event_open: { x86_64: 298, i386: 336, aarch64: 241, arm: 364 },
  // Holds the kernel up in the middle of a copy, which is how its races are won.
  userfaultfd: { x86_64: 323, i386: 374, aarch64: 282, arm: 388 },
  // The kernel's log tells of the whole machine.
  syslog: { x86_64: 103, i386: 103, aarch64: 116, arm: 103 },
};

const IOCTL: Numbers = { x86_64: 16, i386: 54, aarch64: 29, arm: 54 };

/** Requests to a terminal that are refused too. The kernel looks at the lower half of the word only, and so do we. */
export const REFUSED_REQUESTS: Readonly<Record<string, number>> = {
  // Types into a terminal, as if somebody sat there.
  TIOCSTI: 0x5412,
  // Pastes into a console of the machine.
  TIOCLINUX: 0x541c,
};

/** Calls of x32 have this bit; they are the same calls by other numbers, and nobody uses them. */
const X32_BIT = 0x4000_0000;
/** No call: whoever watches a program has put this there, to skip one. */
const SKIPPED = 0xffff_ffff;

/** Where things stand in what the kernel shows of a call (struct seccomp_data). */
const AT = { number: 0, machine: 4, secondArgument: 24 } as const;

const ALLOW = 0x7fff_0000;
const errno = (number: number): number => 0x0005_0000 + number;
const EPERM = errno(1);
const ENOSYS = errno(38);

/** One instruction of the kernel's small machine: code, how far to jump when it is so and when not, and a number. */
type Instruction = readonly [code: number, yes: number, no: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
/** When what was loaded equals the value, what follows is done; otherwise so many instructions are skipped. */
const ifEqual = (value: number, skip: number): Instruction => [0x15, 0, skip, value];
const ifAtLeast = (value: number, skip: number): Instruction => [0x35, 0, skip, value];

/**
 * What the kernel is to refuse to whoever is inside, as a program for `bwrap --seccomp`. All four languages are in it: which of them a
 * program speaks is for the program to say. Undefined for machines whose numbers we do not have.
 */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  if (!KNOWN.includes(arch)) return undefined;
  const blocks = (Object.keys(MACHINES) as Machine[]).flatMap((machine) => {
    const block = blockFor(machine);
    return [ifEqual(MACHINES[machine], block.length), ...block];
  });
  return encoded([load(AT.machine), ...blocks, answer(ENOSYS)]);
}

/** What is answered to one language. Every way through ends in it. */
function blockFor(machine: Machine): Instruction[] {
  const requests = Object.values(REFUSED_REQUESTS).flatMap(refuse);
  return [
    load(AT.number),
    ...(machine === "x86_64"
      ? [ifEqual(SKIPPED, 1), answer(ALLOW), ifAtLeast(X32_BIT, 1), answer(ENOSYS)]
      : []),
    ...Object.values(REFUSED).flatMap((numbers) => refuse(numbers[machine])),
    ifEqual(IOCTL[machine], 1 + requests.length),
    load(AT.secondArgument),
    ...requests,
    answer(ALLOW),
  ];
}

function refuse(value: number): Instruction[] {
  return [ifEqual(value, 1), answer(EPERM)];
}

/** As the kernel reads it; all of these machines are little-endian. */
function encoded(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, yes, no, value], at) => {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(yes, at * 8 + 2);
    bytes.writeUInt8(no, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  });
  return bytes;
}
