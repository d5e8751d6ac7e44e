// Builds plugin/hooks and plugin/opencode from src/hooks: self-contained files that need nothing but Node, and the table that names them.
// They are committed, because whoever installs the plugin has no build. `--check` fails when they are not what a build gives.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const OUT = "plugin";

/** A hook loads what only some of its turns need when they come: that is a file of its own beside it. */
const beside = {
  name: "beside",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/[a-z-]+\.ts$/ }, ({ kind, path, importer }) =>
      kind === "dynamic-import" && dirname(importer).endsWith("hooks")
        ? { path: `./${basename(path, ".ts")}.cjs`, external: true }
        : undefined,
    ),
};

const shared = {
  outdir: `${OUT}/hooks`,
  outExtension: { ".js": ".cjs" },
  bundle: true,
  // CommonJS: Node is up sooner than with modules, also when a part is loaded later.
  format: "cjs",
  supported: { "dynamic-import": false },
  platform: "node",
  target: "node20.19",
  mainFields: ["module", "main"],
  legalComments: "inline",
  define: { RALPH_VERSION: JSON.stringify(version) },
  plugins: [beside],
  write: false,
  logLevel: "warning",
};
const at = (names) => names.map((name) => `src/hooks/${name}.ts`);
const built = [
  // These are asked at every stop and tool call.
  await build({
    ...shared,
    entryPoints: at(["stop", "prompt", "session", "monitor", "task-stop", "guard", "guard-core"]),
    minify: true,
  }),
  await build({ ...shared, entryPoints: at(["start", "workbench"]) }),
  // OpenCode loads its plugins as modules.
  await build({
    ...shared,
    entryPoints: { ralph: "src/hooks/opencode.ts" },
    outdir: `${OUT}/opencode`,
    outExtension: {},
    format: "esm",
  }),
];

/** The state folder, as src/journal/paths.ts finds it. */
const STATE = `d="\${RALPH_STATE_DIR:-\${XDG_STATE_HOME:-$HOME/.local/state}/ralph}"`;
/** No session has a loop: nothing to do. */
const ANY = 'set -- "$d"/hooks/*; [ -d "$1" ] || exit 0';
/** This one has none; a program that does not name its session to hooks is asked about all of them. */
const MINE = `if [ -n "$CLAUDE_CODE_SESSION_ID" ]; then [ -d "$d/hooks/$CLAUDE_CODE_SESSION_ID" ] || exit 0; else ${ANY}; fi`;
/**
 * The agent of a run on a task list: ralph names the run to the agents that it starts, and marks the project. One that asks ralph
 * itself over HTTP is not told everything twice.
 */
const IN_RUN = '[ -n "$RALPH_RUN_ID" ] && [ -z "$RALPH_HOOKS_URL" ] && [ -f "$RALPH_PROJECT/.ralph-active" ]';
/** Where the context monitor remembers this session, as src/hooks/watch.ts finds it; empty: it is not watched. */
const WATCHED = `w=; if ${IN_RUN}; then w="$d/sessions/$RALPH_RUN_ID.$RALPH_ITERATION.$CLAUDE_CODE_SESSION_ID"; elif [ -n "$CLAUDE_CODE_SESSION_ID" ] && [ -z "$RALPH_HOOKS_URL" ] && [ -d "$d/sessions/$CLAUDE_CODE_SESSION_ID" ]; then w="$d/sessions/$CLAUDE_CODE_SESSION_ID"; fi`;
const IS_KNOWN = '{ [ -n "$w" ] && [ -d "$w" ]; }';
/** Node costs much more than a look at the size: it is only asked when the transcript has grown to where it said. */
const NOT_YET = `if [ -n "$w" ] && [ -f "$w/next" ]; then n=; read -r n <"$w/next"; if ! [ -f "$w/transcript" ] || [ $(wc -c <"$w/transcript") -lt "$n" ] 2>/dev/null; then w=; fi; fi`;
/** The settings of the project may ask for the monitor in every session. */
const ASKED = `for f in settings settings.local; do f="\${CLAUDE_PROJECT_DIR:-.}/.ralph/$f.json"; [ -f "$f" ] && grep -q contextMonitor "$f" && break; done`;
/**
 * What the program tells of a prompt. The shell reads it itself, byte by byte: that is dear for what is huge, and for what people
 * type much less than another process. JSON that goes on after a line break is read to its end.
 */
const TYPED = `IFS= read -r p; case $p in *'}') ;; *) p=$p$(cat) ;; esac`;
const node = (name) => `node "\${CLAUDE_PLUGIN_ROOT}/hooks/${name}.cjs"`;

const commands = {
  SessionStart: [
    `${STATE}; ${WATCHED}; set -- "$d"/hooks/*; [ -d "$1" ] || ${IS_KNOWN} || ${ASKED} || exit 0; exec ${node("session")}`,
    30,
  ],
  UserPromptSubmit: [
    `${STATE}; ${TYPED}; case $p in *'"prompt":"/'*|*'"prompt": "/'*|*'"prompt":"<'*|*'"prompt":" '*|*'"prompt":"\\n'*) ;; *) ${MINE} ;; esac; printf %s "$p" | ${node("prompt")}`,
    120,
  ],
  // Of all hooks the only one that fails closed: a guard that cannot run lets nothing pass.
  PreToolUse: [
    `[ -n "$RALPH_GUARD" ] && [ -z "$RALPH_HOOKS_URL" ] || exit 0; ${node("guard")} || { echo "ralph's guard could not run, so this is not allowed" >&2; exit 2; }`,
    30,
  ],
  // One file a call: a large note that two hooks write into one could not be told apart any more.
  PostToolUse: [
    `${STATE}; ${WATCHED}; ${NOT_YET}; if [ -n "$w" ]; then if [ -d "$d/hooks/$CLAUDE_CODE_SESSION_ID" ] && [ -w "$d/spool" ]; then umask 077; tee "$d/spool/$$" | ${node("monitor")}; exit 0; fi; exec ${node("monitor")}; fi; ${MINE}; [ -w "$d/spool" ] || exit 0; umask 077; exec cat >> "$d/spool/$$"`,
    30,
  ],
  Stop: [`${STATE}; ${IN_RUN} || ${MINE}; exec ${node("stop")}`, 7200],
  StopFailure: [`${STATE}; ${MINE}; exec ${node("stop")}`, 30],
  SessionEnd: [`${STATE}; ${WATCHED}; ${IS_KNOWN} || ${MINE}; exec ${node("session")}`, 3], // Codex gives it no more
};
commands.PostToolUseFailure = commands.PostToolUse;
const table = {
  description:
    "ralph: the loop inside a session, and what the agent of a run on a task list is told. Every hook leaves at once when its session is neither.",
  hooks: Object.fromEntries(
    Object.entries(commands).map(([event, [command, timeout]]) => [
      event,
      [{ hooks: [{ type: "command", command, timeout }] }],
    ]),
  ),
};

/**
 * The same for settings that name hooks (`ralph install-hooks`): a file, because some agents put variables of the environment
 * into every `$` of their settings.
 */
const script = [
  "# ralph's hooks for agents whose settings name them: set -- <this file> <event>; . <this file>. Written by scripts/plugin.mjs.",
  `CLAUDE_PLUGIN_ROOT=\${1%/hooks/*}`,
  "case $2 in",
  ...Object.entries(commands).map(([event, [command]]) => `${event}) ${command} ;;`),
  "esac",
  "",
].join("\n");

const files = new Map([
  ["hooks/hooks.json", `${JSON.stringify(table, null, 2)}\n`],
  ["hooks/ralph.sh", script],
  ...built.flatMap(({ outputFiles }) =>
    outputFiles.map(({ path, text }) => [relative(join(root, OUT), path), text]),
  ),
]);
const FOLDERS = ["hooks", "opencode"];

if (process.argv.includes("--check")) {
  const there = FOLDERS.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
  const differing = [...new Set([...files.keys(), ...there])].filter(
    (name) => !there.includes(name) || readFileSync(join(OUT, name), "utf8") !== files.get(name),
  );
  if (differing.length > 0) {
    console.error(
      `plugin: ${differing.join(", ")} in ${OUT} is not what src/hooks gives; run: npm run plugin`,
    );
    process.exit(1);
  }
  console.log("plugin: its hooks are what src/hooks gives");
} else {
  for (const folder of FOLDERS) {
    rmSync(join(OUT, folder), { recursive: true, force: true });
    mkdirSync(join(OUT, folder), { recursive: true });
  }
  for (const [name, text] of files) writeFileSync(join(OUT, name), text);
}

function namesIn(folder) {
  return existsSync(join(OUT, folder)) ? readdirSync(join(OUT, folder)) : [];
}
