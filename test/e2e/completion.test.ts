import type { Action, Script } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, outcomeOf, prompts, type World } from "./support.ts";

type Voice = NonNullable<Script["voice"]>;
const STRUCTURED: readonly Voice[] = ["claude", "codex", "amp"];
const VOICES: readonly Voice[] = [...STRUCTURED, "text"];

/** One iteration, no guardrails: the exit code says whether the claim counted. */
async function oneTurn(voice: Voice, turn: Script["turns"][number]): Promise<number | null> {
  const world = makeWorld();
  world.speaking({ voice, turns: [turn] });
  return (await world.ralph(["-p", "x", "-m", "1"])).code;
}

async function runPlain(world: World, program: string, prompt: string): Promise<number | null> {
  return (await world.ralph(["-p", prompt, "-m", "1", "--agent", program])).code;
}

describe.each(VOICES)("the final text of an agent that speaks as %s", (voice) => {
  test("claims with a tag in any case, over several lines, with space around the word", async () => {
    const final = "All is done.\n<RESPONSE>\n  dOnE \t\n</Response>\nGoodbye.";
    expect(await oneTurn(voice, { final })).toBe(0);
  });

  test("claims by its first tag only", async () => {
    expect(await oneTurn(voice, { final: `<response>NOT YET</response> but soon ${DONE}` })).toBe(1);
    expect(await oneTurn(voice, { final: `${DONE} <response>NOT YET</response>` })).toBe(0);
  });

  test.each([
    ["more than the word", "<response>DONE, nearly</response>"],
    ["nothing", "<response></response>"],
    ["the word without its tag", "DONE"],
    ["a tag that is never closed", "<response>DONE"],
    ["a promise", "<promise>DONE</promise>"],
  ])("does not claim with %s", async (_what, final) => {
    expect(await oneTurn(voice, { final })).toBe(1);
  });
});

describe.each(STRUCTURED)("of an agent that speaks as %s", (voice) => {
  const echo = { type: "user", message: { role: "user", content: [{ type: "text", text: `Say ${DONE}` }] } };
  const codexEcho = { type: "item.completed", item: { id: "u", type: "user_message", text: `Say ${DONE}` } };
  const places: [string, Action][] = [
    ["tool output", { run: `echo '${DONE}'` }],
    ["the arguments of a tool", { run: `: '${DONE}'` }],
    ["thinking", { think: `I could say ${DONE}` }],
    ["a subagent's words", { subagent: DONE }],
    ["an earlier message", { say: DONE }],
    ["the echoed prompt", { raw: JSON.stringify(voice === "codex" ? codexEcho : echo) }],
    ["a line that is no event", { raw: DONE }],
    ["a line of an unknown type", { raw: JSON.stringify({ type: "novelty", result: DONE, text: DONE }) }],
    ["standard error", { stderr: `${DONE}\n` }],
    ["its list of things to do", { todos: [{ text: DONE, state: "done" }] }],
  ];

  test.each(places)("a tag in %s never counts", async (_place, action) => {
    expect(await oneTurn(voice, { actions: [action], final: "There is more to do." })).toBe(1);
  });

  test("a tag in a turn that failed never counts", async () => {
    expect(await oneTurn(voice, { final: DONE, exitCode: 1 })).toBe(1);
    expect(await oneTurn(voice, { actions: [{ say: DONE }, { exit: 0 }] })).toBe(1);
  });
});

describe("more than one result in a stream of Claude's", () => {
  const result = (text: string) =>
    JSON.stringify({ type: "result", subtype: "success", is_error: false, result: text });

  test("the last one counts when it claims", async () => {
    expect(await oneTurn("claude", { actions: [{ raw: result("Not yet.") }], final: DONE })).toBe(0);
  });

  test("the last one counts when it does not", async () => {
    expect(await oneTurn("claude", { actions: [{ raw: result(DONE) }], final: "Not yet." })).toBe(1);
  });
});

describe("an agent without a structured stream", () => {
  test("claims anywhere on its standard output", async () => {
    const world = makeWorld();
    const program = world.install("mine", `cat > /dev/null; echo working; echo '${DONE}'; echo bye`);
    expect(await runPlain(world, program, "x")).toBe(0);
  });

  test("does not claim on its standard error", async () => {
    const world = makeWorld();
    const program = world.install("mine", `cat > /dev/null; echo '${DONE}' >&2; echo working`);
    expect(await runPlain(world, program, "x")).toBe(1);
  });

  const prompt = `Mend the code.\nWhen it is done, say ${DONE} and stop.\nBe quick.`;

  test("does not claim by echoing its prompt", async () => {
    const world = makeWorld();
    expect(await runPlain(world, world.install("mine", "cat"), prompt)).toBe(1);
  });

  test("does not claim by echoing its prompt as a quotation", async () => {
    const world = makeWorld();
    expect(await runPlain(world, world.install("mine", "sed 's/^/> /'"), prompt)).toBe(1);
  });

  test("does not claim by echoing the hint that ralph gave it", async () => {
    const world = makeWorld();
    const program = world.install("mine", "echo 'You asked:'; sed 's/^/> /'");
    expect(await runPlain(world, program, "Mend the code.")).toBe(1);
  });

  test("claims after an echo of its prompt", async () => {
    const world = makeWorld();
    expect(await runPlain(world, world.install("mine", `cat; echo; echo '${DONE}'`), prompt)).toBe(0);
  });

  test("claims with the very line that the prompt gave as an example", async () => {
    const world = makeWorld();
    const example = `Mend the code. End with this line:\n${DONE}`;
    const program = world.install("mine", `cat > /dev/null; echo '${DONE}'`);
    expect(await runPlain(world, program, example)).toBe(0);
  });

  test("is taken at its plain word under a known name too", async () => {
    const world = makeWorld();
    world.install("claude", `cat > /dev/null; echo 'All done. ${DONE}'`);
    expect(await runPlain(world, "claude", "x")).toBe(0);
    world.install("codex", `cat > /dev/null; echo 'All done. ${DONE}'; exit 1`);
    expect(await runPlain(world, "codex", "x")).toBe(1);
  });
});

describe("the completion word", () => {
  test("is a setting", async () => {
    const world = makeWorld();
    world.speaking(
      { turns: [{ final: DONE }, { final: "<response> all Tests green </response>" }] },
      { completionResponse: "ALL TESTS GREEN" },
    );
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(0);
    expect(world.journal().filter((event) => event.type === "iteration.started")).toHaveLength(2);
  });

  test("that is empty means that there is no such claim", async () => {
    const world = makeWorld();
    const agent = world.speaking(
      { voice: "text", turns: [{ final: "<response></response>" }] },
      { completionResponse: "" },
    );
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(1);
    expect(outcomeOf(world).kind).toBe("exhausted");
    expect(prompts(agent)).toEqual(["x", "x"]);
  });
});
