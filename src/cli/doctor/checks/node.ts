import type { DoctorCheck } from "../row.ts";

/** The floor in `engines` of package.json. */
const OLDEST = { major: 20, minor: 19 };

/** The Node that runs this program. */
export const checkNode: DoctorCheck = ({ nodeVersion }) => {
  const [major = 0, minor = 0] = nodeVersion.replace(/^v/, "").split(".").map(Number);
  const isNewEnough = major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
  const row = { id: "node", title: "Node", detail: nodeVersion.replace(/^v/, "") };
  if (isNewEnough) return [{ ...row, status: "ok" }];
  return [
    {
      ...row,
      status: "fail",
      fix: `Install Node ${OLDEST.major}.${OLDEST.minor} or later: https://nodejs.org/en/download`,
    },
  ];
};
