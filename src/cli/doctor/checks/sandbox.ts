import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { usualSandbox } from "../../../config/sandbox-settings.ts";
import { probeAll } from "../../../sandbox/choose.ts";
import type { Probe } from "../../../sandbox/sandbox.ts";
import { readUpstreams, upstreamWords } from "../../../sandbox/upstream.ts";
import { askedSandbox, type DoctorCheck, type Facts, type Row } from "../row.ts";

/** Every kind of sandbox, really tried in a folder of its own: what it keeps in, and how to mend one that does not. */
export const checkSandbox: DoctorCheck = async (facts) => {
  const { env } = facts;
  const folder = mkdtempSync(join(tmpdir(), "ralph-doctor-"));
  try {
    const project = join(folder, "project");
    mkdirSync(project);
    const sandbox = usualSandbox(project, env);
    const place = {
      folder: join(folder, "place"),
      exchange: join(folder, "exchange"),
      env,
      onConnection: () => {},
    };
    mkdirSync(place.folder, { mode: 0o700 });
    const probes = await probeAll({ project, sandbox, agents: [], env, stateRoot: folder }, place);
    return [...rowsOf(probes, facts), ...proxyRow(env)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The user's own proxy, where there is one: what is allowed goes through it. */
function proxyRow(env: Facts["env"]): Row[] {
  const found = upstreamWords(readUpstreams(env));
  if (found === undefined) return [];
  const row = { id: "sandbox.proxy", title: "sandbox" };
  if (found.usable) return [{ ...row, status: "ok", detail: `allowed hosts are reached ${found.words}` }];
  const fix =
    "Set HTTPS_PROXY and HTTP_PROXY to one, and NO_PROXY to the hosts that need none (`*`: no host does).";
  return [{ ...row, status: "warn", detail: `allowed hosts cannot be reached: ${found.words}`, fix }];
}

function rowsOf(probes: readonly Probe[], facts: Facts): Row[] {
  const asked = askedSandbox(facts);
  const works = probes.some((probe) => probe.works);
  return probes.map((probe) => {
    const { kind, words, fix } = probe;
    const row = { id: `sandbox.${kind}`, title: "sandbox" };
    const held = probe.findings.map(({ what, held: isHeld }) => `${isHeld ? "held" : "NOT HELD"}: ${what}`);
    const detail = [words.startsWith(kind) ? words : `${kind}: ${words}`, ...held].join("; ");
    if (probe.works) return { ...row, status: "ok", detail };
    // One that was asked for has to work; of the others one is enough.
    const status = asked === kind ? "fail" : works || asked === "none" ? "ok" : "warn";
    return {
      ...row,
      status,
      detail,
      ...(status === "ok" ? { info: true as const } : {}),
      ...(fix === undefined || fix === "" ? {} : { fix }),
    };
  });
}
