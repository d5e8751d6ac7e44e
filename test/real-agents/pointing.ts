import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where a real agent lives in a test: its own home, and the model server that it is pointed at. */
export interface Place {
  readonly home: string;
  /** Of the model server. */
  readonly url: string;
  /** How often the agent may ask again by itself when a request failed. */
  readonly retries: number;
}

/** The variables that point a program at the model server with a dummy key; its settings are written into its home. */
export type Pointing = (place: Place) => Record<string, string>;

/** How each real agent is pointed at a model server on loopback, and kept from calling its own makers. */
export const POINTING: Readonly<Record<string, Pointing>> = {
  claude: ({ url, retries }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: String(retries),
    DISABLE_AUTOUPDATER: "1",
  }),

  codex(place) {
    const folder = join(place.home, ".codex");
    put(join(folder, "config.toml"), codexSettings(place));
    return { CODEX_HOME: folder, MODEL_SERVER_KEY: "dummy" };
  },

  copilot: ({ url }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: "dummy",
    COPILOT_MODEL: "gpt-5.4",
  }),

  gemini({ home, url }) {
    const auth = { selectedType: "gemini-api-key" };
    put(join(home, ".gemini", "settings.json"), JSON.stringify({ security: { auth } }));
    return { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url };
  },

  qwen: ({ url }) => ({
    OPENAI_API_KEY: "dummy",
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_MODEL: "test-model",
  }),

  opencode: ({ url }) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      model: "test/test-model",
      enabled_providers: ["test"],
      provider: {
        test: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${url}/v1`, apiKey: "dummy" },
          models: { "test-model": { limit: { context: 200_000, output: 8_000 } } },
        },
      },
      autoupdate: false,
      share: "disabled",
    }),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    npm_config_offline: "true",
  }),
};

/** A model with the classic tools: with newer ones Codex has its commands written as JavaScript. */
function codexSettings({ url, retries }: Place): string {
  return `model = "gpt-5.5"
model_provider = "loopback"

[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
env_key = "MODEL_SERVER_KEY"
wire_api = "responses"
request_max_retries = ${retries}
stream_max_retries = ${retries}

[analytics]
enabled = false

[features]
plugins = false
`;
}

/** The same as flags, for a Codex that is not to read its own settings. */
export function codexFlags(url: string, project: string): string[] {
  const server = `{name="loopback",base_url="${url}/v1",env_key="MODEL_SERVER_KEY",wire_api="responses"}`;
  const keys = [
    'model="gpt-5.5"',
    'model_provider="loopback"',
    `model_providers.loopback=${server}`,
    "features.plugins=false",
    `projects."${project}".trust_level="trusted"`,
  ];
  return keys.flatMap((key) => ["-c", key]);
}

function put(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}
