// Points the vendors' SDKs and CLIs at a server, with a fake key.

export function agentEnv(url: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_BASE_URL: url,
    // Google's own SDK appends the API version itself.
    GOOGLE_GEMINI_BASE_URL: url,
    OPENAI_API_KEY: "none",
    ANTHROPIC_API_KEY: "none",
    GEMINI_API_KEY: "none",
  };
}
