import { visible } from "../../../config/say.ts";
import { whichAll } from "../../../supervise/which.ts";
import { realOf } from "../programs.ts";
import type { DoctorCheck } from "../row.ts";

/** Several programs are called `ralph`. Which one does the user start by that name? None of them is started here. */
export const checkNamesakes: DoctorCheck = ({ project, env, self }) => {
  const row = { id: "namesakes", title: "ralph on PATH" };
  const own = realOf(self);
  const all = whichAll("ralph", { cwd: project, path: env["PATH"] });
  const others = all.filter((path) => realOf(path) !== own);
  const [first] = all;
  const list = others.map(visible).join(", ");
  if (first === undefined) {
    const detail = `no: this program is ${visible(own)}`;
    return [
      { ...row, status: "ok", info: true, detail, fix: "To have it everywhere: npm install -g ralph-proof" },
    ];
  }
  if (others.length === 0) return [{ ...row, status: "ok", detail: `${visible(first)}, no other` }];
  if (others[0] !== first) {
    return [{ ...row, status: "ok", detail: `${visible(first)}; behind it on PATH: ${list}` }];
  }
  return [
    {
      ...row,
      status: "warn",
      detail: `\`ralph\` starts another program: ${visible(first)} (this one is ${visible(own)})`,
      fix: "Start this one by its path or with `npx ralph-proof`, or put its folder first in PATH.",
    },
  ];
};
