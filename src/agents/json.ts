/** A JSON object whose values nobody has vouched for yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

const EMPTY: JsonObject = {};

/** Whether a value is a JSON object (an array is none). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object on a line, or undefined when the line holds anything else. Never throws. */
export function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON is an answer here, not a failure
  }
}

/** The object under a key, an empty one when there is none. */
export function objectAt(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return isObject(value) ? value : EMPTY;
}

/** The string under a key, if it is one. */
export function stringAt(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" ? value : undefined;
}

/** The number under a key, if it is a finite one. */
export function numberAt(object: JsonObject, key: string): number | undefined {
  const value = object[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A count under a key: 0 when the program does not tell it or tells nonsense. */
export function countAt(object: JsonObject, key: string): number {
  return Math.max(0, numberAt(object, key) ?? 0);
}

/** The elements of the array under a key, none when there is no array. */
export function arrayAt(object: JsonObject, key: string): readonly unknown[] {
  const value = object[key];
  return Array.isArray(value) ? value : [];
}

/** The objects in the array under a key; everything else in it is passed over. */
export function objectsAt(object: JsonObject, key: string): readonly JsonObject[] {
  return arrayAt(object, key).filter(isObject);
}
