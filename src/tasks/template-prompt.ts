/** What `prompt.md` starts as. `$RALPH_ITERATION` and `$RALPH_MAX_ITERATIONS` are filled in before each iteration. */
export const PROMPT_TEMPLATE = `# Ralph Loop: iteration $RALPH_ITERATION of $RALPH_MAX_ITERATIONS

You work on one story of a task list, in a fresh session that remembers nothing of the iterations before it. All that is known
stands in files. When you are done the session ends, and another one goes on from what you left.

## Step 1: Orient

1. Read \`{{RALPH_DIR}}/progress.txt\`, above all the section "Codebase Patterns" at its top.
2. Read \`{{RALPH_DIR}}/prd.md\`: the requirements, and the constraints that hold for every story.
3. Read \`{{RALPH_DIR}}/tasks.json\`: the stories and where they stand.
4. Look at \`git log --oneline -10\` and \`git status\`.

## Step 2: Select & Determine Mode

When ralph names the mode and the story of this iteration, those are it. Otherwise take the first line that fits:

- **Review-Fix**: a story has \`reviewStatus: "changes_requested"\`. Select it, and read its \`reviewFeedback\`.
- **Review**: a story has \`reviewStatus: "needs_review"\`. Select it.
- **Implement**: of the stories with \`passes: false\` and \`reviewStatus: null\` whose \`dependsOn\` are all done, select the one with
  the highest priority (1 is the highest; of equal ones the first in the file).

A story that is too large for one session (about 60 % of the context is room to work in) is split: add smaller stories to
\`tasks.json\`, keep the large one and let its \`dependsOn\` name them, and work on the first of them. New stories start with
\`passes: false\`, \`reviewStatus: null\`, \`reviewCount: 0\`, \`reviewFeedback: ""\`, and stay so until a later iteration takes them up.
You may also add stories for work that you discover, and change priorities and order.

If \`.ralph-active\` says \`"skipReview": true\` there is only Implement: set \`passes: true\` yourself once the verify commands pass,
and leave \`reviewStatus\` null and \`reviewCount\` 0.

## Step 3, Implement mode: implement

1. Read the code that is there first. Follow the patterns from progress.txt.
2. Implement the selected story. Keep to the constraints of prd.md.
3. Run every command of \`verifyCommands\`.
4. Review your own work before you commit: run \`git diff\` and read every changed line; ask of each acceptance criterion whether it
   is really met; look for edge cases, unhandled errors and leftover TODOs. Mend what you find, and run the commands again.

A fresh session will review the story after you. What you find now, it need not.

## Step 3, Review mode: review with fresh eyes

You did not write this code in this session. Read it as somebody else's work.

1. Add 1 to the story's \`reviewCount\`.
2. Read its acceptance criteria.
3. Find its commits with \`git log --oneline -5\`, and read all of its changes with \`git diff\` over that range.
4. For EACH acceptance criterion: find the code that implements it, verify that it really works and does not only look right,
   and check its edge cases and error paths.
5. Run every command of \`verifyCommands\`.
6. Decide:
   - All criteria are met and nothing is wrong: set \`reviewStatus: "approved"\` AND \`passes: true\`.
   - Something is wrong and \`reviewCount\` is below the review cap: set \`reviewStatus: "changes_requested"\`, and write into
     \`reviewFeedback\` exactly what must be changed, and where. Do NOT fix it: the next iteration does, with a context of its own.
   - Something is wrong and \`reviewCount\` has reached the review cap (\`reviewCap\` in \`.ralph-active\`, usually 5): set
     \`reviewStatus: "approved"\` AND \`passes: true\`, and write what remains into \`reviewFeedback\`, beginning with
     \`[AUTO-APPROVED AT CAP]\`. So many reviews did not settle it; a person must.

A review changes \`tasks.json\` and \`progress.txt\`, and no other file.

## Step 3, Review-Fix mode: address the feedback

1. Read the story's \`reviewFeedback\`.
2. Address every point of it, not only the easy ones.
3. Run every command of \`verifyCommands\`.
4. Review your own work as in Implement mode.
5. Set \`reviewFeedback: ""\` and \`reviewStatus: "needs_review"\`: another review follows.

## Step 4: Document Progress

Append an entry to \`{{RALPH_DIR}}/progress.txt\`, with the mode in its heading:

    ## [date] [story id] ([implement | review | review-fix])
    - What was done
    - Files changed
    - Verification: which commands, with what result
    - Learnings for later iterations
    ---

Keep "Codebase Patterns" at the top short and true: add what others can use again, and mend what is no longer so. Add what was done
to the story's \`notes\` in \`tasks.json\` too: a story that passes must have some.

## Step 5: Consider Memory Updates

Only what holds beyond this loop ("this project uses bun, not npm") belongs into CLAUDE.md, AGENTS.md or \`.claude/rules/\`. If you
learned nothing of that kind, and in Review mode, skip this step.

## Step 6: Commit & Signal

Set the story's fields, then commit everything, \`tasks.json\` and \`progress.txt\` included:

| mode | message | fields |
|---|---|---|
| Implement | \`feat: [US-xxx] - [Title]\` | \`reviewStatus: "needs_review"\`, NOT \`passes: true\` |
| Review, approved | \`review: [US-xxx] - approved\` | \`reviewStatus: "approved"\` AND \`passes: true\` |
| Review, not approved | \`review: [US-xxx] - changes requested\` | \`reviewStatus: "changes_requested"\` and the feedback |
| Review-Fix | \`fix: [US-xxx] - address review feedback\` | \`reviewStatus: "needs_review"\` |

Then look at the list again. Only if ALL stories have \`passes: true\` AND \`reviewStatus: "approved"\`, say:

<promise>COMPLETE</promise>

## Hard rules

- One story in one iteration. Never start a second one.
- Implementing iterations NEVER set \`passes: true\`. Only a review does, when it approves (unless reviews are switched off).
- Never weaken a test to make it pass.
- When you are stuck, write down in progress.txt what blocks you, for the next iteration.
- You may add, split and reorder stories. You may not remove one, change its id, or cut its acceptance criteria or \`verifyCommands\`.
- \`prd.md\` is read-only.
- Reviews do not fix code. They judge, and say what is wrong.
- Review-fix iterations address ALL of the feedback.

ralph checks the list after each iteration, and undoes what these rules do not allow.
`;
