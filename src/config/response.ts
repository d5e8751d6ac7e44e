/**
 * What can stand between `<response>` and `</response>`: a `<` would begin another tag, and a longer text is taken for no
 * claim. The same pattern stands in the published JSON Schema.
 */
export const RESPONSE_PATTERN = /^[^<]{0,4096}$/;

/** The same in words. */
export const RESPONSE_WANTED = "a text without < and of at most 4096 characters";
