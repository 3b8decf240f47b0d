// OpenTelemetry, if the program uses it. Faultline starts no SDK: it makes spans once the program has registered a tracer provider
// with `@opentelemetry/api`, and until then a call costs one look at the place where that package keeps its providers.
// The package is an optional peer. It is loaded when a provider is registered, which means that it is installed: only a bundled program can
// have a provider and not the package; it gets a warning.

import { classify } from "../core/classify/classify.ts";
import type { OtelApi, OtelTracer, TraceContext, TraceSpanContext } from "./otel-api.ts";
import { TRACER_NAME } from "./span-names.ts";

export interface Otel {
  readonly api: OtelApi;
  readonly tracer: OtelTracer;
}

/** Where every copy of `@opentelemetry/api` 1.x keeps what was registered, so that copies in one program find each other. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

const everything = globalThis as { readonly [REGISTRY]?: { readonly trace?: unknown } };

/** undefined: not loaded yet. null: cannot be loaded. */
let api: OtelApi | null | undefined;
let known: { readonly provider: unknown; readonly otel: Otel } | null = null;

/** null while no tracer provider is registered. */
export function otel(): Otel | null {
  const provider = everything[REGISTRY]?.trace;
  if (provider === undefined) return null;
  if (known?.provider === provider) return known.otel;
  api ??= api === null ? null : load();
  if (api === null) return null;
  known = { provider, otel: { api, tracer: api.trace.getTracer(TRACER_NAME) } };
  return known.otel;
}

function load(): OtelApi | null {
  const { createRequire } = process.getBuiltinModule("node:module");
  try {
    return createRequire(import.meta.url)("@opentelemetry/api") as OtelApi;
  } catch (error) {
    // Not the business of the call that found it out.
    const { message } = classify({ surface: "node", error });
    const what = `a tracer provider is registered, but @opentelemetry/api cannot be loaded: ${message}`;
    const remedy = "Faultline makes no spans; install the package beside faultline, and keep it out of the bundle";
    process.emitWarning(`${what}. ${remedy}`, { type: "FaultlineWarning" });
    return null;
  }
}

/** The active context; without a span in it, the one this process was started in (`TRACEPARENT`). */
export function parentContext({ api: { context, propagation, trace } }: Otel): TraceContext {
  const active = context.active();
  const { TRACEPARENT: traceparent, TRACESTATE: tracestate } = process.env;
  if (traceparent === undefined || trace.getSpanContext(active) !== undefined) return active;
  return propagation.extract(active, { traceparent, ...(tracestate === undefined ? {} : { tracestate }) });
}

/** The context that a `traceparent` names; null when that is not one. */
export function remoteContext(
  { api: { propagation, trace, ROOT_CONTEXT } }: Otel,
  traceparent: string,
): TraceSpanContext | null {
  return trace.getSpanContext(propagation.extract(ROOT_CONTEXT, { traceparent })) ?? null;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/**
 * What tells another program in which trace it works: `traceparent` and `tracestate`, and nothing else that the program may
 * have put into its context. Empty while there is no active span.
 */
export function outgoingTrace(): Readonly<Record<string, string>> {
  const found = otel();
  if (found === null) return NOTHING;
  const { context, propagation } = found.api;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return NOTHING;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** The same as headers of a request. Empty where an instrumentation of `fetch` adds them: two would make both unreadable. */
export function outgoingHeaders(): Readonly<Record<string, string>> {
  const headers = outgoingTrace();
  if (headers === NOTHING) return headers;
  return process.getBuiltinModule("node:diagnostics_channel").hasSubscribers("undici:request:create")
    ? NOTHING
    : headers;
}

/** The same as environment variables of a child process. */
export function outgoingEnv(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(outgoingTrace()).map(([name, value]) => [name.toUpperCase(), value]));
}
