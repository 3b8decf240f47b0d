// The events of a workflow run, as one union. A run is a session, so its journal holds them between the events of
// its turns and calls: an attempt of a node is a turn, and every call in it belongs to that turn.

import type { Decision } from "../decide/decision.ts";
import type { Fault } from "../fault/fault.ts";
import type { MatrixOutcome } from "../fault/vocabulary.ts";
import type { Answer, Question } from "./interaction.ts";
import type {
  Fan,
  Instruction,
  NodeKind,
  NodePlace,
  PauseReason,
  Resolution,
  Route,
  SkipReason,
  StagePhase,
  Visit,
} from "./visit.ts";
import type { SeenStage } from "./stage.ts";

/** What a run may use, as the journal keeps it. */
export interface RunLimits {
  readonly maxParallel: number;
  /** Visits of nodes, all together. */
  readonly maxNodes: number;
  /** Infinity is written as null. */
  readonly timeoutMs: number | null;
  /** 0: without bound. */
  readonly maxCostMicrocents: number;
}

/** The state of the predecessor: finished visits stay, with their outputs; ready visits start again. */
export interface Inheritance {
  readonly visits: readonly Visit[];
  readonly fans: Readonly<Record<string, Fan>>;
  /** Paths that had ended by then, except the one that is continued; older programs leave it out. */
  readonly ends?: readonly PathEnd[];
}

/** Where a path has ended, and how it says it did. */
export interface PathEnd {
  readonly node: string;
  /** Empty when it does not say. */
  readonly outcome: string;
}

/** In events about an attempt that failed. */
export interface DecidedStage {
  /** What `decideStage` saw; absent where something else ended the attempt, and in entries of older programs. */
  readonly saw?: SeenStage;
}

/** What happens to a run, as the journal keeps it. */
export type RunEvent =
  | {
      readonly type: "run-started";
      readonly workflow: string;
      readonly version: string;
      /** The digest of the definition: a run does not resume with a different definition unless a person accepts it. */
      readonly digest: string;
      /** Where it was read from; null for a workflow written in TypeScript. */
      readonly file: string | null;
      /** Scrubbed, secret inputs masked; the exact ones are kept beside. */
      readonly inputs: unknown;
      readonly start: readonly string[];
      readonly limits: RunLimits;
      /** The failed run this one continues. */
      readonly predecessor: string | null;
      /** What it takes over from that run; null for a run that starts at the beginning. */
      readonly inherited: Inheritance | null;
      /** What an operator wanted of the run before this one; null for a run of its own. The visits it is for have it, too. */
      readonly instruction: Instruction | null;
      /** The span it was started in, as W3C Trace Context writes it; left out when there was none. */
      readonly traceparent?: string;
    }
  /** The definition has changed, and a person accepted the new one. */
  | { readonly type: "workflow-changed"; readonly from: string; readonly to: string; readonly by: string }
  | (NodePlace & {
      readonly type: "node-started";
      readonly kind: NodeKind;
      /** The targets that its agent can ask; left out for nodes that ask none. */
      readonly targets?: readonly string[];
    })
  | (NodePlace & {
      readonly type: "stage-entered";
      readonly phase: StagePhase;
      /** Phases it went through since the entry before, oldest first; left out when there are none. */
      readonly passed?: readonly StagePhase[];
    })
  | (NodePlace &
      DecidedStage & {
        /** The attempt failed, and another one begins from Setup. */
        readonly type: "node-retrying";
        readonly of: number;
        readonly fault: Fault;
        readonly decision: Decision;
        readonly delayMs: number;
        readonly nextAt: number;
      })
  | (NodePlace &
      DecidedStage & {
        /** It failed, and comes again behind the other nodes, with the attempts it has left. */
        readonly type: "node-deferred";
        readonly of: number;
        readonly fault: Fault;
        readonly nextAt: number;
      })
  | (NodePlace & {
      readonly type: "node-paused";
      readonly why: PauseReason;
      readonly fault: Fault | null;
      readonly questions: readonly Question[];
      readonly wakeAt: number | null;
    })
  | (NodePlace & {
      readonly type: "node-resumed";
      readonly why: PauseReason;
      /** What a gate was answered; null for everything else. */
      readonly answer: Answer | null;
      readonly by: string;
    })
  | (NodePlace & {
      readonly type: "node-completed";
      readonly route: Route;
      /** A short, scrubbed look at the output; the value itself is kept apart. */
      readonly output: unknown;
    })
  | (NodePlace &
      DecidedStage & {
        readonly type: "node-failed";
        readonly fault: Fault;
        readonly outcome: MatrixOutcome;
        readonly resolution: Resolution;
        /** To a repair node; null when its path is over. */
        readonly route: Route | null;
      })
  | (NodePlace &
      DecidedStage & {
        readonly type: "node-skipped";
        readonly reason: SkipReason;
        readonly fault: Fault | null;
        readonly route: Route | null;
      })
  | {
      /** A person's action on this run, with its effect, so that replaying needs nothing else. */
      readonly type: "run-instructed";
      readonly action: string;
      /** Empty for an action on the whole run. */
      readonly node: string;
      readonly execution: number;
      readonly key: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly by: string;
    }
  /** Nothing can be done before a time or an answer has come. */
  | { readonly type: "run-paused"; readonly why: PauseReason | "retry"; readonly wakeAt: number | null }
  | {
      readonly type: "run-ended";
      readonly status: "completed" | "failed" | "cancelled";
      /** A name of the workflow's own, or one of the matrix's ids. */
      readonly outcome: string;
      /** The node that failed; empty when none did. */
      readonly node: string;
      readonly fault: Fault | null;
    }
  /** Another run continues this one. Comes after its end. */
  | { readonly type: "run-superseded"; readonly successor: string };
