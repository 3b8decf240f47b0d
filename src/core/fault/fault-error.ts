// Carries a fault across APIs that must throw, such as fetch or the AI SDK. The fault is the truth; the Error is its envelope.

import type { Fault } from "./fault.ts";
import { SHAPE_REDACTOR } from "./redact.ts";
import { readWith } from "../try-read.ts";

/** Recognises the envelope across two copies of this package. */
const BRAND: unique symbol = Symbol.for("faultline.fault") as never;

/**
 * An error that carries a fault across APIs that must throw.
 *
 * @example
 * ```ts
 * import { fault, FaultError } from "faultline";
 *
 * throw new FaultError(fault("NotFound", { message: "no such city" }));
 * ```
 */
export class FaultError extends Error {
  /** Not enumerable: printing the error shows its scrubbed message, not the evidence. */
  declare readonly fault: Fault;
  /** What the last attempt threw, as it was thrown. Not enumerable and not the `cause`: printing the error does not show it. */
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

/** Whether a thrown value carries a fault. Works across copies of this package. */
export function isFaultError(value: unknown): value is FaultError {
  return typeof value === "object" && value !== null && readWith(value, isBranded) === true;
}

const isBranded = (value: object): boolean => BRAND in value && "fault" in value;
