import type { AgentKind } from "../spec.ts";

/*
 * What is usual inside a sandbox, as data: which variables go in, what is hidden of a machine, and what an agent needs of the
 * user's home.
 */

/** Variables that say where and in which language a program runs. None of them is a secret. */
export const USUAL_VARIABLES: readonly string[] = [
  ..."PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TERM COLORTERM TZ NO_COLOR FORCE_COLOR CI NODE_ENV".split(
    " ",
  ),
  ..."GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL".split(" "),
  ..."RALPH_RUN_ID RALPH_ITERATION RALPH_MAX_ITERATIONS RALPH_PROJECT RALPH_PARENT_RUNS RALPH_PID_SPACES".split(
    " ",
  ),
  ..."RALPH_PROCESS_MARK RALPH_STATE_DIR RALPH_GUARD TASK_FOLDER".split(" "),
];

/** Variables by which agents are told their keys, their services and how to behave. */
export const AGENT_VARIABLES: Readonly<Record<AgentKind, readonly string[]>> = {
  claude: [
    "ANTHROPIC_*",
    "CLAUDE_*",
    "CLAUDECODE",
    "DISABLE_*",
    "MAX_THINKING_TOKENS",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_TIMEOUT_MS",
    "IS_SANDBOX",
  ],
  codex: ["OPENAI_*", "CODEX_*", "RUST_LOG"],
  amp: ["AMP_*"],
  copilot: ["COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"],
  gemini: ["GEMINI_*", "GOOGLE_*"],
  qwen: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*", "BAILIAN_*"],
  opencode: ["OPENCODE_*", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
  cursor: ["CURSOR_*"],
  custom: [],
};

/** Folders and files of a machine that are nobody's business inside: homes, mail, keys, sockets of services. */
export const HIDDEN: readonly string[] = [
  ..."/home /root /tmp /var/tmp /run /mnt /media /boot /lost+found".split(" "),
  ..."/etc/shadow /etc/shadow- /etc/gshadow /etc/gshadow- /etc/sudoers /etc/sudoers.d /etc/ssh".split(" "),
  ..."/etc/ssl/private /etc/docker /etc/kubernetes /etc/krb5.keytab /etc/wireguard".split(" "),
  ..."/var/spool /var/mail /var/log /var/backups /var/lib/docker /var/lib/containers /var/lib/sudo".split(
    " ",
  ),
];

/** What an agent keeps in the user's home and cannot work without: its log-in, its settings, its commands. Not its history. */
export const AGENT_HOMES: Readonly<Record<AgentKind, readonly string[]>> = {
  claude: [
    ".claude.json",
    ..."credentials.json settings.json settings.local.json CLAUDE.md commands agents skills plugins rules"
      .split(" ")
      .map((name) => (name === "credentials.json" ? ".claude/.credentials.json" : `.claude/${name}`)),
  ],
  codex: "auth.json config.toml AGENTS.md prompts rules skills hooks.json plugins"
    .split(" ")
    .map((name) => `.codex/${name}`),
  amp: [".config/amp", ".local/share/amp/secrets.json"],
  copilot: [".copilot/config.json", ".copilot/settings.json", ".copilot/mcp-config.json", ".copilot/agents"],
  gemini: "settings.json oauth_creds.json google_accounts.json installation_id GEMINI.md commands extensions"
    .split(" ")
    .map((name) => `.gemini/${name}`),
  qwen: "settings.json oauth_creds.json installation_id QWEN.md commands extensions"
    .split(" ")
    .map((name) => `.qwen/${name}`),
  opencode: [".config/opencode", ".local/share/opencode/auth.json"],
  cursor: [".cursor/cli-config.json", ".cursor/mcp.json", ".config/cursor/auth.json"],
  custom: [],
};

/** All that is left of it where the user's own settings are to stay out, of agents that can do without. */
export const BARE_HOMES: Readonly<Partial<Record<AgentKind, readonly string[]>>> = {
  codex: [".codex/auth.json"],
};

/** Variables that move such a folder elsewhere, and what they stand for. */
export const MOVED_HOMES: Readonly<Record<string, string>> = {
  CLAUDE_CONFIG_DIR: ".claude",
  CODEX_HOME: ".codex",
};

/** A file in which an agent keeps a log-in that its service renews. */
export interface LoginFile {
  /** The agent's name, for people. */
  readonly name: string;
  readonly path: string;
  /** The part of the file that is the log-in, where it holds more. */
  readonly part?: string;
  /** What a renewal changes: tokens, and when and for what they are good. `*` is any key; what ends in `?` may also come or go. */
  readonly renewed: readonly string[];
}

/**
 * The log-ins that are renewed, as these programs write them. Amp and Copilot keep keys that stay as they are; what Cursor renews
 * is not known well enough to tell a renewal from anything else.
 */
export const LOGINS: Readonly<Partial<Record<AgentKind, LoginFile>>> = {
  claude: {
    name: "Claude Code",
    path: ".claude/.credentials.json",
    part: "claudeAiOauth",
    renewed: [
      ..."accessToken refreshToken expiresAt refreshTokenExpiresAt? scopes subscriptionType?".split(" "),
      ..."subscriptionTypeSource? subscriptionTypeVerifiedAt? rateLimitTier?".split(" "),
    ],
  },
  codex: {
    name: "Codex",
    path: ".codex/auth.json",
    renewed: ["tokens/id_token", "tokens/access_token", "tokens/refresh_token", "last_refresh?"],
  },
  gemini: {
    name: "Gemini CLI",
    path: ".gemini/oauth_creds.json",
    renewed: "access_token refresh_token id_token? expiry_date scope? refresh_token_expires_in?".split(" "),
  },
  qwen: {
    name: "Qwen Code",
    path: ".qwen/oauth_creds.json",
    renewed: ["access_token", "refresh_token", "id_token?", "expiry_date"],
  },
  opencode: {
    name: "OpenCode",
    path: ".local/share/opencode/auth.json",
    renewed: ["*/access", "*/refresh", "*/expires"],
  },
};
