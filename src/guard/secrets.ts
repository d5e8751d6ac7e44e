import { absolute, isWithin } from "./paths.ts";
import type { Place } from "./ruling.ts";

/** In a home folder: what opens something. */
const IN_HOME = [
  ".ssh",
  ".aws",
  ".gnupg",
  ".azure",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".yarnrc.yml",
  ".env",
  ".pgpass",
  ".my.cnf",
  ".git-credentials",
  ".config/git/credentials",
  ".docker/config.json",
  ".kube",
  ".config/gh",
  ".config/glab-cli",
  ".config/gcloud",
  ".config/hub",
  ".config/op",
  ".config/doctl",
  ".config/rclone",
  ".terraform.d",
  ".vault-token",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".composer/auth.json",
  ".m2/settings.xml",
  ".gradle/gradle.properties",
  ".password-store",
  ".local/share/keyrings",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  "Library/Keychains",
  "Library/Application Support/Google/Chrome",
  ".claude/.credentials.json",
  ".claude.json",
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
];
const IN_SYSTEM = [
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/sudoers",
  "/etc/ssl/private",
  "/run/secrets",
  "/var/run/secrets",
];
const OTHER_HOMES = ["/root", "/home", "/Users"];
/** In a secret folder, but for everybody's eyes. */
const HARMLESS = /(?:\.pub|\/known_hosts|\/\.ssh\/config)$/;

/** Does a path name something that opens something? */
export function isSecret(word: string, cwd: string, place: Place): boolean {
  const path = absolute(word, cwd, place.home);
  if (!path.startsWith("/") || HARMLESS.test(path)) return false;
  if (IN_SYSTEM.some((one) => isWithin(path, one))) return true;
  if (/^\/proc\/(?!self\/)[^/]+\/(?:environ|mem)$/.test(path)) return true;
  return homesOf(path, place.home).some((home) => IN_HOME.some((one) => isWithin(path, `${home}/${one}`)));
}

/** Does a folder hold such things somewhere below? */
export function holdsSecrets(word: string, cwd: string, place: Place): boolean {
  const path = absolute(word, cwd, place.home).replace(/\/\*$/, "") || "/";
  return isWithin(place.home, path) || path === "/root" || path === `${place.home}/.config`;
}

/** A file of the project's that holds secrets: it may be read, but not sent away. */
export function isOwnSecret(word: string): boolean {
  const name = word.slice(word.lastIndexOf("/") + 1);
  if (/\.(?:example|sample|template|dist|test)$/.test(name)) return false;
  return /^\.env(?:\.|$)|^(?:credentials|secrets?)\.\w+$|\.(?:pem|key|p12|pfx|keystore)$|^id_(?:rsa|ed25519|ecdsa)$/.test(
    name,
  );
}

function homesOf(path: string, home: string): string[] {
  const other = OTHER_HOMES.filter((root) => isWithin(path, root)).map((root) =>
    root === "/root" ? root : path.split("/").slice(0, 3).join("/"),
  );
  return [home, ...other];
}
