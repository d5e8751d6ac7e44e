import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Small files that take long. Vitest begins with the largest ones, so these would be left for the end, with nothing beside them. */
const LONGEST = [
  "e2e/chaos-moments",
  "e2e/chaos-writes",
  "sandbox/escape",
  "e2e/task-cycle",
  "sandbox/sbx",
  "e2e/many",
  "e2e/task-chaos",
  "e2e/memory",
  "hooks/field",
].map((name) => `/${name}.test.ts`);

/** Begins with the files that take longest, so that all workers have something to do to the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return rank < 0 ? LONGEST.length : rank;
    };
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
