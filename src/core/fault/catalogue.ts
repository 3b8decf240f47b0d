// Every fault there is: one row per code. Shared code asks a row's traits and never a code's name, so that
// a new code needs a row here (and words, and a policy row: tests demand both) and no new branch anywhere.

/** What a fault is a property of: decides whether another target could do better. */
export type FaultScope =
  | "request" //    the request itself: it fails the same way everywhere
  | "account" //    the credential at this endpoint
  | "rate" //       this model for this account: a limit, unless the answer says that it holds for the whole account
  | "model" //      this model at this endpoint
  | "endpoint" //   the address it is reached at, or this agent CLI
  | "target" //     this target alone: what guards it here refused
  | "network" //    the way to the endpoint
  | "tool" //       this tool
  | "output" //     what came back
  | "limit" //      a limit that was configured
  | "host"; //      this machine, this process

/** What kind of thing went wrong, coarser than a code: picks the words and the ways out that a person is shown. */
export type FaultCause =
  | "schema-invalid"
  | "network-error"
  | "auth-error"
  | "canceled"
  | "timeout"
  | "rate-limited"
  | "overloaded"
  | "quota-exhausted"
  | "provider-not-found"
  | "permission-denied"
  | "bad-request"
  | "capability-missing"
  | "context-overflow"
  | "content-filter"
  | "output-cut"
  | "tool-failed"
  | "tool-denied"
  | "approval-rejected"
  | "test-failed"
  | "budget-exceeded"
  | "turn-limit"
  | "sandbox-error"
  | "circuit-open"
  | "crashed"
  | "store-error"
  | "config-invalid"
  | "internal"
  | "unknown";

/** What a person is asked about a fault, where a policy says that one is asked. */
export type QuestionKind = "Approve" | "Ask" | "Select" | "Confirm" | "Auth.DeviceCode";

/** What the catalogue says about one fault code. */
export interface CatalogueRow {
  readonly class: string;
  /** Worth trying again unchanged. */
  readonly retryable: boolean;
  /** Passes by itself with time, so a "wait until" means something. Every retryable fault does. */
  readonly lifts: boolean;
  /** The work may have been done although we saw a failure: run again only if it is idempotent. */
  readonly mayHaveHappened: boolean;
  /** Counts against the target's breaker. */
  readonly tripsBreaker: boolean;
  /** A cooperative exit and no error: never retried, never counted. */
  readonly cancels: boolean;
  /** The whole run is over with it: no node can be skipped past it. */
  readonly endsRun: boolean;
  /** A consequence: the call was refused because of what happened before, and nothing was tried. Causes are counted without it. */
  readonly follows: boolean;
  readonly scope: FaultScope;
  /** The status of its problem+json. */
  readonly httpStatus: number;
  readonly cause: FaultCause;
  /** To sign in, to choose another way, to give other input, to confirm; otherwise to approve another try. */
  readonly asks: QuestionKind;
}

type Mark = "retry" | "lifts" | "maybe-done" | "trips" | "cancels" | "ends-run" | "follows";

/** `traits` lists the code's traits; a trait not listed is false. */
function row<Class extends string>(
  faultClass: Class,
  traits: readonly Mark[],
  scope: FaultScope,
  httpStatus: number,
  cause: FaultCause,
  asks: QuestionKind = "Approve",
): CatalogueRow & { readonly class: Class } {
  return {
    class: faultClass,
    retryable: traits.includes("retry"),
    lifts: traits.includes("retry") || traits.includes("lifts"),
    mayHaveHappened: traits.includes("maybe-done"),
    tripsBreaker: traits.includes("trips"),
    cancels: traits.includes("cancels"),
    endsRun: traits.includes("ends-run"),
    follows: traits.includes("follows"),
    scope,
    httpStatus,
    cause,
    asks,
  };
}

/** Every fault code with its traits. */
// prettier-ignore
export const CATALOGUE = {
  ShapeInvalid:            row("Validation",         [],                                "request",    422, "config-invalid"),
  ContractVersionMismatch: row("Validation",         [],                                "host",       422, "config-invalid"),
  ConfigSchemaViolation:   row("Validation",         [],                                "host",       422, "config-invalid"),

  RateLimited:             row("ProviderTransient",  ["retry", "trips"],                "rate",       429, "rate-limited"),
  Overloaded:              row("ProviderTransient",  ["retry", "trips"],                "model",      503, "overloaded"),
  Provider5xx:             row("ProviderTransient",  ["retry", "trips", "maybe-done"],  "endpoint",   502, "overloaded"),
  NetworkTimeout:          row("ProviderTransient",  ["retry", "trips", "maybe-done"],  "network",    504, "timeout"),
  NetworkDisconnect:       row("ProviderTransient",  ["retry", "trips", "maybe-done"],  "network",    502, "network-error"),
  AnswerUnreadable:        row("ProviderTransient",  ["retry", "trips", "maybe-done"],  "endpoint",   502, "network-error"),

  AuthFailed:              row("ProviderAccess",     [],                                "account",    401, "auth-error", "Auth.DeviceCode"),
  KeyMissing:              row("ProviderAccess",     [],                                "account",    401, "auth-error", "Auth.DeviceCode"),
  AccessDenied:            row("ProviderAccess",     [],                                "account",    403, "permission-denied"),
  QuotaExhausted:          row("ProviderAccess",     ["lifts"],                          "account",    429, "quota-exhausted", "Select"),
  TlsUntrusted:            row("ProviderAccess",     [],                                "network",    502, "network-error"),
  BinaryMissing:           row("ProviderAccess",     [],                                "endpoint",   502, "provider-not-found", "Select"),
  PermissionLoop:          row("ProviderAccess",     [],                                "endpoint",   403, "permission-denied"),

  RequestInvalid:          row("ProviderRequest",    [],                                "request",    400, "bad-request", "Ask"),
  ModelNotFound:           row("ProviderRequest",    [],                                "model",      404, "provider-not-found", "Select"),
  EndpointNotFound:        row("ProviderRequest",    [],                                "endpoint",   404, "provider-not-found", "Select"),
  SessionLost:             row("ProviderRequest",    [],                                "endpoint",   404, "provider-not-found", "Select"),
  ContextOverflow:         row("ProviderRequest",    [],                                "model",      413, "context-overflow"),
  ContentFiltered:         row("ProviderRequest",    [],                                "request",    422, "content-filter"),

  MissingStreaming:        row("ProviderCapability", [],                                "model",      422, "capability-missing", "Select"),
  MissingToolCalling:      row("ProviderCapability", [],                                "model",      422, "capability-missing", "Select"),
  MissingModality:         row("ProviderCapability", [],                                "model",      422, "capability-missing", "Select"),
  MissingCapability:       row("ProviderCapability", [],                                "model",      422, "capability-missing", "Select"),
  ContextWindowTooSmall:   row("ProviderCapability", [],                                "model",      422, "capability-missing", "Select"),

  SchemaInvalid:           row("Output",             [],                                "output",     502, "schema-invalid", "Confirm"),
  OutputTruncated:         row("Output",             [],                                "output",     502, "output-cut"),
  EmptyOutput:             row("Output",             ["trips"],                         "output",     502, "output-cut"),
  TestsFailed:             row("Output",             [],                                "output",     422, "test-failed"),
  AssertFailed:            row("Output",             [],                                "output",     422, "test-failed"),

  ExecutionTimeout:        row("ToolTransient",      ["retry", "trips", "maybe-done"],  "tool",       504, "timeout"),
  ResourceBusy:            row("ToolTransient",      ["retry", "trips"],                "tool",       503, "tool-failed"),
  ToolUnavailable:         row("ToolTransient",      ["retry", "trips"],                "tool",       503, "tool-failed"),

  InputInvalid:            row("ToolTerminal",       [],                                "request",    400, "tool-failed", "Ask"),
  OutputMalformed:         row("ToolTerminal",       ["maybe-done"],                    "tool",       502, "schema-invalid", "Confirm"),
  Forbidden:               row("ToolTerminal",       [],                                "request",    403, "tool-denied"),
  ApprovalRejected:        row("ToolTerminal",       [],                                "request",    403, "approval-rejected"),
  NotFound:                row("ToolTerminal",       [],                                "tool",       404, "tool-failed", "Ask"),
  ExecutionFailed:         row("ToolTerminal",       ["maybe-done"],                    "tool",       500, "tool-failed"),
  Unsupported:             row("ToolTerminal",       [],                                "tool",       501, "tool-failed", "Select"),
  ResourceExhausted:       row("ToolTerminal",       [],                                "host",       507, "tool-failed"),

  ManifestDrift:           row("Session",            [],                                "host",       409, "store-error"),
  StoreUnavailable:        row("Session",            ["retry", "maybe-done"],           "host",       503, "store-error"),
  ResumeMismatch:          row("Session",            [],                                "host",       409, "store-error"),

  BudgetExceeded:          row("Limit",              [],                                "limit",      402, "budget-exceeded"),
  RunTimeout:              row("Limit",              ["maybe-done", "ends-run"],        "limit",      504, "timeout"),
  TurnTimeout:             row("Limit",              ["maybe-done"],                    "limit",      504, "timeout"),
  TurnLimit:               row("Limit",              [],                                "limit",      429, "turn-limit"),
  ToolLoop:                row("Limit",              [],                                "limit",      508, "tool-failed"),

  CircuitOpen:             row("Guard",              ["lifts", "follows"],               "target",     503, "circuit-open"),
  RetryBudgetSpent:        row("Guard",              ["lifts", "follows"],               "endpoint",   503, "circuit-open"),
  QueueFull:               row("Guard",              ["lifts"],                          "target",     503, "overloaded"),

  SandboxFailed:           row("Sandbox",            [],                                "request",    422, "sandbox-error"),
  SandboxTimeout:          row("Sandbox",            ["retry"],                         "host",       504, "sandbox-error"),

  SessionCancelled:        row("Cancellation",       ["cancels", "maybe-done"],         "request",    499, "canceled"),
  TurnCancelled:           row("Cancellation",       ["cancels", "maybe-done"],         "request",    499, "canceled"),
  ToolCancelled:           row("Cancellation",       ["cancels", "maybe-done"],         "request",    499, "canceled"),

  LifecycleFailure:        row("ExtensionHost",      [],                                "host",       500, "internal"),
  DependencyCycle:         row("ExtensionHost",      [],                                "host",       500, "config-invalid"),
  DependencyMissing:       row("ExtensionHost",      [],                                "host",       500, "config-invalid"),

  ProcessCrashed:          row("Crash",              ["trips", "maybe-done"],           "endpoint",   502, "crashed"),
  Interrupted:             row("Crash",              ["retry", "maybe-done"],           "host",       503, "crashed"),

  Uncaught:                row("Internal",           ["maybe-done"],                    "host",       500, "internal"),
  InvariantBroken:         row("Internal",           ["maybe-done"],                    "host",       500, "internal"),
  HostCapabilityMissing:   row("Internal",           [],                                "host",       501, "internal"),
  EngineState:             row("Internal",           [],                                "host",       409, "internal"),

  Unclassified:            row("Unknown",            ["maybe-done"],                    "request",    500, "unknown"),
} as const;

/** The name of what went wrong. Files, tests and programs match on it. */
export type FaultCode = keyof typeof CATALOGUE;
/** The group a fault code belongs to. */
export type FaultClass = (typeof CATALOGUE)[FaultCode]["class"];

/** The names of all fault codes. */
export const FAULT_CODES = Object.freeze(Object.keys(CATALOGUE)) as readonly FaultCode[];
/** The names of all fault classes. */
export const FAULT_CLASSES: readonly FaultClass[] = Object.freeze([
  ...new Set(FAULT_CODES.map((code) => CATALOGUE[code].class)),
]);

/** The names of all causes. */
export const FAULT_CAUSES: readonly FaultCause[] = Object.freeze([
  ...new Set(FAULT_CODES.map((code) => CATALOGUE[code].cause)),
]);

/** Codes of consequences, which are left out where causes are counted. */
export const FOLLOWING_CODES: readonly FaultCode[] = Object.freeze(
  FAULT_CODES.filter((code) => CATALOGUE[code].follows),
);

export function codesWithCause(cause: FaultCause): readonly FaultCode[] {
  return FAULT_CODES.filter((code) => CATALOGUE[code].cause === cause);
}

/** The catalogue again: asked several times for each fault, and a map answers sooner than an object with so many keys. */
const ROWS: ReadonlyMap<FaultCode, CatalogueRow & { readonly class: FaultClass }> = new Map(
  FAULT_CODES.map((code) => [code, CATALOGUE[code]]),
);

/** The catalogue's row for a code: class, scope, whether it may be retried, whether the work may have happened. */
export function traitsOf(code: FaultCode): CatalogueRow & { readonly class: FaultClass } {
  const traits = ROWS.get(code);
  if (traits === undefined) throw new RangeError(`There is no fault code ${JSON.stringify(code)}.`);
  return traits;
}

/** A limit on how much an account or one of its models is used: a rate or a quota. */
export function limitsUse({ scope, lifts }: CatalogueRow): boolean {
  return scope === "rate" || (scope === "account" && lifts);
}

/** Whether a text is the name of a fault code. */
export function isFaultCode(value: unknown): value is FaultCode {
  return typeof value === "string" && Object.hasOwn(CATALOGUE, value);
}
