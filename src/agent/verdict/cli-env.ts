// The environment variables that each agent CLI reads: its settings and keys, its folders, and its network configuration. A trailing `*`
// matches any suffix.

import type { AgentKind } from "../parse/agent-state.ts";

/** Proxies, certificates, and the folders that move a CLI's home. */
// prettier-ignore
const EVERY_CLI: readonly string[] = [
  "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
  "NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "XDG_*", "EDITOR", "COLORTERM",
];

/** CLIs that support many providers read a key for each. */
// prettier-ignore
const MANY_PROVIDERS: readonly string[] = [
  "ANTHROPIC_*", "OPENAI_*", "GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "OPENROUTER_API_KEY", "GROQ_API_KEY", "MISTRAL_API_KEY", "DEEPSEEK_API_KEY",
  "XAI_API_KEY", "TOGETHER_API_KEY", "FIREWORKS_API_KEY", "CEREBRAS_API_KEY", "OLLAMA_HOST",
];

interface CloudRow {
  /** Set if the CLI uses its models through this cloud … */
  readonly when: string;
  /** … whose variables it needs only in that case. */
  readonly names: readonly string[];
}

const GOOGLE_CLOUD = ["GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CLOUD_*", "CLOUD_ML_REGION", "GCLOUD_PROJECT"];

interface CliEnv {
  readonly own: readonly string[];
  readonly clouds: readonly CloudRow[];
}

const CLI_ENV: Readonly<Record<AgentKind, CliEnv>> = {
  claude: {
    own: ["ANTHROPIC_*", "CLAUDE_*", "DISABLE_*", "MAX_THINKING_TOKENS", "MCP_TIMEOUT", "API_TIMEOUT_MS"],
    clouds: [
      { when: "CLAUDE_CODE_USE_BEDROCK", names: ["AWS_*"] },
      { when: "CLAUDE_CODE_USE_VERTEX", names: [...GOOGLE_CLOUD, "VERTEX_*"] },
      { when: "CLAUDE_CODE_USE_FOUNDRY", names: ["AZURE_*"] },
    ],
  },
  codex: { own: ["CODEX_*", "OPENAI_*", "RUST_LOG"], clouds: [] },
  gemini: {
    own: ["GEMINI_*", "GOOGLE_API_KEY", "GOOGLE_GEMINI_*", "GOOGLE_GENAI_*"],
    clouds: [
      { when: "GOOGLE_GENAI_USE_VERTEXAI", names: GOOGLE_CLOUD },
      { when: "GOOGLE_GENAI_USE_GCA", names: GOOGLE_CLOUD },
    ],
  },
  opencode: { own: ["OPENCODE_*", ...MANY_PROVIDERS], clouds: [] },
  qwen: { own: ["QWEN_*", "OPENAI_*", "DASHSCOPE_*", "BAILIAN_*"], clouds: [] },
  goose: { own: ["GOOSE_*", "DATABRICKS_*", ...MANY_PROVIDERS], clouds: [] },
  generic: { own: [], clouds: [] },
};

/** The variables that the CLI gets besides the minimal set. It gets a cloud's variables only if it is configured to use that cloud. */
export function cliEnvNames(kind: AgentKind, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { own, clouds } = CLI_ENV[kind];
  const used = clouds.filter(({ when }) => (env[when] ?? "") !== "");
  return [...EVERY_CLI, ...own, ...used.flatMap(({ names }) => names)];
}
