// How a process ended: signals, and exit codes that mean something on their own.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const PROCESS: RuleGroup = {
  source: "process",
  rules: () => [
    { id: "process/interrupted", when: { signal: ["SIGINT"] },
      means: "TurnCancelled", onTool: "ToolCancelled", example: { surface: "cli", exitCode: null, signal: "SIGINT" } },
    { id: "process/killed", when: { signal: ["SIGKILL", "SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP", "SIGSYS", "SIGQUIT", "SIGXCPU"] },
      means: "ProcessCrashed", example: { surface: "node", provider: "claude-cli", message: "Error: Claude Code process terminated by signal SIGKILL", signal: "SIGKILL" } },
    { id: "process/crash-code", when: { exitCode: [132, 133, 134, 135, 136, 137, 139, -4, -6, -7, -8, -9, -11, 3221225477, 3221225725, 3221226505, 3221226356, -1073741819, -1073740791, -1073741571] },
      means: "ProcessCrashed", example: { surface: "cli", exitCode: 137, message: "Killed" } },
    { id: "process/not-found", when: { exitCode: [127, 126] },
      means: "BinaryMissing", example: { surface: "cli", exitCode: 127, message: "sh: 1: codex: not found" } },
  ],
};

/** Exit codes of particular CLIs; their output counts for more. */
// prettier-ignore
export const CLI_EXIT_CODES: RuleGroup = {
  source: "process",
  rules: () => [
    { id: "exit/timeout",        when: { exitCode: [124] },                                         means: "NetworkTimeout", onTool: "ExecutionTimeout", example: { surface: "tool", exitCode: 124 } },
    { id: "exit/cancelled",      when: { exitCode: [130] },                                         means: "TurnCancelled", onTool: "ToolCancelled", example: { surface: "cli", provider: "gemini-cli", exitCode: 130 } },
    { id: "exit/gemini-auth",    when: { provider: ["gemini"], exitCode: [41, 145] },               means: "AuthFailed",            example: { surface: "cli", provider: "gemini-cli", exitCode: 41 } },
    { id: "exit/gemini-input",   when: { provider: ["gemini"], exitCode: [42, 144] },               means: "RequestInvalid",        example: { surface: "cli", provider: "gemini-cli", exitCode: 42 } },
    { id: "exit/gemini-sandbox", when: { provider: ["gemini"], exitCode: [44] },                    means: "SandboxFailed",         example: { surface: "cli", provider: "gemini-cli", exitCode: 44 } },
    { id: "exit/gemini-config",  when: { provider: ["gemini"], exitCode: [52] },                    means: "ConfigSchemaViolation", example: { surface: "cli", provider: "gemini-cli", exitCode: 52 } },
    { id: "exit/turn-limit",     when: { provider: ["gemini", "qwen"], exitCode: [53] },            means: "TurnLimit",             example: { surface: "cli", provider: "qwen", exitCode: 53 } },
    { id: "exit/gemini-tool",    when: { provider: ["gemini"], exitCode: [54] },                    means: "ExecutionFailed",       example: { surface: "cli", provider: "gemini-cli", exitCode: 54 } },
    { id: "exit/gemini-denied",  when: { provider: ["gemini"], exitCode: [55, 147] },               means: "AccessDenied",          example: { surface: "cli", provider: "gemini-cli", exitCode: 55 } },
    { id: "exit/gemini-404",     when: { provider: ["gemini"], exitCode: [148] },                   means: "ModelNotFound",         example: { surface: "cli", provider: "gemini-cli", exitCode: 148 } },
    { id: "exit/gemini-429",     when: { provider: ["gemini"], exitCode: [173] },                   means: "RateLimited",           example: { surface: "cli", provider: "gemini-cli", exitCode: 173 } },
    { id: "exit/gemini-5xx",     when: { provider: ["gemini"], exitCode: [244, 245, 246, 247, 248] }, means: "Provider5xx",         example: { surface: "cli", provider: "gemini-cli", exitCode: 247 } },
  ],
};

/** It was asked to stop, perhaps by a timer: its output says more. */
// prettier-ignore
export const TERMINATED: RuleGroup = {
  source: "process",
  rules: () => [
    { id: "process/terminated", when: { signal: ["SIGTERM", "SIGHUP"] }, means: "ProcessCrashed", example: { surface: "cli", exitCode: null, signal: "SIGTERM" } },
    { id: "exit/terminated",    when: { exitCode: [143, 129, -15, -1] }, means: "ProcessCrashed", example: { surface: "cli", provider: "claude-cli", exitCode: 143 } },
  ],
};
