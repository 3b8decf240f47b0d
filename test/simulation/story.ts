// Everything that happened in one simulated world, across all lives of its program, in one order: what the checks read.

import type { Breaker } from "../../src/core/decide/breaker.ts";
import type { Fault } from "../../src/core/fault/fault.ts";
import type { Spending } from "../../src/core/flow/money.ts";
import type { Entry, SessionStatus } from "../../src/core/record/event.ts";
import type { OutcomeStatus } from "../../src/runtime/call/outcome.ts";
import type { TurnResult } from "../../src/runtime/session/turn.ts";
import type { ToolSpec, WorldSpec } from "./world-spec.ts";

/** `order` is one count for the whole world: what has the lower one happened first. */
interface Happened {
  readonly order: number;
  readonly life: number;
  readonly at: number;
}

/** An entry that is on disk, since `order`. */
export interface Written extends Happened {
  readonly entry: Entry;
}

/** A tool was started. */
export interface Run extends Happened {
  readonly tool: ToolSpec;
  readonly call: string;
  readonly attempt: number;
  readonly deadlineAt: number;
  readonly estimate: number | null;
  readonly hasEffect: boolean;
  /** `order` and time of its end; null when it never ended, or its life did before. */
  ended: { readonly order: number; readonly at: number } | null;
  /** What it said it cost: at its beginning, at its end. */
  reports: readonly { readonly isFirst: boolean; readonly microcents: number }[];
}

/** The state of a call was observed. */
export interface SeenOutcome extends Happened {
  readonly call: string;
  readonly status: OutcomeStatus;
  readonly fault: Fault | null;
  readonly attempts: number;
  /** A refusal made on the spot, which is about no call in the journal. */
  readonly isRefusal: boolean;
}

export interface SeenTurn extends Happened {
  readonly result: TurnResult;
}

export interface Cancelled extends Happened {
  /** null: the whole session. */
  readonly turn: string | null;
}

export interface BreakerSeen extends Happened {
  readonly target: string;
  readonly breaker: Breaker;
}

export interface LifeRecord {
  readonly number: number;
  readonly startedAt: number;
  endedAt: number;
  end: "done" | "again" | "died" | "stuck" | "runaway" | "unfinished";
  /** The session of this life lost its store. */
  lostStore: boolean;
  /** What the session said it had spent when everything was over; null when it was not asked. */
  spending: Spending | null;
  status: SessionStatus | null;
}

export class Story {
  readonly world: WorldSpec;
  readonly session = "world";
  readonly written: Written[] = [];
  readonly runs: Run[] = [];
  readonly outcomes: SeenOutcome[] = [];
  readonly turns: SeenTurn[] = [];
  readonly cancels: Cancelled[] = [];
  readonly breakers: BreakerSeen[] = [];
  readonly lives: LifeRecord[] = [];
  /** Entries delivered to a subscriber, with what was on disk then. */
  readonly told: { readonly seq: number; readonly onDisk: number }[] = [];
  /** What went wrong in a way that no check has to look for. */
  readonly troubles: { readonly property: string; readonly detail: string }[] = [];
  /** Values kept beside the entries that people may get to see. */
  readonly shown: string[] = [];
  /** The disk refused something, or seemed to. */
  refusals = 0;
  /** The journal as it reads when all is over. */
  readonly entries: Entry[] = [];
  snapshot: unknown = null;
  /** Results of turns as the journal keeps them. */
  readonly kept = new Map<string, TurnResult>();
  #order = 0;

  constructor(world: WorldSpec) {
    this.world = world;
  }

  /** The next place in the one order. */
  next(): number {
    return ++this.#order;
  }
}
