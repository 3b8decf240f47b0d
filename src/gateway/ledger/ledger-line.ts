// A line of the ledger: one call of a client, with what was decided about it.

import type { JournalEvent } from "../../core/record/event.ts";

/** What was decided about one attempt, or about a target that could not be asked. */
export interface LedgerDecision {
  readonly target: string;
  /** 0: the target was not asked, because it is paused after failures, say, or because a budget is used up. */
  readonly attempt: number;
  /** null for a hedge: nothing failed, but the target was silent, so a second one was asked as well. */
  readonly code: string | null;
  readonly recourse: string;
}

/** The decision in an event; null for an event without one. `hedged`: the target that was asked beside a silent one. */
export function decisionIn(event: JournalEvent, hedged: string | null): LedgerDecision | null {
  if (event.type === "call-failed" || event.type === "call-decided") {
    const { tool, attempt = 0, fault, decision } = event;
    return { target: tool, attempt, code: fault.code, recourse: decision.recourse };
  }
  // A hedge is recorded under the target that was silent.
  if (event.type === "call-admitted" && event.hedge !== undefined)
    return { target: event.hedge.beside, attempt: event.attempt, code: null, recourse: "hedge" };
  // It failed while the silent one may still answer.
  if (event.type === "call-late" && event.fault !== null && event.tool === hedged)
    return { target: event.tool, attempt: event.attempt, code: event.fault.code, recourse: "await-other" };
  return null;
}

/** Names a decision of a call, in the header `x-faultline-decisions` and on the dashboard. */
export function decisionId(call: string, index: number): string {
  return `${call}#${index + 1}`;
}

/** One call of a client. */
export interface LedgerLine {
  /** Names the call, as in the header `x-faultline-call`. */
  readonly call: string;
  readonly at: number;
  readonly tookMs: number;
  /** The client's key, by its name. */
  readonly key: string;
  readonly route: string;
  readonly dialect: string;
  readonly model: string;
  /** The target that answered; null when none did. */
  readonly target: string | null;
  readonly attempts: number;
  readonly status: string;
  /** The code of the fault that ended it; null when it was answered. */
  readonly code: string | null;
  readonly microcents: number;
  /** False: some of the cost is estimated, or has no price. */
  readonly isExact: boolean;
  /** No target that it asked has a price: what it cost is not known, and not in `microcents`. Absent: at least one has. */
  readonly isUnpriced?: boolean;
  /** What the request to the target lacked. */
  readonly omitted: readonly string[];
  readonly decisions: readonly LedgerDecision[];
  /** How often another attempt continued a text that had broken off. Absent in lines of older programs. */
  readonly continued?: number;
  /** Its prompt or its answer is kept. */
  readonly isKept?: boolean;
}

export interface LedgerPage {
  readonly at: number;
  readonly lines: readonly LedgerLine[];
}
