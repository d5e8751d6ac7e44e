import { findMeans } from "../../../supervise/means.ts";
import type { DoctorCheck } from "../row.ts";

/** By what the processes of agents and gates are held together, and whether anything can get away. */
export const checkProcesses: DoctorCheck = async ({ env }) => {
  const means = await findMeans("auto", env);
  const row = { id: "processes", title: "processes" };
  if (means === undefined) throw new Error("not even a process group");
  if (means.diesWithUs)
    return [{ ...row, status: "ok", detail: `${means.words}: nothing outlives its turn` }];
  return [
    {
      ...row,
      status: "warn",
      detail: means.words,
      fix: "Install bubblewrap or util-linux (unshare, setpriv), so that an agent cannot leave processes behind.",
    },
  ];
};
