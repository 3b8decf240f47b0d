// What a gateway reports to its operator when the breaker of a target opens.

import type { FaultCode } from "../../core/fault/catalogue.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { TargetReport } from "../../runtime/target/report-targets.ts";

export interface BreakerAlert {
  readonly at: number;
  /** The target and its model, with the target's name in the gateway's file: `openai/gpt-5`. */
  readonly target: string;
  /** The runtime's own name of it, as in `faultline targets` and the server's API. */
  readonly key: string;
  /** The failure that opened it; null when it is not known. */
  readonly code: FaultCode | null;
  /** When it lets a call through that finds out whether the target works again. */
  readonly until: number;
}

/** null for any other event. `reports` is called only when a breaker has opened. */
export function breakerAlert(
  event: JournalEvent,
  at: number,
  reports: () => readonly TargetReport[],
): BreakerAlert | null {
  if (event.type !== "breaker-changed" || event.to !== "open") return null;
  const report = reports().find(({ target, tools }) => target === event.target || tools.includes(event.tool));
  return {
    at,
    target: event.tool,
    key: event.target,
    code: report?.cause?.code ?? null,
    until: report?.retryAt ?? at,
  };
}
