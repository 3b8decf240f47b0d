// Evidence that an agent CLI is logged in: environment variables that are set and files that exist. Rows are tried in order, and the
// first match counts. The files are never opened, because they contain secrets.

import { AGENT_KINDS, type AgentKind } from "../parse/agent-state.ts";

/** The CLIs that have their own binary and login. */
export type ExaminedKind = Exclude<AgentKind, "generic">;

export const EXAMINED_KINDS: readonly ExaminedKind[] = AGENT_KINDS.filter((kind) => kind !== "generic");

export interface LoginEvidence {
  /** `unknown`: the CLI may be logged in, but only the CLI itself can tell. */
  readonly proves: "yes" | "unknown";
  /** All of these variables must be set. */
  readonly variables: readonly string[];
  /** All of these files must exist and not be empty. */
  readonly files: readonly LoginFile[];
  /** A machine that matches: variables as NAME=value, files in the home folder as ~/path. */
  readonly example: string;
}

export interface LoginFile {
  readonly folder: Folder;
  readonly file: string;
}

/** A folder with a CLI's settings or data. */
export interface Folder {
  /** The first variable that is set moves the folder to this path inside the folder it names. */
  readonly moved: readonly (readonly [variable: string, below: string])[];
  /** The path inside the home folder, if no variable is set. */
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
    // The cloud's credentials can be in a dozen places, some of them on the network.
    variable("unknown", "CLAUDE_CODE_USE_BEDROCK", "1"),
    variable("unknown", "CLAUDE_CODE_USE_VERTEX", "1"),
    variable("unknown", "CLAUDE_CODE_USE_FOUNDRY", "1"),
    // Claude Code was started here before. Its login may be in the macOS keychain, or an API key in this file.
    { proves: "unknown", variables: [], files: [{ folder: CLAUDE_STATE, file: ".claude.json" }], example: "~/.claude.json" },
  ],
  codex: [
    variable("yes", "CODEX_API_KEY", "sk-proj-example"),
    { proves: "yes", variables: [], files: [{ folder: CODEX, file: "auth.json" }], example: "CODEX_HOME=~/codex-of-ci ~/codex-of-ci/auth.json" },
    // The key works for a provider whose env_key names it. The built-in provider still asks for a login.
    variable("unknown", "OPENAI_API_KEY", "sk-proj-example"),
  ],
  gemini: [
    variable("yes", "GEMINI_API_KEY", "AIza-example"),
    { proves: "yes", variables: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_API_KEY"], files: [], example: "GOOGLE_GENAI_USE_VERTEXAI=true GOOGLE_API_KEY=AIza-example" },
    { proves: "yes", variables: ["GOOGLE_GENAI_USE_GCA"], files: [{ folder: GEMINI, file: "oauth_creds.json" }], example: "GOOGLE_GENAI_USE_GCA=true ~/.gemini/oauth_creds.json" },
    // Gemini uses the tokens only if the settings say so (security.auth.selectedType).
    { proves: "yes", variables: [], files: [{ folder: GEMINI, file: "oauth_creds.json" }, { folder: GEMINI, file: "settings.json" }], example: "~/.gemini/oauth_creds.json ~/.gemini/settings.json" },
    variable("unknown", "GOOGLE_GENAI_USE_VERTEXAI", "true"),
    { proves: "unknown", variables: [], files: [{ folder: GEMINI, file: "oauth_creds.json" }], example: "GEMINI_CLI_HOME=~/ci ~/ci/.gemini/oauth_creds.json" },
    // A key that the user typed in is in the keychain. The .env file may contain a key, too.
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
    // The settings may name a provider with a key, or one that needs no key.
    variable("unknown", "OPENCODE_CONFIG_CONTENT", "{}"),
    variable("unknown", "OPENCODE_CONFIG", "opencode.json"),
    { proves: "unknown", variables: [], files: [{ folder: OPENCODE_CONFIG, file: "opencode.json" }], example: "XDG_CONFIG_HOME=~/settings ~/settings/opencode/opencode.json" },
  ],
  qwen: [
    variable("yes", "OPENAI_API_KEY", "sk-example"),
    { proves: "yes", variables: [], files: [{ folder: QWEN, file: "oauth_creds.json" }], example: "~/.qwen/oauth_creds.json" },
    // Either file may contain a key.
    { proves: "unknown", variables: [], files: [{ folder: QWEN, file: "settings.json" }], example: "QWEN_HOME=~/qwen-of-ci ~/qwen-of-ci/settings.json" },
    { proves: "unknown", variables: [], files: [{ folder: QWEN, file: ".env" }], example: "~/.qwen/.env" },
  ],
  goose: [
    { proves: "yes", variables: ["GOOSE_PROVIDER", "OPENAI_API_KEY"], files: [], example: "GOOSE_PROVIDER=openai OPENAI_API_KEY=sk-example" },
    { proves: "yes", variables: ["GOOSE_PROVIDER", "ANTHROPIC_API_KEY"], files: [], example: "GOOSE_PROVIDER=anthropic ANTHROPIC_API_KEY=sk-ant-api03-example" },
    { proves: "yes", variables: ["GOOSE_PROVIDER", "GOOGLE_API_KEY"], files: [], example: "GOOSE_PROVIDER=google GOOGLE_API_KEY=AIza-example" },
    // goose stores secrets in this file only if there is no keyring.
    { proves: "yes", variables: [], files: [{ folder: GOOSE, file: "config.yaml" }, { folder: GOOSE, file: "secrets.yaml" }], example: "~/.config/goose/config.yaml ~/.config/goose/secrets.yaml" },
    // A local provider such as ollama needs no key.
    variable("unknown", "GOOSE_PROVIDER", "ollama"),
    { proves: "unknown", variables: [], files: [{ folder: GOOSE, file: "config.yaml" }], example: "GOOSE_PATH_ROOT=~/goose ~/goose/config/config.yaml" },
  ],
};

function variable(proves: LoginEvidence["proves"], name: string, value: string): LoginEvidence {
  return { proves, variables: [name], files: [], example: `${name}=${value}` };
}
