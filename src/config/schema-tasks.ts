import { DEFAULTS } from "./defaults.ts";
import { key, notBlank, section, wholeNumber } from "./schema-parts.ts";

/** The settings of runs on a task list. */
export const tasks = section({
  maximumIterations: key(
    wholeNumber(1),
    "Iterations before a run on a task list gives up.",
    DEFAULTS.tasks.maximumIterations,
  ),
});

/** The settings of who reviews its stories. */
export const review = section({
  agent: key(
    notBlank(),
    "Who reviews the stories of a task list. Absent: whoever implements them, in a fresh session.",
  ),
  model: key(notBlank(), "The model that reviews."),
});
