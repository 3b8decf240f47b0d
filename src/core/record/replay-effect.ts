// What a call does differently when another decision takes the place of the recorded one: as far as the two decisions say it.

import type { Decision } from "../decide/decision.ts";

/** Whether the same is done. The reasons, and what would be tried later, may differ. */
export function decidesAlike(one: Decision, other: Decision): boolean {
  return FIELDS_OF_ACTION.every((field) => readAs(one, field) === readAs(other, field));
}

/** What is done: these fields and no others. */
const FIELDS_OF_ACTION = ["recourse", "delayMs", "target", "tool", "wakeAt", "question"] as const;

function readAs(decision: Decision, field: (typeof FIELDS_OF_ACTION)[number]): unknown {
  return (decision as Partial<Record<typeof field, unknown>>)[field];
}

export interface Effect {
  /** How much longer the new decision waits; negative for less. */
  readonly waitMs: number;
  /** The new decision ends the call: what was recorded after it would not have happened. */
  readonly saves: boolean;
  /** The recorded decision ended the call, and the new one makes at least one more attempt. */
  readonly adds: boolean;
  /** One of them asks a person, who may answer anything. */
  readonly asks: boolean;
}

export function effectOf(from: Decision, to: Decision, at: number): Effect {
  return {
    waitMs: waitOf(to, at) - waitOf(from, at),
    saves: endsCall(to),
    adds: endsCall(from) && CONTINUES[to.recourse] === "runs",
    asks: CONTINUES[from.recourse] === "asks" || CONTINUES[to.recourse] === "asks",
  };
}

export function endsCall({ recourse }: Decision): boolean {
  return CONTINUES[recourse] === "ends";
}

/** How long a call waits by this decision. How long a person takes is not known. */
export function waitOf(decision: Decision, at: number): number {
  if (decision.recourse === "retry") return decision.delayMs;
  return decision.recourse === "park" ? Math.max(0, decision.wakeAt - at) : 0;
}

const CONTINUES: Readonly<Record<Decision["recourse"], "runs" | "asks" | "ends">> = {
  "retry": "runs",
  "refresh-credential": "runs",
  "fallback": "runs",
  "alternative": "runs",
  "compact": "runs",
  "regenerate": "runs",
  "park": "runs",
  "ask": "asks",
  "default": "ends",
  "partial": "ends",
  "skip": "ends",
  "surface": "ends",
  "fail": "ends",
};
