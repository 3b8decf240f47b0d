// What a watcher wants to see at once, derived from one entry: that a call waits, until when and why, that it continues at
// another target, and that the model is asked again.

import type { FaultCode } from "../fault/catalogue.ts";
import type { HeldReason } from "../flow/call.ts";
import type { Recourse } from "../policy/policy.ts";
import type { Entry } from "./event.ts";

/** A wait or a switch to another target, for an interface to show. */
export type Notice =
  | {
      readonly kind: "wait";
      readonly call: string;
      /** The tool or target that is waited for. */
      readonly tool: string;
      /** The attempt that comes after the wait … */
      readonly attempt: number;
      /** … of this many; null when the wait is not a retry. */
      readonly of: number | null;
      readonly reason: FaultCode | HeldReason;
      /** Epoch milliseconds. */
      readonly nextAt: number;
    }
  | {
      readonly kind: "switch";
      readonly call: string;
      readonly by: Extract<Recourse, "fallback" | "alternative">;
      readonly from: string;
      readonly to: string;
      readonly why: FaultCode;
    }
  | {
      /** The answer was not usable; the model is asked again and told why. */
      readonly kind: "regenerate";
      readonly call: string;
      readonly tool: string;
      readonly why: FaultCode;
    };

/**
 * Turns a journal entry into a short notice for an interface: a wait, a retry, a switch to another target, or a new answer. Returns null for every
 * other entry.
 *
 * @example
 * ```ts
 * import { createFaultline, noticeOf } from "faultline";
 *
 * createFaultline().subscribe((entry) => {
 *   const notice = noticeOf(entry);
 *   if (notice !== null) console.log(notice.kind, notice.call);
 * });
 * ```
 */
export function noticeOf({ at, event }: Pick<Entry, "at" | "event">): Notice | null {
  if (event.type === "call-held") {
    const { call, tool, attempt, reason, nextAt } = event;
    return { kind: "wait", call, tool, attempt, of: null, reason, nextAt };
  }
  if (event.type !== "call-failed" && event.type !== "call-decided") return null;
  const { call, tool, fault, decision } = event;
  switch (decision.recourse) {
    case "retry": {
      const { attempt, maxAttempts: of, delayMs } = decision;
      return { kind: "wait", call, tool, attempt, of, reason: fault.code, nextAt: at + delayMs };
    }
    case "park":
      return { kind: "wait", call, tool, attempt: 1, of: null, reason: fault.code, nextAt: decision.wakeAt };
    case "fallback":
      return { kind: "switch", call, by: "fallback", from: tool, to: decision.target, why: fault.code };
    case "alternative":
      return { kind: "switch", call, by: "alternative", from: tool, to: decision.tool, why: fault.code };
    case "regenerate":
      return { kind: "regenerate", call, tool, why: fault.code };
    default:
      return null;
  }
}
