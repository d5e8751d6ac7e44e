/** What a program needs of its surroundings, and what the tests say themselves. */
const KEPT = /^(PATH|HOME|TMPDIR|LANG|RALPH_.*|GIT_.*|VITEST.*|NODE_ENV|TEST|DEV|PROD|MODE|BASE_URL|SSR)$/;

/** Real agents must never see a key, a log-in or a proxy of whoever runs the tests. */
export default function setup(): void {
  for (const name of Object.keys(process.env)) if (!KEPT.test(name)) delete process.env[name];
}
