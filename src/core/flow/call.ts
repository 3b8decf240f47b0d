// One call from start to end, as a pure machine: events in, the next step out. The live loop, the resumed one and the
// simulation all run on it, so they cannot disagree. Holds these:
// C1  A step is `run` only between `call-admitted` and the event that ends the attempt.
// C2  After `end` nothing changes it; a late result is written down and ignored.
// C3  The event holds the decision about what happens next: replaying never decides again.

import type { SeenSituation } from "../decide/situation.ts";
import type { Decision } from "../decide/decision.ts";
import type { BreakerState } from "../decide/breaker.ts";
import type { Fault, ItemFault } from "../fault/fault.ts";
import { type Recourse, RECOURSES } from "../policy/policy.ts";
import type { Answer, Question } from "./interaction.ts";
import type { Cost } from "./money.ts";

/** In events about a target whose name another target already has: the name of its own row in the metrics. */
export interface CountedApart {
  readonly countedAs?: string;
}

/** Why an attempt is held back: the other side asked for a pause, or requests to it are spread out. */
export type HeldReason = "paused" | "paced";

/** The turn that a call of a session belongs to: its id begins with it. */
export function turnOfCall(call: string): string {
  return call.split("/")[0] ?? "";
}

/** What happens to a call. */
export type CallEvent = CountedApart & AnyCallEvent;

type AnyCallEvent =
  | {
      readonly type: "call-started";
      readonly call: string;
      readonly turn: string;
      readonly tool: string;
      /** The digest of the original input; the input that is shown is scrubbed. */
      readonly digest: string;
      readonly input: unknown;
      readonly deadlineAt: number | null;
    }
  | {
      readonly type: "call-admitted";
      readonly call: string;
      readonly tool: string;
      readonly attempt: number;
      /** Set when the attempt runs beside another one that is silent. */
      readonly hedge?: SentHedge;
    }
  | {
      readonly type: "call-failed";
      readonly call: string;
      readonly tool: string;
      readonly attempt: number;
      readonly fault: Fault;
      readonly decision: Decision;
      readonly breaker: BreakerState;
      readonly durationMs: number;
      readonly cost: Cost | null;
      /** What `decide` saw; absent outside sessions and in entries of older programs. */
      readonly saw?: SeenSituation;
    }
  | {
      /** A new decision without an attempt of its own: a guard refused, a person said no, or another call's attempt showed it. */
      readonly type: "call-decided";
      readonly call: string;
      readonly tool: string;
      readonly fault: Fault;
      readonly decision: Decision;
      readonly breaker: BreakerState;
      /** What `decide` saw; absent outside sessions and in entries of older programs. */
      readonly saw?: SeenSituation;
      /** Set when another call's attempt counted as this call's retry: the number of that retry. */
      readonly attempt?: number;
    }
  | {
      readonly type: "call-succeeded";
      readonly call: string;
      readonly tool: string;
      readonly attempt: number;
      readonly durationMs: number;
      readonly cost: Cost | null;
      /** The items that failed, if the result is partial. */
      readonly errors: readonly ItemFault[];
      /** A short, redacted preview. The value itself is kept separately. */
      readonly output: unknown;
    }
  | {
      readonly type: "call-cancelled";
      readonly call: string;
      readonly tool: string;
      readonly fault: Fault;
      /** The cost of the attempt that ran; null when none did. */
      readonly cost: Cost | null;
    }
  | {
      /** An attempt that was given up has ended after all, or a second one beside which another target answered. */
      readonly type: "call-late";
      readonly call: string;
      readonly tool: string;
      readonly attempt: number;
      readonly ok: boolean;
      readonly fault: Fault | null;
      readonly durationMs: number;
      /** Its true cost, if it reported one … */
      readonly cost: Cost | null;
      /** … which replaces the cost booked when it was given up. */
      readonly booked: Cost | null;
    }
  | {
      /** The request was changed on purpose: fitted to another target, made smaller, or extended with what was wrong with the answer. */
      readonly type: "call-adapted";
      readonly call: string;
      readonly tool: string;
      readonly changes: readonly RequestChange[];
      /** The changed input is kept, because it could not be made again. */
      readonly kept: boolean;
    }
  | { readonly type: "question-asked"; readonly call: string; readonly question: Question }
  | {
      readonly type: "question-answered";
      readonly call: string;
      readonly id: string;
      readonly answer: Answer;
      /** Which interactor, or which program, gave it. */
      readonly by: string;
    };

/** Why a second attempt was sent beside another one. */
export interface SentHedge {
  /** The target that was silent. */
  readonly beside: string;
  /** How long it had been silent. */
  readonly silentMs: number;
}

/** One declared change of a request. Says where and why, never what stood there. */
export interface RequestChange {
  readonly rule: string;
  readonly where: string;
  readonly why: string;
}

/** How a call ended. The value of a completed call is kept separately. */
export type CallEnd =
  | { readonly status: "done"; readonly from: string; readonly errors: readonly ItemFault[] }
  | { readonly status: "defaulted"; readonly fault: Fault }
  | { readonly status: "partial"; readonly fault: Fault; readonly from: string }
  | { readonly status: "skipped" | "surfaced" | "failed" | "cancelled"; readonly fault: Fault };

/** What a call does next. */
export type CallStep =
  | { readonly at: "admit"; readonly notBefore: number }
  | { readonly at: "run"; readonly since: number }
  | { readonly at: "park"; readonly wakeAt: number }
  /** `decide` chose to ask a person; `question` is null until the question is written. */
  | { readonly at: "ask"; readonly question: Question | null }
  | { readonly at: "decide" }
  | { readonly at: "end"; readonly end: CallEnd };

/** The state of a call: the fold of its events. */
export interface CallState {
  readonly call: string;
  readonly turn: string;
  readonly digest: string;
  readonly deadlineAt: number | null;
  /** The tool in charge: an alternative may have taken over. */
  readonly tool: string;
  readonly tried: readonly string[];
  /** The last attempt of the tool in charge, admitted or replaced by another call's attempt; 0 before the first. */
  readonly attempt: number;
  /** The attempts of all tools together. */
  readonly attempts: number;
  /** How often a guard has refused since the last attempt. */
  readonly refusals: number;
  readonly waitedMs: number;
  readonly taken: readonly Recourse[];
  readonly denied: readonly (Recourse | "retry")[];
  readonly questions: number;
  /** A person or a repair replaced the input: the value is kept apart. */
  readonly inputReplaced: boolean;
  /** A person said yes to the next attempt: it goes past the guards. */
  readonly approved: boolean;
  /** The decision requires a repair before the next attempt, and it has not been made yet. */
  readonly repairDue: boolean;
  /** The last fault and the decision about it. */
  readonly fault: Fault | null;
  readonly decision: Decision | null;
  readonly step: CallStep;
}

/** After a person has said no, the call is neither retried nor asked about again. */
const DENIED_BY_A_NO: readonly (Recourse | "retry")[] = ["retry", "ask"];
/** After a person chose `fail`, no other recourse is taken, not even a declared default. */
const DENIED_BY_FAIL: readonly (Recourse | "retry")[] = [
  "retry",
  ...RECOURSES.filter((recourse) => recourse !== "fail"),
];

/** The state of a call before its first attempt. */
export function startCall(event: Extract<CallEvent, { type: "call-started" }>): CallState {
  return {
    call: event.call,
    turn: event.turn,
    digest: event.digest,
    deadlineAt: event.deadlineAt,
    tool: event.tool,
    tried: [event.tool],
    attempt: 0,
    attempts: 0,
    refusals: 0,
    waitedMs: 0,
    taken: [],
    denied: [],
    questions: 0,
    inputReplaced: false,
    approved: false,
    repairDue: false,
    fault: null,
    decision: null,
    step: { at: "admit", notBefore: 0 },
  };
}

/** `at` is when the event happened. */
export function advanceCall(state: CallState, event: CallEvent, at: number): CallState {
  if (state.step.at === "end") return state;
  switch (event.type) {
    case "call-started":
    case "call-late":
      return state;
    case "call-adapted":
      return { ...state, inputReplaced: state.inputReplaced || event.kept, repairDue: false };
    case "call-admitted":
      // The call is still in the attempt that is silent.
      if (event.hedge !== undefined) return { ...state, attempts: state.attempts + 1 };
      return {
        ...state,
        attempt: event.attempt,
        attempts: state.attempts + 1,
        refusals: 0,
        approved: false,
        repairDue: false,
        step: { at: "run", since: at },
      };
    case "call-failed":
      return decided(inCharge(state, event), event.fault, event.decision, at);
    case "call-decided": {
      const { attempt } = event;
      const next = attempt === undefined ? { refusals: state.refusals + 1 } : { attempt, refusals: 0 };
      return decided({ ...state, ...next }, event.fault, event.decision, at);
    }
    case "call-succeeded":
      return { ...state, step: { at: "end", end: { status: "done", from: event.tool, errors: event.errors } } };
    case "call-cancelled":
      return { ...state, step: { at: "end", end: { status: "cancelled", fault: event.fault } } };
    case "question-asked":
      return { ...state, questions: state.questions + 1, step: { at: "ask", question: event.question } };
    case "question-answered":
      return answered(state, event.answer, at);
  }
}

/** A second attempt that has shown content is in charge of the call, so its failure is the call's. */
function inCharge(state: CallState, { tool, attempt }: { readonly tool: string; readonly attempt: number }): CallState {
  return tool === state.tool ? state : { ...state, tool, tried: [...state.tried, tool], attempt };
}

function decided(state: CallState, fault: Fault, decision: Decision, at: number): CallState {
  const next = { ...state, fault, decision, repairDue: false };
  switch (decision.recourse) {
    case "retry":
      return {
        ...next,
        waitedMs: state.waitedMs + decision.delayMs,
        step: { at: "admit", notBefore: at + decision.delayMs },
      };
    case "alternative":
    case "fallback": {
      const tool = decision.recourse === "fallback" ? decision.target : decision.tool;
      return {
        ...next,
        tool,
        tried: [...state.tried, tool],
        attempt: 0,
        taken: [...state.taken, decision.recourse],
        step: { at: "admit", notBefore: at },
      };
    }
    case "refresh-credential":
    case "compact":
    case "regenerate":
      return {
        ...next,
        taken: [...state.taken, decision.recourse],
        repairDue: true,
        step: { at: "admit", notBefore: at },
      };
    case "park": {
      const parked = { ...next, taken: [...state.taken, decision.recourse] };
      const step = { at: "park", wakeAt: decision.wakeAt } as const;
      const { target: tool } = decision;
      return tool === undefined
        ? { ...parked, step }
        : { ...parked, step, tool, tried: [...state.tried, tool], attempt: 0 };
    }
    case "ask":
      return { ...next, taken: [...state.taken, "ask"], step: { at: "ask", question: null } };
    default:
      return { ...next, step: { at: "end", end: endOf(state, fault, decision.recourse) } };
  }
}

const END_STATUS = { skip: "skipped", surface: "surfaced", fail: "failed" } as const;

function endOf(state: CallState, fault: Fault, recourse: "default" | "partial" | keyof typeof END_STATUS): CallEnd {
  if (recourse === "default") return { status: "defaulted", fault };
  if (recourse === "partial") return { status: "partial", fault, from: state.tool };
  return { status: END_STATUS[recourse], fault };
}

/** What a person may choose when asked to select. The ids are stable: files and programs answer with them. */
export const CHOICES = ["retry", "skip", "fail"] as const;
/** What a person may choose when a call has failed. */
export type Choice = (typeof CHOICES)[number];
/** Stands before the name of another tool or target that a person may choose: `use:east/llama-3`. */
export const USE = "use:";

function answered(state: CallState, answer: Answer, at: number): CallState {
  const { step, fault } = state;
  const kind = step.at === "ask" ? step.question?.payload.kind : undefined;
  if (kind === undefined || fault === null) return state;
  if (kind === "Select" && answer.status === "accepted" && answer.value === "fail") {
    return { ...state, denied: DENIED_BY_FAIL, step: { at: "decide" } };
  }
  // An answer to `Ask` is an input, which may well be `false`.
  const refused = answer.status !== "accepted" || (kind !== "Ask" && answer.value === false);
  if (refused) return { ...state, denied: DENIED_BY_A_NO, step: { at: "decide" } };
  if (kind === "Select" && answer.value === "skip") {
    return { ...state, step: { at: "end", end: { status: "skipped", fault } } };
  }
  // A person took the risk, so the next attempt goes out even if the work may have happened.
  const inputReplaced = state.inputReplaced || kind === "Ask";
  const next: CallState = { ...state, inputReplaced, approved: true, step: { at: "admit", notBefore: at } };
  const { value } = answer;
  if (kind !== "Select" || typeof value !== "string" || !value.startsWith(USE)) return next;
  const tool = value.slice(USE.length);
  return { ...next, tool, tried: [...state.tried, tool], attempt: 0 };
}
