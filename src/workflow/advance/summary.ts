// A run in one line, and when it wants to be advanced next: kept beside its events, written with them, so that lists and
// drivers need not fold anything.

import { isEnded, needsOf, type RunState } from "../../core/flow/run.ts";
import type { Keep } from "../../journal/journal.ts";
import type { RunSummary } from "../runs-api.ts";

export function summaryOf(run: string, state: RunState, spentMicrocents: number, now: number): RunSummary {
  const live = isEnded(state)
    ? []
    : state.visits.filter(({ state: at }) => at === "running" || at === "paused" || at === "ready");
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

/** The summary, and the time of the next advance: at once while it runs, so that somebody takes it up if this process dies. */
export function keepsOf(summary: RunSummary): readonly Keep[] {
  const { run, status, wakeAt, updatedAt } = summary;
  const next = status === "running" ? updatedAt : status === "paused" ? wakeAt : null;
  return [
    { kind: "run", key: run, value: summary },
    { kind: "wake", key: run, value: next },
  ];
}

/** By all visits of a node together. */
export function spentBy({ visits }: Pick<RunState, "visits">, node: string): number {
  return visits.reduce((sum, visit) => (visit.node === node ? sum + visit.spentMicrocents : sum), 0);
}
