// Who may import whom, and how long a file may be. The table is the architecture: change it on purpose or not at all.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const src = join(root, "src");
const SHOULD_SPLIT = 300;
const MUST_SPLIT = 500;

/** Single files at the top that every room may use. */
const LEAVES = [
  "events",
  "agent-events",
  "task-events",
  "verdict",
  "spec",
  "errors",
  "text",
  "version",
  "files",
  "redact",
];

/** What each room may import, besides itself and the leaves. */
const ROOMS = {
  spec: { only: [] },
  "agent-events": { only: [] },
  "task-events": { only: ["spec"] },
  verdict: { only: [] },
  events: { only: ["agent-events", "spec", "task-events", "verdict"] },
  errors: { only: [] },
  text: { only: [] },
  version: { only: [] },
  redact: { only: [] },
  files: { only: ["errors"] },
  claims: { rooms: [] },
  agents: { rooms: [] },
  supervise: { rooms: [] },
  journal: { rooms: [] },
  scm: { rooms: ["supervise"] },
  snapshot: { rooms: ["scm"] },
  gates: { rooms: ["supervise"] },
  receipt: { rooms: ["gates", "scm", "snapshot", "supervise", "tasks"] },
  bus: { rooms: [] },
  sandbox: { rooms: ["scm", "supervise"], files: ["agents/words.ts"] },
  tasks: { rooms: [] },
  ui: { rooms: [] },
  config: { rooms: [] },
  guard: { rooms: [] },
  loop: {
    rooms: [
      "agents",
      "bus",
      "claims",
      "gates",
      "guard",
      "journal",
      "receipt",
      "sandbox",
      "scm",
      "snapshot",
      "supervise",
      "tasks",
    ],
    files: ["ui/reporter.ts"],
  },
  hooks: {
    rooms: ["claims", "config", "gates", "guard", "journal", "loop", "scm", "snapshot", "supervise", "tasks"],
    files: ["ui/reporter.ts"],
  },
  testing: { rooms: [], files: ["loop/clock.ts", "journal/journal.ts", "scm/message.ts"] },
  library: { rooms: ["loop", "config", "agents"], files: ["hooks/desk.ts", "ui/reporter.ts"] },
  index: { rooms: ["library"], files: ["loop/outcome.ts", "config/describe.ts"] },
  cli: {
    rooms: [
      "agents",
      "bus",
      "config",
      "gates",
      "guard",
      "hooks",
      "journal",
      "loop",
      "receipt",
      "sandbox",
      "scm",
      "snapshot",
      "supervise",
      "tasks",
      "testing",
      "ui",
    ],
  },
};

/** The pure core touches nothing but the vocabulary. */
const PURE = [
  "state",
  "evolve",
  "resumed",
  "decide",
  "held",
  "limits",
  "outcome",
  "progress",
  "prompt",
  "session-state",
  "task-state",
  "summary",
  "travel",
].map((name) => `loop/${name}.ts`);

/** Words that only some rooms may use. */
const RESERVED = [
  {
    pattern: /from "node:child_process"/,
    rooms: ["supervise"],
    // These run inside other programs, where the room is not.
    files: ["testing/program.ts", "sandbox/launcher.ts", "hooks/ask-hook.ts"],
  },
  {
    pattern: /\bprocess\.(exit\b|exitCode|argv|stdout|stderr|stdin)/,
    rooms: ["cli"],
    // The last one holds a program that is run inside.
    files: [
      "testing/program.ts",
      "hooks/run-hook.ts",
      "hooks/opencode.ts",
      "sandbox/launcher.ts",
      "sandbox/probe.ts",
    ],
  },
  { pattern: /(?<!")\bconsole\./, rooms: [], files: [] },
];

const problems = [];
const warnings = [];

for (const file of sources(src)) {
  const name = relative(src, file).replaceAll("\\", "/");
  const room = roomOf(name);
  const rule = ROOMS[room];
  const text = readFileSync(file, "utf8");
  const length = text.split("\n").length - 1;
  if (length > MUST_SPLIT) problems.push(`${name}: ${length} lines; ${MUST_SPLIT} is the most`);
  else if (length > SHOULD_SPLIT) warnings.push(`${name}: ${length} lines; split it by meaning`);
  if (rule === undefined) {
    problems.push(`${name}: the room "${room}" is not in the table of scripts/check-rooms.mjs`);
    continue;
  }
  for (const target of imports(text, name)) {
    if (!isAllowed(name, room, rule, target)) problems.push(`${name} must not import ${target}`);
  }
  for (const { pattern, rooms, files } of RESERVED) {
    if (pattern.test(text) && !rooms.includes(room) && !files.includes(name)) {
      problems.push(`${name} must not use ${pattern.source}`);
    }
  }
}

function isAllowed(name, room, rule, target) {
  const to = roomOf(target);
  if (PURE.includes(name)) return target === "events.ts" || target === "spec.ts" || PURE.includes(target);
  if (to === room && !LEAVES.includes(room)) return true;
  if (rule.only !== undefined) return rule.only.includes(to);
  return LEAVES.includes(to) || rule.rooms.includes(to) || (rule.files ?? []).includes(target);
}

/** Relative imports of a file, as paths below src. */
function imports(text, name) {
  const found = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1]);
  return found
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(dirname(name), path).replaceAll("\\", "/"));
}

/** The first folder of a file, or its name when it stands at the top. */
function roomOf(name) {
  const first = name.split("/")[0];
  return first.replace(/\.ts$/, "");
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

for (const warning of warnings) console.log(`warning: ${warning}`);
for (const problem of problems) console.error(`error: ${problem}`);
if (problems.length > 0) process.exit(1);
console.log("rooms: every import is allowed, no file is too long");
