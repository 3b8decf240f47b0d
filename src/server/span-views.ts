// Timelines as a reader of a role may see them: attempts to compare, and a trace to draw.

import type { Shaped } from "../api/route.ts";
import type { attemptView } from "../api/runs.ts";
import type { traceView } from "../api/sessions.ts";
import type { Decision } from "../core/decide/decision.ts";
import { statusPill, describeSentTo, describeSpan, describeStep } from "../core/record/span-words.ts";
import type { GraphNode, Span, Timeline } from "../core/record/timeline.ts";
import { causeFor } from "./run-views.ts";
import { decisionFor, faultFor, type Reader } from "./views.ts";

/** Attempts of nodes and of calls, in the order in which they began; `node`: only those of this node. */
export function attemptsIn({ spans }: Timeline, node: string | null): readonly Span[] {
  return spans.filter(
    ({ kind, place }) =>
      (kind === "attempt" || (kind === "turn" && place !== null)) && (node === null || place?.node === node),
  );
}

export function attemptFor(reader: Reader, line: Timeline, span: Span): Shaped<typeof attemptView> {
  const { id, kind, name, place, startAt, endAt, status, tool, attempt, attempted, fault, decision } = span;
  const { resolution, breaker, cost, artefacts, input, output } = span;
  const isCall = kind === "attempt";
  const call = isCall ? line.newest("call", name) : undefined;
  const turn = isCall ? line.spanOf(call?.parent ?? null) : span;
  const isOperator = reader.who.role === "operator";
  return {
    id,
    kind: isCall ? "call" : "node",
    status,
    tool,
    attempt,
    attempted,
    resolution,
    breaker,
    state: statusPill(status, reader.locale),
    node: place?.node ?? "",
    execution: place?.execution ?? 0,
    nodeAttempt: place?.attempt ?? 0,
    turn: turn?.name ?? "",
    call: isCall ? name : "",
    startedAt: startAt,
    endedAt: endAt,
    durationMs: endAt === null ? null : endAt - startAt,
    costMicrocents: cost?.microcents ?? null,
    costBasis: cost?.basis ?? null,
    fault: fault === null ? null : faultFor(reader, fault, correlationId(line, span)),
    // A command that ended with an error is a call that worked: its node has the cause.
    cause: causeFor((status === "failed" ? (fault ?? turn?.fault) : fault)?.code ?? null, reader.locale),
    decision: decision === null ? null : decisionOf(reader, span, decision),
    artefacts,
    ...(isOperator ? { input: isCall ? (call?.input ?? null) : input, output } : {}),
  };
}

export interface TracePart {
  readonly turn: string | null;
  /** The newest spans, at most so many. */
  readonly limit: number;
}

export function traceFor(reader: Reader, line: Timeline, { turn, limit }: TracePart): Shaped<typeof traceView> {
  const chosen = turn === null ? line.spans : spansOf(line, turn);
  const spans = chosen.slice(-limit);
  const { nodes, edges } = line.graph(turn ?? undefined);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isOpen = chosen.some(({ endAt }) => endAt === null);
  const turns = chosen.filter(({ kind }) => kind === "turn");
  return {
    session: line.state.session,
    startAt: chosen[0]?.startAt ?? null,
    endAt: isOpen || chosen.length === 0 ? null : Math.max(...chosen.map(({ endAt }) => endAt ?? 0)),
    deadlineAt: turns.at(-1)?.deadlineAt ?? null,
    graph: {
      nodes: nodes.map((node) => stepFor(reader, line, node, byId.get(node.because ?? "") ?? null)),
      edges,
    },
    spans: spans.map((span) => spanFor(reader, line, span)),
    left: chosen.length - spans.length,
  };
}

function stepFor(
  reader: Reader,
  { state }: Timeline,
  node: GraphNode,
  need: GraphNode | null,
): Shaped<typeof traceView>["graph"]["nodes"][number] {
  const { fault, status } = node;
  return {
    ...node,
    state: statusPill(status, reader.locale),
    says: describeStep(node, need, reader.locale),
    fault: fault === null ? null : faultFor(reader, fault, `${state.session}/${node.id}`),
  };
}

/** A turn with everything in it; of a run's node also its waits. */
function spansOf({ spans }: Timeline, turn: string): readonly Span[] {
  const inside = new Set<string>();
  return spans.filter((span) => {
    const isTurn = span.kind === "turn" && span.name === turn;
    const isInside = isTurn || (span.parent !== null && inside.has(span.parent));
    if (isInside) inside.add(span.id);
    return isInside;
  });
}

function spanFor(reader: Reader, line: Timeline, span: Span): Shaped<typeof traceView>["spans"][number] {
  const { id, parent, kind, name, place, startAt, endAt, status, why, until, deadlineAt } = span;
  const { tool, attempt, attempted, fault, group, decision, cost } = span;
  return {
    id,
    parent,
    kind,
    name,
    startAt,
    endAt,
    status,
    why,
    until,
    deadlineAt,
    tool,
    attempt,
    attempted,
    group,
    state: statusPill(status, reader.locale),
    phase: kind !== "wait" ? "work" : why === "queue" ? "queue" : "wait",
    says: describeSpan(span, reader.locale),
    node: place?.node ?? "",
    execution: place?.execution ?? 0,
    fault: fault === null ? null : faultFor(reader, fault, correlationId(line, span)),
    decision: decision === null ? null : decisionOf(reader, span, decision),
    costMicrocents: cost?.microcents ?? null,
  };
}

/** Where the flow names a node for a failure, the decision to give up ends the node, and not its path. */
function decisionOf(reader: Reader, { sentTo }: Span, decision: Decision): ReturnType<typeof decisionFor> {
  const view = decisionFor(reader, decision);
  return sentTo.length === 0 ? view : { ...view, says: describeSentTo(sentTo, reader.locale) };
}

function correlationId({ state }: Timeline, { name }: Span): string {
  return `${state.session}/${name}`;
}
