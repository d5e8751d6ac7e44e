import { stateRoot } from "../journal/paths.ts";
import { holderOf } from "../loop/hold.ts";
import { settleOnBranch } from "../scm/branch.ts";
import type { RunSpec } from "../spec.ts";
import { ACTIVE_FILE } from "../tasks/active.ts";
import { TEMPLATE_BRANCH } from "../tasks/templates.ts";
import { oneLine } from "./tasks-place.ts";

/** Goes to the branch that the list is for, and says so. True when the files may be others now. */
export async function settleOnItsBranch({ project, work }: RunSpec): Promise<boolean> {
  if (work.kind !== "tasks" || work.branch.trim() === "" || work.branch === TEMPLATE_BRANCH) return false;
  // Nobody pulls the floor from under a run; that one is under way will be said in a moment.
  if (holderOf(stateRoot(process.env), project) !== undefined) return false;
  const own = [work.dir, ".gitignore", ".ralph", ACTIVE_FILE];
  const settled = await settleOnBranch(project, work.branch, own);
  const branch = oneLine(work.branch);
  if (settled.kind === "made") say(`On the new branch ${branch}.`);
  if (settled.kind === "switched") say(`On the branch ${branch}.`);
  if (settled.kind === "stayed")
    say(`Not on the branch ${branch}, but where you are: ${oneLine(settled.why)}`);
  return settled.kind === "switched";
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
