import { afterAll, beforeAll, expect, test } from "vitest";
import { type Campaign, openCampaign } from "../chaos/campaign.ts";
import { atEachWrite } from "../chaos/plan.ts";

let campaign: Campaign;
beforeAll(async () => {
  campaign = await openCampaign(3);
});
afterAll(() => campaign.end());

test("killed before, in, and after each write of its journal, a run ends as an unbroken one", async () => {
  const plans = atEachWrite(campaign.unbroken.events);
  expect(plans.length).toBeGreaterThanOrEqual(4 * 18);
  const trials = await campaign.carryOut(plans, 2);
  expect(trials.filter(({ violations }) => violations.length > 0)).toEqual([]);
  // Every one of them was killed, once, where it was planned.
  expect(trials.filter(({ kills }) => kills !== 1)).toEqual([]);
}, 1_800_000);
