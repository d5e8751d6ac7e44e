import { defineConfig } from "vitest/config";

/** `npm run test:agents`: real programs, one after the other. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/real-agents/**/*.test.ts"],
    globalSetup: ["test/global-setup.ts", "test/real-agents/setup.ts"],
    // Those that are about the fence ask for it themselves.
    env: { RALPH_SANDBOX: "none" },
    testTimeout: 300_000,
    hookTimeout: 180_000,
    maxWorkers: 1,
    fileParallelism: false,
  },
});
