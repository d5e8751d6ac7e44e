import type { TaskList } from "./list.ts";
import { formatList } from "./schema.ts";
import { PRD_TEMPLATE } from "./template-prd.ts";

/*
 * The words of planning. `ralph plan` and the skill are made of the same pieces, so that they never say different things.
 */

/** A list as it comes out of planning: two stories of the right size, in the exact shape. */
export const EXAMPLE_LIST: TaskList = {
  project: "Task board",
  branchName: "ralph/task-filter",
  description: "Filter the tasks of a board by their status",
  verifyCommands: ["npm test", "npm run lint"],
  userStories: [
    {
      id: "US-001",
      title: "Tasks have a status",
      description:
        "Add a status column to the table of tasks, with a migration. Tasks that are there become active.",
      acceptanceCriteria: [
        "The column tasks.status takes 'active' and 'done', and nothing else",
        "After the migration every task that was there has the status 'active'",
      ],
      priority: 1,
      passes: false,
      reviewStatus: null,
      reviewCount: 0,
      reviewFeedback: "",
      notes: "",
      dependsOn: [],
    },
    {
      id: "US-002",
      title: "Filter dropdown above the list",
      description: "Add a dropdown above the list of tasks that shows only those with the chosen status.",
      acceptanceCriteria: [
        "The filter dropdown has the options: All, Active, Done",
        "With Done chosen, the list shows the tasks with status 'done' and no others",
      ],
      priority: 2,
      passes: false,
      reviewStatus: null,
      reviewCount: 0,
      reviewFeedback: "",
      notes: "",
      dependsOn: ["US-001"],
    },
  ],
};

/** What planning is, before anything else is said. No heading: some agents take a first `#` or `/` for a command. */
export function opening(dir: string): string {
  return `You plan a feature with the user. The plan is two files: \`${dir}/prd.md\`, the requirements, and \`${dir}/tasks.json\`, the
stories. Afterwards fresh agent sessions implement and review the stories one at a time. They see these files and nothing of this
conversation, so all that matters must stand in them. Write no code now, and change no other file.`;
}

/** Mode 1: there are no requirements yet. */
export function fullSteps(dir: string): string {
  return `1. Look around in the project, so that you do not ask what the code can tell you. If \`${dir}/prd.md\` has headings or comments of the
   user's own in it, they are part of what the user wants.
2. Ask the user questions, as many as it takes: there is no limit. Ask about
   - the problem and the goal: what is wrong today, for whom, what will be different;
   - the core functionality: what it does, step by step;
   - the scope: what is NOT to be done;
   - the technical context: the code, data and patterns that it builds on;
   - constraints: rules that hold for every part of the work;
   - success: how one can see that it is done.

   Wait for the answers. Go on asking until you are sure that the specification is complete; do not fill gaps with guesses.
3. Write \`${dir}/prd.md\`: the sections below that apply, filled in, without their comments. Leave out sections that do not apply.
4. Derive \`${dir}/tasks.json\` from it by the rules below.
5. Show the user both files: the requirements in short, and each story with its id, title, criteria and what it depends on. Change
   them until the user agrees.`;
}

/** Mode 2: the requirements are written, and stay as they are. */
export function deriveSteps(dir: string): string {
  return `1. Read \`${dir}/prd.md\`, and the code that it talks about. It is the user's: do NOT write it anew and do not change it. What should be
   different in it, tell the user.
2. Ask the user only where the requirements are ambiguous or incomplete, and wait for the answers. If all is clear, ask nothing.
3. Derive \`${dir}/tasks.json\` from it by the rules below. What the user answered goes into the stories.
4. Show the user the stories: each with its id, title, criteria and what it depends on. Change them until the user agrees.`;
}

/** What `prd.md` is made of. */
export const SECTIONS = `The comments say what belongs under each heading, and for which size of work it is needed.

\`\`\`markdown
${PRD_TEMPLATE.replace("{{PROJECT_NAME}}", "Name of the feature").trimEnd()}
\`\`\``;

/** How requirements become stories. */
export const RULES = `- One story is done in one iteration: one session, one context window. What you cannot describe in two or three sentences is too big:
  split it.
- The order follows what needs what: schema and database, then backend logic, then API routes, then frontend components, then
  integration and summary views. \`priority\` says it: 1 comes first.
- Every acceptance criterion can be verified by somebody who was not here. "The filter dropdown has the options: All, Active, Done" can be;
  "works correctly" cannot.
- \`dependsOn\` names the ids of the stories that must be done before, wherever the order matters beyond priority. No circles.
- \`verifyCommands\` are the project's own commands for its tests, linter and type check: look them up in its package.json, Makefile,
  CI files and the like, and make up none.
- Everything in the requirements is in some story, and nothing else is. What they exclude stays out.
- Every story starts with \`passes: false\`, \`reviewStatus: null\`, \`reviewCount: 0\`, \`reviewFeedback: ""\`.
- Stories that are in the list already and were worked on stay as they are. An empty one from the template is replaced. \`project\` and
  \`branchName\` stay unless the user wants others.`;

/** The exact shape of the list. */
export const SHAPE = `All of these fields, in plain JSON; ids are unique.

\`\`\`json
${formatList(EXAMPLE_LIST).trimEnd()}
\`\`\``;

/** The last step: what trusted code says of the result. `flags` are those that name the list. */
export function closing(flags: string): string {
  return `Run \`ralph tasks check${flags}\`, and mend the list until it is valid. Where you cannot run it, compare the list with the shape above once
more. Then tell the user that the plan is ready, and that \`ralph run --tasks${flags}\` starts the work; do not start it yourself.`;
}
