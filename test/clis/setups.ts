// Points each real CLI at a local server, with a temporary home and as few retries as it allows.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Chaos } from "../../src/testing/index.ts";
import type { CliOptions } from "../../src/index.ts";
import { PATH_WITH_THIS_NODE } from "../support/install-packages.ts";
import type { RealCli } from "./install.ts";

export interface Setup {
  /** What was set, for the reader of the table. */
  readonly settings: string;
  /** `retries: "own"` leaves its retries as they are. */
  readonly options: (place: Place, home: string, retries?: "few" | "own") => CliSettings;
}

export type Place = Pick<Chaos, "url" | "openaiUrl" | "anthropicUrl">;
export type CliSettings = Pick<CliOptions, "env" | "extraArgs" | "model">;

/** Not a real key: the server accepts any. */
const KEY = "not-a-real-key";

export const SETUPS: Readonly<Record<RealCli, Setup>> = {
  claude: {
    settings:
      "`ANTHROPIC_BASE_URL`, `ANTHROPIC_API_KEY`, `CLAUDE_CODE_MAX_RETRIES=1`, `CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1`",
    options: ({ anthropicUrl }, home, retries) => ({
      env: {
        ANTHROPIC_BASE_URL: anthropicUrl,
        ANTHROPIC_API_KEY: KEY,
        CLAUDE_CONFIG_DIR: join(home, ".claude"),
        ...(retries === "own" ? {} : { CLAUDE_CODE_MAX_RETRIES: "1" }),
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      },
    }),
  },
  codex: {
    settings:
      '`-c model_provider=chaos -c \'model_providers.chaos={base_url="…/v1", env_key="CHAOS_KEY", wire_api="responses", request_max_retries=1, stream_max_retries=1}\'`',
    options: ({ openaiUrl }, home, retries) => {
      mkdirSync(join(home, ".codex"));
      const provider = [
        `name="chaos"`,
        `base_url="${openaiUrl}"`,
        `env_key="CHAOS_KEY"`,
        `wire_api="responses"`,
        ...(retries === "own" ? [] : [`request_max_retries=1`, `stream_max_retries=1`]),
      ];
      return {
        env: { CHAOS_KEY: KEY, CODEX_HOME: join(home, ".codex") },
        extraArgs: ["-c", "model_provider=chaos", "-c", `model_providers.chaos={${provider.join(",")}}`],
        model: "gpt-5",
      };
    },
  },
  gemini: {
    settings:
      "`GOOGLE_GEMINI_BASE_URL`, `GEMINI_API_KEY`, `GEMINI_CLI_NO_RELAUNCH=true`; settings `security.auth.selectedType: gemini-api-key`, `general.maxAttempts: 2`",
    options: ({ url }, home, retries) => {
      const settings = {
        general: { ...(retries === "own" ? {} : { maxAttempts: 2 }), enableAutoUpdate: false },
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      };
      writeInto(join(home, ".gemini"), "settings.json", settings);
      return {
        env: {
          GOOGLE_GEMINI_BASE_URL: url,
          GEMINI_API_KEY: KEY,
          GEMINI_CLI_HOME: home,
          GEMINI_CLI_NO_RELAUNCH: "true",
        },
        model: "gemini-2.5-flash",
      };
    },
  },
  opencode: {
    settings:
      "`OPENCODE_CONFIG_CONTENT` with a provider of `@ai-sdk/openai-compatible`; its five retries cannot be set",
    options: ({ openaiUrl }) => ({
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          autoupdate: false,
          share: "disabled",
          provider: {
            chaos: {
              npm: "@ai-sdk/openai-compatible",
              name: "chaos",
              options: { baseURL: openaiUrl, apiKey: KEY },
              models: { small: { name: "small" } },
            },
          },
          model: "chaos/small",
          small_model: "chaos/small",
        }),
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
      model: "chaos/small",
    }),
  },
  qwen: {
    settings:
      "`OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`, `--auth-type openai`; settings `model.generationConfig.maxRetries: 0`",
    options: ({ openaiUrl }, home, retries) => {
      const model = retries === "own" ? {} : { generationConfig: { maxRetries: 0 } };
      writeInto(join(home, ".qwen"), "settings.json", { model });
      return {
        env: { OPENAI_BASE_URL: openaiUrl, OPENAI_API_KEY: KEY, OPENAI_MODEL: "qwen3-coder-plus" },
        extraArgs: ["--auth-type", "openai"],
      };
    },
  },
  goose: {
    settings:
      "`GOOSE_PROVIDER=openai`, `OPENAI_HOST`, `OPENAI_API_KEY`, `GOOSE_DISABLE_KEYRING=1`, `--no-profile`; its three retries are left as they are",
    options: ({ url }) => ({
      env: {
        GOOSE_PROVIDER: "openai",
        GOOSE_MODEL: "gpt-4o",
        GOOSE_DISABLE_KEYRING: "1",
        OPENAI_API_KEY: KEY,
        OPENAI_HOST: url,
        OPENAI_BASE_PATH: "v1/chat/completions",
      },
      extraArgs: ["--no-profile"],
    }),
  },
};

/** The user's own settings must not reach the CLIs: no keys, no proxies, no home. */
export function cleanEnvironment(home: string): Readonly<Record<string, string | undefined>> {
  const foreign = Object.keys(process.env).filter((name) => FOREIGN.test(name));
  return {
    ...Object.fromEntries(foreign.map((name) => [name, undefined])),
    PATH: PATH_WITH_THIS_NODE,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TMPDIR: join(home, "tmp"),
    TERM: "dumb",
    NO_COLOR: "1",
  };
}

const FOREIGN =
  /^(?:anthropic|claude|openai|codex|gemini|google|opencode|qwen|goose|aws|azure|npm|node|vitest|ci$|\w*_?proxy$|\w*api_key$|\w*token$)/i;

function writeInto(folder: string, name: string, content: unknown): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), JSON.stringify(content));
}
