import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { agentCopies, agentLogins, makeHome, movedHomes } from "../../src/sandbox/home.ts";
import { bringOutLogins, keepLogins } from "../../src/sandbox/logins.ts";
import type { Policy } from "../../src/sandbox/policy.ts";
import { folder } from "./world.ts";

const RENEWED = "Claude Code renewed its log-in; yours is the new one";
const REFUSED =
  "Claude Code's log-in in the sandbox was changed in a way that is no renewal; yours stays as it is";

/** A log-in of Claude Code, of the nth renewal. */
const login = (n: number, more: Record<string, unknown> = {}) =>
  `${JSON.stringify({ claudeAiOauth: { accessToken: `a${n}`, refreshToken: `r${n}`, expiresAt: n, scopes: ["s"], ...more } }, null, 2)}\n`;

/** A user with a log-in, and an agent inside with its copy. */
function both({
  file = (home: string) => join(home, ".claude/.credentials.json"),
  env = {} as NodeJS.ProcessEnv,
  rw = [] as string[],
  before = ({ mine }: { home: string; project: string; mine: string }) =>
    writeFileSync(mine, login(1), { mode: 0o600 }),
} = {}) {
  const root = folder();
  const [home, project, state] = ["home", "project", "state"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const mine = file(home);
  for (const one of [project, state, dirname(mine)]) mkdirSync(one, { recursive: true });
  if (!existsSync(mine)) before({ home, project, mine });
  const kinds = ["claude"] as const;
  const policy = {
    home,
    project,
    rw,
    copies: agentCopies(kinds, env, { home, project }),
    logins: agentLogins(kinds, env, { home, project }),
  } as unknown as Policy;
  const own = makeHome(join(state, "agent"), { ...policy, moved: movedHomes(env, project) });
  const said: string[] = [];
  const tell = (words: string, level: string) => void said.push(`${level}: ${words}`);
  const { exchange } = keepLogins(policy, own, { folder: state, tell });
  const theirs = own.at(mine);
  return { home, project, state, mine, theirs, exchange, said, tell, own };
}

const read = (path: string) => readFileSync(path, "utf8");

test("nothing happens while nothing changes", () => {
  const { mine, exchange, said, theirs } = both();
  const before = statSync(mine);
  exchange();
  exchange();
  expect(statSync(mine).ino).toBe(before.ino);
  expect(read(theirs)).toBe(login(1));
  expect(said).toEqual([]);
});

test("what is renewed inside becomes the user's own, is told once, and is nobody else's to read", () => {
  const { mine, theirs, exchange, said } = both();
  chmodSync(mine, 0o644);
  for (const n of [2, 3]) {
    writeFileSync(theirs, login(n));
    exchange();
    expect(read(mine)).toBe(login(n));
  }
  expect(statSync(mine).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(mine))).toEqual([".credentials.json"]);
  expect(said).toEqual([`info: ${RENEWED}`]);
});

test("what is renewed outside is seen inside; where both changed, the user's own wins", () => {
  const { mine, theirs, exchange, said } = both();
  writeFileSync(mine, login(2));
  exchange();
  expect(read(theirs)).toBe(login(2));
  expect(statSync(theirs).mode & 0o777).toBe(0o600);
  writeFileSync(mine, login(3));
  writeFileSync(theirs, login(4));
  exchange();
  expect([read(mine), read(theirs)]).toEqual([login(3), login(3)]);
  expect(said).toEqual([]);
});

test("two runs with the same log-in hand a renewal on to each other", () => {
  const one = both();
  const other = both({
    env: { CLAUDE_CONFIG_DIR: dirname(one.mine) },
    file: () => one.mine,
  });
  writeFileSync(one.theirs, login(2));
  one.exchange();
  other.exchange();
  expect(read(other.theirs)).toBe(login(2));
  writeFileSync(other.theirs, login(3));
  other.exchange();
  one.exchange();
  expect([read(one.mine), read(one.theirs)]).toEqual([login(3), login(3)]);
});

test("a log-in in a folder that was moved is renewed there", () => {
  const away = join(folder(), "away");
  const { theirs, mine, exchange } = both({
    env: { CLAUDE_CONFIG_DIR: away },
    file: () => join(away, ".credentials.json"),
  });
  writeFileSync(theirs, login(2));
  exchange();
  expect(read(mine)).toBe(login(2));
});

test("one that the user makes while the run goes on is seen inside", () => {
  const { mine, theirs, exchange } = both({ before: () => {} });
  expect(existsSync(theirs)).toBe(false);
  writeFileSync(mine, login(1));
  exchange();
  expect(read(theirs)).toBe(login(1));
});

test.each<[string, (theirs: string, home: string) => void]>([
  ["another key", (path) => writeFileSync(path, login(2, { baseUrl: "https://evil.example" }))],
  ["no JSON", (path) => writeFileSync(path, `${login(2)}}`)],
  ["no object", (path) => writeFileSync(path, "[]")],
  ["something huge", (path) => writeFileSync(path, login(2, { accessToken: "a".repeat(70_000) }))],
  ["nothing", (path) => rmSync(path)],
  [
    "a link",
    (path) => {
      renameSync(path, `${path}.x`);
      writeFileSync(`${path}.x`, login(2));
      symlinkSync(`${path}.x`, path);
    },
  ],
  [
    "a folder",
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    "a pipe",
    (path) => {
      rmSync(path);
      execFileSync("mkfifo", [path]);
    },
  ],
  [
    "a link in the place of its folder",
    (path, home) => {
      rmSync(dirname(path), { recursive: true });
      mkdirSync(join(home, "elsewhere"));
      writeFileSync(join(home, "elsewhere/.credentials.json"), login(2));
      symlinkSync(join(home, "elsewhere"), dirname(path));
    },
  ],
])("%s inside is no renewal, and the user is told once", (_what, change) => {
  const { home, mine, theirs, exchange, said } = both();
  change(theirs, home);
  exchange();
  exchange();
  expect(read(mine)).toBe(login(1));
  expect(said).toEqual([`warning: ${REFUSED}`]);
});

test("what the user renews is not written through a link that was put inside", () => {
  const { home, mine, theirs, exchange } = both();
  rmSync(dirname(theirs), { recursive: true });
  mkdirSync(join(home, "elsewhere"));
  symlinkSync(join(home, "elsewhere"), dirname(theirs));
  writeFileSync(mine, login(2));
  exchange();
  expect(readdirSync(join(home, "elsewhere"))).toEqual([]);
  rmSync(dirname(theirs));
  mkdirSync(dirname(theirs));
  symlinkSync(join(home, "target"), theirs);
  exchange();
  expect(existsSync(join(home, "target"))).toBe(false);
  expect(read(theirs)).toBe(login(2));
});

test("what counts twice in the text is written once", () => {
  const { mine, theirs, exchange } = both();
  const [open = "", ...rest] = login(2).split("\n");
  writeFileSync(theirs, [open, '"claudeAiOauth": {"accessToken": "evil"},', ...rest].join("\n"));
  exchange();
  expect(read(mine)).toBe(login(2));
});

test("a file that a link leads to is renewed, and the link stays", () => {
  const { home, mine, theirs, exchange } = both({
    before({ home: at, mine: path }) {
      mkdirSync(join(at, "dotfiles"));
      writeFileSync(join(at, "dotfiles/claude"), login(1));
      symlinkSync(join(at, "dotfiles/claude"), path);
    },
  });
  writeFileSync(theirs, login(2));
  exchange();
  expect(lstatSync(mine).isSymbolicLink()).toBe(true);
  expect(read(join(home, "dotfiles/claude"))).toBe(login(2));
});

test("nothing is written through a link into the project, nor read from there", () => {
  const { project, mine, theirs, exchange, said } = both();
  rmSync(mine);
  writeFileSync(join(project, "mine"), login(5));
  symlinkSync(join(project, "mine"), mine);
  exchange();
  expect(read(theirs)).toBe(login(1));
  writeFileSync(theirs, login(2));
  exchange();
  expect(read(join(project, "mine"))).toBe(login(5));
  expect(said).toEqual([]);
});

test("a log-in that cannot be written is told", () => {
  const { mine, theirs, exchange, said } = both();
  // A name that is as long as may be leaves no room for a file beside it, also for root.
  const long = join(dirname(mine), "x".repeat(255));
  renameSync(mine, long);
  symlinkSync(long, mine);
  writeFileSync(theirs, login(2));
  exchange();
  expect(read(mine)).toBe(login(1));
  expect(said).toEqual([
    expect.stringMatching(
      /^warning: .* could not be written \(ENAMETOOLONG\); you may have to log in again$/,
    ),
  ]);
});

test("after a crash it is brought out, unless the user has renewed it since", () => {
  const killed = both();
  writeFileSync(killed.theirs, login(2));
  bringOutLogins(killed.state, killed.tell);
  expect(read(killed.mine)).toBe(login(2));
  expect(killed.said).toEqual([`info: ${RENEWED}`]);

  const late = both();
  writeFileSync(late.theirs, login(2));
  writeFileSync(late.mine, login(3));
  bringOutLogins(late.state, late.tell);
  expect(read(late.mine)).toBe(login(3));
});

test("a folder of a run that had no log-ins is no trouble", () => {
  const empty = folder();
  bringOutLogins(empty, () => {});
  writeFileSync(join(empty, "logins.json"), "{");
  bringOutLogins(empty, () => {});
});
