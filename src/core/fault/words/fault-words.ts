// The shape of the words about a fault, by audience.

import type { FaultCode } from "../catalogue.ts";

/** The sentences about a fault code, per audience. */
export interface FaultWords {
  /** A few words, no full stop: the heading of a problem. */
  readonly title: string;
  /** What happened, one sentence for the person who uses the agent. */
  readonly user: string;
  /** The next step for that person: what to do, or that nothing needs doing. */
  readonly next: string;
  /** The next step when it is known how long it takes: `{wait}` is a duration, or `until` a time. Only where `next` speaks of a wait. */
  readonly nextAfter?: string;
  /** One sentence for the model: what failed and how it may react. No internals. */
  readonly model: string;
  /** One line for the operator: the technical cause and where to look. */
  readonly operator: string;
}

export type Words = Readonly<Record<FaultCode, FaultWords>>;
