// Numbers per tool and per target of a model, with the names of the tool error handling specification. The live path and the fold over a journal
// count with the same functions, so they cannot disagree. What is counted:
// M1  A cancellation is not an error. Nor is a late result: its call was counted when it was given up.
// M2  An error is a fault a call met, in an attempt or before it could start. That a person's no brings the same fault
//     back does not make it two.
// M3  An unknown price is counted as unknown, never as zero.

import type { Decision } from "../decide/decision.ts";
import type { CallEvent, CountedApart } from "../flow/call.ts";
import type { Cost } from "../flow/money.ts";
import { traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import { VOCABULARY } from "../fault/vocabulary.ts";
import type { Entry, GuardEvent, JournalEvent } from "./event.ts";
import { knownCode } from "./fault-index.ts";

/** Counts up in place: made for the path every call takes. */
export interface ToolCounters {
  calls: number;
  successes: number;
  errors: number;
  transientErrors: number;
  permanentErrors: number;
  timeouts: number;
  cancelled: number;
  late: number;
  /** Attempts after the first that went out, and those of them that succeeded. */
  retries: number;
  retrySuccesses: number;
  breakerOpens: number;
  costMicrocents: number;
  unpriced: number;
}

/** The figures of one tool or target. */
export interface ToolMetrics {
  readonly call_count: number;
  readonly success_count: number;
  readonly error_count: number;
  readonly transient_error_count: number;
  readonly permanent_error_count: number;
  readonly timeout_count: number;
  readonly cancelled_count: number;
  readonly late_count: number;
  readonly retry_count: number;
  /** From 0 to 1; null when nothing was retried. */
  readonly retry_success_rate: number | null;
  readonly circuit_breaker_opens: number;
  readonly cost_microcents: number;
  /** Attempts without a price: their cost is missing from the sum. */
  readonly unpriced_count: number;
}

export function createCounters(): ToolCounters {
  return {
    calls: 0,
    successes: 0,
    errors: 0,
    transientErrors: 0,
    permanentErrors: 0,
    timeouts: 0,
    cancelled: 0,
    late: 0,
    retries: 0,
    retrySuccesses: 0,
    breakerOpens: 0,
    costMicrocents: 0,
    unpriced: 0,
  };
}

/** The figures of each tool, counted from entries of a journal. */
export function metricsOf(counters: ToolCounters): ToolMetrics {
  return {
    call_count: counters.calls,
    success_count: counters.successes,
    error_count: counters.errors,
    transient_error_count: counters.transientErrors,
    permanent_error_count: counters.permanentErrors,
    timeout_count: counters.timeouts,
    cancelled_count: counters.cancelled,
    late_count: counters.late,
    retry_count: counters.retries,
    retry_success_rate: counters.retries === 0 ? null : counters.retrySuccesses / counters.retries,
    circuit_breaker_opens: counters.breakerOpens,
    cost_microcents: counters.costMicrocents,
    unpriced_count: counters.unpriced,
  };
}

export function countEvent(map: Map<string, ToolCounters>, event: JournalEvent): void {
  // Unknown types have no row and are skipped.
  if (!Object.hasOwn(COUNTING, event.type)) return;
  (COUNTING as Readonly<Record<string, Count>>)[event.type]?.(event, map);
}

/** All of these entries at once. */
export function countEntries(entries: Iterable<Pick<Entry, "event">>): ReadonlyMap<string, ToolCounters> {
  const tools = new Map<string, ToolCounters>();
  for (const { event } of entries) countEvent(tools, event);
  return tools;
}

function countFailure(counters: ToolCounters, fault: Fault, cost: Cost | null): void {
  countCost(counters, cost);
  const code = knownCode(fault);
  const { cancels, cause } = traitsOf(code);
  if (cancels) {
    counters.cancelled++;
    return;
  }
  counters.errors++;
  if (VOCABULARY[code].si === "transient") counters.transientErrors++;
  else counters.permanentErrors++;
  if (cause === "timeout") counters.timeouts++;
}

export function countSuccess(counters: ToolCounters, attempt: number, cost: Cost | null): void {
  countCost(counters, cost);
  counters.successes++;
  if (attempt > 1) counters.retrySuccesses++;
}

function countCost(counters: ToolCounters, cost: Cost | null): void {
  if (cost === null) return;
  if (cost.microcents === null) counters.unpriced++;
  else counters.costMicrocents += cost.microcents;
}

type Count = (event: JournalEvent, map: Map<string, ToolCounters>) => void;
type CountedEvent = CallEvent | GuardEvent;
type Counting = {
  readonly [Type in CountedEvent["type"]]?: (
    event: Extract<CountedEvent, { type: Type }>,
    map: Map<string, ToolCounters>,
  ) => void;
};

const COUNTING: Counting = {
  "call-started": (event, map) => void countersFor(map, event).calls++,
  "call-admitted": (event, map) => {
    if (event.attempt > 1) countersFor(map, event).retries++;
  },
  "call-failed": (event, map) => {
    countFailure(countersFor(map, event), event.fault, event.cost);
    countHandedOver(event, map);
  },
  "call-decided": (event, map) => {
    const afterANo = event.decision.considered.some(({ refused }) => refused === "denied");
    if (!afterANo) countFailure(countersFor(map, event), event.fault, null);
    countHandedOver(event, map);
  },
  "call-succeeded": (event, map) => countSuccess(countersFor(map, event), event.attempt, event.cost),
  "call-cancelled": (event, map) => {
    const counters = countersFor(map, event);
    counters.cancelled++;
    countCost(counters, event.cost);
  },
  "call-late": (event, map) => {
    const { cost, booked } = event;
    const counters = countersFor(map, event);
    counters.late++;
    if (cost === null) return;
    if (booked?.microcents === null) counters.unpriced--;
    else counters.costMicrocents -= booked?.microcents ?? 0;
    countCost(counters, cost);
  },
  "breaker-changed": (event, map) => {
    if (event.to === "open" && event.from !== "open") countersFor(map, event).breakerOpens++;
  },
};

type DecidedEvent = Extract<CallEvent, { decision: Decision }>;

/** Another tool takes over: it is called too, though no new call starts. */
function countHandedOver(event: DecidedEvent, map: Map<string, ToolCounters>): void {
  const tool = handedTo(event);
  if (tool !== null) countersOf(map, tool).calls++;
}

function handedTo({ decision }: DecidedEvent): string | null {
  return decision.recourse === "alternative" ? decision.tool : null;
}

function countersFor(map: Map<string, ToolCounters>, event: CountedApart & { readonly tool: string }): ToolCounters {
  return countersOf(map, event.countedAs ?? event.tool);
}

function countersOf(map: Map<string, ToolCounters>, tool: string): ToolCounters {
  const known = map.get(tool);
  if (known !== undefined) return known;
  const made = createCounters();
  map.set(tool, made);
  return made;
}
