// A fault as machine-readable output.

import { type Fault, traitsOf, viewFor } from "../core/index.ts";

export function faultJson(fault: Fault): object {
  const view = viewFor("operator", fault, { correlationId: "" });
  const { source, nearly, detail } = view;
  return { fault: { ...faultCore(fault), message: detail, source, nearly } };
}

/** The fields that every JSON answer about a fault has. */
export function faultCore(fault: Fault): object {
  return {
    class: fault.class,
    code: fault.code,
    retryable: traitsOf(fault.code).retryable,
    retryAfterMs: fault.retryAfterMs ?? null,
    resetAt: fault.resetAt ?? null,
    rule: fault.evidence.rule,
  };
}
