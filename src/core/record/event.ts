// Everything the journal can hold, as one union. Names are noun-verb and say what happened, never what should happen.
// Readers ignore types and fields they do not know, so that a newer program may write more.

import type { BreakerState } from "../decide/breaker.ts";
import type { Fault, SuppressedFault } from "../fault/fault.ts";
import type { CallEvent, CountedApart, HeldReason } from "../flow/call.ts";
import type { PlanNode } from "../flow/plan.ts";
import type { RunEvent } from "../flow/run-event.ts";

/** Where a session stands. */
export type SessionStatus = "open" | "waiting" | "done" | "failed" | "cancelled";
/** How a turn ended. */
export type TurnStatus = "done" | "partial" | "failed" | "waiting" | "cancelled";

/** What a session is, written once. Slim on purpose: what may change between runs does not belong in it. */
export interface Manifest {
  readonly sessionId: string;
  /** The store that wrote it. */
  readonly storeId: string;
  /** The version of this record. */
  readonly contract: 1;
  readonly mode: "attended" | "headless";
  readonly createdAt: number;
  /** Whatever the program wants to find again; scrubbed. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Ids of sessions that a gateway writes begin with this. Their entries are copies: the runtime has told its listeners about these calls before,
 * as it does about every call outside of a session.
 */
export const GATEWAY_SESSION = "gateway.gw_";

export type SessionEvent =
  | { readonly type: "session-started"; readonly manifest: Manifest }
  | { readonly type: "session-resumed"; readonly interrupted: readonly string[] }
  | { readonly type: "session-ended"; readonly status: SessionStatus; readonly fault: Fault | null };

/** A step of a plan as the journal keeps it. */
export type PlannedNode = Pick<PlanNode, "id" | "tool" | "label" | "needs">;

export type TurnEvent =
  | {
      readonly type: "turn-started";
      readonly turn: string;
      readonly deadlineAt: number | null;
    }
  | {
      /** A plan of calls begins within a turn. */
      readonly type: "round-started";
      readonly turn: string;
      readonly round: number;
      readonly digest: string;
      readonly nodes: number;
      /** The plan, for people; absent for one that is too long to show, and in entries of older programs. */
      readonly plan?: readonly PlannedNode[];
    }
  | {
      /** A node that ended without a call: cascaded, defaulted or out of time. */
      readonly type: "node-settled";
      readonly turn: string;
      readonly round: number;
      readonly node: string;
      readonly status: "defaulted" | "skipped" | "failed";
      readonly fault: Fault;
      /** The node whose failure caused it; empty when time or cancellation did. */
      readonly because: string;
    }
  | { readonly type: "turn-ended"; readonly turn: string; readonly status: TurnStatus; readonly fault: Fault | null };

export type GuardEvent =
  | (CountedApart & {
      readonly type: "breaker-changed";
      readonly target: string;
      /** The tool whose call moved it. */
      readonly tool: string;
      readonly from: BreakerState;
      readonly to: BreakerState;
    })
  | { readonly type: "target-paused"; readonly target: string; readonly until: number; readonly call: string }
  | {
      /**
       * An attempt is held back: the other side asked for a pause, its limit is nearly reached, or other calls that wait for
       * the same sick target are trying it. The failure's event announces waits before a retry.
       */
      readonly type: "call-held";
      readonly call: string;
      readonly tool: string;
      readonly attempt: number;
      readonly reason: HeldReason;
      readonly nextAt: number;
    };

export type MoneyEvent =
  | {
      readonly type: "budget-warned";
      readonly spentMicrocents: number;
      readonly maxCostMicrocents: number;
      /** For a client of a gateway: its name, and the window of time that the limit is for. */
      readonly client?: string;
      readonly window?: "hour" | "day" | "month";
    }
  | {
      readonly type: "budget-exceeded";
      readonly call: string;
      readonly spentMicrocents: number;
      readonly reservedMicrocents: number;
      readonly estimateMicrocents: number;
      readonly maxCostMicrocents: number;
    };

export type HostEvent =
  | Omit<SuppressedFault, "at">
  | {
      readonly type: "artefact-kept";
      readonly call: string;
      readonly name: string;
      readonly ref: string;
      readonly bytes: number;
      readonly cut: boolean;
    }
  | { readonly type: "extension-started" | "extension-stopped"; readonly name: string };

/** One thing that happened, as the journal keeps it. */
export type JournalEvent = SessionEvent | TurnEvent | CallEvent | GuardEvent | MoneyEvent | HostEvent | RunEvent;

/** An event with its place. `(session, seq)` is unique: who writes second is refused. */
export interface Entry {
  readonly session: string;
  /** From 1, without gaps. */
  readonly seq: number;
  readonly at: number;
  readonly event: JournalEvent;
}
