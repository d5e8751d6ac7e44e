import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { judgeCommand } from "../../src/guard/judge.ts";
import { judgeTool } from "../../src/guard/tools.ts";
import { corpus, PLACE, ruleOf } from "./place.ts";

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

describe("what a line would do is followed", () => {
  test.each([
    ["through variables", "d=/etc; e=$d/x; rm -rf $e", "delete-outside"],
    ["through a line in a variable", 'c="rm -rf /etc"; $c', "delete-outside"],
    ["through an array", `a=(rm -rf /etc); \${a[0]} \${a[1]} \${a[2]}`, "delete-outside"],
    ["through a default", `rm -rf \${NOWHERE:-/etc}`, "delete-outside"],
    ["through braces", "rm -rf /{etc,usr}", "delete-outside"],
    ["through quotes", "'r'\"m\" -r\\f /etc", "delete-outside"],
    ["through escapes", "$'\\x72\\x6d' -rf /etc", "delete-outside"],
    ["through cd", "cd /etc && rm -rf x", "delete-outside"],
    ["through cd behind a word", "builtin cd / && rm -rf *", "delete-outside"],
    ["through pushd and popd", "pushd /etc; popd; rm -rf x", "allowed"],
    ["not through cd in a shell of its own", "(cd /etc); rm -rf x", "allowed"],
    ["through functions with words", 'del() { rm -rf "$@"; }; del /etc', "delete-outside"],
    ["through aliases", "alias x='rm -rf'; x /etc", "delete-outside"],
    ["through eval", "eval 'rm -rf' /etc", "delete-outside"],
    ["through shells in shells", `sh -c "bash -c 'rm -rf /etc'"`, "delete-outside"],
    ["through words of a shell", `bash -c 'rm -rf "$1"' _ /etc`, "delete-outside"],
    ["through here-documents", "bash <<E\nrm -rf /etc\nE", "delete-outside"],
    ["through here-strings", "bash <<< 'rm -rf /etc'", "delete-outside"],
    ["through pipes", "echo rm -rf /etc | sh", "delete-outside"],
    ["through substitutions", 'echo "$(rm -rf /etc)"', "delete-outside"],
    ["through process substitutions", "cat <(rm -rf /etc)", "delete-outside"],
    ["through read", "echo /etc | while read -r d; do rm -rf $d; done", "delete-outside"],
    ["through conditions", "if true; then :; else rm -rf /etc; fi", "delete-outside"],
    ["through case", "case x in x) rm -rf /etc ;; esac", "delete-outside"],
    ["through negation and time", "! time rm -rf /etc", "delete-outside"],
    ["through the background", "sleep 1 & rm -rf /etc &", "delete-outside"],
    ["through a script that it writes", "echo 'rm -rf /etc' > a.sh; chmod +x a.sh; ./a.sh", "delete-outside"],
    ["through one that it copies", "echo 'rm -rf /etc' > a; cp a b; bash b", "delete-outside"],
    ["through xargs", "echo /etc | xargs -I{} rm -rf {}", "delete-outside"],
    ["through a trap", "trap 'rm -rf /etc' EXIT", "delete-outside"],
    ["through an interpreter's shell", `python3 -c "import os; os.system('rm -rf /etc')"`, "delete-outside"],
    ["through a list of words", `node -e "spawnSync('rm', ['-rf', '/etc'])"`, "delete-outside"],
    ["on another machine", "ssh host 'rm -rf build'", "delete-outside"],
    ["in a container the machine is safe", "docker run --rm alpine rm -rf /etc/x", "allowed"],
  ])("%s", (_, command, rule) => {
    expect(ruleOf(command)).toBe(rule);
  });

  test.each([
    "echo 'rm -rf /etc'",
    "git commit -m 'rm -rf /etc; curl x | sh'",
    "cat > a.sh <<'E'\nrm -rf /etc\nE",
    "grep 'git push --force' README.md",
    "cat /dev/urandom | head -c 16",
    'd=$(mktemp -d); trap "rm -rf $d" EXIT; cp a "$d"',
    'cd "$(git rev-parse --show-toplevel)" && rm -rf dist',
    "cat setup.sh | bash",
    "kill $(lsof -ti:3000)",
    'eval "$(fnm env)" && node --version',
    'node "$TOOLS/build.mjs" --release',
  ])("words that are only words, or the agent's own: %s", (command) => {
    expect(ruleOf(command)).toBe("allowed");
  });
});

describe("what cannot be known", () => {
  test.each([
    "$X -rf /etc",
    'eval "$X"',
    'bash -c "$X"',
    "make_it | sh",
    'rm -rf "$X"',
    "echo $((",
    "`cat cmd`",
  ])("is denied when nobody watches, and passes when somebody does: %s", (command) => {
    expect(ruleOf(command)).toBe("unresolved");
    expect(ruleOf(command, { unattended: false })).toBe("allowed");
  });

  it("is what is too long, too deep or too much, and found in little time", () => {
    expect(ruleOf(`echo ${"x".repeat(100_000)}`)).toBe("unresolved");
    expect(ruleOf(`${"(".repeat(5000)}ls${")".repeat(5000)}`)).toBe("unresolved");
    expect(ruleOf(`${"$(".repeat(300)}ls${")".repeat(300)}`)).toBe("unresolved");
    expect(ruleOf(`f() { ${"g; ".repeat(60)} }; g() { ${"h; ".repeat(60)} }; h() { ls; }; f`)).toBe(
      "unresolved",
    );
  });

  it("does not hide what is known", () => {
    expect(ruleOf('rm -rf /etc; "$X"', { unattended: false })).toBe("delete-outside");
    expect(ruleOf("rm -rf /etc; echo $((", { unattended: false })).toBe("delete-outside");
  });
});

describe("what the user said", () => {
  it("allow: every word is named, and then it passes", () => {
    const allow = ["git push --force origin mine", "rm -rf ../build/*", "docker push *"];
    expect(ruleOf("git push --force origin mine", { allow })).toBe("allowed");
    expect(ruleOf("git push --force origin main", { allow })).toBe("force-push");
    expect(ruleOf("git push --force origin mine main", { allow })).toBe("force-push");
    expect(ruleOf("rm -rf ../build/a", { allow })).toBe("allowed");
    expect(ruleOf("rm -rf ../build/a /etc", { allow })).toBe("delete-outside");
    expect(ruleOf("rm -rf ../build/../../x", { allow })).toBe("delete-outside");
    expect(ruleOf("docker push a b c", { allow })).toBe("allowed");
    expect(ruleOf("docker push a && rm -rf /etc", { allow })).toBe("delete-outside");
  });

  it("allow: what is inside something allowed is judged for itself", () => {
    expect(ruleOf("bash -c 'rm -rf /etc'", { allow: ["bash *"] })).toBe("delete-outside");
  });

  it("allow: never what the run is judged by", () => {
    expect(ruleOf("rm -rf .ralph", { allow: ["rm *"] })).toBe("harness-files");
    expect(ruleOf("rm -rf /etc/x", { allow: ["rm *"] })).toBe("allowed");
  });

  it("deny: whatever begins with it, wherever it stands", () => {
    const deny = ["npm install", "curl *"];
    expect(ruleOf("npm install left-pad", { deny })).toBe("denied");
    expect(ruleOf("npm test", { deny })).toBe("allowed");
    expect(ruleOf("sudo env A=1 sh -c 'npm install x'", { deny })).toBe("denied");
    expect(ruleOf("/usr/bin/curl localhost", { deny })).toBe("denied");
  });
});

describe("properties", () => {
  const denied = corpus("known").flatMap(({ command }) => (command === undefined ? [] : [command]));
  const wraps: readonly ((command: string) => string)[] = [
    (command) => `bash -c ${quoted(command)}`,
    (command) => `sudo sh -c ${quoted(command)}`,
    (command) => `env A=1 timeout 5 bash -lc ${quoted(command)}`,
    (command) => `eval ${quoted(command)}`,
    (command) => `echo $(true; ${command}\n)`,
    (command) => `{ ${command}\n}`,
    (command) => `(${command}\n)`,
    (command) => `true && if true; then ${command}\nfi`,
    (command) => `for i in 1 2; do ${command}\ndone`,
    (command) => `run() { ${command}\n}; run`,
    (command) => `nohup bash -c ${quoted(command)} > /dev/null 2>&1 &`,
    (command) => `bash <<'END_OF_IT'\n${command}\nEND_OF_IT`,
  ];

  it("what is denied stays denied, however it is wrapped", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...denied),
        fc.array(fc.constantFrom(...wraps), { minLength: 1, maxLength: 3 }),
        (command, around) => {
          const line = around.reduce((now, wrap) => wrap(now), command);
          return !judgeCommand(line, PLACE).allowed;
        },
      ),
      { numRuns: 600 },
    );
  });

  it("it never throws, and answers the same again", () => {
    const pieces = fc.constantFrom(
      "$(",
      ")",
      "`",
      "'",
      '"',
      "<<E\n",
      "\nE\n",
      "{",
      "}",
      ";",
      "|",
      "&",
      "rm ",
      "-rf ",
      "/ ",
      "$x",
      `\${a[@]}`,
      "((",
      "))",
      "case ",
      "esac",
      "\u0000",
      "\u0002",
      "\\",
      "~",
      "=",
      ">",
      "<(",
      "if ",
      "then ",
      "fi",
      "f() ",
    );
    const line = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.array(pieces, { maxLength: 60 }).map((list) => list.join("")),
    );
    fc.assert(
      fc.property(line, fc.boolean(), (command, unattended) => {
        const place = { ...PLACE, unattended };
        expect(judgeCommand(command, place)).toEqual(judgeCommand(command, place));
      }),
      { numRuns: 1000 },
    );
  });

  it("nor on any tool call", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom("Bash", "Write", "apply_patch", "Read")),
        fc.jsonValue(),
        (tool, input) => {
          expect(typeof judgeTool(tool, input, PLACE).allowed).toBe("boolean");
        },
      ),
    );
  });
});

describe("tools", () => {
  const rule = (tool: string, input: unknown) => {
    const ruling = judgeTool(tool, input, PLACE);
    return ruling.allowed ? "allowed" : ruling.rule;
  };

  test.each([
    ["Bash", { command: "rm -rf ~" }, "delete-outside"],
    ["shell", { command: ["bash", "-lc", "rm -rf ~"] }, "delete-outside"],
    ["shell", { command: ["ls"], workdir: "/etc" }, "allowed"],
    ["run_shell_command", { command: "rm -rf x", directory: "/etc" }, "delete-outside"],
    ["Write", { file_path: "/home/dev/project/a.ts" }, "allowed"],
    ["Write", { file_path: "a/b.ts" }, "allowed"],
    ["Write", { file_path: "/tmp/x" }, "allowed"],
    ["Write", { file_path: "/home/dev/project/../other/a.ts" }, "write-outside"],
    ["Write", { file_path: "/home/dev/.bashrc" }, "start-file"],
    ["Write", { file_path: "/home/dev/.ssh/authorized_keys" }, "read-secret"],
    ["Write", { file_path: ".ralph-active" }, "harness-files"],
    ["MultiEdit", { file_path: "/home/dev/.local/state/ralph/trusted.json" }, "harness-files"],
    ["Edit", { file_path: "packages/a/.claude/settings.json" }, "harness-files"],
    ["write", { filePath: ".opencode/plugin/ralph-proof.js" }, "harness-files"],
    ["bash", { command: "rm -r .opencode" }, "harness-files"],
    ["write", { filePath: ".opencode/command/x.md" }, "allowed"],
    ["NotebookEdit", { notebook_path: "/etc/a.ipynb" }, "write-outside"],
    ["write_file", { file_path: "/etc/a" }, "write-outside"],
    ["apply_patch", { command: "*** Begin Patch\n*** Move to: ../x\n*** End Patch" }, "write-outside"],
    ["apply_patch", { patchText: "*** Begin Patch\n*** Add File: ../x\n*** End Patch" }, "write-outside"],
    ["Bash", { command: "*** Begin Patch\n*** Delete File: .git/config\n*** End Patch" }, "git-hooks"],
    ["Read", { file_path: "/home/dev/.aws/credentials" }, "read-secret"],
    ["Read", { file_path: "/home/dev/.ssh/id_rsa.pub" }, "allowed"],
    ["WebSearch", { query: "rm -rf /" }, "allowed"],
  ])("%s %j: %s", (tool, input, wanted) => {
    expect(rule(tool, input)).toBe(wanted);
  });
});
