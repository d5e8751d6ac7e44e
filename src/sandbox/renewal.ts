import { isDeepStrictEqual } from "node:util";
import type { LoginFile } from "./usual.ts";

/** What a file of JSON holds. */
export type Fields = Readonly<Record<string, unknown>>;

/** The object that a text is in JSON; undefined for anything else. */
export function fieldsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The user's log-in with what was renewed of it inside; undefined when anything else was changed there. Whose tokens they are is
 * said by what stands beside them, and by what the tokens say of themselves: nobody's signature is checked.
 */
export function renewedLogin(mine: Fields, theirs: Fields, { part, renewed }: Login): Fields | undefined {
  const places = renewed.map((words) => {
    const mayMiss = words.endsWith("?");
    return { way: (mayMiss ? words.slice(0, -1) : words).split("/"), mayMiss };
  });
  if (part === undefined) return isRenewal(mine, theirs, places) ? theirs : undefined;
  return isRenewal(mine[part], theirs[part], places) ? { ...mine, [part]: theirs[part] } : undefined;
}

type Login = Pick<LoginFile, "part" | "renewed">;

/** A value that may change, by the keys that lead there. */
interface Place {
  readonly way: readonly string[];
  /** It may also be there on one side only. */
  readonly mayMiss: boolean;
}

function isRenewal(before: unknown, after: unknown, places: readonly Place[]): boolean {
  if (!isFields(before) || !isFields(after)) return isDeepStrictEqual(before, after);
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].every((key) => {
    const here = places.filter(({ way: [first] }) => first === "*" || first === key);
    const place = here.find(({ way }) => way.length === 1);
    const isInBoth = Object.hasOwn(before, key) && Object.hasOwn(after, key);
    if (place === undefined) {
      const below = here.map(({ way, mayMiss }) => ({ way: way.slice(1), mayMiss }));
      return isInBoth && isRenewal(before[key], after[key], below);
    }
    if (isInBoth) return isRenewed(before[key], after[key]);
    return place.mayMiss && sortOf(Object.hasOwn(before, key) ? before[key] : after[key]) !== undefined;
  });
}

function isRenewed(before: unknown, after: unknown): boolean {
  if (sortOf(after) === undefined || sortOf(before) !== sortOf(after)) return false;
  const owner = typeof before === "string" ? ownerOf(before) : undefined;
  return owner === undefined || (typeof after === "string" && isDeepStrictEqual(owner, ownerOf(after)));
}

/** What a token, a time or a list of rights may be; undefined for what it may not. */
function sortOf(value: unknown): "text" | "number" | "list" | undefined {
  if (value === null || isPrintable(value)) return "text";
  if (Number.isFinite(value)) return "number";
  return Array.isArray(value) && value.every(isPrintable) ? "list" : undefined;
}

/** No token is empty or holds a line break, which could become a header of its own in a request. */
function isPrintable(value: unknown): boolean {
  return typeof value === "string" && /^[ -~]+$/.test(value);
}

/** What a token says of whom it belongs to. */
const OF_THE_OWNER = "iss sub email account_id user_id chatgpt_account_id chatgpt_user_id".split(" ");

/** Whose a token is by its own words (a JWT); undefined where it says nothing. */
function ownerOf(token: string): readonly unknown[] | undefined {
  const parts = token.split(".");
  const [head, claims] = parts.map((part) => fieldsOf(Buffer.from(part, "base64url").toString("utf8")));
  if (parts.length !== 3 || head === undefined || claims === undefined) return undefined;
  // Services put claims of their own into an object under their own name.
  const groups = [claims, ...Object.values(claims).filter(isFields)];
  return groups.flatMap((group) =>
    OF_THE_OWNER.flatMap((name) => (Object.hasOwn(group, name) ? [[name, group[name]]] : [])),
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
