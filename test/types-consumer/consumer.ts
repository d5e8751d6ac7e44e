// A program of somebody else's, against the published types only.
import { EXIT_CODES, type LoopEvent, type Outcome, type RunSpec, run } from "ralph-proof";
import { fakeClock, memoryJournal, type Script, scriptedAgent } from "ralph-proof/testing";

const script: Script = { turns: [{ final: "<response>DONE</response>" }] };
const agent = scriptedAgent(script);
const controller = new AbortController();
const under = run(
  { agent: agent.spec, prompt: "do it", guardrails: ["true"] },
  { signal: controller.signal },
);

for await (const event of under) {
  if (event.type === "agent" && event.event.type === "text") event.event.text.trim();
  if (event.type === "gate.judged") event.verdict.pass satisfies boolean;
}
const outcome: Outcome = await under.outcome;
const code: number = EXIT_CODES[outcome.kind];
const spec: RunSpec["limits"] = { iterations: 1, failures: 1, waits: 1, noProgress: 0 };
const events: readonly LoopEvent[] = memoryJournal().events;
fakeClock().now();

// @ts-expect-error an outcome has no such kind
const wrong: Outcome = { kind: "perfect", reason: "" };

export { code, events, spec, wrong };
