/** A rule of the guard, in words. */
export interface Rule {
  readonly category: Category;
  readonly why: string;
  readonly instead: string;
}

/** The eighteen kinds of harm. */
export const CATEGORIES = {
  delete: "deleting files that are not the agent's",
  overwrite: "writing files that are not the agent's",
  disk: "disks, partitions and mounts",
  privileges: "rights, owners and accounts",
  system: "the machine: power, services, firewall, kernel, packages",
  processes: "ending or drowning other processes",
  "git-history": "history that others have, or the way back to it",
  "git-discard": "work that is in no commit yet",
  "git-config": "settings and hooks by which git runs code",
  secrets: "keys, tokens and passwords",
  exfiltration: "sending files or secrets away",
  "remote-code": "running what nobody has read",
  backdoor: "ways into this machine",
  persistence: "what runs again later, or at each start",
  infrastructure: "clouds, clusters and containers",
  database: "losing what a database holds",
  publish: "giving something to the world, or taking it away",
  harness: "the files and runs of ralph itself, and the hooks of agents",
} as const;
export type Category = keyof typeof CATEGORIES;

const rule = (category: Category, why: string, instead: string): Rule => ({ category, why, instead });

const IN_PROJECT = "Keep to the project and to temporary folders (/tmp).";
const ASK_USER = "Leave this to your user: say what is needed, and why.";

/** Every rule by its name. */
export const RULES = {
  "delete-outside": rule("delete", "it deletes files outside the project", IN_PROJECT),
  "delete-project": rule(
    "delete",
    "it deletes the project or its history",
    "Name the files and folders that are to go.",
  ),
  "write-outside": rule("overwrite", "it writes or moves files outside the project", IN_PROJECT),
  "write-device": rule("disk", "it writes to a device", IN_PROJECT),
  "disk-tool": rule("disk", "it changes disks, partitions or mounts", ASK_USER),
  "wide-rights": rule(
    "privileges",
    "it changes rights or owners outside the project",
    "Change the rights of single files in the project: chmod +x scripts/build.sh",
  ),
  setuid: rule("privileges", "it lets a program run with somebody else's rights", ASK_USER),
  accounts: rule("privileges", "it changes accounts, or who may do what, or opens another's shell", ASK_USER),
  power: rule("system", "it switches the machine off or restarts it", ASK_USER),
  services: rule(
    "system",
    "it stops or changes a service of the machine",
    "Start what you need as a process of your own, on a port of its own.",
  ),
  network: rule("system", "it changes the firewall or the network of the machine", ASK_USER),
  kernel: rule("system", "it changes the kernel or settings of the whole machine", ASK_USER),
  "remove-packages": rule("system", "it removes packages of the machine", ASK_USER),
  "kill-others": rule(
    "processes",
    "it ends processes that the agent did not start",
    "End your own process by its number: npm start & pid=$!; …; kill $pid",
  ),
  "fork-bomb": rule("processes", "it starts processes without end", "Start a fixed number of processes."),
  exhaust: rule("processes", "it fills the disk or the memory", "Set a limit: head -c 1M, count=…"),
  "force-push": rule(
    "git-history",
    "it overwrites commits that others may have",
    "git push --force-with-lease on a branch of your own, or a new commit.",
  ),
  "delete-remote": rule("git-history", "it deletes a branch or tag of others", ASK_USER),
  "rewrite-history": rule(
    "git-history",
    "it rewrites or cuts the history",
    "Make a new commit that mends what is wrong (git revert).",
  ),
  "drop-recovery": rule("git-history", "it takes the way back to lost commits away", "Leave it to git gc."),
  "delete-branch": rule(
    "git-history",
    "it deletes a branch that may not be merged",
    "git branch -d, which only deletes what is merged.",
  ),
  "discard-edits": rule(
    "git-discard",
    "it throws away edits that are in no commit",
    "git stash, or name the single file: git restore src/a.ts",
  ),
  "discard-untracked": rule(
    "git-discard",
    "it deletes files that git does not know",
    "See what it would be with git clean -n, and delete those by name.",
  ),
  "discard-stash": rule("git-discard", "it throws stashed work away", "git stash pop, or leave it."),
  "git-code": rule(
    "git-config",
    "it makes git run a program or trust a place that the user did not choose",
    "Run the program itself, where it can be seen.",
  ),
  "git-hooks": rule("git-config", "it changes .git/hooks or .git/config", "Add a script to the project."),
  "git-remote": rule("git-config", "it changes where git pushes to or fetches from", ASK_USER),
  "read-secret": rule(
    "secrets",
    "it reads keys, tokens or passwords",
    "Work without them, or say which variable is to be set.",
  ),
  "send-secret": rule("exfiltration", "it sends secrets away", ASK_USER),
  "send-files": rule("exfiltration", "it sends files to another machine", ASK_USER),
  "run-fetched": rule(
    "remote-code",
    "it runs what comes from the network unread",
    "Download it into the project, read it, and then run it in a step of its own.",
  ),
  "run-hidden": rule("remote-code", "it runs what was made unreadable", "Write the command out."),
  "foreign-package": rule(
    "remote-code",
    "it installs or runs code from a place that is no package registry",
    "Take the package from its registry, by name and version.",
  ),
  "reverse-shell": rule("backdoor", "it gives a shell of this machine to the network", ASK_USER),
  "let-in": rule("backdoor", "it lets others into this machine", ASK_USER),
  schedule: rule(
    "persistence",
    "it makes something run later or again",
    "Run it now, as a step of the task.",
  ),
  "start-file": rule("persistence", "it changes what runs at each start or log-in", ASK_USER),
  "cloud-delete": rule("infrastructure", "it deletes or stops what runs in a cloud or cluster", ASK_USER),
  "container-data": rule(
    "infrastructure",
    "it deletes containers or data that it did not name or make",
    "Remove your own container by its name: docker rm -f test-db",
  ),
  "container-escape": rule(
    "infrastructure",
    "it gives a container the whole machine",
    'Give it the project only: docker run -v "$PWD:/app"',
  ),
  "database-drop": rule(
    "database",
    "it drops, empties or changes all of a database or table",
    "Use a test database that the tests make themselves; give DELETE and UPDATE a WHERE.",
  ),
  "publish-package": rule("publish", "it publishes, or takes back, what others install", "Use --dry-run."),
  "publish-image": rule("publish", "it publishes an image", "Build it without pushing."),
  "publish-release": rule("publish", "it releases, merges past the rules, or deletes a repository", ASK_USER),
  "harness-files": rule(
    "harness",
    "it changes the settings, hooks or records that the run is judged by",
    "Leave them: if a check is wrong, say so in your answer.",
  ),
  "harness-run": rule(
    "harness",
    "it steers ralph from inside its own run",
    "Finish your turn: ralph decides what comes next.",
  ),
} as const satisfies Record<string, Rule>;
export type RuleName = keyof typeof RULES;

/** What is denied because it cannot be known, and because the settings say so: these belong to no category of harm. */
export const OTHER_RULES = {
  unresolved: {
    category: "unresolved",
    why: "what it would do cannot be known before it runs, and nobody watches",
    instead: "Write the command out: no computed command words, code or targets of deletions.",
  },
  denied: {
    category: "settings",
    why: "the settings of the project deny it (guard.deny)",
    instead: "Find another way, or say that it is needed.",
  },
} as const;
