import { toJsonSchema } from "@valibot/to-json-schema";
import { SCHEMA_URL, SettingsSchema } from "./schema.ts";

/**
 * The published JSON Schema (draft-07) of a settings file, from the same source as the parser. In a file of its own, so
 * that no run loads the converter.
 */
export function settingsJsonSchema(): object {
  // "output": a section is a pipe whose last schema is the object.
  const schema = toJsonSchema(SettingsSchema, { target: "draft-07", typeMode: "output" });
  const { $schema, ...rest } = schema;
  return {
    $schema,
    $id: SCHEMA_URL,
    title: "Settings of ralph",
    description: "The file .ralph/settings.json, or .ralph/settings.local.json beside it.",
    ...rest,
  };
}
