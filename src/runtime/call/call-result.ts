// What comes out of a call: its outcome, and what an attempt that nobody waits for any more still tells.

import type { CallEnd, CallState } from "../../core/flow/call.ts";
import { countEvent } from "../../core/record/metrics.ts";
import type { Attempt } from "./attempt.ts";
import { costOf, lateCost } from "./budget.ts";
import { unawaited } from "./unawaited.ts";
import type { CallValue, LiveCall } from "./live-call.ts";
import type { Outcome } from "./outcome.ts";

export async function outcomeOf(run: LiveCall, state: CallState, end: CallEnd): Promise<Outcome<unknown>> {
  const { call } = run;
  const { attempts, decision } = state;
  switch (end.status) {
    case "done":
      return { status: "done", from: end.from, ...(run.result ?? (await keptResult(run))), call, attempts };
    case "partial": {
      const { value, errors } = run.partialValue ?? (await keptResult(run));
      return { status: "partial", from: end.from, value, errors, fault: end.fault, call, attempts };
    }
    case "defaulted": {
      const value = (run.request.fallbackValue ?? run.request.binding.tool.fallbackValue)?.value;
      return { status: "defaulted", value, fault: end.fault, call, attempts };
    }
    default:
      return { status: end.status, fault: end.fault, decision, call, attempts };
  }
}

/** What an earlier life of this call returned. */
async function keptResult({ engine, request, call }: LiveCall): Promise<CallValue> {
  const kept = await engine.journal.kept("result", `${request.recorder.session}/${call}`);
  const { value, errors } = (kept ?? {}) as Partial<CallValue>;
  return { value, errors: errors ?? [] };
}

/** Written down, never returned. */
export function recordLate(run: LiveCall, attempt: Attempt, ok: boolean, result: unknown): void {
  const { engine, request, call } = run;
  const binding = engine.bind(attempt.spec);
  const { tool } = binding;
  const now = engine.clock.now();
  const booked = costOf(tool.estimate !== null, null, binding.estimate(run.input, engine.suppress));
  const cost = lateCost(booked, attempt.costMicrocents);
  request.budget.add(cost);
  const event = {
    type: "call-late",
    call,
    tool: tool.id,
    attempt: attempt.attempt,
    ok,
    fault: ok ? null : binding.classify(result, now, engine.suppress),
    durationMs: now - attempt.startedAt,
    cost,
  } as const;
  countEvent(engine.counters, event);
  unawaited(run.engine, request.recorder.record([event], []));
}
