// A decision and its reasons: which row matched, what else was considered, and why it was rejected.

import type { QuestionKind } from "../fault/catalogue.ts";
import type { Recourse, RowOrigin } from "../policy/policy.ts";
import type { PassedOver } from "./fallback.ts";

/** Why something was refused. A closed list: every reason has words (see `explain.ts`). */
export const REFUSALS = [
  "denied", //              a person said no
  "not-in-policy", //       the row does not retry
  "attempts-spent",
  "may-have-happened", //   and the work is not idempotent
  "already-answering", //   part of the answer is out
  "server-says-no", //      x-should-retry: false
  "breaker-open",
  "retry-budget-spent",
  "wait-too-long", //       longer than the row allows for one wait
  "waits-spent", //         longer than the row allows for all waits
  "deadline",
  "never-worked", //        the memory of past incidents
  "not-offered", //         cannot be done here
  "already-taken", //       allowed once
  "no-target",
  "no-alternative",
  "no-reset-time", //       the reset time is unknown
] as const;
/** Why a recourse was not taken. */
export type Refusal = (typeof REFUSALS)[number];

/** A recourse that was considered and not taken, and why. */
export interface Considered {
  readonly recourse: Recourse | "retry";
  readonly refused: Refusal;
}

export interface Story {
  readonly row: RowOrigin;
  /** The recourses considered before it, in order. */
  readonly considered: readonly Considered[];
  /** What the row would try after this, in order. */
  readonly left: readonly Recourse[];
  /** Targets that were passed over on the way to the next one. */
  readonly passedOver: readonly PassedOver[];
  /** The recourse taken, when memory moved it ahead of its place in the row because it worked the last times; else null. */
  readonly preferred: Recourse | null;
}

/** What to do about a fault, with the reasons for it. */
export type Decision = Story &
  (
    | {
        readonly recourse: "retry";
        readonly delayMs: number;
        /** The other side named the wait, so it is exact. */
        readonly serverWait: boolean;
        /** The attempt that will be made. */
        readonly attempt: number;
        readonly maxAttempts: number;
      }
    | { readonly recourse: "fallback"; readonly target: string }
    | { readonly recourse: "alternative"; readonly tool: string }
    /** `target`: the target that is back first, if it is not the one that failed. */
    | { readonly recourse: "park"; readonly wakeAt: number; readonly target?: string }
    | { readonly recourse: "ask"; readonly question: QuestionKind }
    | { readonly recourse: Exclude<Recourse, "fallback" | "alternative" | "park" | "ask"> }
  );
