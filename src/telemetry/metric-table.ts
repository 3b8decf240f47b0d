// Every metric that Faultline shows, in one table. `docs/TELEMETRY.md` and `docs/grafana-dashboard.json` are tested against it.
// Labels come from small, closed sets or from names that an operator gave; never from ids of runs, calls or messages.

export interface MetricRow {
  readonly type: "counter" | "gauge" | "histogram" | "info";
  readonly help: string;
  /** The last part of the metric's name. */
  readonly unit?: "seconds" | "usd";
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

const WAITS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800] as const;

/** By the name of the family: a counter's samples have `_total` behind it, as OpenMetrics wants it. */
export const METRICS = {
  faultline_attempts: { type: "counter", help: "Attempts that ended, by outcome", labels: ["tool", "outcome"] },
  faultline_retries: { type: "counter", help: "Retries that were decided", labels: ["tool"] },
  faultline_recoveries: { type: "counter", help: "Calls that succeeded after at least one failure", labels: ["tool"] },
  faultline_errors: {
    type: "counter",
    help: "Faults that calls met; cancellations are not counted",
    labels: ["class", "code", "tool"],
  },
  faultline_recourses: {
    type: "counter",
    help: "What was decided about faults",
    labels: ["recourse"],
  },
  faultline_fallbacks: {
    type: "counter",
    help: "Calls handed over to another model, CLI or tool",
    labels: ["from", "to"],
  },
  faultline_backoff_seconds: {
    type: "histogram",
    unit: "seconds",
    help: "Waits before retries",
    labels: [],
    buckets: WAITS,
  },
  faultline_recovery_seconds: {
    type: "histogram",
    unit: "seconds",
    help: "Time from the first failure of a call to its success",
    labels: [],
    buckets: WAITS,
  },
  faultline_circuit_state: {
    type: "gauge",
    help: "1 for the state in which the breaker of the target is, 0 for the others",
    labels: ["target", "state"],
  },
  faultline_circuit_transitions: {
    type: "counter",
    help: "Changes of breakers, by the tool whose call caused them",
    labels: ["tool", "from", "to"],
  },
  faultline_inbox_pending: { type: "gauge", help: "Questions that wait for a person, at most 1000", labels: [] },
  faultline_runs: {
    type: "counter",
    help: "Workflow runs that started, paused, completed, failed or were cancelled",
    labels: ["status"],
  },
  faultline_stage_failures: {
    type: "counter",
    help: "Attempts of workflow nodes that failed, by what follows: retrying, deferred or failed",
    labels: ["code", "next"],
  },
  faultline_spend_usd: { type: "counter", unit: "usd", help: "Cost of attempts, in US dollars", labels: ["tool"] },
  faultline_suppressed_errors: { type: "counter", help: "Errors ignored on purpose", labels: ["code"] },
  faultline_build: { type: "info", help: "The version of Faultline", labels: ["version"] },
} as const satisfies Readonly<Record<string, MetricRow>>;

export type MetricName = keyof typeof METRICS;

export type MetricLabels<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]["labels"][number], string>>;

/** The names of all samples, as queries use them. */
export function sampleNames(): readonly string[] {
  return Object.entries<MetricRow>(METRICS).flatMap(([name, { type }]) => {
    switch (type) {
      case "counter":
        return [`${name}_total`];
      case "histogram":
        return [`${name}_bucket`, `${name}_sum`, `${name}_count`];
      case "info":
        return [`${name}_info`];
      case "gauge":
        return [name];
    }
  });
}
