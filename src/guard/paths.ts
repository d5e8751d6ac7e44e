import { posix } from "node:path";
import { UNKNOWN } from "./marks.ts";
import type { Place } from "./ruling.ts";

/** Whose a path is, as far as its name tells: nothing is looked up on the disk. */
export type Where =
  | "project"
  /** The project folder itself, all that is in it, or its history. */
  | "whole-project"
  | "temp"
  | "device"
  /** `.git/hooks` and `.git/config`. */
  | "git"
  | "harness"
  | "start-file"
  | "keys"
  | "outside"
  /** It begins with something unknown. */
  | "unknown";

const TEMP = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/var/folders", "/private/var/folders"];
/** What can be written to without harm, though it stands in /dev. */
const STREAMS = new Set(["null", "stdout", "stderr", "stdin", "tty", "zero", "full", "random", "urandom"]);
/** In a project: what a run and its agent are held by. */
const HARNESS = [".ralph/settings.json", ".ralph/settings.local.json", ".ralph-active", ".codex/hooks.json"];
const HARNESS_FOLDERS = [".ralph", ".claude", ".codex", ".opencode"];
/** In the home folder or the system: what is read at each start. */
const START_FILES = [
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".config/fish",
  ".config/systemd",
  ".config/autostart",
  ".config/environment.d",
  ".pam_environment",
  ".xinitrc",
  ".xprofile",
  "Library/LaunchAgents",
];
const SYSTEM_START = [
  "/etc/cron",
  "/etc/systemd",
  "/etc/init.d",
  "/etc/rc",
  "/etc/profile",
  "/etc/bash",
  "/etc/zsh",
  "/etc/ld.so.preload",
  "/etc/environment",
  "/etc/xdg/autostart",
  "/usr/lib/systemd",
  "/lib/systemd",
  "/var/spool/cron",
  "/Library/Launch",
];

/** The absolute path of a word. One that begins with an unknown part stays unknown. */
export function absolute(word: string, cwd: string, home: string): string {
  if (word === "~" || word.startsWith("~/")) return posix.join(home, word.slice(1));
  if (word.startsWith("/")) return trimmed(posix.normalize(word));
  if (word.startsWith(UNKNOWN) || cwd.startsWith(UNKNOWN)) return UNKNOWN;
  return trimmed(posix.join(cwd, word));
}

/** Whose it is. */
export function whereIs(word: string, cwd: string, place: Place): Where {
  const path = absolute(word, cwd, place.home);
  if (!path.startsWith("/")) {
    // `$X/` is the root when the variable is empty.
    return /^[^\w.]*\/?\*?$/.test(word.replaceAll(UNKNOWN, "")) && word.includes("/") ? "outside" : "unknown";
  }
  const isOwn = path !== place.project && isWithin(path, place.project);
  // A folder of the project that holds what is protected is protected too; one outside is not the agent's anyway.
  if (place.protected.some((one) => isWithin(path, one) || (isOwn && isWithin(one, path)))) return "harness";
  if (/^\/proc\/self\/fd\/|^\/dev\/(?:fd|pts)\//.test(path)) return "temp";
  if (isWithin(path, place.project)) return inProject(path, place.project);
  if (isWithin(place.project, path)) return "whole-project"; // also where the project stands in a temporary folder
  if (isWithin(place.home, path)) return "outside";
  if (TEMP.some((folder) => path !== folder && isWithin(path, folder) && path !== `${folder}/*`))
    return "temp";
  if (isWithin(path, "/dev")) return STREAMS.has(path.slice(5)) ? "temp" : "device";
  const inHome = isWithin(path, place.home) ? path.slice(place.home.length + 1) : undefined;
  if (/(?:^|\/)\.ssh\/(?:authorized_keys2?|rc|environment)$/.test(path)) return "keys";
  if (SYSTEM_START.some((start) => path.startsWith(start))) return "start-file";
  if (inHome !== undefined && START_FILES.some((file) => isWithin(inHome, file))) return "start-file";
  if (inHome !== undefined && /^\.(?:claude\/settings.*\.json|codex\/hooks\.json|claude|codex)$/.test(inHome))
    return "harness";
  return "outside";
}

function inProject(path: string, project: string): Where {
  const inside = path.slice(project.length + 1);
  if (inside === "" || inside === "*" || inside === ".*" || inside === ".git" || inside === ".git/*")
    return "whole-project";
  const git = inside.startsWith(".git/") ? inside.slice(5) : undefined;
  if (git !== undefined && (isWithin(git, "hooks") || git === "config" || git === "info/attributes"))
    return "git";
  if (git !== undefined && isWithin(git, "refs")) return "whole-project";
  if (HARNESS.includes(inside) || HARNESS_FOLDERS.includes(inside.replace(/\/\*$/, ""))) return "harness";
  // OpenCode runs whatever stands among its plugins, ours too.
  if (/^\.opencode\/plugins?(?:\/.*)?$/.test(inside)) return "harness";
  return /(?:^|\/)\.claude\/(?:settings[^/]*\.json|hooks(?:\/.*)?)$/.test(inside) ? "harness" : "project";
}

/** Is a path this folder, or in it? */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function trimmed(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
