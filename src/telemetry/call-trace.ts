// The spans of one call: one for the call with all its retries and waits, one below it for each attempt. They follow from the events
// that the call writes, so what a trace shows is what the journal says.
// T1  `error.type` is on the span whose operation failed: on each failed attempt, and on the call only if the call failed.
// T2  An attempt's span is active while the tool runs; between attempts the call's span is.
// T3  No attribute holds an input, an output or an error's text.

import type { Decision } from "../core/decide/decision.ts";
import type { Fault } from "../core/fault/fault.ts";
import type { Cost } from "../core/flow/money.ts";
import { usdOf } from "../core/flow/money.ts";
import type { JournalEvent } from "../core/record/event.ts";
import { LiveSpan } from "./live-span.ts";
import { type Otel, parentContext } from "./otel.ts";
import { type EventKey, providerName, type SpanFacts, SPANS } from "./span-names.ts";

/** What answers a call: a tool, a model or an agent CLI. */
export interface Answerer {
  readonly kind: "tool" | "model" | "agent";
  readonly id: string;
  readonly provider: string;
  /** Empty for a tool. */
  readonly model: string;
}

/** How a call ended, as far as a trace shows it. */
export interface CallEnding {
  readonly status: string;
  readonly attempts: number;
  readonly fault?: Fault;
}

export interface TokenCounts {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

const OPERATIONS = { tool: "execute_tool", model: "chat", agent: "invoke_agent" } as const;

/** The call failed, and no default or other value replaces its result. */
const FAILED: ReadonlySet<string> = new Set(["failed", "surfaced"]);

export class CallTrace {
  readonly #span: LiveSpan;
  /** What is in charge now: a fallback or an alternative may have taken over. */
  readonly #answerer: () => Answerer;
  #attempt: LiveSpan | null = null;
  /** What led to the next attempt. */
  #reason: string | null = null;
  #hasHappened = false;

  constructor(otel: Otel, answerer: () => Answerer, call: string, session: string) {
    const first = answerer();
    const { kind, id, model } = first;
    this.#answerer = answerer;
    const facts: SpanFacts = {
      operation: OPERATIONS[kind],
      call,
      conversation: session === "" ? null : session,
      toolName: kind === "tool" ? id : null,
      agentName: kind === "agent" ? id : null,
      ...askedOf(first),
    };
    const name = SPANS[kind].replace(/\{.*\}/, () => (kind === "model" ? model : id));
    this.#span = new LiveSpan(otel, parentContext(otel), name, kind === "model" ? "CLIENT" : "INTERNAL", facts);
  }

  /** Runs the whole call with its span active, and ends the span with it. */
  async around<E extends CallEnding>(run: () => Promise<E>): Promise<E> {
    const ending = await this.#span.within(run);
    const { status, attempts, fault } = ending;
    this.#endAttempt();
    this.#span.set({ outcome: status, attempts, replayed: this.#hasHappened || attempts === 0 ? null : true });
    if (fault !== undefined && FAILED.has(status)) this.#span.fail(fault);
    this.#span.end();
    return ending;
  }

  /** Runs the tool with the span of its attempt active. */
  attempting<T>(run: () => T): T {
    return (this.#attempt ?? this.#span).within(run);
  }

  tokens({ inputTokens, outputTokens }: TokenCounts): void {
    this.#attempt?.set({ inputTokens, outputTokens });
    this.#span.set({ inputTokens, outputTokens });
  }

  observe(event: JournalEvent): void {
    this.#hasHappened = true;
    switch (event.type) {
      case "call-admitted": {
        // The silent attempt continues.
        if (event.hedge !== undefined) return this.#span.event("hedge", { target: event.tool, number: event.attempt });
        this.#endAttempt();
        const facts = { target: event.tool, number: event.attempt, reason: this.#reason, ...askedOf(this.#answerer()) };
        this.#attempt = this.#span.child(SPANS.attempt, facts);
        return;
      }
      case "call-failed":
        this.#attempt?.fail(event.fault);
        this.#endAttempt(event.cost);
        return this.#decided(event.tool, event.fault, event.decision);
      case "call-decided":
        return this.#decided(event.tool, event.fault, event.decision);
      case "call-succeeded":
      case "call-cancelled":
        return this.#endAttempt(event.cost);
      default:
        return this.#beside(event);
    }
  }

  #endAttempt(cost: Cost | null = null): void {
    if (cost !== null && cost.microcents !== null)
      this.#attempt?.set({ costUsd: usdOf(cost.microcents), costBasis: cost.basis });
    this.#attempt?.end();
    this.#attempt = null;
  }

  #decided(from: string, { code }: Fault, decision: Decision): void {
    const { recourse } = decision;
    this.#reason = recourse;
    const [key, facts] = eventOf(from, decision);
    this.#span.event(key, { target: from, code, recourse, ...facts });
  }

  #beside(event: JournalEvent): void {
    const shown = (BESIDE as Readonly<Record<string, (event: JournalEvent) => readonly [EventKey, SpanFacts]>>)[
      event.type
    ];
    if (shown !== undefined) this.#span.event(...shown(event));
  }
}

/** Things that happen beside the attempts, as events of the call's span. Those without a row are not shown. */
const BESIDE: {
  readonly [Type in JournalEvent["type"]]?: (
    event: Extract<JournalEvent, { type: Type }>,
  ) => readonly [EventKey, SpanFacts];
} = {
  "call-held": ({ tool, attempt, reason }) => ["wait", { target: tool, number: attempt, waitsFor: reason }],
  "breaker-changed": ({ tool, from, to }) => ["breaker", { target: tool, from, to }],
  "question-asked": ({ question }) => ["question", { question: question.payload.kind }],
  "question-answered": ({ answer }) => ["answer", { answer: answer.status }],
  "call-adapted": ({ tool, changes }) => ["adapted", { target: tool, changes: changes.length }],
  "budget-exceeded": () => ["overBudget", {}],
};

function askedOf({ kind, provider, model }: Answerer): SpanFacts {
  return kind === "tool" ? {} : { provider: providerName(provider), model };
}

function eventOf(from: string, decision: Decision): readonly [EventKey, SpanFacts] {
  switch (decision.recourse) {
    case "retry":
      return ["retry", { number: decision.attempt, delayMs: decision.delayMs }];
    case "fallback":
      return ["switch", { from, to: decision.target }];
    case "alternative":
      return ["switch", { from, to: decision.tool }];
    case "park":
      return ["park", {}];
    case "ask":
      return ["ask", { question: decision.question }];
    default:
      return ["recourse", {}];
  }
}
