/** When waiting is given up. It is only there to end a hang: a machine that is busy with other things takes its time. */
export const DEADLINE_MS = 120_000;
