import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { addMember, cutMember, propertiesOf, valueAt } from "./settings-text.ts";
import { type Hook, isOurs } from "./wiring.ts";

/** A settings text after a change, or why it cannot be changed. */
export type Changed = { readonly text: string } | { readonly fault: string };

/** Are our hooks in: these, none, or others (of another copy of ralph, or not all of them)? */
export type Presence = "in" | "out" | "other";

/** The settings with these hooks of ours and no others of ours. Pure; the same text when they are in. */
export function wire(text: string, hooks: readonly Hook[]): Changed {
  const bare = unwire(text);
  if ("fault" in bare) return bare;
  if (presenceIn(text, hooks) === "in") return { text };
  return hooks.reduce<Changed>((now, hook) => ("fault" in now ? now : addHook(now.text, hook)), bare);
}

/** The settings without any hook of ours. Pure; the same text when there is none. */
export function unwire(text: string): Changed {
  for (let now = text; ; ) {
    const read = readSettings(now);
    if ("fault" in read) return read;
    const ours = firstOurs(read.root);
    if (ours === undefined) return { text: now };
    now = cutMember(now, ours);
  }
}

/** Whether our hooks are in a settings text. */
export function presenceIn(text: string, hooks: readonly Hook[]): Presence | { readonly fault: string } {
  const read = readSettings(text);
  if ("fault" in read) return read;
  const found = propertiesOf(valueAt(read.root, "hooks")).flatMap(({ key: event, value }) =>
    oursIn(value).map((hook) => {
      const command = valueAt(hook, "command")?.value as unknown;
      return JSON.stringify([event, command, valueAt(hook, "timeout")?.value as unknown]);
    }),
  );
  if (found.length === 0) return "out";
  const wanted = hooks.map(({ event, command, timeout }) => JSON.stringify([event, command, timeout]));
  return found.toSorted().join("\n") === wanted.toSorted().join("\n") ? "in" : "other";
}

function addHook(text: string, { event, command, timeout }: Hook): Changed {
  const read = readSettings(text);
  if ("fault" in read) return read;
  const hooks = valueAt(read.root, "hooks");
  const list = valueAt(hooks, event);
  // What is missing on the way is put in first.
  const again = (now: string) => addHook(now, { event, command, timeout });
  if (hooks === undefined) return again(addMember(read.text, read.root, { key: "hooks", value: {} }));
  if (list === undefined) return again(addMember(read.text, hooks, { key: event, value: [] }));
  if (list.type !== "array") return { fault: `${JSON.stringify(event)} in its "hooks" is not a list` };
  const value = { hooks: [{ type: "command", command, timeout }] };
  return { text: addMember(read.text, list, { value }) };
}

/** Reads settings as far as hooks are concerned. A text that says nothing is an empty object. */
function readSettings(given: string): { root: Node; text: string } | { fault: string } {
  const text = given.trim() === "" ? "{}\n" : given;
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: false, disallowComments: false });
  } catch {
    return { fault: "it is nested too deep to be read" };
  }
  const [error] = errors;
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split("\n").length;
    return { fault: `it is not JSON (${printParseErrorCode(error.error)} in line ${line})` };
  }
  if (root?.type !== "object") return { fault: "it is not a JSON object" };
  return faultOf(root) ?? { root, text };
}

function faultOf(root: Node): { fault: string } | undefined {
  const all = propertiesOf(root).filter(({ key }) => key === "hooks");
  if (all.length > 1) return { fault: 'the key "hooks" stands in it twice' };
  const hooks = all[0]?.value;
  if (hooks === undefined) return undefined;
  if (hooks.type !== "object") return { fault: '"hooks" in it is not an object' };
  const seen = new Set<string>();
  for (const { key } of propertiesOf(hooks)) {
    if (seen.has(key)) return { fault: `the key ${JSON.stringify(key)} stands twice in its "hooks"` };
    seen.add(key);
  }
  return undefined;
}

/** Hooks of ours in the list of one event. */
function oursIn(list: Node): Node[] {
  return groupsOf(list).flatMap(({ hooks }) => hooks.filter(isOurHook));
}

function groupsOf(list: Node): { group: Node; hooks: readonly Node[] }[] {
  if (list.type !== "array") return [];
  return (list.children ?? []).map((group) => {
    const hooks = valueAt(group, "hooks");
    return { group, hooks: hooks?.type === "array" ? (hooks.children ?? []) : [] };
  });
}

function isOurHook(node: Node): boolean {
  return isOurs(valueAt(node, "command")?.value);
}

/** The first thing that is ours and as large as can be: a hook, its group, its event, or all the hooks. */
function firstOurs(root: Node): Node | undefined {
  const [all] = propertiesOf(root).filter(({ key }) => key === "hooks");
  const events = propertiesOf(all?.value);
  const isAll = (nodes: readonly unknown[], isIt: boolean) => nodes.length > 0 && isIt;
  const isOurGroup = ({ hooks }: { hooks: readonly Node[] }) => isAll(hooks, hooks.every(isOurHook));
  const isOurEvent = ({ value }: { value: Node }) => {
    const groups = groupsOf(value);
    return isAll(groups, groups.every(isOurGroup));
  };
  if (isAll(events, events.every(isOurEvent))) return all?.property;
  const event = events.find(isOurEvent);
  if (event !== undefined) return event.property;
  const groups = events.flatMap(({ value }) => groupsOf(value));
  return groups.find(isOurGroup)?.group ?? groups.flatMap(({ hooks }) => hooks).find(isOurHook);
}
