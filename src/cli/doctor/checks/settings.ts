import { detectChecks, suggestedChecks } from "../../../config/detect.ts";
import { SETTINGS_FILES } from "../../../config/load.ts";
import { visible } from "../../../config/say.ts";
import { commandsOf, isTrusted, trustByEnvironment, trustKey } from "../../../config/trust.ts";
import { UserError } from "../../../errors.ts";
import { stateRoot } from "../../../journal/paths.ts";
import { redact } from "../../../redact.ts";
import type { DoctorCheck } from "../row.ts";

/** The settings: whether there are any, and whether they can be used. */
export const checkSettings: DoctorCheck = ({ settings }) => {
  const row = { id: "settings", title: "settings" };
  if (settings instanceof UserError) {
    return [{ ...row, status: "fail", detail: `${settings.what}: ${settings.why}`, fix: settings.fix }];
  }
  if (settings.files.length === 0) {
    const fix = "Run `ralph init` to write them.";
    return [{ ...row, status: "ok", info: true, detail: `no ${SETTINGS_FILES[0]} here`, fix }];
  }
  return [{ ...row, status: "ok", detail: settings.files.map(({ name }) => name).join(" + ") }];
};

/** Whether a run would start the commands that the settings name without asking. */
export const checkTrust: DoctorCheck = ({ settings, env, project }) => {
  if (settings instanceof UserError || commandsOf(settings.settings).length === 0) return [];
  const row = { id: "trust", title: "trust" };
  const variable = trustByEnvironment(env, false);
  if (variable !== undefined) return [{ ...row, status: "ok", detail: `trusted, by ${variable}` }];
  if (isTrusted(stateRoot(env), trustKey(project, settings.settings))) {
    return [{ ...row, status: "ok", detail: "the commands in the settings are trusted" }];
  }
  return [
    {
      ...row,
      status: "warn",
      detail: "the commands in the settings are not trusted yet",
      fix: "Read the settings; then `ralph run` asks once on a terminal, and takes --trust elsewhere.",
    },
  ];
};

/** The guardrails that are set, and those that the project has and the settings do not. */
export const checkGuardrails: DoctorCheck = ({ settings, project }) => {
  if (settings instanceof UserError) return [];
  const row = { id: "guardrails", title: "guardrails" };
  const set = (settings.settings.guardrails ?? []).map(({ command }) => command.trim());
  const found = suggestedChecks(detectChecks(project)).map(({ command }) => command);
  const unset = found.filter((command) => !set.includes(command));
  if (set.length === 0) {
    const detail = "none: a run ends on the agent's word alone, and nothing is proven";
    const fix =
      unset.length === 0
        ? `Add a command that fails while the work is not good to guardrails in ${SETTINGS_FILES[0]}.`
        : `This project has ${unset.join(", ")}: \`ralph init\` sets them up.`;
    return [{ ...row, status: "warn", detail, fix }];
  }
  const count = `${set.length} set: ${visible(redact(set.join(", ")))}`;
  if (unset.length === 0) return [{ ...row, status: "ok", detail: count }];
  const also = { id: "guardrails-found", title: "more guardrails", status: "ok", info: true } as const;
  return [
    { ...row, status: "ok", detail: count },
    { ...also, detail: `found here, but not set: ${unset.join(", ")}` },
  ];
};
