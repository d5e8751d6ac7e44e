import { HOOKS_TOKEN_VARIABLE, HOOKS_URL_VARIABLE, type HookAddress } from "../agent.ts";

/** The words that make Claude Code ask ralph instead of starting hooks. The token stays in the environment. */
export function settingsFlags({ url, events }: HookAddress): string[] {
  const hooks = Object.entries(events).map(([event, timeout]) => {
    const headers = { Authorization: `Bearer $${HOOKS_TOKEN_VARIABLE}` };
    const hook = { type: "http", url, headers, allowedEnvVars: [HOOKS_TOKEN_VARIABLE], timeout };
    return [event, [{ hooks: [hook] }]] as const;
  });
  return ["--settings", JSON.stringify({ hooks: Object.fromEntries(hooks) })];
}

/** What it has in its environment then. */
export function hookVariables({ url, token }: HookAddress): Record<string, string> {
  return { [HOOKS_URL_VARIABLE]: url, [HOOKS_TOKEN_VARIABLE]: token };
}
