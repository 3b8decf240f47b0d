// One span under way. A span processor that throws never fails the work that the span is about.

import { classify } from "../core/classify/classify.ts";
import type { Fault } from "../core/fault/fault.ts";
import { wordsFor } from "../core/fault/words/words.ts";
import { answerAtOnce } from "../host/foreign-code.ts";
import type { OtelApi, TraceContext, TraceLink, TraceSpan } from "./otel-api.ts";
import type { Otel } from "./otel.ts";
import { attributesOf, type EventKey, EVENTS, type SpanFacts } from "./span-names.ts";

/** A processor that throws usually throws for every span. */
let hasWarned = false;

function safely<T>(work: () => T): T | undefined {
  return answerAtOnce(work, (error) => {
    if (hasWarned) return;
    hasWarned = true;
    const { message } = classify({ surface: "node", error });
    process.emitWarning(
      `OpenTelemetry threw while Faultline made a span: ${message}; later failures are not reported`,
      {
        type: "FaultlineWarning",
      },
    );
  });
}

export class LiveSpan {
  readonly #otel: Otel;
  /** undefined: the SDK threw. */
  readonly #span: TraceSpan | undefined;
  readonly #context: TraceContext;
  #isOver = false;

  constructor(
    otel: Otel,
    parent: TraceContext,
    name: string,
    kind: keyof OtelApi["SpanKind"],
    facts: SpanFacts,
    links: TraceLink[] = [],
  ) {
    const { api, tracer } = otel;
    this.#otel = otel;
    const options = { kind: api.SpanKind[kind], attributes: attributesOf(facts), links };
    this.#span = safely(() => tracer.startSpan(name, options, parent));
    this.#context = this.#span === undefined ? parent : api.trace.setSpan(parent, this.#span);
  }

  /** Runs the work with this span active, so that spans the work makes are its children. */
  within<T>(work: () => T): T {
    return this.#otel.api.context.with(this.#context, work);
  }

  child(name: string, facts: SpanFacts): LiveSpan {
    return new LiveSpan(this.#otel, this.#context, name, "INTERNAL", facts);
  }

  event(key: EventKey, facts: SpanFacts): void {
    if (!this.#isOver) safely(() => this.#span?.addEvent(EVENTS[key], attributesOf(facts)));
  }

  set(facts: SpanFacts): void {
    if (!this.#isOver) safely(() => this.#span?.setAttributes(attributesOf(facts)));
  }

  /** The operation of this span failed. Texts of the fault may hold anything, so the span gets the words for its code. */
  fail({ code, class: faultClass, context }: Fault): void {
    const { status } = context;
    this.set({ errorType: code, faultClass, status: typeof status === "number" ? status : null });
    const message = wordsFor(code, "en").operator;
    if (!this.#isOver) safely(() => this.#span?.setStatus({ code: this.#otel.api.SpanStatusCode.ERROR, message }));
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    safely(() => this.#span?.end());
  }
}
