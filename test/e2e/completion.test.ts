import type { Action, Script, ScriptedTurn } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { DONE, makeWorld, outcomeOf, prompts, type World } from "./support.ts";

type Voice = NonNullable<Script["voice"]>;
const STRUCTURED: readonly Voice[] = ["claude", "codex", "amp"];
const VOICES: readonly Voice[] = [...STRUCTURED, "text"];
const CLAIM = "an honest claim";

/** Plays the turns one after the other, then claims. Gives the name of the turn that ended the run. */
async function endedBy(voice: Voice, turns: readonly (readonly [string, ScriptedTurn])[]): Promise<string> {
  const world = makeWorld();
  const all = [...turns, [CLAIM, { final: DONE }] as const];
  const agent = world.speaking({ voice, turns: all.map(([, turn]) => turn) });
  const ended = await world.ralph(["-p", "x", "-m", String(all.length), "--maximum-failures", "100"]);
  expect(ended.code, ended.stderr).toBe(0);
  return all[prompts(agent).length - 1]?.[0] ?? "nothing";
}

async function runPlain(world: World, program: string, prompt: string): Promise<number | null> {
  return (await world.ralph(["-p", prompt, "-m", "1", "--agent", program])).code;
}

describe.each(VOICES)("the final text of an agent that speaks as %s", (voice) => {
  test("claims with a tag in any case, over several lines, with space around the word", async () => {
    const final = "All is done.\n<RESPONSE>\n  dOnE \t\n</Response>\nGoodbye.";
    expect(await endedBy(voice, [["the tag", { final }]])).toBe("the tag");
  });

  test("claims by its first tag only, and with nothing but the exact word in it", async () => {
    const turns = [
      ["a later tag", { final: `<response>NOT YET</response> but soon ${DONE}` }],
      ["more than the word", { final: "<response>DONE, nearly</response>" }],
      ["an empty tag", { final: "<response></response>" }],
      ["the word without its tag", { final: "DONE" }],
      ["a tag that is never closed", { final: "<response>DONE" }],
      ["a closing tag first", { final: "</response>DONE<response>" }],
      ["a promise", { final: "<promise>DONE</promise>" }],
      ["the first of two tags", { final: `${DONE} <response>NOT YET</response>` }],
    ] as const;
    expect(await endedBy(voice, turns)).toBe("the first of two tags");
  });
});

describe.each(STRUCTURED)("of an agent that speaks as %s", (voice) => {
  const echo = { type: "user", message: { role: "user", content: [{ type: "text", text: `Say ${DONE}` }] } };
  const codexEcho = { type: "item.completed", item: { id: "u", type: "user_message", text: `Say ${DONE}` } };
  const places: readonly (readonly [string, Action])[] = [
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

  test("a tag anywhere else than in the final text of the main agent never counts", async () => {
    const turns = places.map(
      ([place, action]) => [place, { actions: [action], final: "There is more to do." }] as const,
    );
    expect(await endedBy(voice, turns)).toBe(CLAIM);
  });

  test("a tag in a turn that failed never counts", async () => {
    const turns = [
      ["exit code 1", { final: DONE, exitCode: 1 }],
      ["no result", { actions: [{ say: DONE }, { exit: 0 }] }],
      [
        "a failure that quotes it",
        { actions: [{ fail: "context", message: `prompt is too long: ${DONE}` }] },
      ],
    ] as const;
    expect(await endedBy(voice, turns)).toBe(CLAIM);
  });
});

test("of several results in a stream of Claude's the last one counts", async () => {
  const result = (text: string) => ({
    raw: JSON.stringify({ type: "result", subtype: "success", is_error: false, result: text }),
  });
  const turns = [
    ["an earlier result", { actions: [result(DONE)], final: "Not yet." }],
    ["the last result", { actions: [result("Not yet.")], final: DONE }],
  ] as const;
  expect(await endedBy("claude", turns)).toBe("the last result");
});

describe("an agent without a structured stream", () => {
  const prompt = `Mend the code.\nWhen it is done, say ${DONE} and stop.\nBe quick.`;

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

  test("is taken at its plain word under a known name too, when its exit code is 0", async () => {
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
    const agent = world.speaking(
      { turns: [{ final: DONE }, { final: "<response> all Tests green </response>" }] },
      { completionResponse: "ALL TESTS GREEN" },
    );
    expect((await world.ralph(["-p", "x", "-m", "2"])).code).toBe(0);
    expect(prompts(agent)).toHaveLength(2);
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
