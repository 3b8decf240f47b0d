// A fault as RFC 9457 problem details: what an HTTP client may see, which is what a user may see plus the stable codes.

import { type FaultClass, type FaultCode, traitsOf } from "./catalogue.ts";
import type { Fault } from "./fault.ts";
import { resolveViewOptions, viewFor, type ViewOptions } from "./view.ts";
import { wordsFor } from "./words/words.ts";

/** The media type of RFC 9457 problem details. */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** Member names follow the RFC's own lower-case, underscore-free core and snake_case for our extensions. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  readonly class: FaultClass;
  readonly code: FaultCode;
  readonly retryable: boolean;
  readonly retry_after_ms?: number;
  readonly reset_at?: string;
  readonly next: string;
  readonly correlation_id: string;
  readonly errors?: readonly ProblemPointer[];
}

/** Where in the request a mistake is: a JSON pointer and what is wrong there. */
export interface ProblemPointer {
  readonly pointer: string;
  readonly detail: string;
}

/** Options of `toProblem`. */
export interface ProblemOptions extends ViewOptions {
  /** Identifies this occurrence, as in `urn:uuid:…`. */
  readonly instance?: string;
  /** The fields that were wrong, each with a pointer to it. */
  readonly errors?: readonly ProblemPointer[];
}

/** A fault as RFC 9457 problem details, ready to send as an HTTP answer. */
export function toProblem(fault: Fault, options: ProblemOptions): Problem {
  const { httpStatus, retryable } = traitsOf(fault.code);
  const resolved = resolveViewOptions(options);
  const { text } = resolved.redactor;
  const view = viewFor("user", fault, resolved);
  return {
    type: `urn:faultline:fault:${fault.code}`,
    title: wordsFor(fault.code, resolved.locale).title,
    status: httpStatus,
    detail: view.message,
    ...(options.instance === undefined ? {} : { instance: text(options.instance) }),
    class: fault.class,
    code: fault.code,
    retryable,
    ...(view.retryAfterMs === undefined ? {} : { retry_after_ms: view.retryAfterMs }),
    ...(isDate(view.resetAt) ? { reset_at: new Date(view.resetAt).toISOString() } : {}),
    next: view.next,
    correlation_id: view.correlationId,
    ...(options.errors === undefined
      ? {}
      : { errors: options.errors.map(({ pointer, detail }) => ({ pointer: text(pointer), detail: text(detail) })) }),
  };
}

/** What a date can hold: building the answer to a failure must not fail. */
function isDate(at: number | undefined): at is number {
  return at !== undefined && Math.abs(at) <= 8.64e15;
}
