// What each fault is called in the five vocabularies Faultline unites, so that a program written against one of
// them can read our faults. Where a vocabulary has no word of its own, the row names the word whose handler does
// what we do: e.g. a bad credential is stud's Validation ("operator fixes config"), never its retryable class.

import type { FaultCode } from "./catalogue.ts";

/** A class of the workflow specification. */
export type StudClass =
  | "Validation"
  | "ProviderTransient"
  | "ProviderCapability"
  | "ToolTransient"
  | "ToolTerminal"
  | "Session"
  | "Cancellation"
  | "ExtensionHost";

/** Relavium's LlmError kind: what went wrong inside a model call. */
export type LlmKind =
  | "rate_limit"
  | "overloaded"
  | "timeout"
  | "transport"
  | "auth"
  | "bad_request"
  | "content_filter"
  | "cancelled"
  | "unknown";

/** Relavium's run ErrorCode: what a run or node ended with. */
export type RunCode =
  | "validation"
  | "content_filter"
  | "provider_auth"
  | "provider_rate_limit"
  | "provider_unavailable"
  | "tool_denied"
  | "tool_failed"
  | "tool_unavailable"
  | "budget_exceeded"
  | "run_timeout"
  | "turn_limit"
  | "cancelled"
  | "sandbox_error"
  | "internal";

/** The Error Handling Matrix's outcomes of a stage: each is a failure, or a cancellation. */
export const MATRIX_OUTCOMES = [
  "provider_network_error",
  "provider_timeout",
  "provider_auth_error",
  "provider_not_found",
  "review_schema_invalid",
  "tester_schema_invalid",
  "test_failed",
  "provider_permission_denied",
  "approval_rejected",
  "canceled",
  "provider_quota_exceeded",
  "provider_runtime_error",
  "provider_unsupported",
  "max_iterations_reached",
  "internal_error",
] as const;
/** An outcome of the error handling matrix. */
export type MatrixOutcome = (typeof MATRIX_OUTCOMES)[number];

/** A class of the tool error handling specification. */
export type SiClass = "transient" | "permanent";

/** The CLI error category of seed 004. */
export type ErrorCategory = "retryable" | "fatal" | "context_overflow" | "timeout" | "aborted";

/** The outcome of an output fault depends on the role of the node: a reviewer, a tester, or any other. */
interface OutcomeByRole {
  readonly coder: MatrixOutcome;
  readonly reviewer: MatrixOutcome;
  readonly tester: MatrixOutcome;
}

/** What other vocabularies call a fault code. */
export interface VocabularyRow {
  readonly stud: { readonly class: StudClass; readonly code: string };
  readonly llmKind: LlmKind;
  readonly runCode: RunCode;
  readonly outcome: MatrixOutcome | OutcomeByRole;
  /** A cancellation is not an error, so Si has no word for it. */
  readonly si: SiClass | null;
  readonly cli: ErrorCategory;
}

const SCHEMA_OUTCOME: OutcomeByRole = {
  coder: "provider_runtime_error",
  reviewer: "review_schema_invalid",
  tester: "tester_schema_invalid",
};

function row(
  stud: `${StudClass}/${string}`,
  llmKind: LlmKind,
  runCode: RunCode,
  outcome: MatrixOutcome | OutcomeByRole,
  si: SiClass | null,
  cli: ErrorCategory,
): VocabularyRow {
  const [studClass, studCode] = stud.split("/") as [StudClass, string];
  return { stud: { class: studClass, code: studCode }, llmKind, runCode, outcome, si, cli };
}

/** The name of each fault code in other vocabularies. */
// prettier-ignore
export const VOCABULARY: Readonly<Record<FaultCode, VocabularyRow>> = {
  ShapeInvalid:            row("Validation/ShapeInvalid",                  "bad_request",    "validation",           "internal_error",             "permanent", "fatal"),
  ContractVersionMismatch: row("Validation/ContractVersionMismatch",       "bad_request",    "validation",           "internal_error",             "permanent", "fatal"),
  ConfigSchemaViolation:   row("Validation/ConfigSchemaViolation",         "bad_request",    "validation",           "internal_error",             "permanent", "fatal"),

  RateLimited:             row("ProviderTransient/RateLimited",            "rate_limit",     "provider_rate_limit",  "provider_runtime_error",     "transient", "retryable"),
  Overloaded:              row("ProviderTransient/Provider5xx",            "overloaded",     "provider_unavailable", "provider_network_error",     "transient", "retryable"),
  Provider5xx:             row("ProviderTransient/Provider5xx",            "overloaded",     "provider_unavailable", "provider_network_error",     "transient", "retryable"),
  NetworkTimeout:          row("ProviderTransient/NetworkTimeout",         "timeout",        "provider_unavailable", "provider_timeout",           "transient", "retryable"),
  NetworkDisconnect:       row("ProviderTransient/NetworkTimeout",         "transport",      "provider_unavailable", "provider_network_error",     "transient", "retryable"),
  AnswerUnreadable:        row("ProviderTransient/Provider5xx",            "transport",      "provider_unavailable", "provider_network_error",     "transient", "retryable"),

  AuthFailed:              row("Validation/Unauthorized",                  "auth",           "provider_auth",        "provider_auth_error",        "permanent", "fatal"),
  KeyMissing:              row("Validation/Unauthorized",                  "auth",           "provider_auth",        "provider_auth_error",        "permanent", "fatal"),
  AccessDenied:            row("Validation/Forbidden",                     "auth",           "provider_auth",        "provider_auth_error",        "permanent", "fatal"),
  QuotaExhausted:          row("Validation/QuotaExhausted",                "auth",           "provider_auth",        "provider_quota_exceeded",    "permanent", "fatal"),
  TlsUntrusted:            row("Validation/TlsUntrusted",                  "transport",      "provider_unavailable", "provider_network_error",     "permanent", "fatal"),
  BinaryMissing:           row("Validation/ProviderProcessFailed",         "unknown",        "provider_unavailable", "provider_not_found",         "permanent", "fatal"),
  PermissionLoop:          row("ToolTerminal/ApprovalDenied",              "auth",           "tool_denied",          "provider_permission_denied", "permanent", "fatal"),

  RequestInvalid:          row("Validation/ShapeInvalid",                  "bad_request",    "validation",           "provider_runtime_error",     "permanent", "fatal"),
  ModelNotFound:           row("ProviderCapability/ModelNotFound",         "bad_request",    "validation",           "provider_unsupported",       "permanent", "fatal"),
  EndpointNotFound:        row("ProviderCapability/EndpointNotFound",      "bad_request",    "validation",           "provider_not_found",         "permanent", "fatal"),
  SessionLost:             row("ProviderCapability/EndpointNotFound",      "bad_request",    "validation",           "provider_runtime_error",     "permanent", "fatal"),
  ContextOverflow:         row("Validation/ContextOverflow",               "bad_request",    "validation",           "provider_runtime_error",     "permanent", "context_overflow"),
  ContentFiltered:         row("ProviderCapability/ContentFiltered",       "content_filter", "content_filter",       "provider_runtime_error",     "permanent", "fatal"),

  MissingStreaming:        row("ProviderCapability/MissingStreaming",      "bad_request",    "validation",           "provider_unsupported",       "permanent", "fatal"),
  MissingToolCalling:      row("ProviderCapability/MissingToolCalling",    "bad_request",    "validation",           "provider_unsupported",       "permanent", "fatal"),
  MissingModality:         row("ProviderCapability/MissingModality",       "bad_request",    "validation",           "provider_unsupported",       "permanent", "fatal"),
  MissingCapability:       row("ProviderCapability/MissingCapability",     "bad_request",    "validation",           "provider_unsupported",       "permanent", "fatal"),
  ContextWindowTooSmall:   row("ProviderCapability/ContextWindowTooSmall", "bad_request",    "validation",           "provider_unsupported",       "permanent", "fatal"),

  SchemaInvalid:           row("ToolTerminal/OutputMalformed",             "unknown",        "validation",           SCHEMA_OUTCOME,               "permanent", "fatal"),
  OutputTruncated:         row("ToolTerminal/OutputMalformed",             "unknown",        "validation",           SCHEMA_OUTCOME,               "permanent", "fatal"),
  EmptyOutput:             row("ToolTerminal/OutputMalformed",             "unknown",        "validation",           "provider_runtime_error",     "permanent", "fatal"),
  TestsFailed:             row("ToolTerminal/ToolExecutionFailed",         "unknown",        "tool_failed",          "test_failed",                "permanent", "fatal"),
  AssertFailed:            row("ToolTerminal/OutputMalformed",             "unknown",        "validation",           "provider_runtime_error",     "permanent", "fatal"),

  ExecutionTimeout:        row("ToolTransient/ExecutionTimeout",           "timeout",        "tool_failed",          "provider_timeout",           "transient", "retryable"),
  ResourceBusy:            row("ToolTransient/ResourceBusy",               "unknown",        "tool_failed",          "provider_runtime_error",     "transient", "retryable"),
  ToolUnavailable:         row("ToolTransient/ResourceBusy",               "transport",      "tool_failed",          "provider_network_error",     "transient", "retryable"),

  InputInvalid:            row("ToolTerminal/InputInvalid",                "bad_request",    "validation",           "provider_runtime_error",     "permanent", "fatal"),
  OutputMalformed:         row("ToolTerminal/OutputMalformed",             "unknown",        "tool_failed",          SCHEMA_OUTCOME,               "permanent", "fatal"),
  Forbidden:               row("ToolTerminal/Forbidden",                   "auth",           "tool_denied",          "provider_permission_denied", "permanent", "fatal"),
  ApprovalRejected:        row("ToolTerminal/ApprovalDenied",              "unknown",        "tool_denied",          "approval_rejected",          "permanent", "fatal"),
  NotFound:                row("ToolTerminal/NotFound",                    "unknown",        "tool_failed",          "provider_not_found",         "permanent", "fatal"),
  ExecutionFailed:         row("ToolTerminal/ToolExecutionFailed",         "unknown",        "tool_failed",          "provider_runtime_error",     "permanent", "fatal"),
  Unsupported:             row("ToolTerminal/ToolNotRegistered",           "unknown",        "tool_unavailable",     "provider_unsupported",       "permanent", "fatal"),
  ResourceExhausted:       row("ToolTerminal/ToolExecutionFailed",         "unknown",        "tool_failed",          "provider_runtime_error",     "permanent", "fatal"),

  ManifestDrift:           row("Session/ManifestDrift",                    "unknown",        "internal",             "internal_error",             "permanent", "fatal"),
  StoreUnavailable:        row("Session/StoreUnavailable",                 "unknown",        "internal",             "internal_error",             "transient", "retryable"),
  ResumeMismatch:          row("Session/ResumeMismatch",                   "unknown",        "internal",             "internal_error",             "permanent", "fatal"),

  BudgetExceeded:          row("ExtensionHost/LoopBoundExceeded",          "unknown",        "budget_exceeded",      "max_iterations_reached",     "permanent", "fatal"),
  RunTimeout:              row("ExtensionHost/LoopBoundExceeded",          "timeout",        "run_timeout",          "provider_timeout",           "transient", "timeout"),
  TurnTimeout:             row("ExtensionHost/LoopBoundExceeded",          "timeout",        "run_timeout",          "provider_timeout",           "transient", "timeout"),
  TurnLimit:               row("ExtensionHost/LoopBoundExceeded",          "unknown",        "turn_limit",           "max_iterations_reached",     "permanent", "fatal"),
  ToolLoop:                row("ExtensionHost/LoopBoundExceeded",          "unknown",        "turn_limit",           "max_iterations_reached",     "permanent", "fatal"),

  CircuitOpen:             row("ToolTerminal/ToolExecutionFailed",         "overloaded",     "provider_unavailable", "provider_network_error",     "transient", "fatal"),
  RetryBudgetSpent:        row("ToolTerminal/ToolExecutionFailed",         "overloaded",     "provider_unavailable", "provider_network_error",     "transient", "fatal"),
  QueueFull:               row("ToolTerminal/ToolExecutionFailed",         "overloaded",     "provider_unavailable", "provider_runtime_error",     "transient", "fatal"),

  SandboxFailed:           row("ToolTerminal/ToolExecutionFailed",         "unknown",        "sandbox_error",        "internal_error",             "permanent", "fatal"),
  SandboxTimeout:          row("ToolTransient/ExecutionTimeout",           "timeout",        "sandbox_error",        "internal_error",             "transient", "retryable"),

  SessionCancelled:        row("Cancellation/SessionCancelled",            "cancelled",      "cancelled",            "canceled",                   null,        "aborted"),
  TurnCancelled:           row("Cancellation/TurnCancelled",               "cancelled",      "cancelled",            "canceled",                   null,        "aborted"),
  ToolCancelled:           row("Cancellation/ToolCancelled",               "cancelled",      "cancelled",            "canceled",                   null,        "aborted"),

  LifecycleFailure:        row("ExtensionHost/LifecycleFailure",           "unknown",        "internal",             "internal_error",             "permanent", "fatal"),
  DependencyCycle:         row("ExtensionHost/DependencyCycle",            "unknown",        "internal",             "internal_error",             "permanent", "fatal"),
  DependencyMissing:       row("ExtensionHost/DependencyMissing",          "unknown",        "internal",             "internal_error",             "permanent", "fatal"),

  ProcessCrashed:          row("ToolTerminal/ProviderProcessFailed",       "unknown",        "provider_unavailable", "provider_runtime_error",     "permanent", "fatal"),
  Interrupted:             row("ToolTransient/ExecutionTimeout",           "unknown",        "internal",             "provider_runtime_error",     "transient", "retryable"),

  Uncaught:                row("ExtensionHost/LifecycleFailure",           "unknown",        "internal",             "internal_error",             "permanent", "fatal"),
  InvariantBroken:         row("ExtensionHost/LifecycleFailure",           "unknown",        "internal",             "internal_error",             "permanent", "fatal"),
  HostCapabilityMissing:   row("ExtensionHost/DependencyMissing",          "unknown",        "internal",             "internal_error",             "permanent", "fatal"),
  EngineState:             row("ExtensionHost/LifecycleFailure",           "unknown",        "internal",             "internal_error",             "permanent", "fatal"),

  Unclassified:            row("ToolTerminal/ToolExecutionFailed",         "unknown",        "internal",             "provider_runtime_error",     "permanent", "fatal"),
};

/** The Matrix's outcome of a stage that ended with this code; `role` matters only for faults of the output. */
export function matrixOutcome(code: FaultCode, role: "coder" | "reviewer" | "tester" = "reviewer"): MatrixOutcome {
  const { outcome } = VOCABULARY[code];
  return typeof outcome === "string" ? outcome : outcome[role];
}
