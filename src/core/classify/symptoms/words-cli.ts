// Words of agent CLIs that refuse to start: their arguments, their settings, the folder they are run in. Said before any request is
// made, in words that the tables below would take for something else.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const CLI_WORDS: RuleGroup = {
  source: "text",
  rules: [
    { id: "cli/arguments", when: { surface: ["cli", "node"], says: [["input must be provided either through stdin", "no prompt provided via stdin", "no input provided via stdin", "you must provide a message or a command", "stream json requires", "error parsing streaming input", "json schema is not valid json", "failed to read output schema file", "cannot be used with root", "unknown arguments: ", "unknown argument: "]] },
      means: "RequestInvalid", example: "Error: Input must be provided either through stdin or as a prompt argument when using --print" },
    { id: "cli/session-in-use", when: { surface: ["cli", "node"], says: [["session id"], ["is already in use"]], within: 60 },
      means: "RequestInvalid", example: "Error: Session ID 11111111-2222-4333-8444-555555555555 is already in use." },
    { id: "cli/settings", when: { surface: ["cli", "node"], says: [["error loading config.toml", "settings file not found", "config file at", "error loading configuration", "please fix the configuration file*"]] },
      means: "ConfigSchemaViolation", example: 'Error loading config.toml: `wire_api = "chat"` is no longer supported.' },
    { id: "cli/no-such-provider", when: { surface: ["cli", "node"], provider: ["codex"], says: [["model provider"], ["not found"]], within: 60 },
      means: "ConfigSchemaViolation", example: { surface: "cli", provider: "codex-cli", exitCode: 1, message: "Error: Model provider `nosuch` not found" } },
    { id: "cli/not-set-up", when: { surface: ["cli", "node"], says: [["no provider configured"]] },
      means: "AuthFailed", example: "error: No provider configured. Run 'goose configure' first." },
    { id: "cli/key-variable", when: { surface: ["cli", "node"], provider: ["codex"], says: [["missing environment variable"]] },
      means: "AuthFailed", example: { surface: "cli", provider: "codex-cli", message: "Missing environment variable: `STUBKEY`." } },
    { id: "cli/untrusted-folder", when: { surface: ["cli", "node"], says: [["not inside a trusted directory"]] },
      means: "AccessDenied", example: "Not inside a trusted directory and --skip-git-repo-check was not specified." },
    { id: "cli/session-missing", when: { surface: ["cli", "node"], says: [["no saved session found"]] },
      means: "EndpointNotFound", example: 'No saved session found with title "11111111-2222-3333-4444-555555555555".' },
    { id: "cli/broken-stream", when: { surface: ["cli", "node"], says: [["incomplete json segment at the end"]] },
      means: "SchemaInvalid", example: "Incomplete JSON segment at the end" },
  ],
};
