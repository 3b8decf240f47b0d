// One sentence about a run or one visit of a node, whatever its state: what is done, what is missing and why, what it waits for. The words
// are those of turns.

import { fault, type Fault } from "../fault/fault.ts";
import { type Locale, wordsFor } from "../fault/words/words.ts";
import { callWaitOf, type PauseReason, type SkipReason, type Visit, type VisitState } from "./visit.ts";
import type { RunState } from "./run-state.ts";
import { type Settlement, tellSteps } from "./turn-words.ts";
import { isFaultCode } from "../fault/catalogue.ts";
import { HELD_WORDS, RUN_STANDINGS, STANDING_WORDS } from "./run-standing.ts";

/** The newest visit of each node counts: what a later round did replaces what an earlier one did. */
export function describeRun(state: Pick<RunState, "status" | "fault" | "visits">, locale: Locale): string {
  const newest = new Map<string, Visit>();
  for (const visit of state.visits) if (!isOlder(visit, newest.get(visit.node))) newest.set(visit.node, visit);
  const settlements = Array.from(newest.values(), (visit) => ({ ...namedBy(visit), ...SETTLED[visit.state](visit) }));
  return tellSteps(settlements, endOf(state), locale);
}

function isOlder({ execution }: Visit, known: Visit | undefined): boolean {
  return known !== undefined && execution < known.execution;
}

function endOf({ status, fault: seen }: Pick<RunState, "status" | "fault">): Fault | null {
  if (status === "cancelled") return fault("SessionCancelled");
  return status === "failed" ? seen : null;
}

const namedBy = ({ node, fault: seen }: Visit): Pick<Settlement, "label" | "because" | "fault"> => ({
  label: node,
  because: "",
  fault: seen,
});

type Settled = Pick<Settlement, "status"> & Partial<Settlement>;

const SETTLED: Readonly<Record<VisitState, (visit: Visit) => Settled>> = {
  completed: () => ({ status: "done", fault: null }),
  failed: () => ({ status: "failed" }),
  cancelled: () => ({ status: "cancelled", fault: null }),
  skipped: ({ skipped }) => SKIPPED[skipped ?? "operator"],
  running: (visit) => {
    if (visit.pause !== null) return { status: "answered", fault: null };
    const wait = callWaitOf(visit, 0);
    if (wait === null) return { status: "running" };
    return { status: "parked", wakeAt: wait.nextAt, fault: wait.code === null ? null : fault(wait.code) };
  },
  // Not tried yet, or to be tried again.
  ready: ({ fault: seen, notBefore }) =>
    seen === null ? { status: "unstarted" } : { status: "parked", wakeAt: notBefore },
  paused: (visit) => (visit.pause === null ? { status: "running" } : PAUSED[visit.pause.why](visit.pause)),
};

const SKIPPED: Readonly<Record<SkipReason, Settled>> = {
  "gate": { status: "skipped", fault: null },
  "operator": { status: "skipped", fault: null },
  "resolution": { status: "skipped" },
  "sibling-failed": { status: "halted", fault: null },
};

type Pause = NonNullable<Visit["pause"]>;

const asked = ({ questions: [question] }: Pause): Settled => ({
  status: "waiting",
  ...(question === undefined ? {} : { question }),
});

const PAUSED: Readonly<Record<PauseReason, (pause: Pause) => Settled>> = {
  gate: (pause) => ({ ...asked(pause), fault: null }),
  question: asked,
  budget: asked,
  parked: ({ wakeAt }) => ({ status: "parked", ...(wakeAt === null ? {} : { wakeAt }) }),
  stopped: () => ({ status: "stopped", fault: null }),
};

// The words for a visit of a node: where it stands, and why it waits or was skipped.

export const PAUSE_WORDS: Readonly<Record<Locale, Readonly<Record<PauseReason | "retry", string>>>> = {
  "en": {
    gate: "waits for a person",
    question: "waits for a person",
    parked: "parked",
    budget: "the budget is used up",
    stopped: "stopped",
    retry: "waits to retry",
  },
  "zh-CN": {
    gate: "等待人工处理",
    question: "等待人工处理",
    parked: "已推迟",
    budget: "预算已用完",
    stopped: "已停止",
    retry: "等待重试",
  },
};

export const SKIP_WORDS: Readonly<Record<Locale, Readonly<Record<SkipReason, string>>>> = {
  "en": {
    "gate": "skipped by its own condition",
    "resolution": "failed, and skipped",
    "sibling-failed": "stopped, because a parallel branch failed",
    "operator": "skipped by a person",
  },
  "zh-CN": {
    "gate": "自行跳过",
    "resolution": "失败并跳过",
    "sibling-failed": "因并行分支失败而停止",
    "operator": "由人跳过",
  },
};

/** Where a visit stands: as runs do, or skipped. */
export const VISIT_STANDINGS = [...RUN_STANDINGS, "skipped"] as const;
export type VisitStanding = (typeof VISIT_STANDINGS)[number];

const OVER: Readonly<Partial<Record<VisitState, VisitStanding>>> = {
  completed: "completed",
  failed: "failed",
  skipped: "skipped",
  cancelled: "cancelled",
};

export function visitStanding(visit: Visit, now: number): VisitStanding {
  const { state, pause, fault } = visit;
  const over = OVER[state];
  if (over !== undefined) return over;
  if (pause?.why === "stopped") return "stopped";
  if (pause !== null && pause.questions.length > 0) return "asking";
  const wait = callWaitOf(visit, now);
  if (wait !== null) return wait.code === null ? "waiting" : "retrying";
  if (visitNextAt(visit, now) !== null || state === "paused") return fault === null ? "waiting" : "retrying";
  // An answered visit keeps its pause, without questions, until a process takes it up.
  return state === "running" && pause === null ? "running" : "queued";
}

/** When a visit that waits continues by itself; null when it works, or waits for something else. */
export function visitNextAt(visit: Visit, now: number): number | null {
  const { state, pause, notBefore } = visit;
  return pause?.wakeAt ?? callWaitOf(visit, now)?.nextAt ?? (state === "ready" && notBefore > now ? notBefore : null);
}

const SKIPPED_STAGE: Readonly<Record<Locale, string>> = { "en": "skipped", "zh-CN": "跳过" };

export function visitLabel(standing: VisitStanding, locale: Locale): string {
  return standing === "skipped" ? SKIPPED_STAGE[locale] : STANDING_WORDS[locale][standing];
}

/** What went wrong last: the failure of a call that waits, or of the visit. */
export function visitCode(visit: Visit, now: number): string | null {
  return callWaitOf(visit, now)?.code ?? visit.fault?.code ?? null;
}

/** Why a visit waits, failed or was skipped; empty when there is nothing to say. */
export function visitReason(visit: Visit, now: number, locale: Locale): string {
  const { state, pause, skipped, fault } = visit;
  const code = visitCode(visit, now);
  const title = code === null ? "" : isFaultCode(code) ? wordsFor(code, locale).title : code;
  if (skipped !== null) return joined([SKIP_WORDS[locale][skipped], title], locale);
  if (pause !== null && state === "paused") return joined([PAUSE_WORDS[locale][pause.why], title], locale);
  const wait = callWaitOf(visit, now);
  if (wait !== null) return joined([wait.target, wait.held === null ? title : HELD_WORDS[locale][wait.held]], locale);
  if (state === "ready" && fault !== null) return joined([PAUSE_WORDS[locale].retry, title], locale);
  return state === "failed" ? title : "";
}

function joined(parts: readonly string[], locale: Locale): string {
  return parts.filter((part) => part !== "").join(locale === "en" ? ": " : "：");
}
