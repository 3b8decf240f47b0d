// A running call as its parts see it. `CallRun` in `loop.ts` is one; admission, preparation, questions and decisions work on this.

import type { BreakerState, Ticket } from "../../core/decide/breaker.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { ItemFault } from "../../core/fault/partial.ts";
import { isPartial } from "../tool/tool.ts";
import type { Attempt } from "./attempt.ts";
import type { Binding } from "../tool/binding.ts";
import type { CallRecord, CallValue } from "./record.ts";
import type { Engine } from "../engine.ts";
import type { CallRequest } from "./request.ts";

export interface LiveCall {
  readonly engine: Engine;
  readonly request: CallRequest;
  readonly record: CallRecord;
  /** The tool in charge: an alternative may have taken over. */
  readonly binding: Binding;
  readonly call: string;
  /** The input that is sent: parsed by the tool's schema and fitted to the target. */
  readonly input: unknown;
  /** The caller's input, or the one a person or a repair replaced it with. */
  readonly given: unknown;
  /** Part of the answer has reached the caller. */
  readonly committed: boolean;
  readonly cancelled: Fault | null;
  /** An attempt of the tool in charge was admitted: from then on the call is in its own retry schedule. */
  readonly isUnderWay: boolean;
  /** The breaker's permission for this call; null when it has none. */
  ticket: Ticket | null;
  /** The number of its latest attempt among all attempts at the target (`Outage.depart`). */
  readonly sent: number;
  /** Ends the wait the call is in. */
  wake: (() => void) | null;
  /** Waits; false when the call was cancelled meanwhile. */
  waitUntil(at: number): Promise<boolean>;
  /** Waits until then, or until `wake` is called. */
  waitOnce(at: number): Promise<void>;
  /** Waits for `work`. null: the time is up, or `wake` was called. */
  within<T>(work: Promise<T>, at: number): Promise<T | null>;
  replaceInput(input: unknown): void;
  fitted(input: unknown): void;
}

/** Why the next attempt may not go out: a fault to decide about, or the call is over. null: it may. */
export type NotSent = Fault | "cancelled" | null;

export const NO_ERRORS: readonly ItemFault[] = Object.freeze([]);

/** The value of an attempt that succeeded, and the errors of its items. */
export function valueOf({ result }: Attempt): CallValue {
  return isPartial(result) ? result : { value: result, errors: NO_ERRORS };
}

/** Used where the machine guarantees a fault. If it appears, the machine has a bug. */
export const NO_FAULT: Fault = fault("InvariantBroken", { message: "a call waits for nothing" });

/**
 * True for a call in its own retry schedule: a breaker that other calls opened does not end it. A breaker that counts attempts
 * does, because that setting puts the breaker first, and so does an operator who takes the target out of service.
 */
export function ignoresOpenBreaker({ binding, isUnderWay }: LiveCall): boolean {
  return isUnderWay && binding.policy.breaker.counts === "calls" && binding.target.breaker.state !== "isolated";
}

/** Records with the call that the breaker changed while the call used it. */
export function noteBreaker({ binding, record }: LiveCall, from: BreakerState): void {
  const { id, breaker } = binding.target;
  if (breaker.state === from) return;
  record.aside({ type: "breaker-changed", target: id, tool: binding.tool.id, from, to: breaker.state });
}
