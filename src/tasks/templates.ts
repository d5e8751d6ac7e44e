import type { TaskList } from "./list.ts";
import { PRD_TEMPLATE } from "./template-prd.ts";
import { PROMPT_TEMPLATE } from "./template-prompt.ts";

/** What the templates are filled with. */
export interface Filling {
  readonly project: string;
  /** The day, YYYY-MM-DD. */
  readonly date: string;
  /** The folder of the list, relative to the project. */
  readonly dir: string;
  /** The branch that the work is done on. */
  readonly branch: string;
}

/** The branch that stands in the template until somebody gives another. */
export const TEMPLATE_BRANCH = "ralph/feature-name";

const PROGRESS_TEMPLATE = `# Ralph Progress Log
Started: {{DATE}}
PRD: {{PROJECT_NAME}}

## Codebase Patterns
- (Patterns of this codebase that later iterations can use again)

---
`;

/** The files of a task list as they start, by name. */
export function templates(filling: Filling): Readonly<Record<TemplateName, string>> {
  return {
    "prd.md": fill(PRD_TEMPLATE, filling),
    "tasks.json": `${JSON.stringify(tasksTemplate(filling), null, 2)}\n`,
    "progress.txt": fill(PROGRESS_TEMPLATE, filling),
    "prompt.md": fill(PROMPT_TEMPLATE, filling),
  };
}

export type TemplateName = "prd.md" | "tasks.json" | "progress.txt" | "prompt.md";

/** The list as it starts: one story that is still to be written, which is why it is not a valid list yet. */
function tasksTemplate({ project, branch }: Filling): TaskList {
  return {
    project,
    branchName: branch,
    description: "",
    verifyCommands: [],
    userStories: [
      {
        id: "US-001",
        title: "",
        description: "",
        acceptanceCriteria: [],
        priority: 1,
        passes: false,
        reviewStatus: null,
        reviewCount: 0,
        reviewFeedback: "",
        notes: "",
        dependsOn: [],
      },
    ],
  };
}

/** A name as it can stand in a branch or a folder: "My Feature!" is my-feature. Empty when nothing of it can. */
export function slugOf(name: string): string {
  return name
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
}

/** All placeholders in one pass, so that a name that looks like one is left alone. */
function fill(template: string, { project, date, dir }: Filling): string {
  const values: Readonly<Record<string, string>> = { PROJECT_NAME: project, DATE: date, RALPH_DIR: dir };
  return template.replace(/\{\{(PROJECT_NAME|DATE|RALPH_DIR)\}\}/g, (_all, key: string) => values[key] ?? "");
}
