// A session over time: its turns, calls, attempts and waits as spans, its plans as a graph, and the paths of a run. Folded entry by entry,
// so that a reader who looks again folds only what is new. Pure. Invariants:
// T1  A span ends once, and never before it begins; what a dead process left open ends when the next one takes over.
//     A turn that is suspended while its calls wait lasts until it is resumed and ends.
// T2  Every attempt of the journal is one span, with its fault and the decision about it.
// T3  Waits never overlap within one call, nor within one visit of a node.

import type { Decision } from "../decide/decision.ts";
import type { CallState } from "../flow/call.ts";
import { type NodePlace, nodeTraits, placeIn, placeOf, type Route, turnOf } from "../flow/visit.ts";
import { keyOf, visitOf } from "../flow/run-state.ts";
import type { Entry, JournalEvent, TurnStatus } from "./event.ts";
import { faultMarkOf } from "./fault-index.ts";
import { replayStage, type StageDecisionEvent } from "./policy-replay.ts";
import { emptySession, foldEntry, type SessionState } from "./replay.ts";
import type { GraphEdge, GraphNode, Move, Span, SpanKind, SpanStatus, WaitReason } from "./span.ts";

export type { GraphEdge, GraphNode, Move, Span, SpanKind, SpanStatus, WaitReason } from "./span.ts";

/** How long a visit of a node waited for a slot, waited for something else, and worked. */
export interface VisitTimes {
  readonly queuedMs: number;
  readonly waitedMs: number;
  readonly workedMs: number;
}

export class Timeline {
  readonly spans: Span[] = [];
  readonly moves: Move[] = [];
  /** The session as folded so far. */
  readonly state: SessionState;
  readonly #open = new Map<string, Span>();
  /** The newest span of each turn and call. */
  readonly #byName = new Map<string, Span>();
  readonly #plans: Planned[] = [];
  readonly #settled = new Map<string, Settled>();

  constructor(session: string) {
    this.state = emptySession(session);
  }

  feed(entry: Entry): void {
    if (entry.seq <= this.state.seq) return;
    const { event } = entry;
    const make = Object.hasOwn(MAKERS, event.type)
      ? (MAKERS as Readonly<Record<string, Maker>>)[event.type]
      : undefined;
    // Before: what the visit was waiting for. After: whether the call is over.
    if (event.type === "node-started") this.#queued(event, entry.at);
    foldEntry(this.state, entry);
    make?.(this, event, entry.at);
    if ("call" in event) this.#settleCall(event.call, entry.at);
  }

  /** The plans of all turns; `turn`: of this one only. */
  graph(turn?: string): { readonly nodes: readonly GraphNode[]; readonly edges: readonly GraphEdge[] } {
    const plans = this.#plans.filter((one) => turn === undefined || one.turn === turn);
    return {
      nodes: plans.flatMap((plan) => plan.nodes.map((node) => this.#graphNode(plan, node))),
      edges: plans.flatMap((plan) => plan.nodes.flatMap((node) => this.#edgesTo(plan, node))),
    };
  }

  /** The times of each visit, by `node#execution`; a visit that is not over is counted up to `now`. */
  times(now: number): ReadonlyMap<string, VisitTimes> {
    const visits = new Map<string, Span[]>();
    for (const span of this.spans) {
      if (span.place === null || (span.kind !== "turn" && span.kind !== "wait")) continue;
      const key = keyOf(span.place);
      const known = visits.get(key);
      if (known === undefined) visits.set(key, [span]);
      else known.push(span);
    }
    const lengthOf = (spans: readonly Span[]): number =>
      covered(spans.map(({ startAt, endAt }) => [startAt, endAt ?? Math.max(now, startAt)] as const));
    return new Map(
      Array.from(visits, ([key, spans]) => {
        const waits = spans.filter(({ kind }) => kind === "wait");
        const queuedMs = lengthOf(waits.filter(({ why }) => why === "queue"));
        const waitedMs = lengthOf(waits.filter(({ why }) => why !== "queue"));
        const busyMs = lengthOf(spans);
        return [key, { queuedMs, waitedMs, workedMs: Math.max(0, busyMs - queuedMs - waitedMs) }];
      }),
    );
  }

  /** Begins a span; one of the same name that is still open ends first. */
  open(kind: SpanKind, name: string, at: number, about: Partial<Span> = {}): Span {
    this.close(kind, name, at, "interrupted");
    const span: Span = {
      id: `${this.spans.length + 1}`,
      parent: null,
      kind,
      name,
      place: null,
      startAt: at,
      endAt: null,
      status: "running",
      why: null,
      until: null,
      deadlineAt: null,
      tool: "",
      attempt: 0,
      attempted: true,
      fault: null,
      group: null,
      decision: null,
      resolution: null,
      breaker: null,
      cost: null,
      artefacts: [],
      sentTo: [],
      input: null,
      output: null,
      ...about,
    };
    this.spans.push(span);
    this.#open.set(`${kind} ${name}`, span);
    this.#byName.set(`${kind} ${name}`, span);
    return span;
  }

  close(kind: SpanKind, name: string, at: number, status: SpanStatus): Span | undefined {
    const span = this.#open.get(`${kind} ${name}`);
    if (span === undefined) return undefined;
    this.#open.delete(`${kind} ${name}`);
    span.endAt = Math.max(at, span.startAt);
    span.status = status;
    return span;
  }

  openSpan(kind: SpanKind, name: string): Span | undefined {
    return this.#open.get(`${kind} ${name}`);
  }

  spanOf(id: string | null): Span | undefined {
    return id === null ? undefined : this.spans[Number(id) - 1];
  }

  hasOpenCall({ id }: Span): boolean {
    return [...this.#open.values()].some(({ kind, parent }) => kind === "call" && parent === id);
  }

  newest(kind: SpanKind, name: string): Span | undefined {
    return this.#byName.get(`${kind} ${name}`);
  }

  /** One wait at a time: a call, or a visit by its `node#execution`. */
  wait(of: string, why: WaitReason, at: number, until: number | null, about: Partial<Span> = {}): void {
    this.close("wait", of, at, "done");
    this.open("wait", of, at, { why, until, status: "waiting", ...about });
  }

  closeAll(at: number, status: SpanStatus): void {
    for (const { kind, name } of [...this.#open.values()]) this.close(kind, name, at, status);
  }

  plan(planned: Planned): void {
    this.#plans.push(planned);
  }

  settle(id: string, settled: Settled): void {
    this.#settled.set(id, settled);
  }

  move(from: NodePlace, route: Route | null, at: number): void {
    const nodes = nodesIn(route);
    for (const to of nodes) this.moves.push({ from: from.node, execution: from.execution, to, at });
  }

  /** A visit waits until its time has come, and then for a slot. */
  #queued(place: NodePlace, at: number): void {
    const { run } = this.state;
    const visit = run === null ? undefined : visitOf(run, place);
    if (visit === undefined) return;
    const dueAt = Math.min(Math.max(visit.notBefore, this.openSpan("wait", keyOf(place))?.startAt ?? 0), at);
    this.close("wait", keyOf(place), dueAt, "done");
    if (visit.state !== "ready" || dueAt >= at) return;
    this.open("wait", keyOf(place), dueAt, { why: "queue", until: null, place: placeIn(place) });
    this.close("wait", keyOf(place), at, "done");
  }

  /** The machine of the call knows what comes next: a wait, or the end. */
  #settleCall(call: string, at: number): void {
    const known = this.state.calls.get(call);
    const span = this.openSpan("call", call);
    if (known === undefined || span === undefined) return;
    span.tool = known.tool;
    const { step } = known;
    if (step.at === "end") {
      this.close("wait", call, at, step.end.status);
      this.close("call", call, at, step.end.status);
      if (step.end.status !== "done") span.fault = step.end.fault;
    } else this.#waitOf(known, span, at);
  }

  #waitOf({ call, step }: CallState, { id: parent, place }: Span, at: number): void {
    const about = { parent, place };
    if (step.at === "admit" && step.notBefore > at && this.openSpan("wait", call) === undefined)
      this.wait(call, "retry", at, step.notBefore, about);
    if (step.at === "park" && this.openSpan("wait", call) === undefined)
      this.wait(call, "parked", at, step.wakeAt, about);
  }

  #graphNode({ turn, round }: Planned, { id: node, tool, label }: Planned["nodes"][number]): GraphNode {
    const id = `${turn}/${round}/${node}`;
    const settled = this.#settled.get(id);
    const call = this.newest("call", id);
    const status = settled?.status ?? call?.status ?? "unstarted";
    return {
      id,
      turn,
      round,
      node,
      tool: call?.tool ?? tool,
      label,
      status,
      fault: settled?.fault ?? call?.fault ?? null,
      because: settled === undefined || settled.because === "" ? null : `${turn}/${round}/${settled.because}`,
      span: call?.id ?? null,
    };
  }

  #edgesTo({ turn, round }: Planned, { id: node, needs }: Planned["nodes"][number]): readonly GraphEdge[] {
    const named = (one: string): string => `${turn}/${round}/${one}`;
    const because = this.#settled.get(named(node))?.because;
    return needs.map((need) => ({
      from: named(need),
      to: named(node),
      kind: need === because ? "cascade" : "need",
    }));
  }
}

interface Planned {
  readonly turn: string;
  readonly round: number;
  readonly nodes: NonNullable<Extract<JournalEvent, { type: "round-started" }>["plan"]>;
}

type Settled = Pick<Extract<JournalEvent, { type: "node-settled" }>, "status" | "fault" | "because">;

type Maker = (line: Timeline, event: JournalEvent, at: number) => void;
type Makers = {
  readonly [Type in JournalEvent["type"]]?: (
    line: Timeline,
    event: Extract<JournalEvent, { type: Type }>,
    at: number,
  ) => void;
};

const TURN_ENDS: Readonly<Record<TurnStatus, SpanStatus>> = {
  done: "done",
  partial: "partial",
  failed: "failed",
  waiting: "waiting",
  cancelled: "cancelled",
};

const MAKERS: Makers = {
  "turn-started": (line, { turn, deadlineAt }, at) => {
    const suspended = line.openSpan("turn", turn);
    if (suspended?.status === "waiting") return void Object.assign(suspended, { status: "running", deadlineAt });
    const place = placeOf(turn);
    line.open("turn", turn, at, { place, deadlineAt, attempt: place?.attempt ?? 0 });
  },
  "turn-ended": (line, { turn, status, fault }, at) => {
    const open = line.openSpan("turn", turn);
    if (status === "waiting" && open !== undefined && line.hasOpenCall(open)) {
      open.status = "waiting";
      return;
    }
    const span = line.close("turn", turn, at, TURN_ENDS[status]);
    if (span !== undefined) span.fault ??= fault;
  },
  "round-started": (line, { turn, round, plan = [] }) => line.plan({ turn, round, nodes: plan }),
  "node-settled": (line, { turn, round, node, ...settled }) => line.settle(`${turn}/${round}/${node}`, settled),
  "call-started": (line, { call, turn, tool, deadlineAt, input }, at) => {
    const parent = line.newest("turn", turn) ?? null;
    line.open("call", call, at, { ...within(parent), deadlineAt, tool, input });
  },
  "call-admitted": (line, { call, tool, attempt }, at) => {
    line.close("wait", call, at, "done");
    line.open("attempt", call, at, { ...within(line.newest("call", call) ?? null), tool, attempt });
  },
  "call-failed": (line, event, at) => {
    const { call, fault, decision, breaker, cost } = event;
    const span = line.close("attempt", call, at, "failed");
    if (span !== undefined) Object.assign(span, { fault, group: groupOf(event), decision, breaker, cost });
  },
  "call-decided": (line, event, at) => {
    const { call, tool, fault, decision, breaker, attempt = 0 } = event;
    const group = groupOf(event);
    line.close("wait", call, at, "done");
    const parent = within(line.newest("call", call) ?? null);
    line.open("attempt", call, at, { ...parent, tool, attempt, attempted: false, fault, group, decision, breaker });
    line.close("attempt", call, at, "failed");
  },
  "call-held": (line, { call, reason, nextAt }, at) =>
    line.wait(call, reason, at, nextAt, within(line.newest("call", call) ?? null)),
  "call-succeeded": (line, { call, cost, output }, at) => {
    const span = line.close("attempt", call, at, "done");
    if (span !== undefined) Object.assign(span, { cost, output });
  },
  "call-cancelled": (line, { call, fault, cost }, at) => {
    const span = line.close("attempt", call, at, "cancelled");
    if (span !== undefined) Object.assign(span, { fault, cost });
  },
  "artefact-kept": (line, { call, name, ref, bytes, cut }) => {
    const span = line.newest("attempt", call);
    if (span !== undefined) span.artefacts = [...span.artefacts, { name, ref, bytes, cut }];
  },
  "question-asked": (line, { call, question }, at) => {
    const asking = line.newest("call", call);
    // A gate asks without a call: its visit waits, and says so itself.
    if (asking === undefined && (line.newest("turn", question.turn)?.place ?? null) !== null) return;
    line.wait(call, "question", at, question.expiresAt, within(asking ?? null));
  },
  "question-answered": (line, { call }, at) => void line.close("wait", call, at, "done"),
  "node-retrying": (line, event, at) => {
    const { fault, decision, nextAt } = event;
    note(line, event, { status: "failed", fault, decision, resolution: "retry" });
    blame(line, event);
    line.wait(keyOf(event), "retry", at, nextAt, { place: placeIn(event) });
  },
  "node-deferred": (line, event, at) => {
    const decision = decisionIn(event, at);
    note(line, event, { status: "failed", fault: event.fault, decision, resolution: "retry-later" });
    blame(line, event);
    line.wait(keyOf(event), "retry", at, event.nextAt, { place: placeIn(event) });
  },
  "node-paused": (line, event, at) => {
    note(line, event, { status: "waiting", fault: event.fault });
    line.wait(keyOf(event), event.why, at, event.wakeAt, { place: placeIn(event) });
  },
  "node-resumed": (line, event, at) => void line.close("wait", keyOf(event), at, "done"),
  "node-completed": (line, event, at) => {
    note(line, event, { output: event.output });
    line.close("wait", keyOf(event), at, "done");
    line.move(event, event.route, at);
  },
  "node-failed": (line, event, at) => {
    const { fault, resolution } = event;
    const group = causeIn(line, event) ?? groupOf(event);
    const sentTo = nodesIn(event.route);
    note(line, event, { status: "failed", fault, group, decision: decisionIn(event, at), resolution, sentTo });
    blame(line, event);
    line.close("wait", keyOf(event), at, "failed");
    line.move(event, event.route, at);
  },
  "node-skipped": (line, event, at) => {
    note(line, event, { status: "skipped", fault: event.fault, decision: decisionIn(event, at) });
    line.close("wait", keyOf(event), at, "skipped");
    line.move(event, event.route, at);
  },
  "run-ended": (line, { status }, at) => line.closeAll(at, status === "completed" ? "done" : status),
  "session-ended": (line, { status }, at) => line.closeAll(at, status === "cancelled" ? "cancelled" : "interrupted"),
};

/** The entry keeps what the decision depends on, so it is made again; null where a person or a gate has decided. */
function decisionIn(event: StageDecisionEvent, at: number): Decision | null {
  return replayStage(event, at)?.decision ?? null;
}

/** The group that counts this failure by itself. */
function groupOf(event: JournalEvent): string | null {
  return faultMarkOf(event)?.fault?.fingerprint ?? null;
}

/** The group of the call whose failure a failed node passes on: the index counts causes, and not their echoes. */
function causeIn(line: Timeline, event: Extract<JournalEvent, { type: "node-failed" }>): string | null {
  const turn = line.newest("turn", turnOf(event));
  const found = line.spans.findLast(
    (span) =>
      span === turn || (span.place === turn?.place && span.group !== null && span.fault?.code === event.fault.code),
  );
  return found?.group ?? null;
}

function within(parent: Span | null): Pick<Span, "parent" | "place"> {
  return { parent: parent?.id ?? null, place: parent?.place ?? null };
}

/** Adds to the attempt of a node what the event behind its turn says: the turn of a failed attempt has ended well. */
function note(line: Timeline, place: NodePlace, more: Partial<Span>): void {
  const span = line.newest("turn", turnOf(place));
  if (span !== undefined) Object.assign(span, more);
}

function nodesIn(route: Route | null): readonly string[] {
  return route === null || route.kind === "end" ? [] : route.nodes;
}

/** A command that ended with an error is a call that worked; what it ended with is why its node failed. */
function blame(line: Timeline, place: NodePlace): void {
  const { run } = line.state;
  const visit = run === null ? undefined : visitOf(run, place);
  const turn = line.newest("turn", turnOf(place));
  if (visit === undefined || turn === undefined || !nodeTraits(visit.kind).runsCommands) return;
  const call = line.spans.findLast(({ kind, parent }) => kind === "call" && parent === turn.id);
  if (call === undefined) return;
  for (const span of [call, line.newest("attempt", call.name)]) if (span?.status === "done") span.status = "failed";
}

/** How much time the intervals cover together. */
function covered(intervals: readonly (readonly [number, number])[]): number {
  let [sum, last] = [0, -Infinity];
  for (const [start, end] of intervals.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, end - Math.max(start, last));
    last = Math.max(last, end);
  }
  return sum;
}
