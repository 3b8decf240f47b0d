// Counters for Prometheus, fed by the events of a runtime: the same ones that its journal and its listeners get, so a server that
// drives runs counts them, too. Gauges are read when the metrics are requested.
// M1  Counters only go up. A late, lower price of an attempt does not take back what was counted.
// M2  The number of series is bounded, whatever names programs use: tools beyond the first ones are counted as `(other)`.
// M3  A cancellation is not an error.
// M4  A call counts once. A gateway writes its failed calls to the journal after the runtime has told about them.

import { type Cost, usdOf } from "../core/flow/money.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import type { Fault } from "../core/fault/fault.ts";
import type { Decision } from "../core/decide/decision.ts";
import { type Entry, GATEWAY_SESSION, type JournalEvent } from "../core/record/event.ts";
import { knownCode } from "../core/record/fault-index.ts";
import { exposition, type Family, formatFor, type Series } from "./exposition.ts";
import { type MetricLabels, type MetricName, type MetricRow, METRICS } from "./metric-table.ts";

/** What metrics are taken from: a `Faultline`. */
export interface MetricsSource {
  subscribe(listener: (entry: Entry) => void): () => void;
  targets(): readonly { readonly target: string; readonly breaker: string }[];
  questions(filter: { readonly limit: number }): Promise<readonly unknown[]>;
}

/** Counts from the moment it is made. */
export interface Metrics {
  /** The body of a `/metrics` route and its content type, in the format that the `Accept` header asks for. */
  expose(accept?: string): Promise<{ readonly contentType: string; readonly body: string }>;
  /** Stops counting. */
  close(): void;
}

const MAX_NAMES = 200;
const MAX_OPEN_CALLS = 10_000;
const MAX_QUESTIONS = 1_000;
const OTHER = "(other)";
const BREAKER_STATES = ["closed", "open", "half-open", "isolated"] as const;

/**
 * Counts what happens in a runtime, for Prometheus.
 *
 * @example
 * ```ts
 * import { createFaultline } from "faultline";
 * import { createMetrics } from "faultline/telemetry";
 *
 * const metrics = createMetrics(createFaultline(), "1.0.0");
 * const { contentType, body } = await metrics.expose("application/openmetrics-text");
 * console.log(contentType, body.length);
 * ```
 */
export function createMetrics(source: MetricsSource, version = "unknown"): Metrics {
  const counts = new Counts();
  const stop = source.subscribe(({ session, at, event }) => {
    if (!session.startsWith(GATEWAY_SESSION)) counts.take(session, at, event);
  });
  return {
    close: stop,
    async expose(accept = "") {
      const pending = await source.questions({ limit: MAX_QUESTIONS });
      counts.replace("faultline_circuit_state", circuits(source));
      counts.replace("faultline_inbox_pending", [{ labels: {}, value: pending.length }]);
      counts.replace("faultline_build", [{ labels: { version }, value: 1 }]);
      const contentType = formatFor(accept);
      return { contentType, body: exposition(counts.families(), contentType) };
    },
  };
}

/** Breakers that are not closed come first: readers look for those. */
function circuits(source: MetricsSource): readonly Series[] {
  const all = source.targets();
  const isClosed = (one: { readonly breaker: string }): boolean => one.breaker === "closed";
  const shown = [...all.filter((one) => !isClosed(one)), ...all.filter(isClosed)].slice(0, MAX_NAMES);
  return shown.flatMap(({ target, breaker }) =>
    BREAKER_STATES.map((state) => ({ labels: { target, state }, value: breaker === state ? 1 : 0 })),
  );
}

interface Counted extends Series {
  value: number;
  readonly counts?: number[];
}

interface OpenCall {
  failedAt: number | null;
  isRunning: boolean;
}

class Counts {
  readonly #series = new Map<MetricName, Map<string, Counted>>();
  readonly #names = new Set<string>();
  readonly #open = new Map<string, OpenCall>();

  families(): readonly Family[] {
    return (Object.keys(METRICS) as MetricName[]).map((name) => ({
      name,
      row: METRICS[name],
      series: [...this.#of(name).values()],
    }));
  }

  replace(name: MetricName, series: readonly Series[]): void {
    this.#series.set(
      name,
      new Map(series.map((one) => [JSON.stringify(one.labels), { labels: one.labels, value: one.value }])),
    );
  }

  take(session: string, at: number, event: JournalEvent): void {
    switch (event.type) {
      case "call-started":
      case "call-admitted":
      case "call-failed":
      case "call-decided":
      case "call-succeeded":
      case "call-cancelled":
      case "call-late":
        return this.#takeCall(`${session}/${event.call}`, at, event);
      default:
        return this.#takeOther(event);
    }
  }

  #takeCall(
    key: string,
    at: number,
    event: Extract<JournalEvent, { readonly call: string; readonly tool: string }>,
  ): void {
    const tool = this.#name(event.tool);
    switch (event.type) {
      case "call-admitted":
        this.#call(key).isRunning = true;
        return;
      case "call-failed":
        this.#ended(key, tool, "failed");
        this.#spent(tool, event.cost);
        this.#failed(key, at, tool, event.fault, event.decision);
        return;
      case "call-decided":
        // A person's no brings the same fault back: it does not count twice.
        if (!event.decision.considered.some(({ refused }) => refused === "denied"))
          this.#failed(key, at, tool, event.fault, event.decision);
        return;
      case "call-succeeded": {
        const { failedAt } = this.#call(key);
        this.#ended(key, tool, "succeeded");
        this.#spent(tool, event.cost);
        if (failedAt !== null) {
          this.#add("faultline_recoveries", { tool });
          this.#measure("faultline_recovery_seconds", (at - failedAt) / 1_000);
        }
        this.#open.delete(key);
        return;
      }
      case "call-cancelled":
        this.#ended(key, tool, "cancelled");
        this.#spent(tool, event.cost);
        this.#open.delete(key);
        return;
      case "call-late": {
        const more = (event.cost?.microcents ?? 0) - (event.booked?.microcents ?? 0);
        if (event.cost !== null && more > 0) this.#add("faultline_spend_usd", { tool }, usdOf(more));
        return;
      }
      default:
        return;
    }
  }

  #takeOther(event: JournalEvent): void {
    switch (event.type) {
      case "breaker-changed":
        return this.#add("faultline_circuit_transitions", {
          tool: this.#name(event.tool),
          from: event.from,
          to: event.to,
        });
      case "fault-suppressed":
        return this.#add("faultline_suppressed_errors", { code: knownCode(event.fault) });
      case "run-started":
        return this.#add("faultline_runs", { status: "started" });
      case "run-paused":
        return this.#add("faultline_runs", { status: "paused" });
      case "run-ended":
        return this.#add("faultline_runs", { status: event.status });
      case "node-retrying":
      case "node-deferred":
      case "node-failed":
        return this.#add("faultline_stage_failures", {
          code: knownCode(event.fault),
          next: event.type.slice("node-".length),
        });
      default:
        return;
    }
  }

  #failed(key: string, at: number, tool: string, fault: Fault, decision: Decision): void {
    const code = knownCode(fault);
    if (!traitsOf(code).cancels) this.#add("faultline_errors", { class: fault.class, code, tool });
    const { recourse } = decision;
    this.#add("faultline_recourses", { recourse });
    this.#call(key).failedAt ??= at;
    if (recourse === "retry") {
      this.#add("faultline_retries", { tool });
      this.#measure("faultline_backoff_seconds", decision.delayMs / 1_000);
    } else if (recourse === "fallback")
      this.#add("faultline_fallbacks", { from: tool, to: this.#name(decision.target) });
    else if (recourse === "alternative")
      this.#add("faultline_fallbacks", { from: tool, to: this.#name(decision.tool) });
    else if (ENDS.has(recourse)) this.#open.delete(key);
  }

  #ended(key: string, tool: string, outcome: string): void {
    const call = this.#call(key);
    if (call.isRunning) this.#add("faultline_attempts", { tool, outcome });
    call.isRunning = false;
  }

  #spent(tool: string, cost: Cost | null): void {
    if (cost?.microcents) this.#add("faultline_spend_usd", { tool }, usdOf(cost.microcents));
  }

  #call(key: string): OpenCall {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const made = { failedAt: null, isRunning: false };
    this.#open.set(key, made);
    // A call that waits for days is forgotten first: then its recovery is not counted.
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_OPEN_CALLS && oldest !== undefined) this.#open.delete(oldest);
    return made;
  }

  #name(name: string): string {
    if (this.#names.has(name)) return name;
    if (this.#names.size >= MAX_NAMES) return OTHER;
    this.#names.add(name);
    return name;
  }

  #of(name: MetricName): Map<string, Counted> {
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const row: MetricRow = METRICS[name];
    const made = new Map<string, Counted>();
    // Without labels there is one series, and it is there from the start.
    if (row.labels.length === 0)
      made.set("{}", {
        labels: {},
        value: 0,
        ...(row.buckets === undefined ? {} : { counts: [...row.buckets, 0].map(() => 0) }),
      });
    this.#series.set(name, made);
    return made;
  }

  #add<Name extends MetricName>(name: Name, labels: MetricLabels<Name>, by = 1): void {
    const all = this.#of(name);
    const key = JSON.stringify(labels);
    const known = all.get(key);
    if (known === undefined) all.set(key, { labels, value: by });
    else known.value += by;
  }

  #measure(name: "faultline_backoff_seconds" | "faultline_recovery_seconds", seconds: number): void {
    const series = this.#of(name).get("{}");
    if (series?.counts === undefined) return;
    const index = METRICS[name].buckets.findIndex((bound) => seconds <= bound);
    const bucket = index === -1 ? series.counts.length - 1 : index;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.value += seconds;
  }
}

/** The call is over with these. */
const ENDS: ReadonlySet<string> = new Set(["default", "partial", "skip", "surface", "fail"]);
