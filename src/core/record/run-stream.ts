// What happens in a run, for watchers: one typed, versioned stream derived from its journal entries. Pure: the same entries give
// the same events, so a watcher that lost its place starts from entry 1 and drops what it has seen. Invariants:
// P1  `sequence` counts from 1 without gaps.
// P2  At most one event says that the run is over, and after it comes nothing but `run.superseded`.
// P3  A failure shows words chosen by its code, never what a provider, a tool or a file said.
// P4  Entries of other sessions, and entries seen before, change nothing.

import { traitsOf } from "../fault/catalogue.ts";
import type { Locale } from "../fault/words/words.ts";
import { book, type Cost, rebook, NOTHING_SPENT, type Spending } from "../flow/money.ts";
import { type NodePlace, type Route, turnOf, placeOf } from "../flow/visit.ts";
import type { Entry, JournalEvent } from "./event.ts";
import { knownCode } from "./fault-index.ts";
import { noticeOf } from "./notice.ts";
import {
  RUN_STREAM_VERSION,
  type RunStreamData,
  type RunStreamEvent,
  type RunStreamType,
  type StreamRoute,
  type AttemptWork,
  type StreamFailure,
  type StreamQuestion,
} from "./run-stream-event.ts";
import { failedName, type Fault } from "../fault/fault.ts";
import { viewFor } from "../fault/view.ts";
import { VOCABULARY } from "../fault/vocabulary.ts";
import { turnOfCall } from "../flow/call.ts";
import { type Answer, endOf, formFacts, type Question } from "../flow/interaction.ts";

export type { RunStreamEvent, RunStreamType };

export interface RunStream {
  /** The events of one entry: none, one, or a few. */
  feed(entry: Entry): readonly RunStreamEvent[];
}

export interface RunStreamOptions {
  /** The language of the words about failures. */
  readonly locale?: Locale;
}

/** Turns the entries of a run into numbered events for a person or a program that watches. */
export function createRunStream(run: string, { locale = "en" }: RunStreamOptions = {}): RunStream {
  const memory = newMemory(run, locale);
  let seq = 0;
  let sequence = 0;
  return {
    feed(entry) {
      if (entry.session !== run || entry.seq <= seq) return [];
      seq = entry.seq;
      const made = lookUp(entry.event)?.(entry.event, entry, memory) ?? [];
      return made.map((draft) => {
        const { node, execution, attempt } = draft.place;
        const envelope = { version: RUN_STREAM_VERSION, sequence: ++sequence, at: entry.at, run, type: draft.type };
        return { ...envelope, node, execution, attempt, data: { ...draft.data, seq } } as RunStreamEvent;
      });
    },
  };
}

interface Draft {
  readonly type: RunStreamType;
  readonly place: NodePlace;
  readonly data: object;
}

function draft<Type extends RunStreamType>(type: Type, place: NodePlace, data: RunStreamData[Type]): readonly Draft[] {
  return [{ type, place, data }];
}

type Maker<Event> = (event: Event, entry: Entry, memory: Memory) => readonly Draft[];
type Makers = { readonly [Type in JournalEvent["type"]]?: Maker<Extract<JournalEvent, { type: Type }>> };

/** Types of a newer program have no row. */
function lookUp({ type }: JournalEvent): Maker<JournalEvent> | undefined {
  if (!Object.hasOwn(MAKERS, type)) return undefined;
  const make = (MAKERS as Readonly<Record<string, Maker<JournalEvent>>>)[type];
  return (event, entry, memory) => {
    const isOpen = memory.startedAt !== null && !memory.isOver;
    return isOpen || type === "run-started" || type === "run-superseded" ? (make?.(event, entry, memory) ?? []) : [];
  };
}

const MAKERS: Makers = {
  "run-started": (event, { at }, memory) => {
    if (memory.startedAt !== null) return [];
    memory.startedAt = at;
    memory.timeoutMs = event.limits.timeoutMs;
    const { workflow, version, inputs, start, limits, predecessor, inherited, instruction } = event;
    const over = inherited?.visits.filter(({ state }) => state === "completed" || state === "skipped") ?? [];
    return draft("run.started", WHOLE_RUN, {
      workflow,
      workflowVersion: version,
      inputs,
      start,
      limits,
      predecessor,
      inherited: over.map(({ node, execution }) => `${node}#${execution}`),
      action: instruction?.action ?? null,
    });
  },
  "node-started": (event, _entry, { places }) => {
    places.set(event.node, event);
    return draft("node.started", event, { kind: event.kind });
  },
  "stage-entered": (event) =>
    [...(event.passed ?? []), event.phase].flatMap((phase) => draft("node.phase", event, { phase })),
  "node-retrying": (event, _entry, memory) => retrying(event, false, memory),
  "node-deferred": (event, _entry, memory) => retrying(event, true, memory),
  "node-paused": (event, _entry, memory) => {
    const { why, wakeAt, fault } = event;
    const questions = event.questions.map(shownQuestion);
    memory.options.set(turnOf(event), new Set(questions.flatMap(({ options }) => options.map(({ id }) => id))));
    if (why === "gate") return draft("gate.paused", event, { questions, wakeAt });
    if (why === "budget") return draft("budget.paused", event, { ...memory.overBudget, questions });
    const failure = fault === null ? null : failureOf(fault, event, null, memory);
    return draft("node.paused", event, { why, wakeAt, questions, failure });
  },
  "node-resumed": (event, _entry, memory) => {
    const { why, answer, by } = event;
    if (why !== "gate") return draft("node.resumed", event, { why, by });
    return draft("gate.resumed", event, {
      answer: answer?.status ?? null,
      decision: decisionOf(answer, event, memory),
      by,
    });
  },
  "node-completed": (event, _entry, memory) =>
    draft("node.completed", event, { output: event.output, ...routeOf(event.route), ...workOf(event, memory) }),
  "node-failed": (event, _entry, memory) => {
    const { resolution, fault, outcome, route } = event;
    const failure = failureOf(fault, event, outcome, memory);
    return draft("node.failed", event, { resolution, failure, ...routeOf(route), ...workOf(event, memory) });
  },
  "node-skipped": (event, _entry, memory) => {
    const { reason, fault, route } = event;
    const failure = fault === null ? null : failureOf(fault, event, null, memory);
    return draft("node.skipped", event, { reason, failure, ...routeOf(route) });
  },
  "run-instructed": ({ node, execution, action, key, by }) =>
    draft("run.instructed", { node, execution, attempt: 0 }, { action, key, by }),
  "run-paused": ({ why, wakeAt }) => draft("run.paused", WHOLE_RUN, { why, wakeAt }),
  "session-resumed": ({ interrupted }) => draft("run.resumed", WHOLE_RUN, { interrupted }),
  "run-ended": (event, { at }, memory) => {
    memory.isOver = true;
    const { status, outcome, fault, node } = event;
    const durationMs = at - (memory.startedAt ?? at);
    const sums = { ...memory.spending, outcome, durationMs };
    const late = isTimeout(event, durationMs, memory) ? { elapsedMs: durationMs, timeoutMs: memory.timeoutMs } : null;
    const before = late === null ? [] : draft("run.timeout", WHOLE_RUN, late);
    if (status !== "failed") return [...before, ...draft(`run.${status}`, WHOLE_RUN, sums)];
    const failure = fault === null ? null : failureOf(fault, memory.places.get(node) ?? WHOLE_RUN, outcome, memory);
    return [...before, ...draft("run.failed", WHOLE_RUN, { ...sums, failedNode: node, failure })];
  },
  "run-superseded": ({ successor }) => draft("run.superseded", WHOLE_RUN, { successor }),
  "call-started": ({ call, turn }, _entry, { calls }) => {
    calls.set(call, turn);
    return [];
  },
  "call-admitted": ({ call }, _entry, memory) => {
    addWork(memory, call, 1, null);
    return [];
  },
  "call-failed": (event, entry, memory) => {
    memory.failedCalls.set(memory.calls.get(event.call) ?? "", event.call);
    return [...spent(event, memory), ...noticed(entry, memory)];
  },
  "call-decided": (_event, entry, memory) => noticed(entry, memory),
  "call-held": (_event, entry, memory) => noticed(entry, memory),
  "call-succeeded": (event, _entry, memory) => spent(event, memory),
  "call-cancelled": (event, _entry, memory) => spent(event, memory),
  "call-late": ({ call, cost, booked }, _entry, memory) => {
    if (cost === null) return [];
    memory.spending = rebook(memory.spending, booked, cost);
    return draft("cost.updated", placeOfCall(memory, call), memory.spending);
  },
  "budget-warned": ({ spentMicrocents, maxCostMicrocents }) =>
    draft("budget.warning", WHOLE_RUN, { spentMicrocents, maxCostMicrocents }),
  "budget-exceeded": ({ spentMicrocents, estimateMicrocents, maxCostMicrocents }, _entry, memory) => {
    memory.overBudget = { spentMicrocents, estimateMicrocents, maxCostMicrocents };
    return [];
  },
};

function retrying(
  event: Extract<JournalEvent, { type: "node-retrying" | "node-deferred" }>,
  deferred: boolean,
  memory: Memory,
): readonly Draft[] {
  const { attempt, of, nextAt, fault } = event;
  const failure = failureOf(fault, event, null, memory);
  return draft("node.retrying", event, {
    nextAttempt: attempt + 1,
    of,
    nextAt,
    deferred,
    failure,
    ...workOf(event, memory),
  });
}

/** What a call announces: that it waits, that it continues at another target, or that it asks again. */
function noticed(entry: Entry, memory: Memory): readonly Draft[] {
  const notice = noticeOf(entry);
  if (notice === null) return [];
  const place = placeOfCall(memory, notice.call);
  if (notice.kind === "switch") {
    const { call, from, to, why } = notice;
    return draft("call.switched", place, { call, from, to, why });
  }
  if (notice.kind === "regenerate") {
    const { call, tool: target, why } = notice;
    return draft("call.regenerating", place, { call, target, why });
  }
  const { call, tool: target, attempt: callAttempt, of, reason, nextAt } = notice;
  return draft("call.retrying", place, { call, target, callAttempt, of, reason, nextAt });
}

function spent(
  { call, cost }: { readonly call: string; readonly cost: Cost | null },
  memory: Memory,
): readonly Draft[] {
  if (cost === null) return [];
  memory.spending = book(memory.spending, cost);
  addWork(memory, call, 0, cost);
  return draft("cost.updated", placeOfCall(memory, call), memory.spending);
}

function routeOf(route: Route | null): StreamRoute {
  if (route === null) return { next: [], end: null };
  return route.kind === "end" ? { next: [], end: route.outcome } : { next: route.nodes, end: null };
}

/** The run's own time was up; an attempt that took too long is a failure of its node. */
function isTimeout(
  { fault, node }: Extract<JournalEvent, { type: "run-ended" }>,
  elapsedMs: number,
  { timeoutMs }: Memory,
): boolean {
  if (fault === null) return false;
  const { scope, cause } = traitsOf(knownCode(fault));
  const isLimit = scope === "limit" && cause === "timeout";
  return isLimit && (node === "" || (timeoutMs !== null && elapsedMs >= timeoutMs));
}

// The memory of a run's stream, because later entries leave out what earlier ones said; and how it shows a failure, a
// question and an answer.

interface Memory {
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

function newMemory(run: string, locale: Locale): Memory {
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

const WHOLE_RUN: NodePlace = Object.freeze({ node: "", execution: 0, attempt: 0 });

/** A call outside any node belongs to the whole run. A call that is held back has its id, with its turn's, before it begins. */
function placeOfCall({ calls }: Memory, call: string): NodePlace {
  return placeOf(calls.get(call) ?? turnOfCall(call)) ?? WHOLE_RUN;
}

const NO_WORK: AttemptWork = Object.freeze({ callAttempts: 0, spentMicrocents: 0 });

function addWork({ calls, work }: Memory, call: string, attempts: number, cost: Cost | null): void {
  const turn = calls.get(call) ?? "";
  const { callAttempts, spentMicrocents } = work.get(turn) ?? NO_WORK;
  work.set(turn, {
    callAttempts: callAttempts + attempts,
    spentMicrocents: spentMicrocents + (cost?.microcents ?? 0),
  });
}

function workOf(place: NodePlace, { work }: Memory): AttemptWork {
  return work.get(turnOf(place)) ?? NO_WORK;
}

/** Words chosen by the code, and ids that find the internal record. `outcome`: how the node or the run ended; null before that. */
function failureOf(fault: Fault, place: NodePlace, outcome: string | null, memory: Memory): StreamFailure {
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

function shownQuestion(question: Question): StreamQuestion {
  const { id, payload } = question;
  const options = payload.kind === "Select" ? payload.options : [];
  return { id, kind: payload.kind, prompt: payload.prompt, options, ...formFacts(payload), expiresAt: endOf(question) };
}

/** A yes, a no, or an option that was offered; a text is not shown. */
function decisionOf(answer: Answer | null, place: NodePlace, { options }: Memory): boolean | string | null {
  if (answer?.status !== "accepted") return null;
  const { value } = answer;
  if (typeof value === "boolean") return value;
  return typeof value === "string" && options.get(turnOf(place))?.has(value) === true ? value : null;
}
