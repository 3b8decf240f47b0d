// The errors that each vendor has a text for, and the facts such a text may mention.

import type { ErrorAnswer, ProtocolId } from "../wire.ts";

export const ERROR_IDS = [
  "rate-limit",
  "quota",
  "quota-credit",
  "quota-reset",
  "server-error",
  "bad-gateway",
  "unavailable",
  "gateway-timeout",
  "overloaded",
  "bad-request",
  "unauthorized",
  "invalid-key",
  "payment-required",
  "forbidden",
  "not-found",
  "route-not-found",
  "request-timeout",
  "too-large",
  "unprocessable",
  "context-overflow",
  "content-filter",
  "prefill-rejected",
] as const;
export type ErrorId = (typeof ERROR_IDS)[number];

export interface ErrorFacts {
  /** One vendor may have several, with different texts. */
  readonly protocol: ProtocolId;
  readonly model: string;
  readonly path: string;
  /** When it is sent, epoch milliseconds. */
  readonly at: number;
  /** In how many seconds it passes; null if the answer must not say. */
  readonly waitS: number | null;
  /** How the wait is reported. */
  readonly timing: "seconds" | "date" | "ms" | "body" | "reset-header" | "none";
}

export type ErrorTable = Readonly<Record<ErrorId, (facts: ErrorFacts) => ErrorAnswer>>;

/** Headers for the wait that all vendors share; each vendor adds its own. */
export function retryHeaders({ at, waitS, timing }: ErrorFacts): Readonly<Record<string, string>> {
  if (waitS === null) return {};
  switch (timing) {
    case "seconds":
      return { "retry-after": String(waitS) };
    case "date":
      return { "retry-after": new Date(at + waitS * 1000).toUTCString() };
    case "ms":
      return { "retry-after-ms": String(Math.round(waitS * 1000)), "retry-after": String(Math.ceil(waitS)) };
    default:
      return {};
  }
}

/** Whether the text of the error names the wait. */
export function saysWait({ waitS, timing }: ErrorFacts): boolean {
  return waitS !== null && timing === "body";
}
