// The last error a tool threw and its fault: a failing tool throws the same error again and again, and classifying it again
// costs more than the rest of a retry. Only errors whose every part can be compared are remembered, and only if their
// fault does not depend on when it was seen. An error that carries its fault, or hides parts of itself, is classified each time.

import type { Fault } from "../../core/fault/fault.ts";
import { isA, tryRead } from "../../core/try-read.ts";

type Fields = Readonly<Record<string, unknown>>;

const MAX_FIELDS = 6;

export class LastFailure {
  #fault: Fault | null = null;
  #prototype: object | null = null;
  #message = "";
  #keys: readonly string[] = [];
  #values: readonly unknown[] = [];

  /** The fault of the last failure, if this one is no different; null otherwise. */
  isLike(error: unknown): Fault | null {
    if (this.#fault === null || !isA(error, Error)) return null;
    return tryRead(() => this.#matches(error), false) ? this.#fault : null;
  }

  note(error: unknown, seen: Fault): void {
    this.#fault = null;
    if (!isA(error, Error) || seen.retryAfterMs !== undefined || seen.resetAt !== undefined) return;
    tryRead(() => this.#take(error, seen), undefined);
  }

  #take(error: Error, seen: Fault): void {
    const keys = Object.keys(error);
    const values = keys.map((key) => (error as unknown as Fields)[key]);
    const prototype = Object.getPrototypeOf(error) as object;
    // What lies deeper, or behind a getter, may differ without showing here.
    if (keys.length > MAX_FIELDS || error.cause !== undefined || !values.every(isPlain)) return;
    if (hidesParts(error, keys) || hasGetters(prototype)) return;
    this.#fault = seen;
    this.#prototype = prototype;
    this.#message = error.message;
    this.#keys = keys;
    this.#values = values;
  }

  #matches(error: Error): boolean {
    if (error.message !== this.#message || Object.getPrototypeOf(error) !== this.#prototype) return false;
    const keys = Object.keys(error);
    return (
      keys.length === this.#keys.length &&
      !hidesParts(error, keys) &&
      keys.every((key, index) => key === this.#keys[index] && (error as unknown as Fields)[key] === this.#values[index])
    );
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === undefined;
}

/** Such as the fault of a FaultError or the errors of an AggregateError. */
function hidesParts(error: Error, shown: readonly string[]): boolean {
  const own = Object.getOwnPropertyNames(error);
  return own.filter((name) => name !== "stack" && name !== "message").length > shown.length;
}

/** Such as the name of a DOMException. */
function hasGetters(prototype: object): boolean {
  if (prototype === Error.prototype) return false;
  const own = Object.values(Object.getOwnPropertyDescriptors(prototype));
  return own.some((part) => part.get !== undefined) || hasGetters(Object.getPrototypeOf(prototype) as object);
}
