/** Milliseconds of processor time that a call takes: what the clock says is also about what else the machine has to do. */
export function costOf(call: () => unknown): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
