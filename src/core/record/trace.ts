// The turn trace: one record per decision about an error, in the shape of the tool error handling specification with more
// fields besides, and what happened around it. Made from entries, which are scrubbed already; a table of makers, one per
// type of event.

import type { Decision } from "../decide/decision.ts";
import { explain } from "../decide/explain.ts";
import { isoTime } from "../fault/words/time-words.ts";
import type { Fault } from "../fault/fault.ts";
import { VOCABULARY, type SiClass } from "../fault/vocabulary.ts";
import type { Locale } from "../fault/words/words.ts";
import { endOf } from "../flow/interaction.ts";
import type { Entry, JournalEvent, TurnStatus } from "./event.ts";
import { knownCode } from "./fault-index.ts";
import type { BreakerState } from "../decide/breaker.ts";
import type { Cost } from "../flow/money.ts";

export interface TraceOptions {
  /** Only this turn's records, and what happened to shared things while it was open. */
  readonly turn?: string;
  readonly locale?: Locale;
}

/** The entries of a journal as records for a trace or a log. */
export function traceOf(entries: Iterable<Entry>, { turn, locale = "en" }: TraceOptions = {}): TraceRecord[] {
  const memory: Memory = { calls: new Map(), openTurns: new Set(), locale };
  const records: TraceRecord[] = [];
  for (const entry of entries) {
    const { event } = entry;
    lookUp(NOTES, event)?.(event, entry, memory);
    const made = lookUp(MAKERS, event)?.(event, entry, memory);
    if (made !== undefined && (turn === undefined || belongsTo(turn, made, memory))) records.push(made);
    if (event.type === "turn-ended") memory.openTurns.delete(event.turn);
  }
  return records;
}

function belongsTo(turn: string, { turn_id, call_id }: TraceRecord, { openTurns }: Memory): boolean {
  return turn_id === null && call_id === null ? openTurns.has(turn) : turn_id === turn;
}

/** What later events leave out because earlier ones said it. */
interface Memory {
  readonly calls: Map<string, SeenCall>;
  readonly openTurns: Set<string>;
  readonly locale: Locale;
}

interface SeenCall {
  readonly turn: string;
  readonly tool: string;
  readonly attempt: number;
}

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;
type Row<Event, Result> = (event: Event, entry: Entry, memory: Memory) => Result;
type Table<Result> = { readonly [Type in JournalEvent["type"]]?: Row<EventOf<Type>, Result> };

/** Types of a newer program have no row. */
function lookUp<Result>(table: Table<Result>, { type }: JournalEvent): Row<JournalEvent, Result> | undefined {
  return Object.hasOwn(table, type) ? (table as Readonly<Record<string, Row<JournalEvent, Result>>>)[type] : undefined;
}

const NOTES: Table<void> = {
  "turn-started": ({ turn }, _entry, { openTurns }) => void openTurns.add(turn),
  "call-started": ({ call, turn, tool }, entry, { calls }) =>
    void calls.set(keyOf(entry, call), { turn, tool, attempt: 0 }),
  "call-admitted": ({ call, tool, attempt }, entry, { calls }) => {
    const key = keyOf(entry, call);
    calls.set(key, { turn: calls.get(key)?.turn ?? "", tool, attempt });
  },
};

function keyOf({ session }: Entry, call: string): string {
  return `${session} ${call}`;
}

const MAKERS: Table<TraceRecord> = {
  "call-failed": toolError,
  "call-decided": toolError,
  "call-succeeded": ({ call, tool, attempt, durationMs, cost, errors }, entry, memory) => ({
    event_type: "ToolSucceeded",
    ...placeOf(entry, memory, call, tool),
    attempt,
    retry_count: retriesBefore(attempt),
    duration_ms: durationMs,
    cost,
    item_errors: errors.length,
  }),
  "call-cancelled": ({ call, tool, fault }, entry, memory) => ({
    event_type: "ToolCancelled",
    ...placeOf(entry, memory, call, tool),
    ...tracedFault(fault),
  }),
  "call-late": ({ call, tool, attempt, ok, fault, durationMs, cost }, entry, memory) => ({
    event_type: "LateResult",
    ...placeOf(entry, memory, call, tool),
    ok,
    error: fault?.message ?? null,
    attempt,
    duration_ms: durationMs,
    cost,
  }),
  "node-settled": ({ turn, node, status, fault, because }, entry, memory) => ({
    event_type: (because === "" ? UNRUN_BY_TIME : UNRUN_BY_NEED)[status],
    ...placeOf(entry, memory),
    turn_id: turn,
    ...tracedFault(fault),
    node,
    needs: because === "" ? null : because,
  }),
  "question-asked": ({ call, question }, entry, memory) => {
    const { id, payload } = question;
    const endsAt = endOf(question);
    return {
      event_type: "QuestionAsked",
      ...placeOf(entry, memory, call),
      question_id: id,
      kind: payload.kind,
      prompt: payload.prompt,
      expires_at: endsAt === null ? null : isoTime(endsAt),
    };
  },
  // Shows yes or no only; the text of an answer may be private.
  "question-answered": ({ call, id, answer, by }, entry, memory) => ({
    event_type: "QuestionAnswered",
    ...placeOf(entry, memory, call),
    question_id: id,
    answer: answer.status,
    by,
  }),
  "breaker-changed": ({ target, tool, from, to }, entry, memory) => ({
    event_type: "BreakerChanged",
    ...placeOf(entry, memory, null, tool),
    target,
    from,
    to,
  }),
  "target-paused": ({ target, until, call }, entry, memory) => ({
    event_type: "TargetPaused",
    ...placeOf(entry, memory, call),
    target,
    until: isoTime(until),
  }),
  "call-adapted": ({ call, tool, changes }, entry, memory) => ({
    event_type: "RequestAdapted",
    ...placeOf(entry, memory, call, tool),
    changes: changes.map(({ rule, where, why }) => `${rule} at ${where}: ${why}`),
  }),
  "call-held": ({ call, tool, reason, nextAt }, entry, memory) => ({
    event_type: "CallHeld",
    ...placeOf(entry, memory, call, tool),
    reason,
    until: isoTime(nextAt),
  }),
  "budget-warned": ({ spentMicrocents, maxCostMicrocents }, entry, memory) => ({
    event_type: "BudgetWarned",
    ...placeOf(entry, memory),
    spent_microcents: spentMicrocents,
    max_cost_microcents: maxCostMicrocents,
  }),
  "budget-exceeded": (event, entry, memory) => ({
    event_type: "BudgetExceeded",
    ...placeOf(entry, memory, event.call),
    spent_microcents: event.spentMicrocents,
    reserved_microcents: event.reservedMicrocents,
    estimate_microcents: event.estimateMicrocents,
    max_cost_microcents: event.maxCostMicrocents,
  }),
  "fault-suppressed": ({ fault, reason }, entry, memory) => ({
    event_type: "FaultSuppressed",
    ...placeOf(entry, memory),
    ...tracedFault(fault),
    reason,
  }),
  "turn-ended": ({ turn, status, fault }, entry, memory) => ({
    event_type: "TurnEnded",
    ...placeOf(entry, memory),
    turn_id: turn,
    status,
    error: fault?.message ?? null,
  }),
};

const UNRUN_BY_NEED = { skipped: "CascadeSkip", defaulted: "CascadeDefault", failed: "CascadeFail" } as const;
const UNRUN_BY_TIME = { skipped: "NodeSkipped", defaulted: "NodeDefaulted", failed: "NodeFailed" } as const;

function toolError(event: EventOf<"call-failed" | "call-decided">, entry: Entry, memory: Memory): TraceRecord {
  const { call, tool, fault, decision } = event;
  const place = { ...placeOf(entry, memory, call, tool), tool_id: tool };
  const classification = VOCABULARY[knownCode(fault)].si;
  // The specification has no status for a cancellation, because it is not an error.
  if (classification === null) return { event_type: "ToolCancelled", ...place, ...tracedFault(fault) };
  const ran = event.type === "call-failed" ? event : null;
  const attempt = event.attempt ?? attemptOf(tool, memory.calls.get(keyOf(entry, call)));
  const { what, why } = explain(decision, memory.locale);
  return {
    event_type: "ToolError",
    ...place,
    ...tracedFault(fault),
    classification,
    circuit_breaker_state: event.breaker,
    retry_count: retriesBefore(attempt),
    decision: decision.recourse,
    attempt,
    attempted: ran !== null,
    rule: fault.evidence.rule,
    policy_row: `${decision.row.layer} ${decision.row.at}`,
    because: [what, ...why],
    ...nextOf(decision, entry.at),
    duration_ms: ran?.durationMs ?? null,
    cost: ran?.cost ?? null,
  };
}

function placeOf(entry: Entry, { calls }: Memory, call: string | null = null, tool: string | null = null): TracePlace {
  const seen = call === null ? undefined : calls.get(keyOf(entry, call));
  return {
    timestamp: isoTime(entry.at),
    session_id: entry.session,
    seq: entry.seq,
    // A call outside a turn has an empty one.
    turn_id: seen === undefined || seen.turn === "" ? null : seen.turn,
    call_id: call,
    tool_id: tool ?? seen?.tool ?? null,
  };
}

function tracedFault({ message, class: faultClass, code }: Fault): TracedFault {
  return { error: message, class: faultClass, code };
}

function retriesBefore(attempt: number): number {
  return Math.max(0, attempt - 1);
}

/** The last attempt this tool made for the call; none when it has just taken over. */
function attemptOf(tool: string, seen: SeenCall | undefined): number {
  return seen?.tool === tool ? seen.attempt : 0;
}

function nextOf(decision: Decision, at: number): { readonly delay_ms: number | null; readonly next_at: string | null } {
  if (decision.recourse === "retry") return { delay_ms: decision.delayMs, next_at: isoTime(at + decision.delayMs) };
  return { delay_ms: null, next_at: decision.recourse === "park" ? isoTime(decision.wakeAt) : null };
}

// The records of a turn trace, for programs that read them: names and units are fixed. `ToolError` has every field of the
// tool error handling specification under the specification's name.

interface TracePlace {
  readonly timestamp: string;
  readonly session_id: string;
  readonly seq: number;
  /** null for what belongs to no turn, no call, no tool, or to one whose beginning is not among the entries. */
  readonly turn_id: string | null;
  readonly call_id: string | null;
  readonly tool_id: string | null;
}

interface TracedFault {
  readonly error: string;
  readonly class: string;
  readonly code: string;
}

/** Fields of each kind of record, besides those of its place. */
interface Details {
  readonly ToolError: TracedFault & {
    readonly tool_id: string;
    readonly classification: SiClass;
    readonly circuit_breaker_state: BreakerState;
    /** How often it was tried again before this. */
    readonly retry_count: number;
    readonly decision: Decision["recourse"];
    readonly attempt: number;
    /** False when the fault came before an attempt could start, or was decided about once more. */
    readonly attempted: boolean;
    /** The rule that named the fault, and the row of the policy that spoke. */
    readonly rule: string;
    readonly policy_row: string;
    /** The decision, and why the other recourses were rejected. */
    readonly because: readonly string[];
    readonly delay_ms: number | null;
    readonly next_at: string | null;
    readonly duration_ms: number | null;
    readonly cost: Cost | null;
  };
  readonly ToolSucceeded: {
    readonly attempt: number;
    readonly retry_count: number;
    readonly duration_ms: number;
    readonly cost: Cost | null;
    /** Items of a partial result that failed. */
    readonly item_errors: number;
  };
  readonly ToolCancelled: TracedFault;
  readonly LateResult: {
    readonly ok: boolean;
    readonly error: string | null;
    readonly attempt: number;
    readonly duration_ms: number;
    readonly cost: Cost | null;
  };
  /** A node that ended without running because of another one … */
  readonly CascadeSkip: Unrun;
  readonly CascadeDefault: Unrun;
  readonly CascadeFail: Unrun;
  /** … or because the time was up, or the turn cancelled. */
  readonly NodeSkipped: Unrun;
  readonly NodeDefaulted: Unrun;
  readonly NodeFailed: Unrun;
  readonly QuestionAsked: {
    readonly question_id: string;
    readonly kind: string;
    readonly prompt: string;
    /** null: it waits without a time limit. */
    readonly expires_at: string | null;
  };
  readonly QuestionAnswered: { readonly question_id: string; readonly answer: string; readonly by: string };
  readonly BreakerChanged: { readonly from: BreakerState; readonly to: BreakerState };
  readonly RequestAdapted: { readonly changes: readonly string[] };
  readonly CallHeld: { readonly reason: string; readonly until: string };
  readonly TargetPaused: { readonly target: string; readonly until: string };
  readonly BudgetWarned: { readonly spent_microcents: number; readonly max_cost_microcents: number };
  readonly BudgetExceeded: {
    readonly spent_microcents: number;
    readonly reserved_microcents: number;
    readonly estimate_microcents: number;
    readonly max_cost_microcents: number;
  };
  readonly FaultSuppressed: TracedFault & { readonly reason: string };
  readonly TurnEnded: { readonly status: TurnStatus; readonly error: string | null };
}

interface Unrun extends TracedFault {
  readonly node: string;
  /** The node it needed; null when time or cancellation ended it. */
  readonly needs: string | null;
}

export type TraceRecordOf<Type extends keyof Details> = TracePlace & { readonly event_type: Type } & Details[Type];
export type TraceEventType = keyof Details;
/** One record of a trace. */
export type TraceRecord = { [Type in TraceEventType]: TraceRecordOf<Type> }[TraceEventType];
