// A line of the ledger: one call of a client, with what was decided about it.

/** What was decided about one failed attempt. */
export interface LedgerDecision {
  readonly target: string;
  readonly attempt: number;
  readonly code: string;
  readonly recourse: string;
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
  /** What the request to the target lacked. */
  readonly omitted: readonly string[];
  readonly decisions: readonly LedgerDecision[];
}

export interface LedgerPage {
  readonly at: number;
  readonly lines: readonly LedgerLine[];
}
