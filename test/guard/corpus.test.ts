import { describe, expect, it } from "vitest";
import { CATEGORIES, RULES } from "../../src/guard/rules.ts";
import { corpus, judge } from "./place.ts";

describe("the corpora", () => {
  const known = corpus("known");
  const heldOut = corpus("held-out");
  const benign = corpus("benign");

  it("are large enough, and cover every category", () => {
    for (const samples of [known, heldOut, benign]) expect(samples.length).toBeGreaterThanOrEqual(150);
    const categories = Object.keys(CATEGORIES).toSorted();
    expect(categories).toHaveLength(18);
    for (const samples of [known, heldOut]) {
      expect([...new Set(samples.map(({ category = "" }) => category))].toSorted()).toEqual(categories);
    }
  });

  it("share no sample", () => {
    const all = [...known, ...heldOut, ...benign].map(({ command, tool, input }) =>
      JSON.stringify(command ?? [tool, input]),
    );
    expect(new Set(all).size).toBe(all.length);
  });

  it("at least 95 % of what is known to be dangerous is denied", () => {
    const missed = known.filter((one) => judge(one).allowed);
    expect(missed.length / known.length, JSON.stringify(missed, null, 1)).toBeLessThanOrEqual(0.05);
  });

  it("at most 2 % of what agents do every day is denied", () => {
    const wrong = benign.map((one) => ({ ...one, ...judge(one) })).filter(({ allowed }) => !allowed);
    expect(wrong.length / benign.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(0.02);
  });
});

describe("the rules", () => {
  it("each belong to a category, and each category has one", () => {
    const used = new Set(Object.values(RULES).map(({ category }) => category));
    expect([...used].toSorted()).toEqual(Object.keys(CATEGORIES).toSorted());
  });

  it("each say why and what to do instead", () => {
    for (const { why, instead } of Object.values(RULES)) {
      expect(why).toMatch(/^it /);
      expect(instead.length).toBeGreaterThan(10);
    }
  });

  it("each are broken by something that is known", () => {
    const broken = new Set(corpus("known").flatMap((one) => (judge(one) as { rule?: string }).rule ?? []));
    const other = new Set(corpus("held-out").flatMap((one) => (judge(one) as { rule?: string }).rule ?? []));
    expect(Object.keys(RULES).filter((rule) => !broken.has(rule) && !other.has(rule))).toEqual([]);
  });
});
