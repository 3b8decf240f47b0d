// Words about who may do what: denials by people, missing binaries, credentials, certificates, regions.

import type { RuleGroup } from "../rule.ts";

// prettier-ignore
export const DENIAL_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "words/test-run", when: { surface: ["tool"], says: [["fail: test*", "test result: failed", "test files", "test suites: ", "failed tests"]] },
      means: "TestsFailed", example: { surface: "tool", exitCode: 1, message: "--- FAIL: TestOverloaded (0.00s)\n    x_test.go:10: got 503 service unavailable\nFAIL" } },
    { id: "words/denied-by-person", when: { says: [["user rejected", "rejected by user", "rejected by the user", "user refused", "user denied", "denied by user", "denied by the user", "user declined", "declined by user", "declined by the user", "rejected the tool", "permission was declined", "doesn't want to proceed", "rejected this tool", "rejected by operator"]], unless: ["api key*"] },
      means: "Forbidden", example: "The user rejected permission to use this specific tool call." },
    { id: "words/permission-needed", when: { says: [["haven't granted it yet", "requested permissions to", "requires approval", "needs approval", "needs your approval", "auto denied", "auto rejecting", "blocked by classifier", "action was rejected", "circumvent this denial", "berechtigung verweigert", "permission mode", "permission prompt", "denied by policy", "blocked by policy", "blocked by hook", "disallowed by policy", "denied in your settings", "not in the allowlist", "not in allowlist", "approval required", "list of allowed tools", "could not be parsed safely", "need permission to use", "permission was not granted", "denied by your permission*", "denied by permission*", "only allows", "requires permission", "permission required"]] },
      means: "Forbidden", example: "Claude requested permissions to use Bash, but you haven't granted it yet." },
    { id: "words/permission-to-use", when: { says: [["permission to use", "permission to run", "permission for", "tool call", "tool use", "command", "operation"], ["has been denied", "was denied", "been rejected", "is blocked", "was blocked", "blocked by"]], within: 80 },
      means: "Forbidden", example: "Permission to use Bash with command node --version has been denied." },
    { id: "words/guard-failed-closed", when: { says: [["classifier", "guardian", "approval review"], ["blocking", "blocked", "denied", "rejected"]], within: 60 },
      means: "Forbidden", example: "Stage N classifier error - blocking" },
  ],
};

/** Said of a key that was there and was refused. */
const NOT_MISSING = [
  "invalid api key*",
  "invalid key*",
  "invalid token*",
  "invalid credential*",
  "invalid x api key",
  "incorrect",
  "expired",
  "revoked",
  "rejected",
  "leaked",
  "malformed",
];

// prettier-ignore
export const ACCESS_WORDS: RuleGroup = {
  source: "text",
  rules: () => [
    { id: "words/sandbox-tool", when: { says: [["landlock*", "seccomp", "bwrap", "bubblewrap", "sandbox exec", "linux sandbox"], ["failed", "error", "not permitted", "no permission*", "panicked", "denied", "cannot", "unable", "not supported"]], within: 120 },
      means: "SandboxFailed", example: "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted" },
    { id: "words/certificate", when: { says: [["self signed certificate*", "certificate verify failed", "unable to get local issuer certificate", "unable to get issuer certificate", "unable to verify the first certificate", "certificate has expired", "certificate is not trusted", "certificate is not yet valid", "unknown ca", "invalid peer certificate", "unknown authority", "unknownissuer", "ssl certificate problem", "sslcertverificationerror", "hostname mismatch", "certificate's altnames", "bad certificate", "certificate unknown", "pkix path building failed", "unable to find valid certification path", "certificate validation failed", "certificate is invalid", "failed to verify certificate", "x509: ", "not standards compliant", "wrong version number", "handshake failure", "alert protocol version", "legacy renegotiation", "does not look like a tls handshake", "establish trust relationship", "verify the issuer's authority"]] },
      means: "TlsUntrusted", example: "Cannot connect to API: self-signed certificate in certificate chain" },
    { id: "words/binary-missing", when: { says: [["spawn*"], ["enoent"]], within: 400 },
      means: "BinaryMissing", example: "Connection state: Error spawn npx ENOENT" },
    { id: "words/command-not-found", when: { says: [["command not found", "executable not found", "binary not found", "executable file not found", "not found in $path", "not found in path", "is not recognized as an internal or external command", "is not recognized as the name of a cmdlet", "native binary not installed", "missing optional dependency", "optional dependency was not", "failed to install the right version", "postinstall did not run", "platform specific package", "no prebuilt binar*", "unsupported platform", "could not find claude code command", "cli not found", "binary is missing", "cli is not installed", "failed to locate", "not found on path", "install not found", "program not found", "but failed to launch", "installation not found", "not in your path", "no such file or directory (os error 2)", "unable to locate executable", "failed to spawn", "is not on path", "cannot find the file specified", "可执行文件", "未找到命令", "command was not found", "不是内部或外部命令", "bad cpu type in executable", "exec format error", "bad interpreter", "and is needed by esbuild", "incompatible with this module"]] },
      means: "BinaryMissing", example: "Claude Code executable not found at <path>. Is options.pathToClaudeCodeExecutable set?" },
    { id: "words/old-library", when: { says: [["glibc*", "glibcxx*", "musl"], ["not found"]], within: 30 },
      means: "BinaryMissing", example: "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by goose)" },
    { id: "words/no-interpreter", when: { surface: ["cli", "node"], says: [["env: "], ["no such file or directory"]], within: 50 },
      means: "BinaryMissing", example: "env: node: No such file or directory" },
    { id: "words/command-missing", when: { says: [["command", "executable", "binary", "cli", "chromium distribution", "interpreter", "runtime"], ["was not found", "is not found", "needed to run", "doesn't exist", "could not be found", "is not installed", "not installed"]], within: 60, unless: ["library is not installed"] },
      means: "BinaryMissing", example: 'The command "docker" needed to run github was not found.' },
    { id: "words/broken-install", when: { says: [["no module named", "modulenotfounderror", "cannot find module", "cannot find package", "importerror", "err module not found", "classnotfoundexception", "noclassdeffounderror", "shared object file"]] },
      means: "BinaryMissing", onTool: "ExecutionFailed", example: { surface: "tool", message: "ModuleNotFoundError: No module named 'networkx'" } },
    { id: "words/not-installed", when: { says: [["not found", "is missing", "not available", "not detected"], ["install with", "install it with", "to install it", "npm install g", "npm i g", "pip install", "brew install", "apt install", "please install it"]], within: 60 },
      means: "BinaryMissing", example: "Claude Code not found. Install with: npm install -g @anthropic-ai/claude-code" },
    { id: "words/shell-not-found", when: { says: [["sh: 1: ", "sh: line", "bash: line", "bin/sh: ", "bin/bash: ", "zsh: "], ["not found"]], within: 60 },
      means: "BinaryMissing", example: { surface: "tool", message: "/bin/sh: 1: rg: not found" } },
    { id: "words/server-not-started", when: { says: [["failed to start", "could not start", "cannot start", "can't start", "unable to start", "failed to launch"], ["no such file or directory", "enoent", "errno 2"]], within: 120 },
      means: "BinaryMissing", example: { surface: "mcp", message: "Failed to start server: [Errno 2] No such file or directory: 'uvx'" } },
    { id: "words/region", when: { says: [["not available in your country", "not available in your region", "not be available in your country", "unsupported country", "unsupported region", "user location is not supported", "country, region, or territory not supported", "region is not supported", "supported countries", "geo restricted", "not supported in your region", "not currently available in your location", "not available in your location"]] },
      means: "AccessDenied", onTool: "Forbidden", example: "User location is not supported for the API use." },
    // Behind the words about limits: some vendors answer a quota that is used up with it.
    { id: "id/permission-403", when: { token: ["permission_error", "permissiondeniederror"], status: [403] },
      means: "AccessDenied", onTool: "Forbidden", example: { surface: "http", provider: "anthropic", status: 403, body: { type: "error", error: { type: "permission_error", message: "OAuth authentication is currently not allowed for this organization." } } } },
    { id: "words/plan", when: { says: [["plan", "subscription", "tier", "license"], ["does not include", "doesn't include", "not included in", "is required for", "is required to", "only available", "not available on", "does not have access", "not supported on"]], within: 60, unless: ["exceed*", "quota*", "credit*", "usage limit*"] },
      means: "AccessDenied", onTool: "Forbidden", example: "This model is only available on the Pro plan." },
    { id: "words/scope", when: { says: [["scope", "scopes"], ["insufficient", "missing", "does not have", "required scope*", "lacks"]], within: 40 },
      means: "AccessDenied", onTool: "Forbidden", example: "You have insufficient permissions for this operation. Missing scopes: model.request." },
    { id: "words/organization", when: { says: [["organization", "administrator", "admin", "account", "workspace"], ["has disabled", "has not enabled", "is not eligible", "not eligible for", "has been disabled by"]], within: 60 },
      means: "AccessDenied", onTool: "Forbidden", example: "Your organization has disabled Claude subscription access for Claude Code. Use an API key instead." },
    { id: "words/no-credential", when: { says: [["could not resolve authentication method", "could not load credentials", "could not load the default credentials", "default credentials were not found", "unable to locate credentials", "missing bearer", "secret with the name", "no key found", "no api key*", "no credentials", "missing credentials", "missing api key*", "missing key inputs", "api key is missing", "must provide an api key", "provide an api key", "didn't provide an api key", "without established identity"]], unless: [...NOT_MISSING, "timed out"] },
      means: "KeyMissing", example: "Error: Could not resolve authentication method. Expected either apiKey or authToken to be set." },
    { id: "words/no-key", when: { says: [["api key*", "apikey*", "environment variable*", "env var*", "credential*"], ["is not set", "not set", "is missing", "is unset", "must be set", "must specify the", "you must specify", "not configured", "set the environment variable", "pass it using", "were not provided", "was not provided"]], within: 70, unless: NOT_MISSING },
      means: "KeyMissing", example: "When using Gemini API, you must specify the GEMINI_API_KEY environment variable." },
    { id: "words/login", when: { says: [["please run /login", "not logged in", "please log in", "please login", "sign in again", "log in again", "log out and sign in", "re authenticate", "reauthenticate", "authentication failed", "failed to authenticate", "authentication fails", "authentication failure", "requires authentication", "authentication is required", "authentication needed", "reauthentication", "invalid credentials", "bad credentials", "invalid x api key", "login required", "session expired", "session has expired", "token expired", "token has expired", "token is expired", "expired token", "token is invalid", "invalid token", "token is invalidated", "not authenticated", "authentication required", "authentication credential*", "please set an auth method", "invalid auth*", "no auth*", "unauthenticated", "invalid subscription key", "security token included in the request", "invalid bearer", "must provide an api key", "please provide an api key", "need to provide", "unauthorized", "authorization header", "invalid access token", "user not found", "invalid client", "invalid jwt", "signature has expired", "no auth type is selected", "login expired", "failed to login", "no key found", "error llm authentication", "authorization failed", "authorization grant", "oauth helper", "check your credentials", "verify your credentials", "signature we calculated does not match", "not from a valid issuer", "sso session", "sso token", "sso login", "oauth account", "browser for login", "aadsts*", "认证失败", "鉴权失败", "身份验证", "无效的令牌", "未授权", "令牌已过期", "api key 无效", "密钥无效", "无效的 api", "认证", "令牌"]] },
      means: "AuthFailed", example: "Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again." },
    { id: "words/oauth", when: { says: [["oauth*", "authorization server", "auth server", "client registration", "redirect uri", "token endpoint", "token exchange", "authorization code"], ["error", "failed", "invalid", "mismatch", "rejected", "incompatible", "not supported"]], within: 60, unless: ["timeout", "timed out", "not found", "connection refused"] },
      means: "AuthFailed", example: { surface: "mcp", message: "Incompatible auth server: does not support dynamic client registration" } },
    { id: "words/credential", when: { says: [["api key*", "apikey*", "api token*", "access token*", "auth token*", "oauth token*", "refresh token*", "bearer token*", "credential*", "secret with the name", "openai api key", "anthropic api key", "gemini api key", "google api key", "x goog api key", "service account"], ["invalid", "incorrect", "not valid", "missing", "expired", "revoked", "no valid", "not provided", "not found", "not set", "is not set", "required", "must be set", "must be passed", "could not be refreshed", "malformed", "wrong", "failed to refresh", "unable to refresh", "disabled", "leaked", "empty", "not configured", "could not find", "couldn't find", "not supported by this", "unable to find", "does not exist", "rejected", "denied", "unset", "failed", "you must provide", "please pass", "unavailable"]], within: 60, unless: ["max retries exceeded", "connection refused", "getaddrinfo", "newconnectionerror", "timed out"] },
      means: "AuthFailed", example: "Incorrect API key provided: sk***XX. You can obtain an API key from the console." },
    { id: "words/missing-key-variable", when: { says: [["missing environment variable", "environment variable*", "env var*"], ["api key*", "token", "not set", "auth*"]], within: 60 },
      means: "KeyMissing", example: { surface: "tool", message: "gh: To use GitHub CLI in a GitHub Actions workflow, set the GH_TOKEN environment variable." } },
    { id: "words/no-access", when: { says: [["don't have access", "do not have access", "does not have access", "not authorized to", "is not authorized", "are not authorized", "access denied", "access is denied", "access to this model", "no access to", "permission denied", "permission error", "insufficient permission*", "insufficient scope*", "does not have permission", "do not have permission", "don't have permission", "lacks permission", "missing permission*", "not allowed for this organization", "has been suspended", "has been disabled", "account is suspended", "been banned", "suspicious activity", "is not allowed to use", "has disabled", "not allowed to use", "this permission", "forbidden", "not permitted", "operation not permitted", "access forbidden", "must be a member", "verify your organization", "organization must be verified", "not entitled", "ip address is not", "restricted to", "operation not allowed", "you have been blocked", "you are unable to access", "没有权限", "无权", "权限不足", "拒绝访问"]], unless: ["may not exist", "does not exist or", "not found or"] },
      means: "AccessDenied", onTool: "Forbidden", example: "You don't have access to the model with the specified model ID." },
  ],
};
