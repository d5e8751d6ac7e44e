import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  hasSomethingToCommit,
  isGit,
  runScm,
  type ScmRequest,
  type ScmResult,
} from "../../src/scm/commit.ts";
import { untrackedFiles, workTree } from "../../src/scm/git.ts";
import { temporaryFolder, until } from "../supervise/folder.ts";
import {
  commitCount,
  committedFiles,
  emptyRepository,
  gitIn,
  repository,
  useNoGitSettings,
  write,
} from "./repository.ts";

useNoGitSettings();

const TRAILER = "Ralph-Run: run/1";

type Options = Partial<Omit<ScmRequest, "scm">> & { command?: string; tasks?: string[] };

function request(project: string, options: Options = {}): ScmRequest {
  const { command = "git", tasks = ["commit"], ...more } = options;
  const scm = { command, tasks };
  const { signal } = new AbortController();
  return { scm, project, message: "Mend it", mark: "run/1", untrackedBefore: new Set(), signal, ...more };
}

const run = (project: string, options?: Options): Promise<ScmResult> => runScm(request(project, options));
const head = (project: string) => gitIn(project, "rev-parse", "HEAD").trim();
const lastMessage = (project: string) => gitIn(project, "log", "-n1", "--format=%B").trimEnd();

/** A program that notes its arguments in `args`, one a line of JSON, and then does what it is told. */
function recorder(project: string, then = "exit 0"): string {
  const note = "process.stdout.write(JSON.stringify(process.argv.slice(1)) + '\\n')";
  const script = `#!/bin/sh\n"${process.execPath}" -e "${note}" -- "$@" >> "${join(project, "args")}"\n${then}\n`;
  const file = join(temporaryFolder(), "my scm");
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return `'${file}'`;
}

const noted = (project: string) =>
  readFileSync(join(project, "args"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as string[]);

describe("a signature in the history", () => {
  it("is not shown to a program that the repository's config names", async () => {
    const project = repository();
    const ran = join(temporaryFolder(), "ran");
    const file = join(temporaryFolder(), "gpg");
    writeFileSync(file, `#!/bin/sh\ntouch '${ran}'\nexit 1\n`, { mode: 0o755 });
    const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n eA==\n -----END PGP SIGNATURE-----";
    const plain = gitIn(project, "cat-file", "commit", "HEAD");
    const signed = join(temporaryFolder(), "commit");
    writeFileSync(
      signed,
      `${plain.replace(/^committer .*$/m, `$&\n${signature}`).trimEnd()}\n\nRalph-Run: run/1\n`,
    );
    gitIn(project, "update-ref", "HEAD", gitIn(project, "hash-object", "-t", "commit", "-w", signed).trim());
    gitIn(project, "config", "log.showSignature", "true");
    gitIn(project, "config", "gpg.program", file);
    expect(await run(project)).toEqual({ commit: head(project) });
    expect(existsSync(ran)).toBe(false);
  });
});

describe("a commit while another git holds the index", () => {
  /** A git that takes the lock away after the first commit that it refused, as the other one's end would. */
  function patientGit(project: string, before: string): string {
    const file = join(temporaryFolder(), "git");
    const lock = join(project, ".git/index.lock");
    const first = `if [ -e "${lock}" ]; then git "$@"; code=$?; rm "${lock}"; ${before}; exit $code; fi`;
    writeFileSync(file, `#!/bin/sh\ncase " $* " in *" commit "*) ${first};; esac\nexec git "$@"\n`);
    chmodSync(file, 0o755);
    writeFileSync(lock, "");
    return file;
  }

  it("waits for it", async () => {
    const project = repository();
    write(project, { "a.txt": "changed\n" });
    const done = await run(project, { command: patientGit(project, ":") });
    expect(done).toEqual({ commit: head(project) });
    expect(lastMessage(project)).toContain(TRAILER);
  });

  it("is not made twice when that one made it", async () => {
    const project = repository();
    write(project, { "a.txt": "changed\n" });
    const theirs = `git commit --quiet -am "Mend it" -m "${TRAILER}"`;
    const done = await run(project, { command: patientGit(project, theirs) });
    expect(done).toEqual({ commit: head(project) });
    expect(commitCount(project)).toBe(2);
  });
});

describe("a commit", () => {
  it("has what was changed, added and deleted, and a trailer by which it is found again", async () => {
    const project = repository({ "a.txt": "a\n", "b.txt": "b\n" });
    write(project, { "a.txt": "changed\n", "new/c.txt": "c\n" });
    rmSync(join(project, "b.txt"));
    const before = head(project);
    const result = await run(project);
    expect(result).toEqual({ commit: head(project) });
    expect(head(project)).not.toBe(before);
    expect(committedFiles(project)).toEqual(["a.txt", "new/c.txt"]);
    expect(gitIn(project, "show", "HEAD:a.txt")).toBe("changed\n");
    expect(lastMessage(project)).toBe(`Mend it\n\n${TRAILER}`);
    expect(gitIn(project, "log", "-n1", "--format=%(trailers:key=Ralph-Run,valueonly)").trim()).toBe("run/1");
    expect(gitIn(project, "status", "--porcelain")).toBe("");
  });

  it("can be the first of a repository", async () => {
    const project = emptyRepository();
    write(project, { "a.txt": "a\n" });
    expect(await run(project)).toEqual({ commit: head(project) });
    expect(committedFiles(project)).toEqual(["a.txt"]);
  });

  it.each([
    ["quotes", `Say "it's" \`here\` \\ there`],
    ["what a shell would run", "$(touch owned) `touch owned`; touch owned & touch owned | $HOME"],
    ["newlines", "Subject\n\nBody of\nseveral lines"],
    ["a leading dash", "--amend"],
    ["a dash alone", "-"],
    ["a comment sign", "# not a comment"],
    ["another trailer", "Subject\n\nSigned-off-by: A <a@example.invalid>"],
    ["no ASCII", "Größe 🙂 測試"],
    ["per cent signs", "100%H %B %n"],
  ])("takes a message with %s as it is", async (_, message) => {
    const project = repository();
    write(project, { "a.txt": "changed\n" });
    const before = head(project);
    expect(await run(project, { message })).toEqual({ commit: head(project) });
    expect(lastMessage(project)).toBe(`${message}\n\n${TRAILER}`);
    expect(gitIn(project, "rev-parse", "HEAD^").trim()).toBe(before);
    expect(existsSync(join(project, "owned"))).toBe(false);
  });

  it("leaves out what is ignored, and what stood there untracked before the run", async () => {
    const project = repository({ ".gitignore": "*.log\nout/\n" });
    write(project, { "users.txt": "u", "x.log": "l", "out/x": "o", "notes/mine": "m" });
    const untrackedBefore = new Set(await untrackedFiles(project));
    expect([...untrackedBefore].sort()).toEqual(["notes/mine", "users.txt"]);
    write(project, { "new.txt": "n", "y.log": "l", "out/y": "o", "notes/its": "i" });
    await run(project, { untrackedBefore });
    expect(committedFiles(project)).toEqual([".gitignore", "new.txt", "notes/its"]);
    expect(gitIn(project, "status", "--porcelain")).toBe("?? notes/mine\n?? users.txt\n");
  });

  it.each([
    "new\nline",
    "größe 🙂",
    "-dash",
    "--all",
    "*.txt",
    "a[b]?",
    ":(top)x",
    " lead",
    '"quoted"',
    "tab\t",
    "a\\b",
  ])("takes a file of the odd name %j, and no other for it", async (name) => {
    const project = repository({ "first.md": "" });
    write(project, { "users.txt": "u", ab: "u" });
    const untrackedBefore = new Set(await untrackedFiles(project));
    write(project, { [name]: "content" });
    expect(await run(project, { untrackedBefore })).toEqual({ commit: head(project) });
    expect(committedFiles(project).sort()).toEqual([name, "first.md"].sort());
  });

  it("of a folder below the top has its own new files, and no strangers'", async () => {
    const top = repository({ "sub/a.txt": "a\n", "b.txt": "b\n" });
    const project = join(top, "sub");
    write(top, { "stranger.txt": "s", "sub/new.txt": "n" });
    expect(await untrackedFiles(project)).toEqual(["new.txt"]);
    expect(await run(project)).toEqual({ commit: head(top) });
    expect(committedFiles(top)).toEqual(["b.txt", "sub/a.txt", "sub/new.txt"]);
  });
});

describe("nothing to commit", () => {
  it("is not an error, and the tasks after it still run", async () => {
    const project = repository();
    const before = head(project);
    expect(await run(project, { tasks: ["commit", "tag after"] })).toEqual({ nothingToCommit: true });
    expect(await run(project, { message: "", tasks: ["commit", "tag blank"] })).toEqual({
      nothingToCommit: true,
    });
    expect(head(project)).toBe(before);
    expect(gitIn(project, "tag").trim().split("\n")).toEqual(["after", "blank"]);
  });

  it("is known before the agent is asked for a message", async () => {
    const project = repository({ ".gitignore": "*.log\n", "a.txt": "a\n" });
    write(project, { "mine.txt": "m" });
    const untrackedBefore = new Set(["mine.txt"]);
    const has = (options: Options = {}) =>
      hasSomethingToCommit(request(project, { untrackedBefore, ...options }));
    expect(await has()).toBe(false);
    write(project, { "x.log": "ignored" });
    expect(await has()).toBe(false);
    write(project, { "new.txt": "n" });
    expect(await has()).toBe(true);
    expect(await has({ tasks: ["push"] })).toBe(false);
    rmSync(join(project, "new.txt"));
    write(project, { "a.txt": "b\n" });
    expect(await has()).toBe(true);
    gitIn(project, "add", "a.txt");
    expect(await has()).toBe(true);
    gitIn(project, "reset", "--hard", "--quiet");
    expect(await has()).toBe(false);
    expect(await has({ command: "jj" })).toBe(true);
  });
});

describe("an scm that fails", () => {
  it("is an error value: a commit without an identity", async () => {
    const project = repository();
    gitIn(project, "config", "--unset", "user.email");
    gitIn(project, "config", "user.useConfigOnly", "true");
    write(project, { "a.txt": "changed\n" });
    const before = head(project);
    const result = await run(project, { tasks: ["commit", "tag after"] });
    expect(Object.keys(result)).toEqual(["error"]);
    expect(result.error).toMatch(/^git commit: .*email/s);
    expect(head(project)).toBe(before);
    expect(gitIn(project, "tag")).toBe("");
  });

  it.each<[name: string, options: Options, error: RegExp]>([
    ["a folder that is no repository", {}, /^git commit: .*not a git repository/s],
    ["a git that is not there", { command: "/no/such/git" }, /^git commit: .*ENOENT/],
    ["a program that is not there", { command: "/no/such/scm" }, /^\/no\/such\/scm commit: .*ENOENT/],
    ["a task with an open quote", { tasks: ['push "origin'] }, /^git push "origin: /],
    ["a program with an open quote", { command: "my 'scm" }, /^my 'scm commit: /],
    ["a task that git does not know", { tasks: ["no-such-task"] }, /^git no-such-task: .*no-such-task/],
  ])("is an error value: %s", async (_, options, error) => {
    const result = await run(temporaryFolder(), options);
    expect(Object.keys(result)).toEqual(["error"]);
    expect(result.error).toMatch(error);
  });
});

describe("a run that must end at once", () => {
  it("does not wait for a task", async () => {
    const project = temporaryFolder();
    const controller = new AbortController();
    const command = recorder(project, "exec sleep 100");
    const result = run(project, { command, tasks: ["commit", "push"], signal: controller.signal });
    await until("the task", () => existsSync(join(project, "args")) && noted(project).length > 0);
    controller.abort();
    expect(Object.keys(await result)).toEqual(["error"]);
    expect(noted(project).length).toBe(1);
  });
});

describe("the same iteration", () => {
  it("is never committed twice", async () => {
    const project = repository();
    write(project, { "a.txt": "one\n" });
    const first = await run(project);
    write(project, { "a.txt": "two\n" });
    expect(await run(project)).toEqual(first);
    expect(commitCount(project)).toBe(2);
    expect(gitIn(project, "status", "--porcelain")).toBe(" M a.txt\n");
  });

  it("is found again below later commits", async () => {
    const project = repository();
    write(project, { "a.txt": "one\n" });
    const first = await run(project);
    gitIn(project, "commit", "--quiet", "--allow-empty", "--message=the user's own");
    write(project, { "a.txt": "two\n" });
    expect(await run(project)).toEqual(first);
  });

  it.each([
    ["a longer mark", "run/10", "Mend it"],
    ["a mark with another beginning", "a run/1", "Mend it"],
    ["a message that mentions it", "run/7", "See Ralph-Run: run/1 for more"],
  ])("is not taken for another, with %s", async (_, mark, message) => {
    const project = repository();
    write(project, { "a.txt": "one\n" });
    const other = await run(project, { mark, message });
    write(project, { "a.txt": "two\n" });
    const own = await run(project);
    expect(own.commit).toBe(head(project));
    expect(own).not.toEqual(other);
    expect(commitCount(project)).toBe(3);
  });

  it("has a mark, not a pattern", async () => {
    const project = repository();
    write(project, { "a.txt": "one\n" });
    await run(project, { mark: "runs/1" });
    write(project, { "a.txt": "two\n" });
    const first = await run(project, { mark: "r.*(s)+?/[1]" });
    write(project, { "a.txt": "three\n" });
    expect(first.commit).toBe(head(project));
    expect(await run(project, { mark: "r.*(s)+?/[1]" })).toEqual(first);
    expect(commitCount(project)).toBe(3);
  });
});

describe("programs that an agent planted in .git", () => {
  const bait = (file: string, project: string) => {
    writeFileSync(file, `#!/bin/sh\necho hit >> "${project}/../hit"\nexit 1\n`);
    chmodSync(file, 0o755);
  };

  it("do not run: hooks, monitors, signers", async () => {
    const outer = temporaryFolder();
    const project = join(outer, "project");
    const bare = join(outer, "bare.git");
    gitIn(outer, "init", "--quiet", "--bare", bare);
    gitIn(outer, "clone", "--quiet", repository(), project);
    gitIn(project, "remote", "set-url", "origin", bare);
    gitIn(project, "config", "user.name", "Test");
    gitIn(project, "config", "user.email", "test@example.invalid");
    const own = join(project, ".git", "planted");
    mkdirSync(own);
    for (const name of [
      "pre-commit",
      "prepare-commit-msg",
      "commit-msg",
      "post-commit",
      "pre-push",
      "post-index-change",
    ]) {
      bait(join(project, ".git", "hooks", name), project);
      bait(join(own, name), project);
    }
    bait(join(own, "program"), project);
    gitIn(project, "config", "core.fsmonitor", join(own, "program"));
    gitIn(project, "config", "commit.gpgSign", "true");
    gitIn(project, "config", "gpg.program", join(own, "program"));
    gitIn(project, "config", "core.editor", join(own, "program"));
    gitIn(project, "config", "diff.external", join(own, "program"));
    write(project, { "new.txt": "n" });
    for (const hooksPath of [undefined, own]) {
      if (hooksPath !== undefined) gitIn(project, "config", "core.hooksPath", hooksPath);
      write(project, { "a.txt": `${hooksPath}\n` });
      const mark = `run/${hooksPath}`;
      const options = { mark, tasks: ["commit", "push --quiet origin HEAD:main"] };
      expect(await hasSomethingToCommit(request(project, options))).toBe(true);
      const { error, commit } = await run(project, options);
      expect(error).toBeUndefined();
      expect(gitIn(bare, "rev-parse", "main").trim()).toBe(commit);
    }
    expect(existsSync(join(outer, "hit"))).toBe(false);
  });

  it("would be found out by this bait", () => {
    const outer = temporaryFolder();
    const project = join(outer, "project");
    gitIn(outer, "clone", "--quiet", repository(), project);
    bait(join(project, ".git", "hooks", "pre-commit"), project);
    const commit = () =>
      gitIn(project, "-c", "user.name=T", "-c", "user.email=t@t", "commit", "--allow-empty", "-mx");
    expect(commit).toThrow();
    expect(existsSync(join(outer, "hit"))).toBe(true);
  });
});

describe("other tasks", () => {
  it("run in order around the commit, words split as a shell would", async () => {
    const project = repository();
    const bare = join(temporaryFolder(), "bare.git");
    gitIn(project, "init", "--quiet", "--bare", bare);
    gitIn(project, "remote", "add", "origin", bare);
    const first = head(project);
    write(project, { "a.txt": "changed\n" });
    const result = await run(project, {
      tasks: ["tag before", " commit ", "push --quiet origin HEAD:main", "tag -a after -m 'two words $HOME'"],
    });
    expect(result).toEqual({ commit: head(project) });
    expect(gitIn(project, "rev-parse", "before").trim()).toBe(first);
    expect(gitIn(bare, "rev-parse", "main").trim()).toBe(result.commit);
    expect(gitIn(project, "tag", "-l", "-n9", "after").trim().replace(/\s+/g, " ")).toBe(
      "after two words $HOME",
    );
  });

  it("stop at the first that fails, and what was done before is told", async () => {
    const project = repository();
    write(project, { "a.txt": "changed\n" });
    const result = await run(project, { tasks: ["commit", "push nowhere HEAD:main", "tag after"] });
    expect(result.commit).toBe(head(project));
    expect(result.error).toMatch(/^git push nowhere HEAD:main: .*nowhere/s);
    expect(gitIn(project, "tag")).toBe("");
  });
});

describe("a program other than git", () => {
  it("gets `commit -am` and the message as one argument, and its own tasks", async () => {
    const project = temporaryFolder();
    const command = `${recorder(project)} --flag`;
    const message = 'Say "it"\n$(touch owned) -x';
    expect(await run(project, { command, message, tasks: ["commit", "push 'far away' -f"] })).toEqual({});
    expect(noted(project)).toEqual([
      ["--flag", "commit", "-am", `${message}\n\n${TRAILER}`],
      ["--flag", "push", "far away", "-f"],
    ]);
    expect(existsSync(join(project, "owned"))).toBe(false);
  });

  it("that fails is an error with its own last words", async () => {
    const project = temporaryFolder();
    const command = recorder(project, "echo 'no way' >&2; exit 3");
    expect(await run(project, { command, tasks: ["commit", "push"] })).toEqual({
      error: `${command} commit: no way`,
    });
    expect(noted(project).length).toBe(1);
    const silent = recorder(project, "exit 3");
    expect(await run(project, { command: silent })).toEqual({ error: `${silent} commit: exit code 3` });
  });

  it("is told from git by its name alone", () => {
    const named = (command: string) => isGit({ command, tasks: [] });
    expect(["git", "/usr/bin/git", "git.exe"].map(named)).toEqual([true, true, true]);
    expect(["jj", "mygit", "git-lfs", "git -C x"].map(named)).toEqual([false, false, false, false]);
  });
});

describe("the work tree", () => {
  it("is found from a folder below, and nowhere else", async () => {
    const top = repository({ "sub/a.txt": "a" });
    expect(await workTree(top)).toBe(top);
    expect(await workTree(join(top, "sub"))).toBe(top);
    expect(await workTree(temporaryFolder())).toBeUndefined();
    const bare = temporaryFolder();
    gitIn(bare, "init", "--quiet", "--bare");
    expect(await workTree(bare)).toBeUndefined();
    expect(await untrackedFiles(temporaryFolder())).toEqual([]);
  });
});
