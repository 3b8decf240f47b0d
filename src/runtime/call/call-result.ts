// What comes out of a call: its outcome, and what an attempt that nobody waits for any more still tells.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault, withContext } from "../../core/fault/fault.ts";
import type { CallEnd, CallState } from "../../core/flow/call.ts";
import { countEvent } from "../../core/record/metrics.ts";
import type { Attempt } from "./attempt.ts";
import { costOf } from "./budget.ts";
import { recordInBackground } from "./record-in-background.ts";
import type { CallValue } from "./call-record.ts";
import { type LiveCall, NO_ERRORS } from "./live-call.ts";
import { handedOut, type Outcome } from "./outcome.ts";

/** `held` is what a call that is done, in part or in full, has to show. */
export function outcomeOf(run: LiveCall, state: CallState, end: CallEnd, held: CallValue): Outcome<unknown> {
  const outcome = endedAs(run, state, end, held);
  return outcome.status === "done" ? outcome : handedOut(outcome, run.record.thrown, run.request.recorder.redactor);
}

function endedAs(run: LiveCall, state: CallState, end: CallEnd, held: CallValue): Outcome<unknown> {
  const { call } = run;
  const { attempts, decision } = state;
  const { value, errors } = held;
  switch (end.status) {
    case "done":
      return { status: "done", value, from: end.from, errors, call, attempts };
    case "partial":
      return { status: "partial", value, from: end.from, errors, fault: end.fault, call, attempts };
    case "defaulted": {
      const given = run.request.fallbackValue ?? run.request.binding.tool.fallbackValue;
      return { status: "defaulted", value: given?.value, fault: end.fault, call, attempts };
    }
    case "cancelled":
      return { status: end.status, fault: end.fault, decision: null, call, attempts };
    default:
      return { status: end.status, fault: end.fault, decision, call, attempts };
  }
}

/** What went wrong is not the tool's doing; if it ran, that is said, so that nobody takes a second try for safe. */
export function brokenOutcome(call: string, attempts: number, seen: Fault): Outcome<unknown> {
  const told = attempts > 0 ? withContext(seen, { ran: true }) : seen;
  return { status: "failed", fault: told, decision: null, call, attempts };
}

/** What the call has to show that this life of it did not return: what it put down, or what an earlier life returned. */
export async function keptResult(run: LiveCall, end: CallEnd): Promise<CallValue> {
  const { partialValue } = run.record;
  if (end.status === "partial" && partialValue !== null) return partialValue;
  if (end.status !== "partial" && end.status !== "done") return NOTHING;
  const kept = await run.engine.store.kept("result", `${run.request.recorder.session}/${run.call}`);
  if (kept === undefined || kept === null) throw new FaultError(resultGone(run.call));
  const { value, errors } = kept as Partial<CallValue>;
  return { value, errors: errors ?? NO_ERRORS };
}

function resultGone(call: string): Fault {
  return fault("ManifestDrift", {
    message: `call ${call} is done, but its result is not in this journal; export the session with its results`,
    context: { call },
  });
}

const NOTHING: CallValue = { value: undefined, errors: NO_ERRORS };

/** Written down, never returned. */
export function recordLate(run: LiveCall, attempt: Attempt, ok: boolean, result: unknown): void {
  const { engine, request, call } = run;
  const binding = request.binding.bindings.bind(attempt.spec);
  const { tool } = binding;
  const now = engine.clock.now();
  const { booked, costMicrocents } = attempt;
  const isNews =
    costMicrocents !== null && (booked?.basis !== attempt.costBasis || booked.microcents !== costMicrocents);
  const cost = isNews ? costOf(true, costMicrocents, null, attempt.costBasis) : null;
  request.budget.rebook(booked, cost);
  const event = binding.counted({
    type: "call-late",
    call,
    tool: tool.id,
    attempt: attempt.attempt,
    ok,
    fault: ok ? null : binding.classify(result, now, engine.suppress),
    durationMs: now - attempt.startedAt,
    cost,
    booked,
  } as const);
  countEvent(engine.counters, event);
  recordInBackground(run.engine, request.recorder.record([event], [], now));
}
