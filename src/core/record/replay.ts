// A session folded from its events: what has ended, what was in flight, what was spent. The live session, the resumed one and
// the dashboard see the same state because they fold the same events with this.

import { advanceCall, type CallEvent, type CallState, startCall, turnOfCall } from "../flow/call.ts";
import type { Answer, Question } from "../flow/interaction.ts";
import { book, NOTHING_SPENT, rebook, type Spending } from "../flow/money.ts";
import type { Fault } from "../fault/fault.ts";
import { type RunState, visitOf } from "../flow/run-state.ts";
import { foldRun, noteTarget, startRun } from "../flow/run.ts";
import type { Entry, JournalEvent, Manifest, SessionStatus, TurnStatus } from "./event.ts";
import type { FaultCode } from "../fault/catalogue.ts";
import { isOpen, placeOf, type Visit, type VisitCall } from "../flow/visit.ts";
import type { RunEvent } from "../flow/run-event.ts";
import { noticeOf } from "./notice.ts";

/** What a session remembers of a turn. */
export interface TurnRecord {
  readonly turn: string;
  deadlineAt: number | null;
  /** The digest of each round's plan. */
  readonly rounds: Map<number, string>;
  /** Nodes that ended without a call, by `round/node`. */
  readonly settled: Set<string>;
  /** null while it runs. */
  status: TurnStatus | null;
  fault: Fault | null;
  endedAt: number;
}

/** Folded in place, entry by entry: a long session is not copied for each of its events. */
export interface SessionState {
  readonly session: string;
  seq: number;
  lastAt: number;
  manifest: Manifest | null;
  status: SessionStatus;
  startedAt: number;
  readonly turns: Map<string, TurnRecord>;
  /** Calls of turns that are not over, and calls outside turns. */
  readonly calls: Map<string, CallState>;
  /** Questions that no call asked, and their answers. */
  readonly asks: Map<string, AskedQuestion>;
  spending: Spending;
  budgetWarned: boolean;
  /** The workflow it runs; null for a session of a program's own. */
  run: RunState | null;
}

interface AskedQuestion {
  readonly question: Question;
  readonly answer: Answer | null;
}

/** The state of a session before its first entry. */
export function emptySession(session: string): SessionState {
  return {
    session,
    seq: 0,
    lastAt: 0,
    manifest: null,
    status: "open",
    startedAt: 0,
    turns: new Map(),
    calls: new Map(),
    asks: new Map(),
    spending: NOTHING_SPENT,
    budgetWarned: false,
    run: null,
  };
}

/** Folds one entry into `state`, in place. */
export function foldEntry(state: SessionState, entry: Entry): void {
  const { seq, at, event } = entry;
  // Unknown types were written by a newer program and are skipped.
  const fold = (FOLDS as Partial<Record<string, Fold>>)[event.type];
  fold?.(state, event, at);
  if (state.run !== null) foldIntoRun(state.run, entry);
  else if (event.type === "run-started") state.run = startRun(event, at);
  state.seq = seq;
  state.lastAt = at;
}

type Fold = (state: SessionState, event: JournalEvent, at: number) => void;
type Folds = {
  readonly [Type in JournalEvent["type"]]?: (
    state: SessionState,
    event: Extract<JournalEvent, { type: Type }>,
    at: number,
  ) => void;
};

const FOLDS: Folds = {
  "session-started": (state, { manifest }, at) => {
    state.manifest = manifest;
    state.startedAt = at;
  },
  "session-resumed": (state, _event, at) => {
    state.status = "open";
    // Time in which no process was working does not count against deadlines.
    const lostMs = Math.max(0, at - state.lastAt);
    state.startedAt += lostMs;
    for (const turn of state.turns.values()) {
      if (turn.status === null && turn.deadlineAt !== null) turn.deadlineAt += lostMs;
    }
  },
  "session-ended": (state, { status }) => {
    state.status = status;
  },
  "turn-started": (state, { turn, deadlineAt }) => {
    state.status = "open";
    const known = state.turns.get(turn);
    if (known === undefined) {
      const fresh = { turn, deadlineAt, rounds: new Map(), settled: new Set<string>(), status: null, fault: null };
      state.turns.set(turn, { ...fresh, endedAt: 0 });
      return;
    }
    known.deadlineAt = deadlineAt;
    known.status = null;
  },
  "round-started": (state, { turn, round, digest }) => void state.turns.get(turn)?.rounds.set(round, digest),
  "node-settled": (state, { turn, round, node }) => void state.turns.get(turn)?.settled.add(`${round}/${node}`),
  "turn-ended": (state, { turn, status, fault }, at) => {
    const known = state.turns.get(turn);
    if (known === undefined) return;
    known.status = status;
    known.fault = fault;
    known.endedAt = at;
    if (status === "waiting") state.status = "waiting";
    else forgetCalls(state, known);
  },
  "call-started": (state, event) => void state.calls.set(event.call, startCall(event)),
  "call-admitted": advance,
  "call-failed": (state, event, at) => {
    state.spending = book(state.spending, event.cost);
    advance(state, event, at);
  },
  "call-decided": advance,
  "call-adapted": advance,
  "call-succeeded": (state, event, at) => {
    state.spending = book(state.spending, event.cost);
    advance(state, event, at);
  },
  "call-cancelled": (state, event, at) => {
    state.spending = book(state.spending, event.cost);
    advance(state, event, at);
  },
  "call-late": (state, { cost, booked }) => {
    state.spending = rebook(state.spending, booked, cost);
  },
  "question-asked": (state, event, at) => {
    if (state.calls.has(event.call)) advance(state, event, at);
    else state.asks.set(event.call, { question: event.question, answer: null });
  },
  "question-answered": (state, event, at) => {
    const asked = state.asks.get(event.call);
    if (asked === undefined) advance(state, event, at);
    else state.asks.set(event.call, { ...asked, answer: event.answer });
  },
  "budget-warned": (state) => {
    state.budgetWarned = true;
  },
};

function advance(state: SessionState, event: CallEvent, at: number): void {
  const known = state.calls.get(event.call);
  if (known !== undefined) state.calls.set(event.call, advanceCall(known, event, at));
}

/** A turn that is over is answered as a whole; its calls are needed no more. */
function forgetCalls(state: SessionState, { turn, rounds, settled }: TurnRecord): void {
  for (const [id, call] of state.calls) if (call.turn === turn) state.calls.delete(id);
  rounds.clear();
  settled.clear();
}

/** The state as plain JSON, so that a session need not be folded from its first event. */
export function snapshotOf(state: SessionState): unknown {
  return {
    ...state,
    turns: Array.from(state.turns.values(), (turn) => ({
      ...turn,
      rounds: [...turn.rounds],
      settled: [...turn.settled],
    })),
    calls: [...state.calls.values()],
    asks: [...state.asks],
  };
}

type Snapshot = Omit<SessionState, "turns" | "calls" | "asks" | "run"> & {
  readonly run?: RunState | null;
  readonly asks: readonly [string, AskedQuestion][];
  readonly turns: readonly (Omit<TurnRecord, "rounds" | "settled"> & {
    readonly rounds: readonly [number, string][];
    readonly settled: readonly string[];
  })[];
  readonly calls: readonly CallState[];
};

/** Only for what `snapshotOf` made; the journal vouches for it. */
export function fromSnapshot(snapshot: unknown): SessionState {
  const { turns, calls, asks, ...rest } = snapshot as Snapshot;
  return {
    ...rest,
    // Written by a program that knew no workflows.
    run: rest.run ?? null,
    turns: new Map(
      turns.map((turn) => [turn.turn, { ...turn, rounds: new Map(turn.rounds), settled: new Set(turn.settled) }]),
    ),
    calls: new Map(calls.map((call) => [call.call, call])),
    asks: new Map(asks),
  };
}

// A run folded from the entries of its session: its own events, and what the calls of its nodes ask, try and cost, and which of
// them wait.

type Happened = Pick<Entry, "at" | "event">;

/** Folds one entry into the run, in place. */
export function foldIntoRun(run: RunState, { at, event }: Happened): void {
  if ("call" in event) {
    const visit = visitIn(run, turnOfCall(event.call));
    if (visit !== undefined) foldCall(run, visit, { at, event });
  } else if (event.type === "turn-ended") {
    const visit = visitIn(run, event.turn);
    if (visit !== undefined) delete visit.calls;
  } else if (event.type === "session-resumed") {
    for (const visit of run.visits) if (visit.calls !== undefined) visit.calls = waitsIn(visit.calls);
  } else foldRun(run, event as RunEvent, at);
}

function visitIn(run: RunState, turn: string): Visit | undefined {
  const place = placeOf(turn);
  return place === null ? undefined : visitOf(run, place);
}

function foldCall(run: RunState, visit: Visit, entry: Happened): void {
  const { event } = entry;
  if (event.type === "call-admitted" || event.type === "call-succeeded") noteTarget(run, visit, event.tool);
  if (event.type === "call-admitted") visit.callAttempts += 1;
  else if ("cost" in event && event.type !== "call-late") visit.spentMicrocents += event.cost?.microcents ?? 0;
  if (isOpen(visit)) visit.calls = callsAfter(visit.calls ?? {}, entry);
}

type Calls = Readonly<Record<string, VisitCall>>;

/** Events that leave it open whether the call runs or waits. */
const ASIDE: ReadonlySet<JournalEvent["type"]> = new Set([
  "call-started",
  "call-late",
  "call-adapted",
  "artefact-kept",
  "target-paused",
  "budget-exceeded",
]);

function callsAfter(calls: Calls, entry: Happened): Calls {
  const { event } = entry;
  if (!("call" in event) || ASIDE.has(event.type)) return calls;
  const { [event.call]: before, ...others } = calls;
  const { code = null, of = null } = before ?? {};
  if (event.type === "call-admitted") {
    const { tool: target, attempt } = event;
    return { ...others, [event.call]: { target, attempt, of, code, held: null, nextAt: null } };
  }
  const notice = noticeOf(entry);
  if (notice?.kind !== "wait") return others;
  const { tool: target, attempt, nextAt } = notice;
  const why =
    event.type === "call-held" ? { code, held: event.reason } : { code: notice.reason as FaultCode, held: null };
  return { ...others, [event.call]: { target, attempt, of: notice.of ?? of, ...why, nextAt } };
}

/** A process that died ran nothing to its end, but the time that a call waits for stays. */
function waitsIn(calls: Calls): Calls {
  return Object.fromEntries(Object.entries(calls).filter(([, { nextAt }]) => nextAt !== null));
}
