// A failure as plain, immutable data, alone or one of many in a partial result, and the error that carries it across APIs that must
// throw. Everything may import this file.

import { type FaultClass, type FaultCode, isFaultCode, traitsOf } from "./catalogue.ts";
import { SHAPE_REDACTOR } from "./redact.ts";
import { readWith } from "../try-read.ts";

/** A value that the context of a fault may hold. */
export type ContextValue = string | number | boolean;
/**
 * Facts about a fault that surfaces may show. `limit`, and `spent` and `estimate` beside it, are in the unit of what was limited: tokens,
 * milliseconds, a count, or micro-cents (1e-8 US dollars) for money.
 */
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
  | "none"; //      no signal at all

/** Which rule named the fault, and from what. */
export interface FaultEvidence {
  /** The row that made this fault. */
  readonly rule: string;
  readonly source: EvidenceSource;
  /** Rows that matched too and would have said something else, strongest first. */
  readonly nearly: readonly string[];
  /** The raw evidence, shortened. Operators and audit only. */
  readonly excerpt: string;
  /** The thrown error with its causes. Operators and audit only; absent when nothing was thrown. */
  readonly origin?: FaultOrigin;
  /** What does not fit a schema in the input that the caller gave; the caller, a model too, may read it. */
  readonly issues?: readonly FaultIssue[];
}

/** One thing that is wrong with an input. No part of it holds the value, which may be a secret. */
export interface FaultIssue {
  /** `$.items[0].price` */
  readonly path: string;
  /** In the schema's words: `must be number`, `is required`. */
  readonly expected: string;
  /** The type of the actual value: `string`, `array`, `nothing`. */
  readonly got: string;
}

/** Where a fault comes from: the errors behind it, for operators. */
export interface FaultOrigin {
  /** The thrown value, then what caused it. */
  readonly thrown: readonly OriginLink[];
  /** The ids under which the other side has logged the request, by the name of their header or field. */
  readonly requestIds: Readonly<Record<string, string>>;
}

/** One error in the chain of causes. */
export interface OriginLink {
  /** The name of an error; the type of a thrown value that is not an error. */
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** The top frames, one per line. */
  readonly stack?: string;
}

/** What went wrong, as plain data: a class, a code, a message and the evidence for them. */
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

/** What can be said about a fault besides its code. */
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

/**
 * Makes a fault: plain, frozen data that says what went wrong, with a code from the catalogue. Throw it in a `FaultError` from a tool
 * of your own when you know the cause better than its error text does.
 *
 * @example
 * ```ts
 * import { fault } from "faultline";
 *
 * const full = fault("ResourceBusy", { message: "room 12 is taken", context: { room: 12 } });
 * console.log(full.class, full.code);
 * ```
 */
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

/** The same fault with where it came from. */
export function withOrigin(inner: Fault, origin: FaultOrigin | undefined): Fault {
  if (origin === undefined || origin === inner.evidence.origin) return inner;
  return Object.freeze({ ...inner, evidence: Object.freeze({ ...inner.evidence, origin }) });
}

/** The first fault, when dealing with it failed as well. Both are reported; class, code and timing are those of the first. */
export function andAlso(first: Fault, what: string, second: Fault): Fault {
  const thrown = [first, second].flatMap((one) => originOf(one)?.thrown ?? []);
  const requestIds = { ...originOf(second)?.requestIds, ...originOf(first)?.requestIds };
  const message = `${first.message.replace(/[.。]$/, "")}; ${what}: ${second.message}`;
  const joined = Object.freeze({ ...first, message });
  return thrown.length === 0 ? joined : withOrigin(joined, { thrown, requestIds });
}

/** Where a fault came from. A fault that wraps another has the origin of the inner one. */
export function originOf(outer: Fault): FaultOrigin | null {
  return causeChain(outer).find(({ evidence }) => evidence.origin !== undefined)?.evidence.origin ?? null;
}

/** Distinguishes a fault from a value where a function returns either. */
export function isFault(value: unknown): value is Fault {
  return typeof value === "object" && value !== null && "class" in value && "code" in value && "evidence" in value;
}

/** Whether a foreign value is a fault: true only if every part our code reads has the right type. */
export function isWholeFault(value: unknown): value is Fault {
  if (typeof value !== "object" || value === null) return false;
  const { class: named, code, message, context, evidence } = value as Partial<Fault>;
  return (
    isFaultCode(code) &&
    traitsOf(code).class === named &&
    typeof message === "string" &&
    typeof context === "object" &&
    (context as unknown) !== null &&
    isWholeEvidence(evidence)
  );
}

function isWholeEvidence(evidence: Partial<FaultEvidence> | null | undefined): boolean {
  const { rule, source, nearly, excerpt } = evidence ?? {};
  return typeof rule === "string" && typeof source === "string" && typeof excerpt === "string" && Array.isArray(nearly);
}

/** The fault and everything it was caused by, outermost first. */
export function causeChain(outer: Fault): readonly Fault[] {
  const chain: Fault[] = [];
  for (let at: Fault | undefined = outer; at !== undefined; at = at.cause) chain.push(at);
  return chain;
}

/** Who failed, by the operator's own name: `east/llama-3`, an agent CLI, a tool. Empty when the fault does not say. */
export function failedName({ context }: Pick<Fault, "context">): string {
  const name = context["tool"];
  return typeof name === "string" ? name : "";
}

// An error that is ignored on purpose is still reported, as an event with the reason. No error is swallowed silently.

/** A failure that was ignored on purpose, and why. */
export interface SuppressedFault {
  readonly type: "fault-suppressed";
  readonly at: number;
  /** Why it is right to continue. */
  readonly reason: string;
  readonly fault: Fault;
}

/** Makes the record of a failure that is ignored on purpose. */
export function suppressed(fault: Fault, reason: string, at: number): SuppressedFault {
  return Object.freeze({ type: "fault-suppressed", at, reason, fault });
}

// A partial result: the payload keeps its declared shape, and the failures are listed beside it, never inside it.

/** The fault of one item among many. */
export interface ItemFault {
  /** Which item failed: an index, a URL, a name. */
  readonly item: string | number;
  readonly fault: Fault;
}

/** What came of many items, when some failed. */
export interface PartialResult<T> {
  readonly value: T;
  readonly errors: readonly ItemFault[];
}

/** How one item among many ended. */
export type ItemOutcome<T> =
  | { readonly item: string | number; readonly value: T }
  | { readonly item: string | number; readonly fault: Fault };

/** "Fetched 3 of 5": the values that arrived, in order, and a typed fault for each that did not. */
export function collectPartial<T>(outcomes: readonly ItemOutcome<T>[]): PartialResult<readonly T[]> {
  const value: T[] = [];
  const errors: ItemFault[] = [];
  for (const outcome of outcomes) {
    if ("fault" in outcome) errors.push({ item: outcome.item, fault: outcome.fault });
    else value.push(outcome.value);
  }
  return { value, errors };
}

// Carries a fault across APIs that must throw, such as fetch or the AI SDK. The fault is the truth; the Error is its envelope.

/** Recognises the envelope across two copies of this package. */
const BRAND: unique symbol = Symbol.for("faultline.fault") as never;

/**
 * An error that carries a fault across APIs that must throw.
 *
 * @example
 * ```ts
 * import { fault, FaultError, tool } from "faultline";
 *
 * const hotels = tool({
 *   id: "hotels",
 *   run: (city: string): string[] => {
 *     if (city === "Atlantis") throw new FaultError(fault("NotFound", { message: "no such city" }));
 *     return [`Grand Hotel ${city}`];
 *   },
 * });
 * ```
 */
export class FaultError extends Error {
  /** Not enumerable: printing the error shows its scrubbed message, not the evidence. */
  declare readonly fault: Fault;
  /**
   * What the last attempt threw, as it was thrown. Not enumerable. `fl.call` makes it the `cause` too, because the program's own code threw it;
   * errors of models and clients do not, because printing those would show prompts.
   */
  declare readonly error?: unknown;
  declare readonly [BRAND]: true;

  /** `message`: what the error says, for a reader who may not see the fault's own message. */
  constructor(
    fault: Fault,
    options: { readonly cause?: unknown; readonly error?: unknown; readonly message?: string } = {},
  ) {
    const { error, message = `${fault.class}/${fault.code}: ${fault.message}`, ...rest } = options;
    super(SHAPE_REDACTOR.text(message), rest);
    this.name = "FaultError";
    if (error !== undefined) Object.defineProperty(this, "error", { value: error });
    Object.defineProperties(this, { fault: { value: fault }, [BRAND]: { value: true } });
  }
}

/**
 * Tells whether a thrown value is a `FaultError`, so that you can read its `fault`. Use it in a `catch` instead of `instanceof`: it also
 * works across two copies of this package.
 *
 * @example
 * ```ts
 * import { createFaultline, isFaultError } from "faultline";
 *
 * const find = () => Promise.reject(new Error("ECONNREFUSED"));
 * await createFaultline()
 *   .call(find, { id: "find" })
 *   .catch((error: unknown) => {
 *     if (!isFaultError(error)) throw error;
 *     console.log(error.fault.code, error.fault.message);
 *   });
 * ```
 */
export function isFaultError(value: unknown): value is FaultError {
  return typeof value === "object" && value !== null && readWith(value, isBranded) === true;
}

const isBranded = (value: object): boolean => BRAND in value && "fault" in value;
