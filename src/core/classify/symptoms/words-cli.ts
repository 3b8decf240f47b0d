// Words of agent CLIs that refuse to start: their arguments, their settings, the folder they are run in. Said before any request is
// made, in words that the tables below would take for something else.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const CLI_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "cli/arguments", when: { surface: ["cli", "node"], says: [["input must be provided either through stdin", "no prompt provided via stdin", "no input provided via stdin", "you must provide a message or a command", "stream json requires", "error parsing streaming input", "json schema is not valid json", "failed to read output schema file", "cannot be used with root", "unknown arguments: ", "unknown argument: ", "unrecognized arguments: ", "required arguments were not provided", "non option arguments", "argument missing", "too many arguments", "cannot use both", "error: invalid value", "error: unexpected argument", "error: unknown option", "error: option"]] },
      means: "RequestInvalid", example: "Error: Input must be provided either through stdin or as a prompt argument when using --print" },
    { id: "cli/session-in-use", when: { surface: ["cli", "node"], says: [["session id"], ["is already in use"]], within: 60 },
      means: "RequestInvalid", example: "Error: Session ID 11111111-2222-4333-8444-555555555555 is already in use." },
    { id: "cli/settings", when: { surface: ["cli", "node"], says: [["error loading :", "configuration is invalid", "invalid configuration", "config is invalid", "settings are invalid", "failed to load config*", "failed to parse config*", "could not parse settings", "settings file not found", "config file at", "error loading configuration", "please fix the configuration file*"]] },
      means: "ConfigSchemaViolation", example: 'Error loading config.toml: `wire_api = "chat"` is no longer supported.' },
    { id: "cli/no-such-provider", when: { surface: ["cli", "node"], provider: ["codex"], says: [["model provider"], ["not found"]], within: 60 },
      means: "ConfigSchemaViolation", example: { surface: "cli", provider: "codex-cli", exitCode: 1, message: "Error: Model provider `nosuch` not found" } },
    { id: "cli/not-set-up", when: { surface: ["cli", "node"], says: [["no provider configured"]] },
      means: "KeyMissing", example: "error: No provider configured. Run 'goose configure' first." },
    { id: "cli/key-variable", when: { surface: ["cli", "node"], provider: ["codex"], says: [["missing environment variable"]] },
      means: "KeyMissing", example: { surface: "cli", provider: "codex-cli", message: "Missing environment variable: `STUBKEY`." } },
    { id: "cli/untrusted-folder", when: { surface: ["cli", "node"], says: [["not inside a trusted directory"]] },
      means: "AccessDenied", example: "Not inside a trusted directory and --skip-git-repo-check was not specified." },
    { id: "cli/session-lost", when: { surface: ["cli", "node"], says: [["no saved session found", "no conversation found", "session not found", "session not exist*", "session does not exist", "no rollout found", "conversation not found", "conversation not exist*", "no previous sessions", "thread not found", "no thread with id", "session id not found", "no session found", "invalid session id*", "unknown session", "no valid session id", "error resuming session", "could not resume session", "failed to resume session", "cannot resume session", "no session or task matched", "invalid session identifier"]] },
      means: "SessionLost", example: "No conversation found with session ID: 2be572c4-57bb-4f86-bc03-b593c329177c" },
    { id: "cli/thread-lost", when: { surface: ["cli", "node"], says: [["thread", "session", "conversation"], ["not found", "does not exist"]], within: 50, unless: ["mcp*"] },
      means: "SessionLost", example: "Thread T-5928a90d-d53b-488f-a829-4e36442142ee not found" },
    { id: "command/missing-file", when: { surface: ["cli"], provider: ["command"], says: [["no such file or directory", "enoent", "could not read package*", "cannot find the path", "cannot find the file", "file not found", "does not exist", "not found", "not a git repository", "no such option"]] },
      means: "NotFound", example: { surface: "cli", provider: "command", exitCode: 2, message: "ls: cannot access '/nope': No such file or directory" } },
    { id: "cli/broken-stream", when: { surface: ["cli", "node"], says: [["incomplete json segment at the end"]] },
      means: "SchemaInvalid", example: "Incomplete JSON segment at the end" },
  ],
};
