import { type Call, type Judge, table, type Verdict, worst, writing } from "./call.ts";
import { SECRET } from "./marks.ts";
import { readOptions } from "./options.ts";
import { isRemote } from "./rules-files.ts";
import { isOwnSecret } from "./secrets.ts";

/* Programs that talk to other machines, or take code from them. */

const CURL_DATA = ["d", "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json"];
const CURL_VALUED = [
  ...CURL_DATA,
  ..."F form form-string T upload-file o output X request H header u user A user-agent b cookie c cookie-jar e referer".split(
    " ",
  ),
  ..."K config x proxy m max-time connect-timeout retry retry-delay w write-out cacert cert key E D dump-header url output-dir".split(
    " ",
  ),
];

const curl: Judge = (call) => {
  const options = readOptions(call.args, CURL_VALUED);
  const urls = [...options.operands, ...options.values("url")];
  const given = [...options.values(...CURL_DATA), ...options.values("F", "form", "T", "upload-file")];
  const isFile = (value: string) => value.startsWith("@") || /=[@<]/.test(value);
  const sendsFile =
    options.values("T", "upload-file").length > 0 ||
    [...options.values(...CURL_DATA, "F", "form")].some(isFile);
  const verdicts: Verdict[] = [
    writing(call, options.values("o", "output", "output-dir", "D", "dump-header", "c")),
  ];
  const isDelete = options.values("X", "request").some((method) => method.toUpperCase() === "DELETE");
  if (!urls.every(isLocal)) {
    const everything = [
      ...urls,
      ...given,
      ...options.values("H", "header", "b", "cookie", "u", "user"),
      ...(sendsFile ? [call.stdin] : []),
    ];
    if (everything.some(tellsSecret)) verdicts.push("send-secret");
    else if (sendsFile) verdicts.push("send-files");
    if (isDelete) verdicts.push("cloud-delete");
  }
  return worst(verdicts);
};

const wget: Judge = (call) => {
  const options = readOptions(call.args, [
    "O",
    "output-document",
    "P",
    "directory-prefix",
    "post-data",
    "post-file",
    "body-file",
    "body-data",
    "header",
    "o",
    "a",
    "U",
    "T",
    "t",
    "e",
    "i",
  ]);
  const to = options.values("O", "output-document").filter((path) => path !== "-");
  const sends = options.values("post-file", "body-file");
  const tells = [...options.operands, ...options.values("post-data", "body-data", "header"), ...sends].some(
    tellsSecret,
  );
  const isFar = !options.operands.every(isLocal);
  return worst([
    isFar && tells ? "send-secret" : undefined,
    isFar && sends.length > 0 ? "send-files" : undefined,
    writing(call, [...to, ...options.values("P", "directory-prefix")]),
  ]);
};

/** Other clients of the web: what they read from their input, they send. */
const httpie: Judge = (call) => {
  const far = call.args.some((word) => /^(?:https?:\/\/|[\w.-]+\.[a-z]{2,})/.test(word) && !isLocal(word));
  const sends = call.args.some((word) => /[@]/.test(word) && !word.includes("://")) || call.stdin !== "";
  return far && (call.args.some(tellsSecret) || tellsSecret(call.stdin))
    ? "send-secret"
    : far && sends
      ? "send-files"
      : undefined;
};

const tellsSecret = (text: string) => text.includes(SECRET) || isOwnSecret(text.replace(/^[^@]*@/, ""));

/** Does an address name this machine? */
function isLocal(url: string): boolean {
  const host = /^(?:[a-z]+:\/\/)?(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(url)?.[1]?.toLowerCase() ?? "";
  return (
    /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|host\.docker\.internal)$/.test(host) ||
    host.endsWith(".localhost")
  );
}

const SHELLS = /(?:^|\/|:)(?:ba|z|da|k)?sh\b|cmd\.exe|powershell/i;

const netcat: Judge = (call) => {
  const options = readOptions(call.args, ["e", "c", "exec", "sh-exec", "p", "w", "s", "q", "i", "lua-exec"]);
  if (options.values("e", "c", "exec", "sh-exec", "lua-exec").length > 0) return "reverse-shell";
  if (options.has("z") || options.has("h", "help")) return undefined;
  if (options.has("l", "listen")) return "let-in";
  const host = options.operands[0] ?? "";
  if (isLocal(host)) return undefined;
  return tellsSecret(call.stdin) ? "send-secret" : "send-files";
};

const socat: Judge = ({ args }) =>
  args.some((word) => /^(?:exec|system|shell):/i.test(word) || SHELLS.test(word))
    ? "reverse-shell"
    : args.some((word) => /^(?:tcp|udp|openssl|ssl)\w*:/i.test(word) && !/localhost|127\.0\.0\.1/.test(word))
      ? "send-files"
      : undefined;

/** A name that is looked up is told to whoever answers for it. */
const lookup: Judge = ({ args }) => (args.some((word) => word.includes(SECRET)) ? "send-secret" : undefined);

const ssh: Judge = ({ args }) => {
  const options = readOptions(args, "BbcDEeFIiJLlmOopQRSWw".split(""), "first");
  return options.values("R").length > 0 || options.values("w").length > 0 ? "let-in" : undefined;
};

const secureCopy: Judge = (call) => {
  const options = readOptions(call.args, "cDFiJloPSX".split(""));
  const target = options.operands.slice(-1);
  return target.some(isRemote) ? "send-files" : writing(call, target);
};

const transfer: Judge = ({ stdin }) => (/\bm?put\b/.test(stdin) ? "send-files" : undefined);

const letIn: Judge = () => "let-in";

const tunnel: Judge = ({ args }) =>
  args.length === 0 || /^(?:--?version|version|--?help|help|status|ip|config)$/.test(args[0] ?? "")
    ? undefined
    : "let-in";

const mail: Judge = ({ stdin, args }) =>
  [...args, stdin].some(tellsSecret)
    ? "send-secret"
    : args.some((word) => word.includes("@"))
      ? "send-files"
      : undefined;

const copyToCloud: Judge = ({ args }) =>
  /^(?:copy|sync|move|copyto|moveto)$/.test(args[0] ?? "") && args.some((word) => /^[\w-]+:/.test(word))
    ? "send-files"
    : undefined;

const tls: Judge = (call) => {
  if (call.args[0] !== "s_client" || call.stdin === "") return undefined;
  return tellsSecret(call.stdin) ? "send-secret" : undefined;
};

/** A package by an address of its own, and not by its name in a registry. */
const isForeign = (word: string) =>
  /^(?:git\+|https?:|git:|ssh:|ftp:)/.test(word) &&
  !/^(?:git\+)?(?:https|ssh):\/\/(?:git@)?(?:github|gitlab)\.com\//.test(word);

const OTHER_REGISTRY = [
  "i",
  "index-url",
  "extra-index-url",
  "registry",
  "f",
  "find-links",
  "trusted-host",
  "default-index",
  "index",
];
const KNOWN_REGISTRY =
  /^https:\/\/(?:registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|download\.pytorch\.org|npm\.pkg\.github\.com)(?:\/|$)|^\.{0,2}\//;

const packages: Judge = ({ args }) => {
  const options = readOptions(args, [...OTHER_REGISTRY, "r", "c", "e", "t", "prefix", "w", "workspace"]);
  const registries = options.values(...OTHER_REGISTRY.filter((name) => name.length > 1 || name === "i"));
  const isOther = registries.some(
    (url) => /^https?:/.test(url) && !KNOWN_REGISTRY.test(url) && !isLocal(url),
  );
  return isOther || options.operands.some(isForeign) ? "foreign-package" : undefined;
};

const program: Judge = ({ args }) =>
  args.slice(0, 6).some((word) => isForeign(word)) &&
  ["run", "install", "x", "dlx", "exec", "tool"].includes(args[0] ?? "")
    ? "foreign-package"
    : undefined;

const keychain: Judge = ({ args }) =>
  /^(?:find-(?:generic|internet)-password|dump-keychain|export)$/.test(args[0] ?? "")
    ? "read-secret"
    : undefined;

const gpg: Judge = ({ args }) =>
  args.some((word) => word.startsWith("--export-secret")) ? "read-secret" : undefined;

const vault: Judge = ({ args }) =>
  /^(?:show|get|read|lookup|print|kv|item|export|reveal|ls)$/.test(args[0] ?? "") && args[0] !== "ls"
    ? "read-secret"
    : undefined;

/** Commands that print a key. */
const printsKey = ({ name, args }: Call): boolean => {
  const line = args.filter((word) => !word.startsWith("-")).join(" ");
  if (name === "gh" || name === "glab")
    return /^auth (?:token|status.*-t)/.test(line) || args.includes("--show-token");
  if (name === "aws")
    return /configure (?:get .*(?:secret|token|key)|export-credentials)|secretsmanager get-|ssm get-parameter|sts get-session/.test(
      line,
    );
  if (name === "gcloud") return /auth (?:application-default )?print-|secrets versions access/.test(line);
  if (name === "az") return /account get-access-token|keyvault secret show/.test(line);
  if (name === "kubectl" || name === "oc")
    return (
      /^(?:get|describe|edit) secrets?\b/.test(line) ||
      line.startsWith("get secret/") ||
      (line.startsWith("config view") && args.includes("--raw"))
    );
  if (name === "heroku") return /^config(?::get)?\b/.test(line);
  if (name === "npm") return /^token (?:list|create)/.test(line);
  return false;
};

const keyPrinter: Judge = (call) => (printsKey(call) ? "read-secret" : undefined);

/** What they are judged by. */
export const NETWORK_JUDGES = table([
  ["curl", curl],
  ["wget wget2", wget],
  ["http https xh httpie", httpie],
  ["nc ncat netcat", netcat],
  ["socat", socat],
  ["nslookup dig host ping drill", lookup],
  ["ssh autossh", ssh],
  ["scp", secureCopy],
  ["sftp ftp lftp tftp", transfer],
  ["ssh-copy-id sshd in.telnetd vncserver x11vnc teamviewer", letIn],
  ["ngrok cloudflared localtunnel lt bore frpc tailscale zerotier-cli chisel", tunnel],
  ["mail mailx sendmail mutt msmtp", mail],
  ["rclone", copyToCloud],
  ["openssl", tls],
  ["npm pnpm yarn npx pnpx pip pip3 pipx uv uvx gem easy_install", packages],
  ["deno bun bunx go cargo", program],
  ["security", keychain],
  ["gpg gpg2", gpg],
  ["pass op bw vault secret-tool", vault],
  ["gh glab aws gcloud az kubectl oc heroku", keyPrinter],
]);
