import { type Call, type Judge, table } from "./call.ts";
import { isKnown } from "./marks.ts";
import { readOptions } from "./options.ts";
import { whereIs } from "./paths.ts";
import { isDry } from "./rules-publish.ts";
import { losesData } from "./sql.ts";

/* Clouds, clusters, containers and databases. */

const LOSES =
  /^(?:delete|destroy|terminate|remove|rm|rb|purge|uninstall|drop|deregister|teardown|nuke|undeploy|evict|wipe)$/;
/** Backups and vaults have more words for it. */
const store: Judge = (call) => {
  const [first = "", second = ""] = readOptions(call.args, [
    "r",
    "repo",
    "address",
    "namespace",
    "vault",
  ]).operands;
  const loses = /^(?:prune|forget|disable|revoke|compact|rdelete|repo-delete|deletefile|rmdirs?|cleanup)$/;
  return loses.test(first) || loses.test(second) ? "cloud-delete" : cloud(call);
};

/** A program that the guard does not know, told to delete something: that is seldom a file of the project. */
export const stranger: Judge = ({ args }) => {
  if (isDry(args)) return undefined;
  const words = args.filter((word) => !word.startsWith("-")).slice(0, 3);
  return words.some((word) => /^(?:delete|destroy|purge|terminate|revoke)(?:[-_:]|$)/.test(word))
    ? "cloud-delete"
    : undefined;
};

/** Every cloud has a verb for it, alone or as a part of a word: `delete-table`, `apps:destroy`. */
const cloud: Judge = ({ args }) => {
  if (isDry(args.filter((word) => word !== "-n"))) return undefined;
  const words = readOptions(args, [
    "profile",
    "region",
    "p",
    "g",
    "n",
    "o",
    "output",
    "query",
    "project",
    "subscription",
    "m",
  ]).operands;
  const loses = words.slice(0, 5).some((word) =>
    word
      .split(/[-:]/)
      .slice(0, 2)
      .some((part) => LOSES.test(part)),
  );
  if (loses || words.includes("stop-instances")) return "cloud-delete";
  const sends =
    words.some((word) => /^(?:s3|gs):\/\//.test(word)) &&
    /^(?:cp|mv|sync|rsync)$/.test(words[1] ?? words[0] ?? "");
  const last = words.at(-1) ?? "";
  return sends && /^(?:s3|gs):\/\//.test(last) ? "send-files" : undefined;
};

const stack: Judge = ({ args }) => {
  const words = readOptions(args, ["chdir", "s", "stack", "C", "cwd"]).operands;
  const [verb = ""] = words;
  const isDestroy = args.some((word) => /^-{1,2}destroy$/.test(word));
  if (/^(?:destroy|down|remove|teardown)$/.test(verb) || (isDestroy && verb !== "plan"))
    return "cloud-delete";
  const isUnasked = args.some((word) =>
    /^(?:-{1,2}auto-approve(?:=true)?|--yes|-y|--skip-preview|-f)$/.test(word),
  );
  if ((verb === "apply" || verb === "up") && isUnasked) return "cloud-delete";
  const losesState = verb === "state" && /^(?:rm|push|mv)$/.test(words[1] ?? "");
  return losesState || (verb === "workspace" && words[1] === "delete") ? "cloud-delete" : undefined;
};

const cluster: Judge = ({ args }) => {
  if (isDry(args.filter((word) => word !== "-n"))) return undefined;
  const options = readOptions(args, [
    "n",
    "namespace",
    "context",
    "cluster",
    "f",
    "filename",
    "l",
    "selector",
    "replicas",
    "kubeconfig",
    "o",
  ]);
  const [verb = ""] = options.operands;
  if (/^(?:delete|drain|evict)$/.test(verb)) return "cloud-delete";
  if (verb === "replace" && options.has("force")) return "cloud-delete";
  return verb === "scale" && options.values("replicas").includes("0") ? "cloud-delete" : undefined;
};

const charts: Judge = ({ args }) => {
  const [verb = ""] = readOptions(args, ["n", "namespace", "kube-context"]).operands;
  return /^(?:uninstall|delete|del|un|rollback)$/.test(verb) && !isDry(args.filter((word) => word !== "-n"))
    ? "cloud-delete"
    : undefined;
};

const DOCKER_VALUED =
  "H host context c config l log-level v volume mount name w workdir e env p publish network u user f file t tag entrypoint cap-add security-opt pid ipc device env-file platform add-host".split(
    " ",
  );

const containers: Judge = (call) => {
  const options = readOptions(call.args, DOCKER_VALUED);
  const [first = "", second = ""] = options.operands;
  const isGroup =
    /^(?:container|image|volume|network|system|builder|compose|stack|service|swarm|machine|buildx|pod|secret)$/.test(
      first,
    );
  const verb = isGroup ? second : first;
  if (verb === "push" || (/^(?:build|bake)$/.test(verb) && options.has("push"))) return "publish-image";
  if (first === "compose" && verb === "down")
    return options.has("v", "volumes", "rmi") ? "container-data" : undefined;
  if (verb === "prune" || (first === "system" && /^(?:reset|prune)$/.test(verb))) return "container-data";
  if (first === "volume" && /^(?:rm|remove)$/.test(verb)) return "container-data";
  if (/^(?:rm|rmi|kill|stop|remove)$/.test(verb)) {
    return call.args.some((word) => !isKnown(word)) || options.has("all", "a") ? "container-data" : undefined;
  }
  if (/^(?:leave|rm)$/.test(verb) && isGroup) return "container-data";
  return /^(?:run|create|exec)$/.test(verb) ? escapes(call, options) : undefined;
};

function escapes(call: Call, options: ReturnType<typeof readOptions>): ReturnType<Judge> {
  if (options.has("privileged")) return "container-escape";
  if (options.values("cap-add").some((one) => /^(?:ALL|SYS_ADMIN|SYS_PTRACE|SYS_MODULE)$/i.test(one)))
    return "container-escape";
  if (options.values("pid", "ipc", "userns").includes("host")) return "container-escape";
  const mounted = [
    ...options.values("v", "volume").map((one) => one.split(":")[0] ?? ""),
    ...options.values("mount").flatMap((one) => [/(?:^|,)(?:source|src)=([^,]+)/.exec(one)?.[1] ?? ""]),
  ];
  const isMuch = (path: string) => {
    if (!/^[/~.]/.test(path)) return false; // a named volume
    const where = whereIs(path, call.cwd, call.place);
    const isProject = path === call.place.project || path === "." || path === "./";
    return (
      (where === "whole-project" && !isProject) ||
      where === "outside" ||
      where === "device" ||
      where === "harness" ||
      where === "keys"
    );
  };
  return mounted.some(isMuch) ? "container-escape" : undefined;
}

const enter: Judge = () => "container-escape";

/** A client of a database: what it is told by an option, an operand or its input. */
const database: Judge = ({ args, stdin, name }) => {
  const options = readOptions(args, [
    "c",
    "command",
    "e",
    "execute",
    "q",
    "query",
    "eval",
    "h",
    "host",
    "U",
    "u",
    "d",
    "p",
    "P",
    "D",
    "f",
    "file",
    "n",
  ]);
  const told = [
    ...options.values("c", "command", "e", "execute", "q", "query", "eval", "Q"),
    stdin,
    ...options.operands,
  ];
  const script = told.some((text) =>
    /\.(?:drop(?:Database)?|deleteMany|remove)\(\s*(?:\{\s*\}\s*)?\)/.test(text),
  );
  const words =
    name.startsWith("redis") || name === "valkey-cli" ? [options.operands.join(" "), ...told] : told;
  return script || words.some(losesData) ? "database-drop" : undefined;
};

const drop: Judge = () => "database-drop";

const admin: Judge = ({ args }) => (args.includes("drop") ? "database-drop" : undefined);

const restore: Judge = ({ args }) =>
  readOptions(args).has("c", "clean", "drop") ? "database-drop" : undefined;

/** Frameworks that empty a database by a verb of their own. */
const framework: Judge = ({ args }) => {
  const line = args.filter((word) => !word.startsWith("-")).join(" ");
  const isForced = args.some((word) => /^--(?:force|accept-data-loss|force-reset|drop|wipe)/.test(word));
  if (
    /(?:^|[\s/])(?:db:(?:drop|reset|wipe|purge|schema:load)|ecto\.(?:drop|reset)|migrate:(?:fresh|reset|refresh)|schema:drop|database:drop|sqlflush|reset_db)(?:\s|:|$)/.test(
      line,
    )
  )
    return "database-drop";
  if (/(?:^|\s|\/)manage\.py (?:flush|reset_db|sqlflush)/.test(line)) return "database-drop";
  if (/(?:^|\s)(?:migrate reset|db push)(?:\s|$)/.test(line) && (isForced || line.includes("migrate reset")))
    return "database-drop";
  return /(?:^|\s)(?:db reset|schema:drop|db drop)(?:\s|$)/.test(line) ? "database-drop" : undefined;
};

/** What they are judged by. */
export const SERVICE_JUDGES = table([
  [
    "aws gcloud gsutil az doctl oci ibmcloud hcloud linode-cli scw vultr-cli heroku flyctl fly vercel netlify wrangler firebase railway eksctl supabase",
    cloud,
  ],
  ["vault op bw doppler rclone restic borg velero duplicity consul nomad argocd flux", store],
  ["terraform tofu terragrunt pulumi cdk cdktf sam serverless sls", stack],
  ["kubectl oc", cluster],
  ["helm helmfile", charts],
  ["docker podman nerdctl docker-compose podman-compose", containers],
  ["nsenter chroot unshare", enter],
  [
    "psql mysql mariadb sqlite3 sqlite sqlcmd clickhouse-client clickhouse duckdb cqlsh cockroach redis-cli valkey-cli mongo mongosh bq usql",
    database,
  ],
  ["dropdb dropuser", drop],
  ["mysqladmin", admin],
  ["pg_restore mongorestore", restore],
  [
    "rails rake bundle php artisan python python3 django-admin manage.py prisma sequelize typeorm knex drizzle-kit mix npm yarn pnpm",
    framework,
  ],
]);
