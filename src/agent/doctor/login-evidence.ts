// What shows, from outside, that an agent CLI is logged in: variables that are set and files that are there. Data: rows are tried in
// their order and the first that fits counts. Nothing here is ever opened, because what would be in it is a secret.

import { AGENT_KINDS, type AgentKind } from "../parse/agent-state.ts";

/** The CLIs that have a binary and a login of their own. */
export type ExaminedKind = Exclude<AgentKind, "generic">;

export const EXAMINED_KINDS: readonly ExaminedKind[] = AGENT_KINDS.filter((kind) => kind !== "generic");

export interface LoginEvidence {
  /** `unknown`: it may be logged in, and only the CLI itself could tell. */
  readonly proves: "yes" | "unknown";
  /** All of them must be set. */
  readonly variables: readonly string[];
  /** All of them must be there and not empty. */
  readonly files: readonly LoginFile[];
  /** A machine where it is so: variables as NAME=value, files below the home folder as ~/path. */
  readonly example: string;
}

export interface LoginFile {
  readonly folder: Folder;
  readonly file: string;
}

/** Where a CLI keeps its things. */
export interface Folder {
  /** The first variable that is set moves it: to this path below what it names. */
  readonly moved: readonly (readonly [variable: string, below: string])[];
  /** Below the home folder, when no variable is set. */
  readonly otherwise: string;
}

const CLAUDE: Folder = { moved: [["CLAUDE_CONFIG_DIR", "."]], otherwise: ".claude" };
const CLAUDE_STATE: Folder = { moved: [["CLAUDE_CONFIG_DIR", "."]], otherwise: "." };
const CODEX: Folder = { moved: [["CODEX_HOME", "."]], otherwise: ".codex" };
const GEMINI: Folder = { moved: [["GEMINI_CLI_HOME", ".gemini"]], otherwise: ".gemini" };
const OPENCODE_DATA: Folder = { moved: [["XDG_DATA_HOME", "opencode"]], otherwise: ".local/share/opencode" };
const OPENCODE_CONFIG: Folder = { moved: [["XDG_CONFIG_HOME", "opencode"]], otherwise: ".config/opencode" };
const QWEN: Folder = { moved: [["QWEN_HOME", "."]], otherwise: ".qwen" };
const GOOSE: Folder = {
  moved: [
    ["GOOSE_PATH_ROOT", "config"],
    ["XDG_CONFIG_HOME", "goose"],
  ],
  otherwise: ".config/goose",
};

// prettier-ignore
export const LOGIN_EVIDENCE: Readonly<Record<ExaminedKind, readonly LoginEvidence[]>> = {
  claude: [
    variable("yes", "ANTHROPIC_API_KEY", "sk-ant-api03-example"),
    variable("yes", "ANTHROPIC_AUTH_TOKEN", "gateway-token"),
    variable("yes", "CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-example"),
    { proves: "yes", variables: [], files: [{ folder: CLAUDE, file: ".credentials.json" }], example: "~/.claude/.credentials.json" },
    // The cloud's own credentials are looked for in a dozen places, some of them on the network.
    variable("unknown", "CLAUDE_CODE_USE_BEDROCK", "1"),
    variable("unknown", "CLAUDE_CODE_USE_VERTEX", "1"),
    variable("unknown", "CLAUDE_CODE_USE_FOUNDRY", "1"),
    // It was started here before: the login may be in the keychain of macOS, a key of the console in this very file.
    { proves: "unknown", variables: [], files: [{ folder: CLAUDE_STATE, file: ".claude.json" }], example: "~/.claude.json" },
  ],
  codex: [
    variable("yes", "CODEX_API_KEY", "sk-proj-example"),
    { proves: "yes", variables: [], files: [{ folder: CODEX, file: "auth.json" }], example: "CODEX_HOME=~/codex-of-ci ~/codex-of-ci/auth.json" },
    // It counts for a provider whose env_key names it; the built-in one asks for a login all the same.
    variable("unknown", "OPENAI_API_KEY", "sk-proj-example"),
  ],
  gemini: [
    variable("yes", "GEMINI_API_KEY", "AIza-example"),
    { proves: "yes", variables: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_API_KEY"], files: [], example: "GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_API_KEY=AIza-example" },
    { proves: "yes", variables: ["GOOGLE_GENAI_USE_GCA"], files: [{ folder: GEMINI, file: "oauth_creds.json" }], example: "GOOGLE_GENAI_USE_GCA=true ~/.gemini/oauth_creds.json" },
    // The tokens are used only when the settings say so (security.auth.selectedType).
    { proves: "yes", variables: [], files: [{ folder: GEMINI, file: "oauth_creds.json" }, { folder: GEMINI, file: "settings.json" }], example: "~/.gemini/oauth_creds.json ~/.gemini/settings.json" },
    variable("unknown", "GOOGLE_GENAI_USE_VERTEXAI", "true"),
    { proves: "unknown", variables: [], files: [{ folder: GEMINI, file: "oauth_creds.json" }], example: "GEMINI_CLI_HOME=~/ci ~/ci/.gemini/oauth_creds.json" },
    // A key that was typed in is in the keychain; a key may stand in the .env file.
    { proves: "unknown", variables: [], files: [{ folder: GEMINI, file: "settings.json" }], example: "~/.gemini/settings.json" },
    { proves: "unknown", variables: [], files: [{ folder: GEMINI, file: ".env" }], example: "~/.gemini/.env" },
  ],
  opencode: [
    { proves: "yes", variables: [], files: [{ folder: OPENCODE_DATA, file: "auth.json" }], example: "~/.local/share/opencode/auth.json" },
    variable("yes", "OPENCODE_API_KEY", "sk-example"),
    variable("yes", "ANTHROPIC_API_KEY", "sk-ant-api03-example"),
    variable("yes", "OPENAI_API_KEY", "sk-proj-example"),
    variable("yes", "OPENROUTER_API_KEY", "sk-or-v1-example"),
    variable("yes", "GEMINI_API_KEY", "AIza-example"),
    // Its settings may name a provider with a key, or one that needs none.
    variable("unknown", "OPENCODE_CONFIG_CONTENT", "{}"),
    variable("unknown", "OPENCODE_CONFIG", "opencode.json"),
    { proves: "unknown", variables: [], files: [{ folder: OPENCODE_CONFIG, file: "opencode.json" }], example: "XDG_CONFIG_HOME=~/settings ~/settings/opencode/opencode.json" },
  ],
  qwen: [
    variable("yes", "OPENAI_API_KEY", "sk-example"),
    { proves: "yes", variables: [], files: [{ folder: QWEN, file: "oauth_creds.json" }], example: "~/.qwen/oauth_creds.json" },
    // A key may stand in either.
    { proves: "unknown", variables: [], files: [{ folder: QWEN, file: "settings.json" }], example: "QWEN_HOME=~/qwen-of-ci ~/qwen-of-ci/settings.json" },
    { proves: "unknown", variables: [], files: [{ folder: QWEN, file: ".env" }], example: "~/.qwen/.env" },
  ],
  goose: [
    { proves: "yes", variables: ["GOOSE_PROVIDER", "OPENAI_API_KEY"], files: [], example: "GOOSE_PROVIDER=openai OPENAI_API_KEY=sk-example" },
    { proves: "yes", variables: ["GOOSE_PROVIDER", "ANTHROPIC_API_KEY"], files: [], example: "GOOSE_PROVIDER=anthropic ANTHROPIC_API_KEY=sk-ant-api03-example" },
    { proves: "yes", variables: ["GOOSE_PROVIDER", "GOOGLE_API_KEY"], files: [], example: "GOOSE_PROVIDER=google GOOGLE_API_KEY=AIza-example" },
    // Secrets are in this file only where there is no keyring.
    { proves: "yes", variables: [], files: [{ folder: GOOSE, file: "config.yaml" }, { folder: GOOSE, file: "secrets.yaml" }], example: "~/.config/goose/config.yaml ~/.config/goose/secrets.yaml" },
    // A provider on this machine, such as ollama, needs no key.
    variable("unknown", "GOOSE_PROVIDER", "ollama"),
    { proves: "unknown", variables: [], files: [{ folder: GOOSE, file: "config.yaml" }], example: "GOOSE_PATH_ROOT=~/goose ~/goose/config/config.yaml" },
  ],
};

function variable(proves: LoginEvidence["proves"], name: string, value: string): LoginEvidence {
  return { proves, variables: [name], files: [], example: `${name}=${value}` };
}
