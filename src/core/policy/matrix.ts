// The default policy: the page to read first. Each row says how often and how long apart to try again, and what then.
// Figures come from the specifications: rate limits 6 attempts 5·10·20·40·80 s ±20 %; transport 3 attempts 1·2 s; the
// store 3 attempts 2·4 s; tools 5 attempts 100·200·400·800 ms ±10 % with at most 2 s of waiting.

import type { FaultClass, FaultCode } from "../fault/catalogue.ts";
import type { Backoff, BackoffKind, Policy, PolicyRow, Recourse, Retry } from "./policy.ts";

const MINUTE_MS = 60_000;
/** Waits above this are parked, failed over or asked about instead of slept on. */
const DEFAULT_MAX_WAIT_MS = 10 * MINUTE_MS;

function backoff(kind: BackoffKind, initialMs: number, maxMs: number): Backoff {
  return { kind, initialMs, maxMs, multiplier: 2 };
}

function retry(maxAttempts: number, how: Backoff, jitter: number, maxTotalWaitMs: number): Retry {
  return { maxAttempts, backoff: how, jitter, maxWaitMs: DEFAULT_MAX_WAIT_MS, maxTotalWaitMs };
}

export const RATE_LIMIT_RETRY = retry(6, backoff("exponential", 5_000, 160_000), 0.2, 60 * MINUTE_MS);
export const TRANSPORT_RETRY = retry(3, backoff("exponential", 1_000, 4_000), 0.2, 30 * MINUTE_MS);
const STORE_RETRY = retry(3, backoff("linear", 2_000, 6_000), 0, MINUTE_MS);
export const TOOL_RETRY = retry(5, backoff("exponential", 100, 800), 0.1, 2_000);
/** Attempts that failed before the interruption count too; a call that brings its process down each time still ends. */
const INTERRUPTED_RETRY = retry(4, backoff("fixed", 1_000, 1_000), 0.2, MINUTE_MS);
/** One more try, for work that may run twice. */
export const ONE_RETRY = retry(2, backoff("fixed", 1_000, 1_000), 0.2, MINUTE_MS);

type Match = FaultClass | readonly FaultCode[];

/** An unknown failure may have done its work: an idempotent tool gets one more try, a model call none. */
const TOOLS_ONLY = { surface: ["tool", "mcp"] } as const;

/** A failure to start concerns one agent CLI only: another one may start. */
const CLIS_ONLY = { surface: ["cli"] } as const;

function row(match: Match, retrying: Retry | null, then: readonly Recourse[]): PolicyRow {
  return {
    match: typeof match === "string" ? { class: [match] } : { code: match },
    retry: retrying,
    then,
    origin: { layer: "matrix", at: typeof match === "string" ? match : match.join(" | ") },
  };
}

/** The rows of the default policy. */
// prettier-ignore
export const MATRIX: readonly PolicyRow[] = [
  { ...row(["SandboxFailed"],                      null,             ["fallback", "surface", "fail"]), match: { code: ["SandboxFailed"], ...CLIS_ONLY } },
  { ...row(["ConfigSchemaViolation"],              null,             ["fallback", "fail"]), match: { code: ["ConfigSchemaViolation"], ...CLIS_ONLY } },
  { ...row(["ExecutionTimeout"],                   TRANSPORT_RETRY,  ["fallback", "default", "skip", "ask", "surface", "fail"]), match: { code: ["ExecutionTimeout"], ...CLIS_ONLY } },
  { ...row(["Unclassified"],                       null,             ["fallback", "default", "skip", "surface", "ask", "fail"]), match: { code: ["Unclassified"], ...CLIS_ONLY } },

  row(["RateLimited"],                             RATE_LIMIT_RETRY, ["fallback", "alternative", "default", "skip", "park", "ask", "surface", "fail"]),
  row("ProviderTransient",                         TRANSPORT_RETRY,  ["fallback", "alternative", "default", "skip", "ask", "surface", "fail"]),

  row(["AuthFailed"],                              null,             ["refresh-credential", "ask", "fail"]),
  row(["KeyMissing"],                              null,             ["refresh-credential", "fallback", "ask", "fail"]),
  row(["QuotaExhausted"],                          null,             ["fallback", "park", "ask", "fail"]),
  row(["PermissionLoop"],                          null,             ["ask", "fail"]),
  row("ProviderAccess",                            null,             ["fallback", "ask", "fail"]),

  row(["ContextOverflow"],                         null,             ["compact", "fallback", "surface", "fail"]),
  row(["SessionLost"],                             null,             ["compact", "fallback", "ask", "fail"]),
  row(["ModelNotFound", "EndpointNotFound"],       null,             ["fallback", "ask", "fail"]),
  row("ProviderRequest",                           null,             ["surface", "fail"]),
  row("ProviderCapability",                        null,             ["fallback", "ask", "fail"]),

  row(["TestsFailed"],                             null,             ["surface", "fail"]),
  row(["EmptyOutput"],                             null,             ["regenerate", "fallback", "default", "surface", "ask", "fail"]),
  row("Output",                                    null,             ["regenerate", "default", "surface", "ask", "fail"]),

  row("ToolTransient",                             TOOL_RETRY,       ["alternative", "partial", "default", "skip", "surface", "ask", "fail"]),
  row(["NotFound", "Unsupported", "ResourceExhausted", "ExecutionFailed", "OutputMalformed"],
                                                   null,             ["alternative", "partial", "default", "skip", "surface", "ask", "fail"]),
  row(["ApprovalRejected"],                        null,             ["default", "skip", "surface", "fail"]),
  row("ToolTerminal",                              null,             ["default", "skip", "surface", "ask", "fail"]),

  row(["StoreUnavailable"],                        STORE_RETRY,      ["fail"]),
  row("Session",                                   null,             ["ask", "fail"]),

  row(["TurnTimeout", "RunTimeout"],               null,             ["partial", "default", "skip", "surface", "fail"]),
  row(["ToolLoop"],                                null,             ["fail"]),
  row("Limit",                                     null,             ["ask", "fail"]),

  row("Guard",                                     null,             ["fallback", "alternative", "default", "skip", "park", "surface", "ask", "fail"]),

  row(["SandboxTimeout"],                          ONE_RETRY,        ["surface", "fail"]),
  row("Sandbox",                                   null,             ["surface", "fail"]),

  row(["Interrupted"],                             INTERRUPTED_RETRY,      ["ask", "surface", "fail"]),
  row("Crash",                                     null,             ["fallback", "ask", "surface", "fail"]),

  row("Cancellation",                              null,             ["fail"]),
  row("Validation",                                null,             ["fail"]),
  row("ExtensionHost",                             null,             ["fail"]),
  row("Internal",                                  null,             ["fail"]),

  { ...row(["Unclassified"],                       ONE_RETRY,        ["default", "skip", "surface", "ask", "fail"]), match: { code: ["Unclassified"], ...TOOLS_ONLY } },
  row(["Unclassified"],                            null,             ["default", "skip", "surface", "ask", "fail"]),
];

/** The policy that is used when none is given. */
export const DEFAULT_POLICY: Policy = {
  name: "default",
  rows: MATRIX,
  breaker: {
    failures: 5,
    successes: 2,
    openMs: 30_000,
    growth: 2,
    maxOpenMs: 10 * MINUTE_MS,
    probeTimeoutMs: MINUTE_MS,
    counts: "calls",
  },
  retryBudget: { capacity: 100, perCall: 0.2, perSecond: 1 },
  learnsAfter: 5,
};
