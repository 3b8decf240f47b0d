// A call whose attempts run elsewhere, as the parts of a call see it: they decide about it and write it as if it ran here.

import type { Ticket } from "../../core/decide/breaker.ts";
import type { Recourse } from "../../core/policy/policy.ts";
import { Moment } from "../../host/clock.ts";
import { CallRecord, type CallRequest, type LiveCall } from "../call/live-call.ts";
import type { Engine } from "../engine.ts";
import { Interruptible } from "../scope.ts";
import { digestOf, type SessionCore } from "../session/session-core.ts";
import type { Binding } from "../tool/binding.ts";
import type { FailureReport } from "./failure-report.ts";

export class ReportedCall extends Interruptible implements LiveCall {
  readonly engine: Engine;
  readonly request: CallRequest;
  readonly record: CallRecord;
  readonly call: string;
  binding: Binding;
  ticket: Ticket | null = null;
  committed = false;
  readonly departure = 0;
  readonly sentInput = null;
  given: unknown = null;

  constructor(core: SessionCore, call: string, binding: Binding, report: FailureReport) {
    super(core.clock);
    this.engine = core.engine;
    this.call = call;
    this.binding = binding;
    this.request = {
      binding,
      input: report.input ?? null,
      call,
      turn: "",
      stage: null,
      digest: digestOf(report.input ?? null),
      recorder: core.recorder,
      budget: core.budget,
      scope: null,
      deadline: new Moment(core.clock, report.deadlineAt ?? Infinity),
      deadlineCode: "RunTimeout",
      offers: offersOf(binding, report),
      optional: report.optional ?? false,
      fallbackValue: report.hasDefault === true ? { value: null } : null,
      inSession: () => core.state.calls.get(call) ?? null,
      mayRepeat: false,
      headless: true,
    };
    this.record = new CallRecord(this.request, core.engine, this);
  }

  /** Its first attempt began without asking, so an open breaker does end its schedule. */
  get isUnderWay(): boolean {
    return this.record.state.attempt > 1 || this.ticket !== null;
  }

  /** The journal keeps the new input; the executor gets it with the answer to its report. */
  replaceInput(input: unknown): void {
    this.given = input;
  }

  setSentInput(): void {
    throw new Error("the input of a reported call is in its executor");
  }
}

function offersOf(binding: Binding, { can = [] }: FailureReport): ReadonlySet<Recourse> {
  return can.length === 0 ? binding.offers : new Set<Recourse>([...binding.offers, ...can]);
}
