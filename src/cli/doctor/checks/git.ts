import { SETTINGS_FILES } from "../../../config/load.ts";
import { visible } from "../../../config/say.ts";
import { UserError } from "../../../errors.ts";
import { isGit } from "../../../scm/commit.ts";
import { git, workTree } from "../../../scm/git.ts";
import { askVersion } from "../programs.ts";
import type { DoctorCheck, Facts, Row } from "../row.ts";

/** The git program. Without it a run works, but commits nothing. */
export const checkGit: DoctorCheck = async (facts) => {
  const row = { id: "git", title: "git" };
  const state = await askVersion("git", facts);
  switch (state.kind) {
    case "answers":
      return [{ ...row, status: "ok", detail: `${state.version}  ${visible(state.path)}` }];
    case "not-asked":
      return [{ ...row, status: "ok", detail: visible(state.path) }];
    case "silent":
      return [
        {
          ...row,
          status: "warn",
          detail: `${visible(state.path)} does not tell its version (${state.why})`,
          fix: "Run `git --version` yourself, and install git again if that fails too.",
        },
      ];
    case "absent":
      return [
        {
          ...row,
          status: wantsGit(facts) ? "fail" : "warn",
          detail: wantsGit(facts)
            ? "not installed, and scm is set"
            : "not installed: a run can commit nothing",
          fix: "Install git, for example: apt-get install git",
        },
      ];
  }
};

/** Whether the project is a git repository, and whether it has to be one. */
export const checkRepository: DoctorCheck = async (facts) => {
  const row = { id: "repository", title: "repository" };
  const top = await workTree(facts.project);
  if (top !== undefined) {
    const head = await git(facts.project, ["symbolic-ref", "--short", "-q", "HEAD"]);
    const branch = head.code === 0 ? `branch ${visible(head.stdout.trim())}` : "no branch is checked out";
    return [{ ...row, status: "ok", detail: `${visible(top)}, ${branch}` }, ...(await identity(facts))];
  }
  if (wantsGit(facts)) {
    return [
      {
        ...row,
        status: "fail",
        detail: "scm is set in the settings, but this folder is in no git repository",
        fix: `Run \`git init\`, or remove scm from ${SETTINGS_FILES[0]}.`,
      },
    ];
  }
  return [
    {
      ...row,
      status: "ok",
      info: true,
      detail: "none: a run works here, but commits nothing",
      fix: "Run `git init` if the work should be kept in commits.",
    },
  ];
};

/** A commit needs an author; git says so only when it is too late. */
async function identity(facts: Facts): Promise<Row[]> {
  if (!wantsGit(facts)) return [];
  const author = await git(facts.project, ["var", "GIT_AUTHOR_IDENT"]);
  if (author.code === 0) return [];
  return [
    {
      id: "git-author",
      title: "git author",
      status: "fail",
      detail: "scm is set, but git does not know in whose name to commit",
      fix: 'Run `git config user.name "…"` and `git config user.email "…"`.',
    },
  ];
}

function wantsGit({ settings }: Facts): boolean {
  if (settings instanceof UserError) return false;
  const { scm } = settings.settings;
  if (scm?.command === undefined || scm.tasks === undefined || scm.tasks.length === 0) return false;
  return isGit({ command: scm.command, tasks: scm.tasks });
}
