import { describe, expect, it } from "vitest";
import { worktreeWords } from "../../src/cli/worktree-words.ts";

const search = {
  path: "/home/me/shop.worktrees/search",
  project: "/home/me/shop.worktrees/search",
  branch: "ralph/search",
  made: true,
  hasList: false,
};

describe("what is said about a worktree", () => {
  it("names the way there and back", () => {
    expect(
      worktreeWords(search),
    ).toBe(`Made the worktree /home/me/shop.worktrees/search on the branch ralph/search.
It holds what is committed: install dependencies there as after a clone.
Go on there:
  ralph init --tasks -d /home/me/shop.worktrees/search --name search
  ralph run --tasks -d /home/me/shop.worktrees/search
When the work is done, here:
  git merge ralph/search
  git worktree remove /home/me/shop.worktrees/search
One folder takes one run at a time; several features at once need a worktree each.
`);
  });

  it("leaves out what is there already", () => {
    const words = worktreeWords({ ...search, made: false, hasList: true });
    expect(words).toMatch(/^Using the worktree/);
    expect(words).not.toMatch(/init|install/);
  });

  it("goes to the project where it is a folder of its repository, and removes the whole", () => {
    const words = worktreeWords({ ...search, project: `${search.path}/packages/web` });
    expect(words).toContain("run --tasks -d /home/me/shop.worktrees/search/packages/web\n");
    expect(words).toContain("remove /home/me/shop.worktrees/search\n");
  });

  it("gives commands that a shell takes as they are meant, and nothing that steers a terminal", () => {
    const words = worktreeWords({ ...search, project: "/my work/\u001b[2Jx", branch: "x;$(reboot)" });
    expect(words).toContain("-d '/my work/x'\n");
    expect(words).toContain("git merge 'x;$(reboot)'\n");
  });
});
