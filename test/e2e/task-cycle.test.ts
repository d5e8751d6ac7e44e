// A list of three stories, in the stream format of every agent: each has another way through its reviews.
import type { Script } from "ralph-proof/testing";
import { describe, expect, test } from "vitest";
import { CAP_MARK } from "../../src/tasks/cap.ts";
import { story } from "../tasks/support.ts";
import { outcomeOf, prompts } from "./support.ts";
import { fix, implement, makeTaskWorld, playing, review } from "./task-world.ts";

/** Every voice that a script may have: the compiler asks for new ones. */
const VOICES = Object.keys({
  claude: true,
  codex: true,
  amp: true,
  copilot: true,
  gemini: true,
  qwen: true,
  opencode: true,
  cursor: true,
  text: true,
} satisfies Record<NonNullable<Script["voice"]>, true>) as NonNullable<Script["voice"]>[];

/** The priorities alone would order them the other way round. */
const THREE = [
  story("API", { priority: 1, dependsOn: ["LOGIC"] }),
  story("LOGIC", { priority: 2, dependsOn: ["SCHEMA"] }),
  story("SCHEMA", { priority: 3 }),
];

/** What happens, one line an iteration; the last review of API is the last that the cap allows. */
const PLAY = [
  ["implement SCHEMA", implement("SCHEMA")],
  ["review SCHEMA", review("SCHEMA", "an index is missing")],
  ["review-fix SCHEMA", fix("SCHEMA")],
  ["review SCHEMA", review("SCHEMA", "approved")],
  ["implement LOGIC", implement("LOGIC", { final: "All of it! <promise>COMPLETE</promise>" })],
  ["review LOGIC", review("LOGIC", "approved")],
  ["implement API", implement("API")],
  ["review API", review("API", "errors have no code")],
  ["review-fix API", fix("API")],
  ["review API", review("API", "the code is wrong")],
  ["review-fix API", fix("API")],
  ["review API", review("API", "the code is not documented")],
] as const;

describe.each(VOICES)("a three-story list, by an agent that speaks as %s", (voice) => {
  test("goes through implement, review with changes requested, fix, re-review and approval, and the stats agree", async () => {
    const world = makeTaskWorld(THREE);
    const agent = playing(
      world,
      PLAY.map(([, turn]) => turn),
      { voice },
    );
    const ended = await world.ralph(["run", "--tasks", "--review-cap", "3"]);
    expect(ended.code, ended.stderr).toBe(0);

    const turns = world.turns();
    expect(turns.map(({ mode, story: id }) => `${mode} ${id}`)).toEqual(PLAY.map(([what]) => what));
    expect(outcomeOf(world)).toMatchObject({
      kind: "verified",
      reason: "1 gate passed, every story is finished",
    });
    const lie = world.results()[4]?.notes;
    expect(lie).toEqual([expect.stringContaining("these stories are not finished: API, LOGIC")]);
    expect(prompts(agent)[5]).toContain(lie?.[0]);
    expect(
      world
        .results()
        .flatMap(({ notes }) => notes)
        .filter((note) => note !== lie?.[0]),
    ).toEqual([]);

    expect(world.story("API")).toMatchObject({
      passes: true,
      reviewStatus: "approved",
      reviewCount: 3,
      reviewFeedback: `${CAP_MARK} the code is not documented`,
    });
    expect(world.story("SCHEMA")).toMatchObject({ passes: true, reviewStatus: "approved", reviewCount: 2 });
    expect(world.story("LOGIC")).toMatchObject({ passes: true, reviewStatus: "approved", reviewCount: 1 });

    const counted = await world.ralph(["tasks", "stats", "--json", "--review-cap", "3"]);
    const stats = JSON.parse(counted.stdout);
    expect(stats).toMatchObject({
      stories: 3,
      finished: 3,
      averageReviews: 2,
      capHits: ["API"],
      distribution: [
        { reviews: 1, stories: 1 },
        { reviews: 2, stories: 1 },
        { reviews: 3, stories: 1 },
      ],
    });
    const happened = (id: string, mode: string) =>
      turns.filter((turn) => turn.mode === mode && turn.story === id).length;
    for (const { id, reviews, capHit, iterations } of stats.byStory) {
      expect({ id, reviews, capHit }).toEqual({ id, reviews: happened(id, "review"), capHit: id === "API" });
      for (const [mode, count] of Object.entries(iterations))
        expect([mode, count]).toEqual([mode, happened(id, mode)]);
    }
    expect(stats.iterations).toBe(PLAY.length);
  });
});
