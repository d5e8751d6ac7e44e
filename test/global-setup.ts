import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Tests must never see the settings, the state or the git identity of whoever runs them. */
export default function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), "ralph-test-home-"));
  Object.assign(process.env, {
    HOME: home,
    RALPH_STATE_DIR: join(home, "state"),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Test",
    GIT_AUTHOR_EMAIL: "test@example.invalid",
    GIT_COMMITTER_NAME: "Test",
    GIT_COMMITTER_EMAIL: "test@example.invalid",
  });
  for (const name of ["CI", "NO_COLOR", "FORCE_COLOR", "RALPH_TRUST_PROJECT", "XDG_STATE_HOME"])
    delete process.env[name];
  return () => rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
