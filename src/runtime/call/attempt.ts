// One run of one tool under its time limit. It ends exactly once: by the tool, by the clock, or by a cancellation.
// A1  What the tool returns after that is recorded as late, never returned.
// A2  The tool's abort signal is created only if the tool reads it: creating one costs more than a whole call.
// A3  At a turn's deadline a tool is left running (it may finish unobserved), but a model is aborted, because it would only
//     cost more. At its own time limit and on cancellation, each is aborted.

import { classify } from "../../core/classify/classify.ts";
import { type Fault, FaultError, type ItemFault } from "../../core/fault/fault.ts";
import type { Cost } from "../../core/flow/money.ts";
import { cancellation } from "../scope.ts";
import { type Moment, steadyNow } from "../../host/clock.ts";
import { guarded } from "../../host/foreign-code.ts";
import type { CallTrace } from "../../telemetry/call-trace.ts";
import type { Engine } from "../engine.ts";
import type { Binding } from "../tool/binding.ts";
import type { RunContext } from "../tool/tool.ts";
import type { Wheel, WheelEntry } from "../wheel.ts";

export type AttemptEnd = "value" | "error" | "timeout" | "deadline" | "cancel" | "overspent";

/** The call that an attempt belongs to, or the second attempt of a hedged call. */
export interface AttemptOwner {
  readonly call: string;
  readonly engine: Pick<Engine, "wheel" | "clock" | "suppress">;
  readonly request: { readonly deadline: Moment };
  /** The tool in charge: another one may take over when this attempt has ended. */
  readonly binding: Pick<Binding, "tool" | "target" | "classify" | "counted">;
  /** null while the program registers no tracer provider. */
  readonly trace: CallTrace | null;
  /** Asked before any part of this attempt's answer is used. False: another attempt of the call has won. */
  claim(attempt: Attempt): boolean;
  /** Part of the answer has reached the caller. */
  commit(attempt: Attempt): void;
  cancel(why: Fault): void;
  hasFallback(why: Fault | undefined): boolean;
  /** Its cost so far has grown. Returns a fault if the cost exceeds the budget. */
  metered(attempt: Attempt, microcents: number): Fault | null;
  /** An attempt that began with `start` has ended. */
  landed?(attempt: Attempt): void;
  /** The tool answered after the attempt was given up. */
  late(attempt: Attempt, ok: boolean, result: unknown): void;
}

export class Attempt implements RunContext, WheelEntry {
  wheelBucket: WheelEntry["wheelBucket"] = null;
  wheelBefore: WheelEntry | null = null;
  wheelAfter: WheelEntry | null = null;

  readonly owner: AttemptOwner;
  /** The tool that runs: what it says late is about this one, even if the call has another by then. */
  readonly binding: AttemptOwner["binding"];
  private readonly wheel: Wheel;
  readonly attempt: number;
  /** Steady times: the wall clock may be set while it runs. */
  private readonly began: number;
  private readonly due: number;
  /** The turn's deadline is earlier than the tool's time limit. */
  private readonly turnComesFirst: boolean;
  private controller: AbortController | null = null;
  private onGivenUp: ((reason: unknown) => unknown) | null = null;
  private pendingAlarm: Alarm | null = null;
  private done: ((attempt: Attempt) => void) | null = null;

  /** How it ended; null while it runs. */
  end: AttemptEnd | null = null;
  /** The tool's value, the error it threw, or the fault it was given up with. */
  result: unknown = undefined;
  /** The last error that `classify` was asked about, with its fault. */
  private seen: { readonly error: unknown; readonly fault: Fault } | null = null;
  partialValue: { readonly value: unknown; readonly errors: readonly ItemFault[] } | null = null;
  costMicrocents: number | null = null;
  costBasis: "reported" | "estimated" = "reported";
  /** Its reservation in the budget; null for none. */
  reserved: number | null;
  /** The cost booked for it when it ended or was given up. */
  booked: Cost | null = null;
  /** Its cost is booked. An answer that arrives before that is not late. */
  isBooked = false;
  /** Its outcome is on record because another attempt of the call answered first, or may still answer. */
  isLost = false;
  artefacts: readonly { readonly name: string; readonly content: string | Uint8Array }[] = NOTHING;

  constructor(owner: AttemptOwner, number: number, reserved: number | null, now: number) {
    const { wheel } = owner.engine;
    this.owner = owner;
    this.binding = owner.binding;
    this.attempt = number;
    this.reserved = reserved;
    this.wheel = wheel;
    const { shiftMs } = wheel.clock;
    const limitAt = now + this.binding.tool.timeoutMs;
    const turnDeadlineAt = owner.request.deadline.at;
    this.turnComesFirst = turnDeadlineAt < limitAt;
    this.began = now - shiftMs;
    this.due = (this.turnComesFirst ? turnDeadlineAt : limitAt) - shiftMs;
  }

  get tool(): string {
    return this.binding.tool.id;
  }

  get startedAt(): number {
    return this.began + this.wheel.clock.shiftMs;
  }

  get deadlineAt(): number {
    return this.due + this.wheel.clock.shiftMs;
  }

  get call(): string {
    return this.owner.call;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.end !== null && this.aborts(this.end)) this.controller.abort(this.reason());
    return this.controller.signal;
  }

  get whenGivenUp(): RunContext["whenGivenUp"] {
    return (listener) => {
      this.onGivenUp = listener;
      if (this.end !== null && this.aborts(this.end)) this.callOnGivenUp();
    };
  }

  get alarm(): RunContext["alarm"] {
    return (delayMs, ring) => {
      if (this.pendingAlarm !== null) this.wheel.remove(this.pendingAlarm);
      this.pendingAlarm = this.end === null ? new Alarm(ring, this) : null;
      if (this.pendingAlarm === null) return;
      const now = steadyNow(this.wheel.clock);
      this.wheel.add(this.pendingAlarm, now, now + delayMs);
    };
  }

  // Getters that return closures, so that a tool may destructure its context and call them on their own.

  get partial(): RunContext["partial"] {
    return (value, errors = NOTHING) => {
      if (this.end === null) this.partialValue = { value, errors };
    };
  }

  get artefact(): RunContext["artefact"] {
    return (name, content) => {
      if (this.artefacts.length < MAX_ARTEFACTS) this.artefacts = [...this.artefacts, { name, content }];
    };
  }

  get cost(): RunContext["cost"] {
    return (microcents, basis = "reported") => {
      if (!Number.isFinite(microcents) || microcents < 0) return;
      this.costMicrocents = Math.round(microcents);
      this.costBasis = basis;
    };
  }

  get costSoFar(): RunContext["costSoFar"] {
    return (microcents) => {
      if (this.end !== null || !Number.isFinite(microcents) || microcents < 0) return;
      this.costMicrocents = Math.round(microcents);
      this.costBasis = "estimated";
      const overspent = this.owner.metered(this, this.costMicrocents);
      if (overspent !== null) this.abandon("overspent", overspent);
    };
  }

  get tokens(): RunContext["tokens"] {
    return (tokens) => {
      if (this.end === null) this.owner.trace?.tokens(tokens);
    };
  }

  get commit(): RunContext["commit"] {
    return () => {
      if (this.end === null) this.owner.commit(this);
    };
  }

  get claim(): RunContext["claim"] {
    return () => this.end === null && this.owner.claim(this);
  }

  get classify(): RunContext["classify"] {
    return (error) => {
      const { clock, suppress } = this.owner.engine;
      if (this.seen === null || this.seen.error !== error)
        this.seen = { error, fault: this.binding.classify(error, clock.now(), suppress) };
      return this.seen.fault;
    };
  }

  get hasFallback(): RunContext["hasFallback"] {
    return (why) => this.owner.hasFallback(why);
  }

  get cancel(): RunContext["cancel"] {
    return () => this.owner.cancel(cancellation("tool", ""));
  }

  get responseHeaders(): RunContext["responseHeaders"] {
    return (headers) => this.binding.target.applyLimits(headers, this.owner.engine.clock);
  }

  /** Resolves with the attempt itself, which then knows how it ended. */
  run(input: unknown): Promise<Attempt> {
    return new Promise((resolve) => {
      this.done = resolve;
      this.start(input);
    });
  }

  /** The same without a promise: the owner's `landed` is called once. Only the short way of a call starts attempts like this. */
  start(input: unknown): void {
    this.wheel.add(this, this.began, this.due);
    try {
      const { trace } = this.owner;
      const { tool } = this.binding;
      const returned = trace === null ? tool.run(input, this) : trace.attempting(() => tool.run(input, this));
      if (isThenable(returned)) {
        Promise.resolve(returned).then(
          (value) => this.settle("value", value),
          (error: unknown) => this.settle("error", error),
        );
      } else this.settle("value", returned);
    } catch (error) {
      // Classified when the attempt is settled, like any other failure.
      this.reject(error);
    }
  }

  reject(error: unknown): void {
    this.settle("error", error);
  }

  expire(): void {
    this.abandon(this.turnComesFirst ? "deadline" : "timeout", undefined);
  }

  giveUp(why: Fault): void {
    this.abandon("cancel", why);
  }

  private settle(end: "value" | "error", result: unknown): void {
    if (this.end !== null) {
      this.owner.late(this, end === "value", result);
      return;
    }
    this.wheel.remove(this);
    this.finish(end, result);
  }

  private abandon(end: "timeout" | "deadline" | "cancel" | "overspent", result: unknown): void {
    if (this.end !== null) return;
    this.wheel.remove(this);
    this.finish(end, result);
    if (!this.aborts(end)) return;
    this.controller?.abort(this.reason());
    this.callOnGivenUp();
  }

  private callOnGivenUp(): void {
    const { onGivenUp } = this;
    this.onGivenUp = null;
    if (onGivenUp === null) return;
    const report = (error: unknown): void =>
      this.owner.engine.suppress(classify({ surface: "node", error }), `${this.tool} failed when it was given up`);
    void guarded(onGivenUp, report)(this.reason());
  }

  private aborts(end: AttemptEnd): boolean {
    if (end === "value" || end === "error") return false;
    return end !== "deadline" || this.binding.tool.member !== null;
  }

  private finish(end: AttemptEnd, result: unknown): void {
    this.end = end;
    this.result = result;
    if (this.pendingAlarm !== null) this.wheel.remove(this.pendingAlarm);
    if (this.done === null) this.owner.landed?.(this);
    else this.done(this);
  }

  private reason(): unknown {
    if (this.end === "cancel" || this.end === "overspent") return new FaultError(this.result as Fault);
    return new DOMException(`${this.tool} was given up after ${this.due - this.began} ms`, "TimeoutError");
  }
}

/** A class, because a closure in a field kept each finished call in memory until the next full garbage collection. */
class Alarm implements WheelEntry {
  wheelBucket: WheelEntry["wheelBucket"] = null;
  wheelBefore: WheelEntry | null = null;
  wheelAfter: WheelEntry | null = null;
  private readonly ring: () => unknown;
  private readonly attempt: Attempt;

  constructor(ring: () => unknown, attempt: Attempt) {
    this.ring = ring;
    this.attempt = attempt;
  }

  expire(): void {
    void guarded(this.ring, (error) => this.attempt.reject(error))();
  }
}

const MAX_ARTEFACTS = 20;
const NOTHING: readonly never[] = Object.freeze([]);

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
