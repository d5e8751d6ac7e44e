import { messageOf } from "../../errors.ts";
import { checkChosenAgent, checkKnownAgents } from "./checks/agents.ts";
import { checkGit, checkRepository } from "./checks/git.ts";
import { checkNamesakes } from "./checks/namesakes.ts";
import { checkNode } from "./checks/node.ts";
import { checkProcesses } from "./checks/processes.ts";
import { checkSandbox } from "./checks/sandbox.ts";
import { checkGuardrails, checkSettings, checkTrust } from "./checks/settings.ts";
import { checkStateFolder } from "./checks/state-folder.ts";
import type { DoctorCheck, Facts, Row } from "./row.ts";

/** Everything that is looked at, in the order in which it is shown. A new check is a function and a line here. */
const CHECKS: readonly DoctorCheck[] = [
  checkNode,
  checkGit,
  checkKnownAgents,
  checkNamesakes,
  checkStateFolder,
  checkProcesses,
  checkSandbox,
  checkSettings,
  checkTrust,
  checkChosenAgent,
  checkGuardrails,
  checkRepository,
];

/** Looks at everything at once. A check that breaks is a row too: the others still have something to say. */
export async function examine(facts: Facts): Promise<Row[]> {
  const rows = await Promise.all(
    CHECKS.map(async (check) => {
      try {
        return await check(facts);
      } catch (error) {
        return [brokenRow(check, error)];
      }
    }),
  );
  return rows.flat();
}

function brokenRow(check: DoctorCheck, error: unknown): Row {
  return {
    id: `fault.${check.name}`,
    title: "doctor",
    status: "fail",
    detail: `a fault of ours in ${check.name}: ${messageOf(error)}`,
    fix: "Please report it, with these words.",
  };
}
