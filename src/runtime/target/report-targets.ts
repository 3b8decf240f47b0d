// The targets of a runtime as operators see them.

import { type Breaker, type BreakerCause, type BreakerState, CLOSED } from "../../core/decide/breaker.ts";
import type { LimitLeft } from "../../core/classify/limits.ts";
import { type LiveTarget, RecentAttempts, type RecentReport, type TargetKind } from "./target.ts";
import { lastingKey, modelInKey, type Targets } from "./targets.ts";

/** The state of one target: its breaker, its pause, and the calls it has now. Times are epoch milliseconds. */
export interface TargetReport {
  readonly target: string;
  /** As people call it: the names of its tools, or the model of a target that only the journal knows. */
  readonly name: string;
  /** Under these names this process has called it; `metrics()` has a row for each. */
  readonly tools: readonly string[];
  readonly breaker: BreakerState;
  /** When the breaker opened, or a person isolated the target; null in any other state. */
  readonly since: number | null;
  /** When the breaker lets a probe through. In the past: the next call is the probe. null when it is not open. */
  readonly retryAt: number | null;
  /** The failure that opened the breaker, without secrets; null when there is none. */
  readonly cause: BreakerCause | null;
  /** Why a person isolated the target; null when none did. */
  readonly reason: string | null;
  /** Until when the target or its account asked callers to wait; null when it is not paused. */
  readonly pausedUntil: number | null;
  /** Attempts of this process that run now. */
  readonly running: number;
  /** Calls of this process that wait for a slot. */
  readonly queued: number;
  /** The kind of target; null when only the journal knows it. */
  readonly kind: TargetKind | null;
  /** When this process last called it; null when it has not. */
  readonly usedAt: number | null;
  /**
   * How its last attempts in this process went; null without any. Without subscribers, a call outside sessions that succeeds at
   * once and costs nothing is not counted: measuring it would cost more than the call.
   */
  readonly recent: RecentReport | null;
  /** What is left of its limits, as its last response headers said; empty when they said nothing. */
  readonly limits: readonly LimitLeft[];
}

/** The targets that this process has used, then those that only the journal knows. */
export function reportTargets(
  targets: Targets,
  toolsOf: (target: string) => readonly string[],
  now: number,
): readonly TargetReport[] {
  const paused = (until: number): number | null => (until > now ? until : null);
  const byKey = new Map<string, LiveTarget[]>();
  for (const one of targets.list()) byKey.set(lastingKey(one.id), [...(byKey.get(lastingKey(one.id)) ?? []), one]);
  const used = Array.from(byKey, ([id, all]) => {
    // A retry that a person asked for runs under a name of its own, and is still work of the target.
    const lasting = all.find((one) => one.id === id);
    const last = all.toSorted((a, b) => b.usedAt - a.usedAt);
    const kind = last.find((one) => one.kind !== null)?.kind ?? null;
    return {
      target: id,
      ...namesOf(id, [...new Set(all.flatMap((one) => toolsOf(one.id)))]),
      ...breakerReport(lasting?.breaker ?? CLOSED),
      pausedUntil: paused(lasting?.pausedUntil ?? 0),
      running: sum(all, ({ runs }) => runs),
      queued: sum(all, ({ queued }) => queued),
      kind,
      usedAt: kind === null ? null : (last[0]?.usedAt ?? null),
      recent: RecentAttempts.report(all.map(({ recent }) => recent)),
      limits: last.find(({ limits }) => limits.length > 0)?.limits ?? [],
    };
  });
  const notUsed = Array.from(targets.remembered()).filter(({ id }) => lastingKey(id) === id && !byKey.has(id));
  const remembered = notUsed.map(({ id, breaker, pause }) => ({
    target: id,
    ...namesOf(id, []),
    ...breakerReport(breaker ?? CLOSED),
    pausedUntil: paused(pause?.until ?? 0),
    running: 0,
    queued: 0,
    kind: modelInKey(id) === null ? null : ("model" as const),
    usedAt: null,
    recent: null,
    limits: [],
  }));
  return [...used, ...remembered];
}

function sum(all: readonly LiveTarget[], of: (target: LiveTarget) => number): number {
  return all.reduce((so, target) => so + of(target), 0);
}

function namesOf(id: string, tools: readonly string[]): Pick<TargetReport, "name" | "tools"> {
  return { name: tools.length === 0 ? (modelInKey(id) ?? id) : tools.join(", "), tools };
}

function breakerReport(breaker: Breaker): Pick<TargetReport, "breaker" | "since" | "retryAt" | "cause" | "reason"> {
  const nothing = { since: null, retryAt: null, cause: null, reason: null };
  switch (breaker.state) {
    case "closed":
      return { ...nothing, breaker: breaker.state };
    case "open": {
      const { openedAt, openMs, cause = null } = breaker;
      return { ...nothing, breaker: breaker.state, since: openedAt, retryAt: openedAt + openMs, cause };
    }
    case "half-open":
      return { ...nothing, breaker: breaker.state, cause: breaker.cause ?? null };
    case "isolated":
      return { ...nothing, breaker: breaker.state, since: breaker.since, reason: breaker.reason };
  }
}
