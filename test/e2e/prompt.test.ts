import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { argvs, DONE, makeWorld, outcomeOf, prompts } from "./support.ts";

/** A guardrail that always fails with one word of output. */
function red(word: string, failAction?: string) {
  return { command: `printf ${word}; exit 1`, ...(failAction === undefined ? {} : { failAction }) };
}

function message(word: string, iteration = "001"): string {
  return [
    `Guardrail "printf ${word}; exit 1" failed with exit code 1.`,
    `Output file: .ralph/guardrail_${iteration}_printf_${word}_exit_1.log`,
    "Output (truncated):",
    word,
  ].join("\n");
}

/** The prompts of two iterations in which these guardrails are red. */
async function promptsWith(guardrails: unknown[], rest: Record<string, unknown> = {}): Promise<string[]> {
  const world = makeWorld();
  const agent = world.speaking(
    { turns: [{ final: DONE }] },
    { guardrails, baseline: { enabled: false }, ...rest },
  );
  const ended = await world.ralph(["-p", "the work", "-m", "2"]);
  expect(ended.code).toBe(1);
  return prompts(agent);
}

describe("the base prompt", () => {
  test("is the text of --prompt, byte for byte", async () => {
    const world = makeWorld();
    const text = "  Grüße 🌍\n\n\t`$(touch pwned)` \"'\\ é\u00a0 \n";
    const agent = world.speaking({ turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", text])).code).toBe(0);
    expect(prompts(agent)).toEqual([text]);
    expect(world.read(".ralph/prompt_001.txt")).toBe(text);
    expect(world.has("pwned")).toBe(false);
  });

  test.each(["-f", "--prompt-file"])(
    "is the text of the file of %s, read anew in each iteration",
    async (flag) => {
      const world = makeWorld();
      world.write("tasks/prompt.md", "first\n");
      const agent = world.speaking({
        turns: [
          { actions: [{ write: "tasks/prompt.md", text: "second\n" }], final: "Hm." },
          { actions: [{ write: "tasks/prompt.md", text: "third\n" }], final: "Hm." },
          { final: DONE },
        ],
      });
      expect((await world.ralph([flag, "tasks/prompt.md"])).code).toBe(0);
      expect(prompts(agent)).toEqual(["first\n", "second\n", "third\n"]);
    },
  );

  test("may be a file outside the project", async () => {
    const world = makeWorld();
    writeFileSync(join(world.home, "outside.md"), "from elsewhere");
    const agent = world.speaking({ turns: [{ final: DONE }] });
    expect((await world.ralph(["-f", "../outside.md"])).code).toBe(0);
    expect(prompts(agent)).toEqual(["from elsewhere"]);
  });

  test.each(["claude", "codex", "amp", "text"] as const)(
    "of 300 KB reaches an agent that speaks as %s by standard input, never by argv",
    async (voice) => {
      const world = makeWorld();
      const text = "many words ".repeat(30_000);
      world.write("prompt.md", text);
      const agent = world.speaking({ voice, turns: [{ final: DONE }] }, { claimHint: false });
      expect((await world.ralph(["-f", "prompt.md"])).code).toBe(0);
      expect(prompts(agent)[0]).toBe(text);
      expect(argvs(agent)[0]?.join(" ").length).toBeLessThan(2_000);
      expect(argvs(agent)[0]?.join(" ")).not.toContain("many words");
    },
  );

  test("may be ignored by an agent that does not read it", async () => {
    const world = makeWorld();
    world.write("prompt.md", "many words ".repeat(30_000));
    world.install("deaf", `exec 0<&-; echo '${DONE}'`);
    expect((await world.ralph(["-f", "prompt.md", "--agent", "deaf"])).code).toBe(0);
  });

  test("that begins with a slash reaches Claude as text and others as it is", async () => {
    const world = makeWorld();
    const claude = world.speaking({ turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "/compact is broken, mend it"])).code).toBe(0);
    const [sent = ""] = prompts(claude);
    expect(sent).not.toMatch(/^\//);
    expect(sent.trimStart()).toBe("/compact is broken, mend it");
    const codex = world.speaking({ voice: "codex", turns: [{ final: DONE }] }, { claimHint: false });
    expect((await world.ralph(["-p", "/compact is broken, mend it"])).code).toBe(0);
    expect(prompts(codex)).toEqual(["/compact is broken, mend it"]);
  });

  test("is kept for each iteration as it was sent, in three digits", async () => {
    const world = makeWorld();
    const agent = world.speaking({ voice: "text", turns: [{ final: "Hm." }, { final: DONE }] });
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    const kept = world.ralphFiles().filter((name) => name.startsWith("prompt_"));
    expect(kept).toEqual(["prompt_001.txt", "prompt_002.txt"]);
    expect(kept.map((name) => world.read(`.ralph/${name}`))).toEqual(prompts(agent));
  });
});

describe("a guardrail that failed in the last iteration", () => {
  test("is appended to the prompt after two newlines with APPEND", async () => {
    const [first, second] = await promptsWith([red("broken", "APPEND")]);
    expect(first).toBe("the work");
    expect(second).toBe(`the work\n\n${message("broken")}`);
  });

  test("is appended when no fail action is named", async () => {
    expect((await promptsWith([red("broken")]))[1]).toBe(`the work\n\n${message("broken")}`);
  });

  test("is put before the prompt with two newlines with PREPEND", async () => {
    expect((await promptsWith([red("broken", "PREPEND")]))[1]).toBe(`${message("broken")}\n\nthe work`);
  });

  test("takes the prompt's place with REPLACE", async () => {
    expect((await promptsWith([red("broken", "REPLACE")]))[1]).toBe(message("broken"));
  });

  test("is told beside every other one that failed, each by its own fail action", async () => {
    const [, second] = await promptsWith([
      red("one", "APPEND"),
      red("two", "REPLACE"),
      { command: "true" },
      red("three", "PREPEND"),
      red("four", "REPLACE"),
      red("five", "APPEND"),
      red("six", "PREPEND"),
    ]);
    const order = ["three", "six", "two", "four", "one", "five"];
    expect(second).toBe(order.map((word) => message(word)).join("\n\n"));
  });

  test("is not told again when it passed since", async () => {
    const world = makeWorld();
    const agent = world.speaking(
      { turns: [{ final: "Hm." }, { actions: [{ write: "ok", text: "" }], final: "Hm." }, { final: DONE }] },
      { guardrails: [{ command: "test -e ok" }], baseline: { enabled: false } },
    );
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    expect(prompts(agent)[1]).toMatch(/^the work\n\nGuardrail "test -e ok" failed/);
    expect(prompts(agent)[2]).toBe("the work");
    expect(outcomeOf(world).kind).toBe("verified");
  });

  test("is combined with the text of a prompt file that changed", async () => {
    const world = makeWorld();
    world.write("prompt.md", "first");
    const agent = world.speaking(
      { turns: [{ actions: [{ write: "prompt.md", text: "second" }], final: "Hm." }] },
      { guardrails: [red("broken", "PREPEND")], baseline: { enabled: false } },
    );
    expect((await world.ralph(["-f", "prompt.md", "-m", "2"])).code).toBe(1);
    expect(prompts(agent)[1]).toBe(`${message("broken")}\n\nsecond`);
  });
});

describe("includeIterationCountInPrompt", () => {
  test("begins the prompt with the count and two newlines, before everything else", async () => {
    const [first, second] = await promptsWith([red("broken", "PREPEND")], {
      includeIterationCountInPrompt: true,
    });
    expect(first).toBe("Iteration 1 of 2, 1 remaining.\n\nthe work");
    expect(second).toBe(`Iteration 2 of 2, 0 remaining.\n\n${message("broken")}\n\nthe work`);
  });

  test("is off by default and can be switched off", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: DONE }] }, { includeIterationCountInPrompt: false });
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    expect(prompts(agent)).toEqual(["the work"]);
  });
});

describe("how to claim", () => {
  const HINT = /end your final message with <response>DONE<\/response>/;

  test("is told to Claude outside the prompt", async () => {
    const world = makeWorld();
    const agent = world.speaking({ turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    expect(prompts(agent)).toEqual(["the work"]);
    const [argv = []] = argvs(agent);
    expect(argv[argv.indexOf("--append-system-prompt") + 1]).toMatch(HINT);
  });

  test.each(["codex", "amp", "text"] as const)("is told as a last paragraph to %s", async (voice) => {
    const world = makeWorld();
    const agent = world.speaking({ voice, turns: [{ final: DONE }] });
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    const [prompt = ""] = prompts(agent);
    expect(prompt.startsWith("the work\n\n")).toBe(true);
    expect(prompt.slice("the work\n\n".length)).toMatch(HINT);
    expect(prompt.slice("the work\n\n".length)).not.toContain("\n");
  });

  test("is not told when the prompt names the tag, with --no-claim-hint, or when the setting says no", async () => {
    const world = makeWorld();
    const plain = world.speaking({ voice: "text", turns: [{ final: DONE }] });
    await world.ralph(["-p", "Say <Response>done</Response>."]);
    await world.ralph(["-p", "the work", "--no-claim-hint"]);
    const told = world.speaking({ voice: "text", turns: [{ final: DONE }] }, { claimHint: false });
    await world.ralph(["-p", "the work"]);
    expect(prompts(plain)).toEqual(["Say <Response>done</Response>.", "the work"]);
    expect(prompts(told)).toEqual(["the work"]);
  });

  test("names the word of the settings", async () => {
    const world = makeWorld();
    const agent = world.speaking(
      { voice: "text", turns: [{ final: "<response>SHIPPED</response>" }] },
      { completionResponse: "SHIPPED" },
    );
    expect((await world.ralph(["-p", "the work"])).code).toBe(0);
    expect(prompts(agent)[0]).toContain("<response>SHIPPED</response>");
  });
});
