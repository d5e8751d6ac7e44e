import { UserError } from "../../src/errors.ts";
import { judgeGuardrail } from "../../src/gates/guardrail.ts";
import { GROUP } from "../../src/supervise/means.ts";

/* A program for the tests: judges one shell line in the working folder, and says what came of it as JSON. */
const [command = ""] = process.argv.slice(2);

const said = await judgeGuardrail({
  gate: { kind: "guardrail", name: "g", command, failAction: "APPEND", timeoutMs: 30_000, flaky: false },
  project: process.cwd(),
  logPath: ".ralph/guardrail_001_g.log",
  truncateChars: 100,
  env: process.env,
  means: GROUP,
  hardStop: new AbortController().signal,
}).catch((error: unknown) => {
  if (!(error instanceof UserError)) throw error;
  return { what: error.what, why: error.why, fix: error.fix };
});
process.stdout.write(JSON.stringify(said));
