// A tool's place in a chain: several targets that can do the same work, of which the first that can does it. What the runtime
// asks of a target before it is tried, and what can be done to a request when a target refuses it.

import type { Fault } from "../../core/fault/fault.ts";
import type { RequestChange } from "../../core/flow/call.ts";
import type { Target } from "../../core/decide/fallback.ts";
import type { Retry } from "../../core/policy/policy.ts";

export interface ChainPart<Member> {
  /** All targets, the first choice first; the tool itself is one of them. */
  readonly members: readonly Member[];
  readonly facts: TargetFacts;
  /** How patient one is with a target while another can be had; null when there is no other. */
  readonly hurried: Retry | null;
  /** Rebuilds a request from the journal's copy and the one this process was given. */
  readonly revive: (kept: unknown, given: unknown) => unknown;
  /** A quick look: true when there is nothing to negotiate and nothing to fit. null: there is no quick way to know. */
  readonly passesThrough: ((input: unknown) => boolean) | null;
  readonly needsOf: (input: unknown) => RequestNeeds;
  readonly repairs: Repairs;
}

export interface TargetFacts extends Omit<Target, "id" | "available" | "backAt"> {
  /** Tried even while its breaker is open: better a doubtful target than none. */
  readonly lastResort: boolean;
}

/** What a request needs of a target. */
export interface RequestNeeds {
  readonly capabilities: readonly string[];
  /** At least so many tokens go in. */
  readonly inputTokens: number;
  /** Why no target is asked; null when there is no reason. */
  readonly refusal: Fault | null;
}

/** What can be done to a request. null: this one has no way to do it. */
export interface Repairs {
  /** Makes a request fit this target; the same request when nothing had to be changed. */
  readonly fit: (input: unknown) => Adapted;
  /** Makes it smaller; null when it cannot be. Taken only if `sizeOf` says it is. */
  readonly compact: ((input: unknown, why: Fault, signal: AbortSignal) => Promise<unknown>) | null;
  readonly sizeOf: (input: unknown) => number;
  /** Asks again and says what was wrong with the answer. */
  readonly regenerate: ((input: unknown, why: Fault) => unknown) | null;
  /** Gets a new credential; returns the request that uses it, which may be the same. */
  readonly refresh: ((input: unknown, why: Fault, signal: AbortSignal) => Promise<unknown>) | null;
}

export interface Adapted {
  readonly input: unknown;
  readonly changes: readonly RequestChange[];
}
