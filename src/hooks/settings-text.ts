import type { Node } from "jsonc-parser";

/*
 * Changes of a JSON text that leave every byte alone that they are not about. A formatter would write whole lines anew that
 * somebody else wrote.
 */

/** Puts a member at the end of an object (with its key) or of a list, on a line of its own where the others have one. */
export function addMember(text: string, into: Node, member: { key?: string; value: unknown }): string {
  const key = member.key === undefined ? "" : `${JSON.stringify(member.key)}: `;
  const piece = key + JSON.stringify(member.value);
  const last = into.children?.at(-1);
  const at = last === undefined ? into.offset + 1 : endOf(last);
  const comma = last === undefined ? "" : ",";
  if (isInline(text, into)) return splice(text, at, at, `${comma}${comma === "" ? "" : " "}${piece}`);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const outer = indentAt(text, into.offset);
  const inner = last === undefined ? outer + unitOf(text) : indentAt(text, last.offset);
  const rest = last === undefined ? eol + outer : "";
  return splice(text, at, at, `${comma}${eol}${inner}${piece}${rest}`);
}

/** Takes one member out of what it stands in, with the comma and the space that came with it. */
export function cutMember(text: string, node: Node): string {
  const siblings = node.parent?.children ?? [];
  const at = siblings.indexOf(node);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  if (before !== undefined) return splice(text, endOf(before), endOf(node), "");
  if (after !== undefined) return splice(text, node.offset, after.offset, "");
  const { offset, length } = node.parent ?? node;
  const [from, to] = [offset + 1, offset + length - 1];
  const left = text.slice(from, node.offset) + text.slice(endOf(node), to);
  // A comment of somebody's may stand beside it.
  return left.trim() === "" ? splice(text, from, to, "") : splice(text, node.offset, endOf(node), "");
}

/** The value under a key of an object. */
export function valueAt(node: Node | undefined, key: string): Node | undefined {
  return propertiesOf(node).find((one) => one.key === key)?.value;
}

/** The keys of an object with their values, as they stand in the text. */
export function propertiesOf(node: Node | undefined): { key: string; value: Node; property: Node }[] {
  if (node?.type !== "object") return [];
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined || value === undefined ? [] : [{ key: String(key.value), value, property }];
  });
}

function splice(text: string, from: number, to: number, piece: string): string {
  return text.slice(0, from) + piece + text.slice(to);
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** Do its members stand in one line with it? One without members does as what it stands in. */
function isInline(text: string, node: Node): boolean {
  const [first] = node.children ?? [];
  if (first !== undefined) return !text.slice(node.offset, first.offset).includes("\n");
  const around = node.parent?.type === "property" ? node.parent.parent : node.parent;
  return around !== undefined && isInline(text, around);
}

/** One step of indentation, as it is found. */
function unitOf(text: string): string {
  return /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
}

/** The white space with which the line of this place begins. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}
