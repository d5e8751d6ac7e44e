// Writes schema/settings.schema.json from the same source as the parser. `--check` fails when the file is stale.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { settingsJsonSchema } from "../dist/settings-schema.js";

const path = new URL("../schema/settings.schema.json", import.meta.url);
const text = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;
if (process.argv.includes("--check")) {
  if (readFileSync(path, "utf8") !== text) {
    console.error("schema/settings.schema.json is stale: run `npm run schema` and commit it");
    process.exit(1);
  }
  console.log("schema: up to date");
} else {
  mkdirSync(new URL(".", path), { recursive: true });
  writeFileSync(path, text);
}
