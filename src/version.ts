declare const RALPH_VERSION: string | undefined;

/** The version of this program, put in by the build. */
export const VERSION: string = typeof RALPH_VERSION === "string" ? RALPH_VERSION : "0.0.0-source";
