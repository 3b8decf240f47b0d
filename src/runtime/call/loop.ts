// One protected call: performs the next step of the pure machine in `core/flow/call.ts` and feeds the result back.
// R1  The event that decides a step is written before the step is performed.
// R2  After the call has answered, no attempt starts.
// R3  A cancellation ends any wait at once, wins over every other outcome, and does not count as a failure of any target.
// There are two ways through it. Outside a session, while there is nothing to wait for, it goes from one attempt to the next
// without a promise of its own (`launch`, `landed`, `launchNext`). It writes nothing until something fails or a listener subscribes:
// a call that succeeds at once is counted, and kept as one object if it cost something (`endCompactly`). Everything else takes
// the long way (`drive`), which can wait.
// The fields of classes that every call creates are `private`, not `#`: see docs/decisions/0021.

import { classify } from "../../core/classify/classify.ts";
import type { Ticket } from "../../core/decide/breaker.ts";
import { type Fault, fault, FaultError } from "../../core/fault/fault.ts";
import { Interruptible } from "../scope.ts";
import { askPerson } from "./ask.ts";
import { Attempt, type AttemptOwner } from "./attempt.ts";
import type { Binding } from "../tool/binding.ts";
import {
  endAsCancelled,
  endAsInterrupted,
  endAttempt,
  endCompactly,
  endShared,
  endUnbegun,
  recordLate,
  redecide,
} from "./settle.ts";
import { CallRecord, type CallRequest, type CallValue, type LiveCall, NO_FAULT } from "./live-call.ts";
import { prepareAtOnce, prepareInput } from "./prepare.ts";
import { hasFallback } from "./situation.ts";
import { type Hedge, type HedgedRun, hedgeFor } from "./hedge.ts";
import { brokenOutcome, handedOut, keptResult, type Outcome, outcomeOf, withFailed } from "./outcome.ts";
import type { Engine } from "../engine.ts";
import { isMoneyApproved, mayGoAtOnce, meterAttempt, passAtOnce, passGuards, shareAttempt } from "./admit.ts";
import { type Answerer, CallTrace } from "../../telemetry/call-trace.ts";
import type { LearningRedactor } from "../../core/fault/redact.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { Keep } from "../../journal/journal.ts";
import { otel } from "../../telemetry/otel.ts";
import type { Recorder } from "../recorder.ts";
import type { AnyTool, ChainRequest } from "../tool/tool.ts";

export class CallRun extends Interruptible implements AttemptOwner, HedgedRun {
  readonly engine: Engine;
  readonly request: CallRequest;
  readonly trace: CallTrace | null;
  binding: Binding;
  ticket: Ticket | null = null;
  departure = 0;
  private recordIfAny: CallRecord | null = null;
  private name: string | null;
  given: unknown;
  committed = false;
  sentInput: unknown;
  private inputReady = false;
  /** What an attempt with this input may cost; null until it is asked for. */
  private estimated: number | null = null;
  private running: Attempt | null = null;
  private answer: (outcome: Outcome<unknown> | Promise<Outcome<unknown>>) => void = nothing;
  private hedge: Hedge | null = null;
  isHedged = false;

  constructor(engine: Engine, request: CallRequest) {
    super(engine.clock);
    this.engine = engine;
    this.binding = request.binding;
    this.given = request.input;
    this.sentInput = request.input;
    this.name = request.call;
    const traced = tracedRequest(this, request);
    this.trace = traced?.trace ?? null;
    this.request = traced?.request ?? request;
  }

  get call(): string {
    return (this.name ??= this.engine.newCall());
  }

  /** Created when there is something to remember. */
  get record(): CallRecord {
    return (this.recordIfAny ??= new CallRecord(this.request, this.engine, this));
  }

  get isUnderWay(): boolean {
    return this.record.state.attempt > 0;
  }

  run(): Promise<Outcome<unknown>> {
    return this.trace === null ? this.go() : this.trace.around(() => this.go());
  }

  private go(): Promise<Outcome<unknown>> {
    return new Promise((resolve) => {
      this.answer = resolve;
      this.request.scope?.add(this);
      if (!this.launchFirst(this.engine.clock.now())) this.answer(this.long());
    });
  }

  override cancel(why: Fault): void {
    this.withdraw(why);
    this.hedge?.stop(why);
  }

  withdraw(why: Fault): void {
    super.cancel(why);
    this.running?.giveUp(why);
  }

  claim(attempt: Attempt): boolean {
    return this.hedge?.claim(attempt) ?? true;
  }

  commit(attempt: Attempt): void {
    if (this.claim(attempt)) this.committed = true;
  }

  replaceInput(input: unknown): void {
    this.given = input;
    this.forgetInput();
  }

  setSentInput(input: unknown): void {
    this.sentInput = input;
    this.inputReady = true;
    this.estimated = null;
  }

  /** The next tool reads the original input, not the last tool's parsed version. */
  private forgetInput(): void {
    this.sentInput = this.given;
    this.inputReady = false;
    this.estimated = null;
  }

  private estimate(): number | null {
    return (this.estimated ??= this.binding.estimate(this.sentInput, this.engine.suppress));
  }

  private get isContinuation(): boolean {
    return this.binding.tool.member !== null && (this.given as ChainRequest).isContinuation === true;
  }

  // The short way.
  /** The first attempt, if it can go out at once. */
  private launchFirst(now: number): boolean {
    const { target, isPlain, tool } = this.binding;
    if ((tool.member?.chain.hedge ?? null) !== null) return false;
    // A breaker that is not closed is consulted on the long way, where its changes are written.
    const isQuick = !this.request.recorder.isSession && target.breaker.state === "closed" && mayGoAtOnce(this, now);
    if (!isQuick || !(isPlain || prepareAtOnce(this))) return false;
    const { budget, recorder } = this.request;
    // Warnings and refusals of a budget are written on the long way.
    const isMetered = budget.isBounded && !isPlain;
    const estimate = isMetered ? this.estimate() : null;
    if (isMetered && (estimate === null || !budget.isQuietAt(estimate))) return false;
    if (target.enter() !== true) return false;
    this.ticket = target.admit(now);
    budget.reserve(estimate);
    // With no listeners, a call that succeeds at once is kept when it has ended.
    if (recorder.quiet === null) {
      this.record.begin(this.call);
      if (!this.announce(1, now)) {
        budget.settle(estimate, null);
        return false;
      }
    }
    this.launch(1, now, estimate);
    return true;
  }

  /** Writes that an attempt starts; outside sessions no write waits. Returns false and releases its slot if a listener cancelled the call. */
  private announce(number: number, now: number): boolean {
    const { call, record, binding } = this;
    void record.write({ type: "call-admitted", call, tool: binding.tool.id, attempt: number }, [], now);
    if (this.cancelled === null) return true;
    binding.target.leave();
    return false;
  }

  private launch(number: number, now: number, reserved: number | null): void {
    if (number === 1) this.binding.retryBudget.earn(now);
    this.begin(number, reserved, now).start(this.sentInput);
  }

  private begin(number: number, reserved: number | null, now: number): Attempt {
    this.departure = this.binding.target.outage.depart(now);
    return (this.running = new Attempt(this, number, reserved, now));
  }

  hasFallback(why: Fault | undefined): boolean {
    return hasFallback(this, why);
  }

  metered(attempt: Attempt, microcents: number): Fault | null {
    if (!this.request.budget.isBounded || microcents <= (attempt.reserved ?? 0)) return null;
    this.recordBegun(attempt);
    return meterAttempt(this, attempt, microcents);
  }

  landed(attempt: Attempt): void {
    this.running = null;
    try {
      this.binding.target.leave();
      const value = this.recordIfAny === null ? endCompactly(this, attempt) : null;
      if (value === null) this.endWritten(attempt);
      else this.done(attempt, value);
    } catch (error) {
      // The caller waits for an answer, so an error here must become one.
      const seen = classify({ surface: "node", error, observedAt: this.engine.clock.now() });
      this.request.scope?.remove(this);
      this.answer(this.handOut(this.failed(seen), error));
    }
  }

  /** Records an attempt that began without a record. */
  private recordBegun({ tool, startedAt }: Attempt): void {
    const { call, record } = this;
    if (record.begun) return;
    record.begin(call);
    record.note({ type: "call-admitted", call, tool, attempt: 1 }, startedAt);
  }

  private endWritten(attempt: Attempt): void {
    const { record } = this;
    this.recordBegun(attempt);
    const ended = endAttempt(this, attempt);
    if (ended !== null) this.answer(ended.then(() => this.long()));
    else if (record.result !== null) this.done(attempt, record.result);
    else this.launchNext();
  }

  /** On the short way only one tool was tried, so the number of its last attempt is the number of attempts. */
  private done({ attempt, tool }: Attempt, { value, errors }: CallValue): void {
    this.request.scope?.remove(this);
    this.answer({ status: "done", value, from: tool, errors, call: this.call, attempts: attempt });
  }

  /** The next attempt, if it can go out at once; otherwise the long way. */
  private launchNext(): void {
    const { state } = this.record;
    const { step } = state;
    const now = this.engine.clock.now();
    const isNext = step.at === "admit" && step.notBefore <= now && state.tool === this.binding.tool.id;
    if (
      isNext &&
      this.binding.isPlain &&
      state.attempts < MAX_LAUNCHES &&
      mayGoAtOnce(this, now) &&
      this.binding.target.enter() === true &&
      passAtOnce(this) === null &&
      this.announce(state.attempt + 1, now)
    ) {
      this.launch(state.attempt + 1, now, null);
      return;
    }
    this.answer(this.long());
  }

  // The long way.
  private async long(): Promise<Outcome<unknown>> {
    try {
      return await this.drive();
    } catch (error) {
      // The journal is gone, or we have a bug.
      const seen = classify({ surface: "store", error, observedAt: this.engine.clock.now() });
      return this.handOut(this.failed(seen), error);
    } finally {
      this.request.scope?.remove(this);
    }
  }

  private failed(seen: Fault): Outcome<unknown> {
    return brokenOutcome(this.call, this.recordIfAny?.begun === true ? this.recordIfAny.state.attempts : 0, seen);
  }

  private async drive(): Promise<Outcome<unknown>> {
    // An earlier process began the call. An attempt that was running then was sent, and may have cost something.
    const takenUp = this.request.recorder.isSession && this.record.begun ? this.record.state : null;
    if (!this.record.begun) this.record.begin(this.call);
    for (;;) {
      const { state } = this.record;
      const { step, attempts } = state;
      const wasSent = step.at === "run" && state === takenUp;
      if (this.hedge !== null && !this.hedge.allowsNextAttempt(state)) {
        await this.hedge.finish();
        this.hedge = null;
        continue;
      }
      if (step.at === "end") {
        const held = this.record.result ?? (await keptResult(this, step.end));
        return outcomeOf(this, state, step.end, held);
      }
      if (this.cancelled !== null && !wasSent) {
        await endAsCancelled(this, this.cancelled, null);
        continue;
      }
      if (state.tool !== this.binding.tool.id) this.switchTo(state.tried);
      switch (step.at) {
        case "admit":
          await this.admit(step.notBefore);
          break;
        case "run":
          await endAsInterrupted(this, state);
          break;
        case "decide":
          await redecide(this, state.fault ?? NO_FAULT);
          break;
        case "ask": {
          const waiting = await askPerson(this, state);
          if (waiting !== null) return this.handOut(waiting);
          break;
        }
        case "park": {
          const { wakeAt } = step;
          if (this.engine.clock.now() < wakeAt) {
            const fault = state.fault ?? NO_FAULT;
            return this.handOut({ status: "parked", wakeAt, fault, call: this.call, attempts });
          }
          await this.admit(wakeAt);
          break;
        }
      }
    }
  }

  private handOut(outcome: Outcome<unknown>, error = this.record.thrown): Outcome<unknown> {
    return withFailed(handedOut(outcome, error, this.request.recorder.redactor), this.record.failed);
  }

  private switchTo(tried: readonly string[]): void {
    this.ticket = null;
    this.record.partialValue = null;
    this.forgetInput();
    this.binding = toolInCharge(this, tried);
  }

  private async admit(notBefore: number): Promise<void> {
    if (!(await this.waitUntil(notBefore))) return;
    const shown = await shareAttempt(this);
    if (shown === "cancelled") return;
    if (shown !== null) return endShared(this, shown);
    const isReady = this.inputReady && !this.record.state.repairDue && !this.isContinuation;
    const unready = isReady ? null : await prepareInput(this);
    if (unready === "cancelled") return;
    await (unready === null ? this.send() : redecide(this, unready));
  }

  private async send(): Promise<void> {
    const { engine, request } = this;
    const { tool, target, retryBudget } = this.binding;
    const estimate = request.budget.isBounded ? this.estimate() : null;
    const refused = await passGuards(this, estimate);
    if (refused === "cancelled") return;
    if (refused !== null) return redecide(this, refused);
    let attempt: Attempt | null = null;
    try {
      // A cancelled call sends nothing, so it counts no attempt.
      if (this.isCancelled) return;
      const number = this.record.state.attempt + 1;
      this.record.mayOverspend = isMoneyApproved(this);
      if (number === 1) retryBudget.earn(engine.clock.now());
      const written = this.record.write({ type: "call-admitted", call: this.call, tool: tool.id, attempt: number });
      if (written !== null) await written;
      const now = engine.clock.now();
      // The write may have used up the time that was left.
      if (this.cancelled === null && now < request.deadline.at) {
        attempt = this.begin(number, estimate, now);
        this.hedge = this.hedge?.follow(attempt) ?? hedgeFor(this, attempt);
        await attempt.run(this.sentInput);
      }
    } finally {
      this.running = null;
      target.leave();
      if (attempt === null) request.budget.settle(estimate, null);
    }
    if (attempt !== null) await (this.hedge === null ? endAttempt(this, attempt) : this.hedge.settle());
    else if (this.cancelled === null) await endUnbegun(this);
  }

  late(attempt: Attempt, ok: boolean, result: unknown): void {
    recordLate(this, attempt, ok, result);
  }
}

const nothing = (): void => undefined;
/** When a tool answers synchronously, each launch is nested in the stack frame of the one before. */
const MAX_LAUNCHES = 20;

/**
 * The tool that continues the call: the last one tried. Each tool that was tried is an alternative of one before it, or a target of the
 * chain. Throws if the tool no longer exists, because no other tool can continue what it began.
 */
function toolInCharge({ call, engine, request }: LiveCall, tried: readonly string[]): Binding {
  let { binding } = request;
  const known = [...binding.alternatives, ...(binding.tool.member?.chain.members ?? [])];
  for (const id of tried.slice(1)) {
    const found = known.find((other) => other.id === id) ?? engine.find(id);
    if (found === undefined) throw new FaultError(toolGone(call, id));
    binding = binding.bindings.bind(found);
    known.push(...binding.alternatives);
  }
  return binding;
}

function toolGone(call: string, id: string): Fault {
  return fault("ResumeMismatch", {
    message: `call ${call} was continued with the tool ${id}, which no longer exists; register it, or use another call id`,
    context: { call, tool: id },
  });
}

// Connects a call to its trace: the trace sees each event that the call writes, before anything acts on it.

/** null while the program registers no tracer provider: then tracing costs one check. */
function tracedRequest(
  run: Pick<LiveCall, "call" | "binding">,
  request: CallRequest,
): { readonly trace: CallTrace; readonly request: CallRequest } | null {
  const found = otel();
  if (found === null) return null;
  const { recorder } = request;
  const trace = new CallTrace(found, () => answererOf(run.binding.tool), run.call, recorder.session);
  return { trace, request: { ...request, recorder: new TracedRecorder(recorder, trace) } };
}

function answererOf({ id, provider, surface, member }: AnyTool): Answerer {
  if (member === null) return { kind: "tool", id, provider, model: "" };
  return { kind: surface === "cli" ? "agent" : "model", id, provider, model: member.facts.model };
}

class TracedRecorder implements Recorder {
  readonly session: string;
  readonly isSession: boolean;
  readonly redactor: LearningRedactor;
  /** A call that is traced writes each of its events. */
  readonly quiet = null;
  readonly #recorder: Recorder;
  readonly #trace: CallTrace;

  constructor(recorder: Recorder, trace: CallTrace) {
    this.session = recorder.session;
    this.isSession = recorder.isSession;
    this.redactor = recorder.redactor;
    this.#recorder = recorder;
    this.#trace = trace;
  }

  record(events: readonly JournalEvent[], keeps: readonly Keep[], at: number): Promise<void> | null {
    for (const event of events) this.#trace.observe(event);
    return this.#recorder.record(events, keeps, at);
  }
}
