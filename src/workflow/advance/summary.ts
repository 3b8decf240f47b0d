// A run in one line, and when it wants to be advanced next: kept beside its events, written with them, so that lists and
// drivers need not fold anything.

import type { RunEvent } from "../../core/flow/run-event.ts";
import { copyRun, foldRun, isEnded, needsOf, openVisits, type RunState } from "../../core/flow/run.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { Clock } from "../../host/clock.ts";
import type { DerivedKeep } from "../../runtime/session/session-recorder.ts";
import type { Session } from "../../runtime/session/session.ts";
import type { RunSummary } from "../runs-api.ts";

export function summaryOf(run: string, state: RunState, spentMicrocents: number, now: number): RunSummary {
  const live = isEnded(state) ? [] : openVisits(state);
  const questions = live.flatMap(({ pause }) => pause?.questions.map(({ id }) => id) ?? []);
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
    code: state.fault?.code ?? live.find(({ fault }) => fault !== null)?.fault?.code ?? null,
    questions,
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
    for (const { at, event } of entries) foldRun(after, event as RunEvent, at);
    return keepsOf(summaryOf(id, after, spending.microcents, clock.now()));
  });
}

/** Of calls and turns a line says nothing but what they cost, and that can wait for the next event of the run. */
function changesLine({ type }: JournalEvent): boolean {
  return type.startsWith("node-") || type.startsWith("run-") || type === "workflow-changed";
}

/** By all visits of a node together. */
export function spentBy({ visits }: Pick<RunState, "visits">, node: string): number {
  return visits.reduce((sum, visit) => (visit.node === node ? sum + visit.spentMicrocents : sum), 0);
}
