/** Whether a JSON value is an object, and neither a list nor null. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Deep merge of two JSON values: objects are merged key by key, everything else of `local` replaces. */
export function deepMerge(base: unknown, local: unknown): unknown {
  if (!isObject(base) || !isObject(local)) return local;
  const keys = new Set([...Object.keys(base), ...Object.keys(local)]);
  // fromEntries defines keys rather than setting them, so that "__proto__" pollutes nothing.
  return Object.fromEntries(
    Array.from(keys, (key) => {
      if (!Object.hasOwn(local, key)) return [key, base[key]];
      return [key, Object.hasOwn(base, key) ? deepMerge(base[key], local[key]) : local[key]];
    }),
  );
}

/** The dotted paths of everything that is no object: `agent.command`, `guardrails`. */
export function leafKeys(value: unknown, prefix = ""): string[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    isObject(item) ? leafKeys(item, `${prefix}${key}.`) : [prefix + key],
  );
}
