import { codeOf, messageOf, UserError } from "../errors.ts";
import { readNoFollow } from "../files.ts";
import { RECEIPT_VERSION, type Receipt, receiptFault } from "./schema.ts";

const MOST_BYTES = 4 * 1024 * 1024;

/** Reads a receipt from a file that anybody may have written. A UserError when it is none. */
export function readReceipt(path: string): Receipt {
  const value = parse(path, textIn(path));
  const isOther =
    typeof value === "object" && value !== null && "receipt" in value && Number.isInteger(value.receipt);
  if (isOther && value.receipt !== RECEIPT_VERSION) {
    throw new UserError(
      "cannot read the receipt",
      `${path} is of version ${String(value.receipt)}, and this ralph knows version ${RECEIPT_VERSION}`,
      "Use the ralph that wrote it, or a newer one.",
    );
  }
  const fault = receiptFault(value);
  if (fault === undefined) return value as Receipt;
  throw new UserError("this is no receipt", `${path}: ${fault}`, GET_ONE);
}

const GET_ONE = "Get one from whoever ran it: ralph receipt --json > receipt.json";

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "is not there",
  ELOOP: "is a link, and links are not followed here",
  EISDIR: "is a folder",
  ENOTFILE: "is no plain file",
  EFBIG: `is larger than ${MOST_BYTES / 1024 / 1024} MB, and no receipt is`,
};

function textIn(path: string): string {
  try {
    return readNoFollow(path, MOST_BYTES);
  } catch (error) {
    const why = WORDS[codeOf(error) ?? ""] ?? `cannot be read (${messageOf(error)})`;
    throw new UserError("cannot read the receipt", `${path} ${why}`, GET_ONE, { cause: error });
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UserError("cannot read the receipt", `${path} is cut off or no JSON`, GET_ONE, {
      cause: error,
    });
  }
}
