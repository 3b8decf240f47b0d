// The door for metrics. Spans need no door: they are made once a tracer provider is registered.

export { createMetrics, type Metrics, type MetricsSource } from "./metrics.ts";
