// The real SDK of OpenTelemetry with an exporter in memory, and its spans as lines that a test can compare.

import { context, propagation, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";

export interface Spans {
  all(): readonly ReadableSpan[];
  named(name: string): readonly ReadableSpan[];
  /** One line per span and event, children indented below their parents, each in the order in which it began. */
  lines(): readonly string[];
  forget(): void;
  stop(): Promise<void>;
}

/** Registers a provider for the whole process, as a program does at its start. */
export function recordSpans(more: readonly SpanProcessor[] = []): Spans {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter }), ...more] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const all = (): readonly ReadableSpan[] =>
    exporter.getFinishedSpans().toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  return {
    all,
    named: (name) => all().filter((span) => span.name === name),
    lines: () => linesOf(all()),
    forget: () => exporter.reset(),
    stop: async () => {
      trace.disable();
      context.disable();
      propagation.disable();
      await provider.shutdown();
    },
  };
}

function linesOf(spans: readonly ReadableSpan[]): readonly string[] {
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined, indent: string): readonly string[] =>
    spans
      .filter(({ parentSpanContext }) => {
        const id = parentSpanContext?.spanId;
        return parent === undefined ? id === undefined || !known.has(id) : id === parent;
      })
      .flatMap((span) => [
        `${indent}${lineOf(span)}`,
        ...span.events.map(({ name, attributes }) => `${indent}  · ${name}${told(attributes ?? {})}`),
        ...below(span.spanContext().spanId, `${indent}  `),
      ]);
  return below(undefined, "");
}

const TOLD = [
  "faultline.attempt.number",
  "faultline.outcome",
  "faultline.from",
  "faultline.to",
  "faultline.fault.code",
];

function lineOf({ name, attributes, status }: ReadableSpan): string {
  const error = attributes["error.type"];
  const isMarked = status.code === SpanStatusCode.ERROR;
  if ((error !== undefined) !== isMarked) throw new Error(`${name}: error.type and the span's status disagree`);
  return `${name}${told(attributes)}${typeof error === "string" ? ` ✗ ${error}` : ""}`;
}

function told(attributes: ReadableSpan["attributes"]): string {
  const shown = TOLD.map((name) => attributes[name]).filter(
    (value) => typeof value === "string" || typeof value === "number",
  );
  return shown.length === 0 ? "" : ` ${shown.join(" ")}`;
}
