// The part of `@opentelemetry/api` that spans need, as types of our own: the package is optional, so no declaration may name it.

/** Handed from call to call, never looked into. */
export interface TraceContext {
  getValue(key: symbol): unknown;
}

export interface TraceSpanContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

export type TraceAttributes = Record<string, string | number | boolean>;

export interface TraceLink {
  readonly context: TraceSpanContext;
}

export interface TraceSpan {
  setAttributes(attributes: TraceAttributes): unknown;
  addEvent(name: string, attributes: TraceAttributes): unknown;
  setStatus(status: { readonly code: number; readonly message: string }): unknown;
  end(): void;
}

export interface SpanSettings {
  readonly kind: number;
  readonly attributes: TraceAttributes;
  readonly links: TraceLink[];
}

export interface OtelTracer {
  startSpan(name: string, options: SpanSettings, parent: TraceContext): TraceSpan;
}

export interface OtelApi {
  readonly ROOT_CONTEXT: TraceContext;
  readonly SpanKind: Readonly<Record<"CLIENT" | "INTERNAL", number>>;
  readonly SpanStatusCode: { readonly ERROR: number };
  readonly context: {
    active(): TraceContext;
    with<T>(context: TraceContext, work: () => T): T;
  };
  readonly propagation: {
    extract(context: TraceContext, carrier: Readonly<Record<string, string>>): TraceContext;
    inject(context: TraceContext, carrier: Record<string, string>): void;
  };
  readonly trace: {
    getTracer(name: string): OtelTracer;
    getSpanContext(context: TraceContext): TraceSpanContext | undefined;
    setSpan(context: TraceContext, span: TraceSpan): TraceContext;
    setSpanContext(context: TraceContext, span: TraceSpanContext): TraceContext;
  };
}
