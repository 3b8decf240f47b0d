// Words of the programs that tools run: git, containers, package managers, shells, curl, ssh, databases, file tools of agents. They are
// specific to these programs, so they are read before the general words, and only where a tool failed.

import type { Surface } from "../evidence.ts";
import type { RuleGroup } from "../rule.ts";

const ON_TOOL: readonly Surface[] = ["tool", "mcp"];

// prettier-ignore
export const PROGRAM_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "program/sign-in", when: { surface: ON_TOOL, says: [["could not read username", "could not read password", "denied (publickey", "to be logged in", "must be logged in", "unable to authenticate", "wrongpass", "noauth", "gh auth login", "active account selected", "password authentication failed"]] },
      means: "AuthFailed", example: { surface: "tool", exitCode: 128, message: "fatal: could not read Username for 'https://github.com': terminal prompts disabled" } },
    { id: "program/busy", when: { surface: ON_TOOL, says: [["could not lock", "already allocated", "object has been modified", "connection slots are reserved", "could not serialize access", "lock wait timeout", "deadlock found", "acquiring the state lock", "busy running a script", "held by process", "too many connections", "too many open sessions", "only one sse stream", "already has an active connection"]] },
      means: "ResourceBusy", example: { surface: "tool", message: "ERROR 1205 (HY000): Lock wait timeout exceeded; try restarting transaction" } },
    { id: "program/away", when: { surface: ON_TOOL, says: [["system is starting up", "system is shutting down", "loading the dataset", "clusterdown", "masterdown", "server has gone away", "due to administrator command", "specify the right host or port"]] },
      means: "ToolUnavailable", example: { surface: "tool", message: "FATAL:  the database system is starting up" } },
    { id: "program/cut", when: { surface: ON_TOOL, says: [["not closed cleanly", "empty reply from server", "transfer closed", "error in the pull function"]] },
      means: "NetworkDisconnect", example: { surface: "tool", exitCode: 92, message: "curl: (92) HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)" } },
    { id: "program/full", when: { surface: ON_TOOL, says: [["used memory >", "disk quota", "not enough space on", "fork: cannot allocate memory"]] },
      means: "ResourceExhausted", example: { surface: "tool", message: "OOM command not allowed when used memory > 'maxmemory'." } },
    { id: "program/refused", when: { surface: ON_TOOL, says: [["correct access rights", "protected branch", "hook declined", "dubious ownership", "required to read the password", "not in the sudoers file", "read only file system", "pg hba.conf entry", "read only transaction", "readonly database", "read only replica", "no permissions to run", "resource not accessible", "host key verification failed", "running scripts is disabled", "claude code may only", "not in workspace", "outside allowed", "outside the allowed", "outside of the project", "outside the workspace", "not authorized on"]] },
      means: "Forbidden", example: { surface: "tool", exitCode: 1, message: "remote: error: GH006: Protected branch update failed for refs/heads/main." } },
    { id: "program/path-denied", when: { surface: ON_TOOL, says: [["access to the path"], ["is denied"]], within: 200 },
      means: "Forbidden", example: { surface: "tool", message: "Access to the path 'C:\\Windows\\x' is denied." } },
    { id: "program/disabled", when: { surface: ON_TOOL, rpcCode: [-32602], says: [["disabled"]] },
      means: "Forbidden", example: { surface: "mcp", message: "MCP error -32602: Tool create_issue disabled" } },
    { id: "program/missing", when: { surface: ON_TOOL, says: [["not a git repository", "unknown revision", "did not match any file*", "couldn't find remote ref", "could not resolve to a", "no such container", "no such image", "no such service", "manifest unknown", "no versions available", "no matching version", "missing script", "could not find a version", "no matching distribution", "no matching package", "cannot find main module", "or any parent directory", "unable to locate package", "no rule to make target", "no makefile found", "unknown database", "unable to open database file"]] },
      means: "NotFound", example: { surface: "tool", exitCode: 1, message: "error: pathspec 'release' did not match any file(s) known to git" } },
    { id: "program/rpc-missing", when: { surface: ON_TOOL, rpcCode: [-32602], says: [["not found", "unknown tool", "unknown prompt", "unknown resource", "does not exist", "doesn't exist", "no such", "could not find", "cannot find", "not registered", "no matching"]] },
      means: "NotFound", example: { surface: "mcp", message: "MCP error -32602: Prompt summary not found" } },
    { id: "program/input", when: { surface: ON_TOOL, says: [["syntax error", "sql syntax", "is not a git command", "unknown switch", "unterminated", "unclosed group", "regex parse error", "unmatched [", "unmatched (", "is a directory", "not a directory", "directory not empty", "violates unique constraint", "violates foreign key", "violates not null", "violates check constraint", "duplicate key", "duplicate entry", "constraint failed", "value too long for type", "wrong number of arguments", "wrong kind of value", "unknown command", "url rejected", "cannot index", "unsupported argument", "failed to find expected lines", "strict mode violation", "has not been read yet", "modified since read", "template format error", "can't decode byte", "array type must have items", "invalid value: "]], unless: ["syntaxerror: "] },
      means: "InputInvalid", example: { surface: "tool", message: "ERROR:  duplicate key value violates unique constraint \"users_pkey\"" } },
    { id: "program/exists", when: { surface: ON_TOOL, says: [["cannot create directory"], ["file exists"]], within: 160 },
      means: "InputInvalid", example: { surface: "tool", exitCode: 1, message: "mkdir: cannot create directory 'x': File exists" } },
  ],
};
