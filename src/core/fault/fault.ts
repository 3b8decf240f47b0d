// A failure as plain, immutable data. A leaf: it imports nothing but the catalogue, so anything may carry one.

import { type FaultClass, type FaultCode, traitsOf } from "./catalogue.ts";

export type ContextValue = string | number | boolean;
export type FaultContext = Readonly<Record<string, ContextValue>>;

/** Which kind of signal a fault was read from, strongest first. */
export type EvidenceSource =
  | "raised" //     our own code said so
  | "abort" //      the caller's signal
  | "structured" // a provider's error type or code, a JSON-RPC code
  | "stop" //       the reason a model gave for stopping
  | "errno" //      an error code of Node, undici or the system
  | "process" //    exit code or signal
  | "status" //     HTTP status
  | "text" //       words
  | "none"; //      nothing told us

export interface FaultEvidence {
  /** The row that made this fault. */
  readonly rule: string;
  readonly source: EvidenceSource;
  /** Rows that matched too and would have said something else, strongest first. */
  readonly nearly: readonly string[];
  /** What was read, shortened. Operators and audit only. */
  readonly excerpt: string;
}

export interface Fault {
  readonly class: FaultClass;
  readonly code: FaultCode;
  /** What happened, for operators; people and models read words chosen by code instead. */
  readonly message: string;
  readonly context: FaultContext;
  /** How long the other side asked us to wait. */
  readonly retryAfterMs?: number;
  /** When it said the fault lifts (epoch milliseconds). */
  readonly resetAt?: number;
  readonly cause?: Fault;
  readonly evidence: FaultEvidence;
}

export interface FaultDetail {
  readonly message?: string;
  readonly context?: FaultContext;
  readonly retryAfterMs?: number | undefined;
  readonly resetAt?: number | undefined;
  readonly cause?: Fault | undefined;
  readonly evidence?: FaultEvidence;
}

const RAISED: FaultEvidence = Object.freeze({
  rule: "raised",
  source: "raised",
  nearly: Object.freeze([]),
  excerpt: "",
});
const NO_CONTEXT: FaultContext = Object.freeze({});

export function fault(code: FaultCode, detail: FaultDetail = {}): Fault {
  const made: { -readonly [Key in keyof Fault]: Fault[Key] } = {
    class: traitsOf(code).class,
    code,
    message: detail.message ?? code,
    context: Object.freeze(detail.context ?? NO_CONTEXT),
    evidence: detail.evidence ?? RAISED,
  };
  // Absent rather than undefined, so that a fault reads the same after JSON.
  if (detail.retryAfterMs !== undefined) made.retryAfterMs = detail.retryAfterMs;
  if (detail.resetAt !== undefined) made.resetAt = detail.resetAt;
  if (detail.cause !== undefined) made.cause = detail.cause;
  return Object.freeze(made);
}

/** Adds what the caller knows. Class, code and timing stay those of the inner fault, which becomes the cause. */
export function wrap(inner: Fault, message: string, context: FaultContext = NO_CONTEXT): Fault {
  return fault(inner.code, {
    message: `${message}: ${inner.message}`,
    context: { ...inner.context, ...context },
    retryAfterMs: inner.retryAfterMs,
    resetAt: inner.resetAt,
    cause: inner,
    evidence: inner.evidence,
  });
}

/** The same fault with more fields, e.g. the ids of the run it happened in. */
export function withContext(inner: Fault, context: FaultContext): Fault {
  return Object.freeze({ ...inner, context: Object.freeze({ ...inner.context, ...context }) });
}

/** Tells a fault from the value it stands for when a function gives either. */
export function isFault(value: unknown): value is Fault {
  return typeof value === "object" && value !== null && "class" in value && "code" in value && "evidence" in value;
}

/** The fault and everything it was caused by, outermost first. */
export function causeChain(outer: Fault): readonly Fault[] {
  const chain: Fault[] = [];
  for (let at: Fault | undefined = outer; at !== undefined; at = at.cause) chain.push(at);
  return chain;
}
