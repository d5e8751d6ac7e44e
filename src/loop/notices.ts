import type { Reporter } from "../ui/reporter.ts";

/** What the surroundings of a run have to say to its user. */
interface Notices {
  readonly tell: (text: string, level: "info" | "warning") => void;
  /** The run is in this iteration. What was said before it had begun is told now. */
  at(iteration: number): void;
}

/** Notices that appear in the run's output, in the iteration that it is in. */
export function noticesFor(reporter: Reporter): Notices {
  let current: number | undefined;
  const waiting: Parameters<Notices["tell"]>[] = [];
  const tell: Notices["tell"] = (text, level) => {
    if (current === undefined) waiting.push([text, level]);
    else reporter.said(current, { type: "notice", level, text });
  };
  return {
    tell,
    at(iteration) {
      current = iteration;
      for (const one of waiting.splice(0)) tell(...one);
    },
  };
}
