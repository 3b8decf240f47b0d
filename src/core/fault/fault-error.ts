// Carries a fault across APIs that must throw, such as fetch or the AI SDK. The fault is the truth; the Error is its envelope.

import type { Fault } from "./fault.ts";

/** Recognises the envelope across two copies of this package. */
const BRAND: unique symbol = Symbol.for("faultline.fault") as never;

export class FaultError extends Error {
  readonly fault: Fault;
  readonly [BRAND] = true;

  constructor(fault: Fault, options: { readonly cause?: unknown } = {}) {
    super(`${fault.class}/${fault.code}: ${fault.message}`, options);
    this.name = "FaultError";
    this.fault = fault;
  }
}

export function isFaultError(value: unknown): value is FaultError {
  return typeof value === "object" && value !== null && BRAND in value && "fault" in value;
}
