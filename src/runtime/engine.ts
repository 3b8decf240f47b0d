// What all calls of one runtime share. Made once by `createFaultline`; inside, nothing is optional.

import type { Fault } from "../core/fault/fault.ts";
import type { LearningRedactor } from "../core/fault/redact.ts";
import type { Locale } from "../core/fault/words/words.ts";
import type { Chance } from "../host/chance.ts";
import type { Clock } from "../host/clock.ts";
import type { Journal } from "../journal/journal.ts";
import type { ToolCounters } from "../core/record/metrics.ts";
import type { Bindings } from "./tool/binding.ts";
import type { Policy } from "../core/policy/policy.ts";
import type { Incidents } from "./target/incidents.ts";
import type { Interactors } from "./person/interactors.ts";
import type { RetryingStore } from "./recorder.ts";
import type { AnyTool } from "./tool/tool.ts";
import type { Wheel } from "./wheel.ts";
import type { LiveTarget } from "./target/target.ts";

export interface Engine {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly journal: Journal;
  /** The journal, for what a call or a session has to find in it. */
  readonly store: RetryingStore;
  readonly wheel: Wheel;
  /** For calls outside sessions; each session has its own, on top of this one. */
  readonly redactor: LearningRedactor;
  readonly locale: Locale;
  readonly incidents: Incidents;
  readonly counters: Map<string, ToolCounters>;
  readonly interactors: Interactors;
  /** Tools under the runtime's own policy. */
  readonly bindings: Bindings;
  /** Tools under the policy of a session; the same policy object gives the same bindings. */
  readonly bindingsFor: (policy: Policy) => Bindings;
  /** A new name for a call outside sessions: unique in this process and, nearly, in the world. */
  readonly newCall: () => string;
  /** A registered tool. */
  readonly find: (id: string) => AnyTool | undefined;
  /** Calls that wait for an answer, by question: woken when one is posted in this process. */
  readonly openQuestions: Map<string, () => void>;
  /** Reserves the next start at a target, among all processes of the journal. */
  readonly reserveStart: (target: LiveTarget) => Promise<number>;
  /** Gives back a start that was reserved and is not used. */
  readonly releaseStart: (target: LiveTarget, startAt: number) => void;
  /** Reports an error that is ignored on purpose. */
  readonly suppress: (fault: Fault, reason: string) => void;
}
