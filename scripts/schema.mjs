// Writes the JSON Schema of the settings and docs/settings.md, both from the same source as the parser.
// `--check` fails when one of them is stale.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { settingsJsonSchema } from "../dist/settings-schema.js";

const schema = settingsJsonSchema();
const files = {
  "../schema/settings.schema.json": `${JSON.stringify(schema, null, 2)}\n`,
  "../docs/settings.md": page(),
};
const stale = [];
for (const [path, text] of Object.entries(files)) {
  const url = new URL(path, import.meta.url);
  if (!process.argv.includes("--check")) {
    mkdirSync(new URL(".", url), { recursive: true });
    writeFileSync(url, text);
  } else if (readFileSync(url, "utf8") !== text) stale.push(path.slice(3));
}
if (stale.length > 0) {
  console.error(`${stale.join(" and ")}: stale; run \`npm run schema\` and commit`);
  process.exit(1);
}

function page() {
  return [
    "# Settings",
    "",
    "Made by `npm run schema` from the schema that the parser uses.",
    "",
    "`.ralph/settings.json` is the project's; `.ralph/settings.local.json` is yours: its objects are merged into the first, all else in it",
    "replaces. Flags beat both. A key that is not in this table or that stands twice, or a value of the wrong type, is an error that names the",
    "file, the key and the line.",
    "",
    "| key | what | type | default |",
    "|---|---|---|---|",
    ...rows(schema.properties, ""),
    "",
    "Durations are written `500ms`, `5s`, `10m`, `2h`, `1h30m`.",
    "",
  ].join("\n");
}

function rows(properties, prefix) {
  return Object.entries(properties).flatMap(([name, value]) => {
    const key = `${prefix}${name}`;
    const row = `| \`${key}\` | ${cell(value.description ?? "")} | ${typeOf(value)} | ${"default" in value ? `\`${JSON.stringify(value.default)}\`` : ""} |`;
    const below = value.properties ?? value.items?.properties;
    if (below === undefined) return [row];
    return [row, ...rows(below, value.items === undefined ? `${key}.` : `${key}[].`)];
  });
}

function typeOf(value) {
  if (value.anyOf !== undefined) return [...new Set(value.anyOf.map(typeOf))].join(", ");
  if (value.enum !== undefined) return cell(value.enum.map((one) => `\`${one}\``).join(", "));
  if (value.type === "array") return "list";
  return value.type ?? "";
}

function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
