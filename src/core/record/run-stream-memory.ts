// The memory of a run's stream, because later entries leave out what earlier ones said; and how it shows a failure, a
// question and an answer.

import { traitsOf } from "../fault/catalogue.ts";
import { failedName, type Fault } from "../fault/fault.ts";
import { viewFor } from "../fault/view.ts";
import { VOCABULARY } from "../fault/vocabulary.ts";
import type { Locale } from "../fault/words/words.ts";
import { turnOfCall } from "../flow/call.ts";
import { type Answer, endOf, formFacts, type Question } from "../flow/interaction.ts";
import { type Cost, NOTHING_SPENT, type Spending } from "../flow/money.ts";
import { type NodePlace, placeOf, turnOf } from "../flow/visit.ts";
import { knownCode } from "./fault-index.ts";
import type { AttemptWork, RunStreamData, StreamFailure, StreamQuestion } from "./run-stream-event.ts";

export interface Memory {
  readonly run: string;
  readonly locale: Locale;
  /** The turn of each call. */
  readonly calls: Map<string, string>;
  /** The call that failed last in a turn. */
  readonly failedCalls: Map<string, string>;
  /** By turn. */
  readonly work: Map<string, AttemptWork>;
  /** Where each node was last. */
  readonly places: Map<string, NodePlace>;
  /** Ids of the options a turn waits for one of. */
  readonly options: Map<string, ReadonlySet<string>>;
  spending: Spending;
  overBudget: Omit<RunStreamData["budget.paused"], "questions">;
  /** null until the run has begun. */
  startedAt: number | null;
  timeoutMs: number | null;
  isOver: boolean;
}

export function newMemory(run: string, locale: Locale): Memory {
  return {
    run,
    locale,
    calls: new Map(),
    failedCalls: new Map(),
    work: new Map(),
    places: new Map(),
    options: new Map(),
    spending: NOTHING_SPENT,
    overBudget: { spentMicrocents: 0, estimateMicrocents: 0, maxCostMicrocents: 0 },
    startedAt: null,
    timeoutMs: null,
    isOver: false,
  };
}

export const WHOLE_RUN: NodePlace = Object.freeze({ node: "", execution: 0, attempt: 0 });

/** A call outside any node belongs to the whole run. A call that is held back has its id, with its turn's, before it begins. */
export function placeOfCall({ calls }: Memory, call: string): NodePlace {
  return placeOf(calls.get(call) ?? turnOfCall(call)) ?? WHOLE_RUN;
}

const NO_WORK: AttemptWork = Object.freeze({ callAttempts: 0, spentMicrocents: 0 });

export function addWork({ calls, work }: Memory, call: string, attempts: number, cost: Cost | null): void {
  const turn = calls.get(call) ?? "";
  const { callAttempts, spentMicrocents } = work.get(turn) ?? NO_WORK;
  work.set(turn, {
    callAttempts: callAttempts + attempts,
    spentMicrocents: spentMicrocents + (cost?.microcents ?? 0),
  });
}

export function workOf(place: NodePlace, { work }: Memory): AttemptWork {
  return work.get(turnOf(place)) ?? NO_WORK;
}

/** Words chosen by the code, and ids that find the internal record. `outcome`: how the node or the run ended; null before that. */
export function failureOf(fault: Fault, place: NodePlace, outcome: string | null, memory: Memory): StreamFailure {
  const code = knownCode(fault);
  const turn = place.node === "" ? "" : turnOf(place);
  const ids = [memory.run, turn, memory.failedCalls.get(turn) ?? ""].filter((id) => id !== "");
  const view = viewFor("user", { ...fault, code }, { correlationId: ids.join("/"), locale: memory.locale });
  // Which of the matrix's ids it is may depend on the role of the node, which only its end tells.
  const always = VOCABULARY[code].outcome;
  return {
    class: traitsOf(code).class,
    code,
    ...view,
    outcome: outcome ?? (typeof always === "string" ? always : null),
    ...(failedName(fault) === "" ? {} : { target: failedName(fault) }),
  };
}

export function shownQuestion(question: Question): StreamQuestion {
  const { id, payload } = question;
  const options = payload.kind === "Select" ? payload.options : [];
  return { id, kind: payload.kind, prompt: payload.prompt, options, ...formFacts(payload), expiresAt: endOf(question) };
}

/** A yes, a no, or an option that was offered; a text is not shown. */
export function decisionOf(answer: Answer | null, place: NodePlace, { options }: Memory): boolean | string | null {
  if (answer?.status !== "accepted") return null;
  const { value } = answer;
  if (typeof value === "boolean") return value;
  return typeof value === "string" && options.get(turnOf(place))?.has(value) === true ? value : null;
}
