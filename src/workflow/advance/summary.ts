// A run in one line, and when it wants to be advanced next: kept beside its events, written with them, so that lists and
// drivers need not fold anything.

import type { RunEvent } from "../../core/flow/run-event.ts";
import { placeOf } from "../../core/flow/node.ts";
import {
  copyRun,
  foldRun,
  isEnded,
  keyOf,
  needsOf,
  noteTarget,
  openVisits,
  type RunState,
} from "../../core/flow/run.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { NewEntry } from "../../journal/journal.ts";
import type { Clock } from "../../host/clock.ts";
import type { DerivedKeep } from "../../runtime/session/session-recorder.ts";
import type { Session } from "../../runtime/session/session.ts";
import type { RunSummary } from "../runs-api.ts";

export function summaryOf(run: string, state: RunState, spentMicrocents: number, now: number): RunSummary {
  const live = isEnded(state) ? [] : openVisits(state);
  const questions = live.flatMap(({ pause }) => pause?.questions.map(({ id }) => id) ?? []);
  const troubled = isEnded(state)
    ? state.visits.findLast(({ node }) => node === state.failedNode)
    : live.find(({ fault }) => fault !== null);
  const { workflow, version, digest, file, status, outcome, startedAt, endedAt, limits, predecessor, successor } =
    state;
  return {
    run,
    workflow,
    version,
    digest,
    file,
    status,
    outcome,
    nodes: isEnded(state) ? [state.failedNode].filter((node) => node !== "") : live.map(({ node }) => node),
    target: state.target ?? null,
    code: state.fault?.code ?? troubled?.fault?.code ?? null,
    questions,
    attempt: troubled?.attempt ?? 0,
    of: troubled?.of ?? 0,
    wakeAt: isEnded(state) ? null : needsOf(state, now, NOBODY).wakeAt,
    startedAt,
    updatedAt: now,
    endedAt,
    spentMicrocents,
    limits,
    predecessor,
    successor,
  };
}

const NOBODY: ReadonlySet<string> = new Set();

/** The summary, and the time of the next advance: at once while it runs, so that another process takes it up if this one dies. */
export function keepsOf(summary: RunSummary): readonly [DerivedKeep, DerivedKeep] {
  const { run, status, wakeAt, updatedAt } = summary;
  const next = status === "running" ? updatedAt : status === "paused" ? wakeAt : null;
  return [
    { kind: "run", key: run, value: summary, says: JSON.stringify({ ...summary, updatedAt: 0 }) },
    // "At once" stays true.
    { kind: "wake", key: run, value: next, says: status === "running" ? "at once" : String(next) },
  ];
}

/** Keeps the run's line and its next wake-up true: they are written with every append that changes them. */
export function keepLine(session: Session, clock: Clock): void {
  session.deriveKeeps((entries) => {
    const { run, id, spending } = session;
    if (run === null || !entries.some(({ event }) => changesLine(event))) return [];
    const after = copyRun(run);
    for (const { at, event } of entries) {
      if (event.type !== "call-admitted") foldRun(after, event as RunEvent, at);
      else {
        const place = placeOf(turnIn(entries, event.call) ?? session.turnOfCall(event.call));
        const visit = place === null ? undefined : openVisits(after).find((one) => keyOf(one) === keyOf(place));
        if (visit !== undefined) noteTarget(after, visit, event.tool);
      }
    }
    return keepsOf(summaryOf(id, after, spending.microcents, clock.now()));
  });
}

/** The turn of a call that starts in the same append. */
function turnIn(entries: readonly NewEntry[], call: string): string | undefined {
  const started = entries.find(({ event }) => event.type === "call-started" && event.call === call)?.event;
  return started?.type === "call-started" ? started.turn : undefined;
}

/** Of calls and turns a line says whom they ask, and what they cost: that can wait for the next event of the run. */
function changesLine({ type }: JournalEvent): boolean {
  return type === "call-admitted" || type.startsWith("node-") || type.startsWith("run-") || type === "workflow-changed";
}

/** By all visits of a node together. */
export function spentBy({ visits }: Pick<RunState, "visits">, node: string): number {
  return visits.reduce((sum, visit) => (visit.node === node ? sum + visit.spentMicrocents : sum), 0);
}
