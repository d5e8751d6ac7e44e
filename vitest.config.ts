import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Those need the real programs: `npm run test:agents`.
    exclude: ["test/real-agents/**"],
    globalSetup: ["test/global-setup.ts"],
    // Scripted agents are let go free, but for the suites that are about the fence.
    env: { RALPH_SANDBOX: "none" },
    // Longer than any deadline in a test, which says what was waited for.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    sequence: { sequencer: LongestFirst },
    // The suites start real processes, and wait for them and for the disk: three keep two cores busy, and a small machine honest.
    maxWorkers: 3,
  },
});
