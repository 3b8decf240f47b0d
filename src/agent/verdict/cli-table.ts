// How to install, log in, configure and run each agent CLI. It is a table, so a new CLI is a new row.

import type { AgentKind } from "../parse/agent-state.ts";
import { ONE_SHOT, type OneShotArgs } from "./one-shot.ts";

export interface AgentCli {
  readonly kind: AgentKind;
  readonly name: string;
  /** The command to run; null if the caller provides it. */
  readonly binary: string | null;
  readonly npmPackage: string | null;
  readonly installCommand: string | null;
  /** What the user does to log in. */
  readonly loginCommand: string | null;
  /** The provider name for the classifier. */
  readonly provider: string;
  readonly versionArgs: readonly string[];
  readonly baseUrlEnv: string | null;
  /** Any one of these variables contains the key. */
  readonly keyEnv: readonly string[];
  /** The variable that moves its settings and sessions; null if only HOME does. */
  readonly configHomeEnv: string | null;
  /** The variable that limits its own retries; null if only its settings do. */
  readonly maxRetriesEnv: string | null;
  readonly supportsResume: boolean;
  readonly supportsStdinPrompt: boolean;
  /** In text mode a failed run prints its error on stdout. */
  readonly printsErrorsAsAnswer: boolean;
  readonly oneShotArgs: OneShotArgs;
  /** The number of leading subcommand words. Extra arguments go after them, where no option is waiting for its value. */
  readonly subcommandWords: number;
}

export const AGENT_CLIS: Readonly<Record<AgentKind, AgentCli>> = {
  claude: {
    kind: "claude",
    name: "Claude Code",
    binary: "claude",
    npmPackage: "@anthropic-ai/claude-code",
    installCommand: "npm install -g @anthropic-ai/claude-code",
    loginCommand: "run `claude` and then /login, or set ANTHROPIC_API_KEY",
    provider: "claude-cli",
    versionArgs: ["--version"],
    baseUrlEnv: "ANTHROPIC_BASE_URL",
    keyEnv: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    configHomeEnv: "CLAUDE_CONFIG_DIR",
    maxRetriesEnv: "CLAUDE_CODE_MAX_RETRIES",
    supportsResume: true,
    supportsStdinPrompt: true,
    printsErrorsAsAnswer: true,
    oneShotArgs: ONE_SHOT.claude,
    subcommandWords: 0,
  },
  codex: {
    kind: "codex",
    name: "Codex",
    binary: "codex",
    npmPackage: "@openai/codex",
    installCommand: "npm install -g @openai/codex",
    loginCommand: "run `codex login`",
    provider: "codex-cli",
    versionArgs: ["--version"],
    // Its base URL is a setting: -c model_providers.<name>.base_url=…
    baseUrlEnv: null,
    keyEnv: ["CODEX_API_KEY", "OPENAI_API_KEY"],
    configHomeEnv: "CODEX_HOME",
    // Only configurable for the user's own providers: -c model_providers.<name>.stream_max_retries=…
    maxRetriesEnv: null,
    supportsResume: true,
    supportsStdinPrompt: true,
    printsErrorsAsAnswer: false,
    oneShotArgs: ONE_SHOT.codex,
    subcommandWords: 1,
  },
  gemini: {
    kind: "gemini",
    name: "Gemini CLI",
    binary: "gemini",
    npmPackage: "@google/gemini-cli",
    installCommand: "npm install -g @google/gemini-cli",
    loginCommand: "set GEMINI_API_KEY, or run `gemini` once and choose how to sign in",
    provider: "gemini-cli",
    versionArgs: ["--version"],
    baseUrlEnv: "GOOGLE_GEMINI_BASE_URL",
    keyEnv: ["GEMINI_API_KEY"],
    configHomeEnv: "GEMINI_CLI_HOME",
    // general.maxAttempts in its settings.json.
    maxRetriesEnv: null,
    supportsResume: true,
    supportsStdinPrompt: true,
    printsErrorsAsAnswer: false,
    oneShotArgs: ONE_SHOT.gemini,
    subcommandWords: 0,
  },
  opencode: {
    kind: "opencode",
    name: "opencode",
    binary: "opencode",
    npmPackage: "opencode-ai",
    installCommand: "npm install -g opencode-ai",
    loginCommand: "run `opencode auth login`",
    provider: "opencode",
    versionArgs: ["--version"],
    // Its providers are settings, in OPENCODE_CONFIG_CONTENT as JSON.
    baseUrlEnv: null,
    keyEnv: [],
    configHomeEnv: "XDG_CONFIG_HOME",
    maxRetriesEnv: null,
    supportsResume: true,
    supportsStdinPrompt: true,
    printsErrorsAsAnswer: false,
    oneShotArgs: ONE_SHOT.opencode,
    subcommandWords: 1,
  },
  qwen: {
    kind: "qwen",
    name: "Qwen Code",
    binary: "qwen",
    npmPackage: "@qwen-code/qwen-code",
    installCommand: "npm install -g @qwen-code/qwen-code",
    loginCommand: "run `qwen` once and choose how to sign in, or set OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL",
    provider: "qwen",
    versionArgs: ["--version"],
    baseUrlEnv: "OPENAI_BASE_URL",
    keyEnv: ["OPENAI_API_KEY"],
    configHomeEnv: null,
    maxRetriesEnv: null,
    supportsResume: true,
    supportsStdinPrompt: true,
    printsErrorsAsAnswer: false,
    oneShotArgs: ONE_SHOT.qwen,
    subcommandWords: 0,
  },
  goose: {
    kind: "goose",
    name: "goose",
    binary: "goose",
    npmPackage: null,
    installCommand: "see the installation page of goose (block.github.io/goose)",
    loginCommand: "run `goose configure`",
    provider: "goose",
    versionArgs: ["--version"],
    baseUrlEnv: "OPENAI_HOST",
    keyEnv: ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"],
    configHomeEnv: "XDG_CONFIG_HOME",
    maxRetriesEnv: null,
    supportsResume: false,
    supportsStdinPrompt: true,
    printsErrorsAsAnswer: false,
    oneShotArgs: ONE_SHOT.goose,
    subcommandWords: 1,
  },
  generic: {
    kind: "generic",
    name: "the command",
    binary: null,
    npmPackage: null,
    installCommand: null,
    loginCommand: null,
    provider: "command",
    versionArgs: [],
    baseUrlEnv: null,
    keyEnv: [],
    configHomeEnv: null,
    maxRetriesEnv: null,
    supportsResume: false,
    supportsStdinPrompt: true,
    printsErrorsAsAnswer: false,
    oneShotArgs: ONE_SHOT.generic,
    subcommandWords: 0,
  },
};
