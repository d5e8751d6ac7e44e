import type { OpenDesk } from "../loop/desk.ts";

/** Answers the hooks of a run's agents over HTTP; what that needs is loaded when a run has such an agent. */
export const openDesk: OpenDesk = async (place) => {
  const { serveHooks } = await import("./serve.ts");
  return serveHooks(place);
};
