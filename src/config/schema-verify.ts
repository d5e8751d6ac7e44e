import { key, notBlank, section } from "./schema-parts.ts";

/** The settings of how a receipt is checked. */
export const verify = section({
  setup: key(
    notBlank(),
    "A shell line that `ralph verify` runs in its clean checkout before the checks: npm ci. What git ignores is not there.",
  ),
});
