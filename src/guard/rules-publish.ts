import { type Judge, table } from "./call.ts";
import { readOptions } from "./options.ts";

/* What is given to the world or taken back from it, and ralph itself. */

/** Does it only say what it would do? */
export const isDry = (args: readonly string[]) =>
  args.some((word) => /^(?:--dry-run(?:=(?!none).*)?|--dryrun|--check|--what-if|-n|--help|-h)$/.test(word));

const PUBLISH = /^(?:publish|unpublish|deprecate|upload|push|yank|owner|transfer|dist-tag|access)$/;

/** Package managers: what others install is changed by these verbs. */
const publisher: Judge = ({ name, args }) => {
  if (isDry(args) && !args.includes("-n")) return undefined;
  const words = readOptions(args, [
    "C",
    "w",
    "workspace",
    "filter",
    "F",
    "prefix",
    "p",
    "package",
    "manifest-path",
    "cwd",
  ]).operands;
  const [verb = "", second = ""] = words;
  const publishes = (word: string) =>
    PUBLISH.test(word) && !(word === "push" && name !== "gem" && name !== "dotnet");
  if (publishes(verb))
    return verb === "dist-tag" && second === "ls"
      ? undefined
      : /^(?:access|owner)$/.test(verb) && /^(?:ls|list)?$/.test(second)
        ? undefined
        : "publish-package";
  const isNested =
    verb === "npm" ||
    verb === "workspaces" ||
    verb === "nuget" ||
    verb === "hex.publish" ||
    verb === "workspace";
  if (
    verb === "hex.publish" ||
    (isNested && words.slice(1).some((word) => publishes(word) || word === "push"))
  )
    return "publish-package";
  return undefined;
};

const release: Judge = ({ args }) => (isDry(args) ? undefined : "publish-package");

const buildTool: Judge = ({ args }) =>
  args.some((word) =>
    /^(?:deploy(?::deploy)?|publish\w*|:?\w+:publish\w*|release:perform|uploadArchives|bintrayUpload|closeAndRelease\w*)$/.test(
      word,
    ),
  ) && !args.some((word) => word.endsWith("ToMavenLocal"))
    ? "publish-package"
    : undefined;

const hub: Judge = ({ args }) => {
  const options = readOptions(args, ["R", "repo", "X", "method", "H", "f", "F", "t", "b", "body", "title"]);
  const [first = "", second = ""] = options.operands;
  if (first === "api" && options.values("X", "method").some((one) => /^(?:DELETE|PUT|PATCH)$/i.test(one)))
    return "publish-release";
  if (
    /^(?:repo|release|gist|secret|variable|workflow|ssh-key|gpg-key|cache|codespace|label|issue)$/.test(
      first,
    ) &&
    second === "delete"
  )
    return "publish-release";
  if (first === "release" && /^(?:create|upload|edit)$/.test(second)) return "publish-release";
  if (first === "repo" && /^(?:archive|rename|edit|create)$/.test(second)) return "publish-release";
  if (first === "gist" && second === "create") return "send-files";
  if (first === "pr" && second === "merge" && options.has("admin")) return "publish-release";
  return first === "secret" && second === "set" ? "publish-release" : undefined;
};

const STEERS = /^(?:stop|rollback|undo|install-hooks|drive|archive)$/;

/** Ralph itself, from inside a run of its own: looking is fine, steering is not. */
const ralph: Judge = ({ args }) => {
  const [verb = ""] = readOptions(args, ["p", "prompt", "f"]).operands;
  if (STEERS.test(verb)) return "harness-run";
  return args.some((word) => /^--(?:trust|no-sandbox|no-guard)$/.test(word)) ? "harness-run" : undefined;
};

/** What they are judged by. */
export const PUBLISH_JUDGES = table([
  [
    "npm yarn pnpm bun cargo gem poetry uv hatch flit pdm twine mix dotnet nuget pub flutter dart pod vsce ovsx rush lerna changeset changesets",
    publisher,
  ],
  ["semantic-release goreleaser release-it np", release],
  ["mvn mvnw gradle gradlew sbt ant", buildTool],
  ["gh glab hub", hub],
  ["ralph ralph-proof", ralph],
]);
