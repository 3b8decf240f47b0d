// What happens when an attempt has ended, or was refused: its value is checked, its failure named and decided about, and all
// of it written down.

import type { BreakerState, CallResult } from "../../core/decide/breaker.ts";
import type { Decision } from "../../core/decide/decision.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, withContext } from "../../core/fault/fault.ts";
import type { CallState } from "../../core/flow/call.ts";
import type { Cost } from "../../core/flow/money.ts";
import { countSuccess } from "../../core/record/metrics.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Check } from "../../schema/index.ts";
import type { Attempt } from "./attempt.ts";
import { costOf } from "./budget.ts";
import { decideAbout, faultOf, noteWhatHelped } from "./call-faults.ts";
import { checkValue } from "./check-value.ts";
import { keepArtefacts } from "./keep-artefacts.ts";
import { type CallValue, type LiveCall, noteBreaker, valueOf } from "./live-call.ts";
import { hasJsonForm, preview } from "./preview.ts";

/** What it came to. `estimate` is what was put by for it; without a limit nothing is, and it is asked for only if the attempt does not say. */
export function costOfAttempt(run: LiveCall, attempt: Attempt, estimate: number | null): Cost | null {
  const { binding, request, engine } = run;
  const { costMicrocents, costBasis } = attempt;
  const isGuessed = costMicrocents === null && !request.budget.isBounded;
  const guess = isGuessed ? binding.estimate(run.input, engine.suppress) : estimate;
  return costOf(binding.tool.estimate !== null, costMicrocents, guess, costBasis);
}

/** Ends a call whose first attempt has succeeded. null when there is more to it than to count it, and to keep what it cost. */
export function endQuietly(run: LiveCall, attempt: Attempt): CallValue | null {
  const { binding, ticket, request } = run;
  const { tool, counters } = binding;
  const { quiet } = request.recorder;
  if (attempt.end !== "value" || ticket === null || tool.checkOutput !== null) return null;
  const cost = costOfAttempt(run, attempt, null);
  if (cost !== null && quiet === null) return null;
  const value = valueOf(attempt);
  const { startedAt } = attempt;
  binding.target.record(ticket, "success", startedAt);
  counters.calls += 1;
  countSuccess(counters, 1, cost);
  if (cost === null) return value;
  const { deadlineAt, budget } = request;
  if (!binding.costs) binding.noteCost();
  budget.settle(null, cost);
  const endedAt = run.engine.clock.now();
  quiet?.keepQuiet({ call: run.call, tool: tool.id, deadlineAt, startedAt, endedAt, cost, errors: value.errors });
  return value;
}

/** null: all is written down already. */
export function endAttempt(run: LiveCall, attempt: Attempt, estimate: number | null): Promise<void> | null {
  const { engine, request, binding } = run;
  const cost = costOfAttempt(run, attempt, estimate);
  request.budget.settle(estimate, cost);
  attempt.booked = cost;
  if (attempt.costMicrocents !== null && !binding.costs) binding.noteCost();
  run.partialValue = attempt.partialValue;
  if (run.cancelled !== null) return endAsCancelled(run, run.cancelled, cost);
  const now = engine.clock.now();
  const ran = { attempt: attempt.attempt, durationMs: now - attempt.startedAt, cost, at: now };
  if (attempt.end !== "value") return fail(run, faultOf(run, attempt, now), ran, attempt);
  if (binding.tool.checkOutput !== null) return endChecked(run, attempt, ran, binding.tool.checkOutput);
  return succeed(run, valueOf(attempt), ran, attempt);
}

async function endChecked(run: LiveCall, attempt: Attempt, ran: Ran, check: Check): Promise<void> {
  const { value, errors } = valueOf(attempt);
  const checked = await checkValue(run, check, "output", value);
  if (run.cancelled !== null) return void (await endAsCancelled(run, run.cancelled, ran.cost));
  await (checked.fault === null
    ? succeed(run, { value: checked.value, errors }, ran, attempt)
    : fail(run, checked.fault, ran, attempt));
}

function succeed(run: LiveCall, { value, errors }: CallValue, ran: Ran, attempt: Attempt): Promise<void> | null {
  const { record, call, request } = run;
  if (request.recorder.session !== "" && !hasJsonForm(value)) {
    return fail(run, noJsonForm(run.binding.tool.id), ran, attempt);
  }
  run.result = { value, errors };
  giveBack(run, "success", ran.at);
  noteWhatHelped(run, true, ran.at);
  const output = request.recorder.session === "" ? null : preview(value, run.engine.redactor);
  const { durationMs, cost } = ran;
  return record.write(
    { type: "call-succeeded", call, tool: run.binding.tool.id, attempt: ran.attempt, durationMs, cost, errors, output },
    record.keepsOf(call, run.result),
    ran.at,
  );
}

/** Results are kept for the next life of the program, as JSON. */
function noJsonForm(tool: string): Fault {
  return fault("OutputMalformed", {
    message: `what ${tool} returned has no form in JSON, so the session cannot keep it; return plain data`,
    context: { ran: true },
  });
}

export function endAsCancelled(run: LiveCall, why: Fault, cost: Cost | null): Promise<void> | null {
  const { record, call, binding } = run;
  giveBack(run, "neutral", run.engine.clock.now());
  return record.write({ type: "call-cancelled", call, tool: binding.tool.id, fault: why, cost }, withdrawn(run));
}

/** A question about a call that is over waits for nobody. */
function withdrawn({ record, request }: LiveCall): readonly Keep[] {
  const { step } = record.state;
  if (request.recorder.session === "" || step.at !== "ask" || step.question === null) return NO_KEEPS;
  const { id: key } = step.question;
  return [
    { kind: "question", key, value: null },
    { kind: "answer", key, value: null },
  ];
}

/** Found running after a crash: nobody knows how it ended, and what it cost is booked as it was estimated. */
export async function endAsInterrupted(run: LiveCall, { tool, attempt }: CallState): Promise<void> {
  const { binding, engine, input } = run;
  const cost = costOf(binding.tool.estimate !== null, null, binding.estimate(input, engine.suppress));
  run.request.budget.rebook(null, cost);
  const seen = fault("Interrupted", { message: `${tool} was running when the process ended` });
  await fail(run, seen, { attempt, durationMs: 0, cost, at: engine.clock.now() }, null);
}

/** Admitted, and then there was no time left to run it. */
export async function endUnbegun(run: LiveCall): Promise<void> {
  const { engine, record, request, binding } = run;
  const message = `the time was up before ${binding.tool.id} could start`;
  const seen = fault(request.deadlineCode, { message, context: { ran: false } });
  await fail(run, seen, { attempt: record.state.attempt, durationMs: 0, cost: null, at: engine.clock.now() }, null);
}

interface Ran {
  readonly attempt: number;
  readonly durationMs: number;
  readonly cost: Cost | null;
  readonly at: number;
}

/** A fault after an attempt: decided about, and written down with the decision. */
function fail(run: LiveCall, seen: Fault, ran: Ran, left: Attempt | null): Promise<void> | null {
  const { record, request } = run;
  const { tool, policy } = run.binding;
  const told = withContext(seen, { tool: tool.id, attempt: ran.attempt });
  const result = traitsOf(told.code).tripsBreaker ? "failure" : "neutral";
  noteWhatHelped(run, false, ran.at);
  // An attempt that counts may open the breaker: that comes first, so that no retry is announced which cannot be made.
  if (policy.breaker.counts === "attempts") giveBack(run, result, ran.at);
  const { fault: about, decision, breaker } = decideAbout(run, told, record.state, ran.at, "attempt");
  if (decision.recourse !== "retry") giveBack(run, result, ran.at);
  const writeDown = (): Promise<void> | null => writeFailure(run, about, ran, decision, breaker);
  if (left === null || decision.recourse === "retry" || request.recorder.session === "") return writeDown();
  return keepArtefacts(run, left).then((files) => {
    for (const file of files) record.aside(file);
    return (run.cancelled === null ? writeDown() : endAsCancelled(run, run.cancelled, ran.cost)) ?? undefined;
  });
}

function writeFailure(
  { record, call, binding, partialValue }: LiveCall,
  told: Fault,
  { attempt, durationMs, cost, at }: Ran,
  decision: Decision,
  breaker: BreakerState,
): Promise<void> | null {
  const tool = binding.tool.id;
  return record.write(
    { type: "call-failed", call, tool, attempt, fault: told, decision, breaker, durationMs, cost },
    decision.recourse === "partial" ? record.keepsOf(call, partialValue) : NO_KEEPS,
    at,
  );
}

const NO_KEEPS: readonly Keep[] = [];

/** A decision without an attempt: a guard refused, the input is wrong, a person said no. */
export async function redecide(run: LiveCall, seen: Fault): Promise<void> {
  const { record, call, binding, engine } = run;
  const { id } = binding.tool;
  const told = withContext(seen, { tool: id });
  const now = engine.clock.now();
  const { fault: about, decision, breaker } = decideAbout(run, told, record.state, now, "guard");
  giveBack(run, "neutral", now);
  await record.write(
    { type: "call-decided", call, tool: id, fault: about, decision, breaker },
    decision.recourse === "partial" ? record.keepsOf(call, run.partialValue) : NO_KEEPS,
  );
}

/** The breaker is told how it went, once. */
function giveBack(run: LiveCall, result: CallResult, now: number): void {
  if (run.ticket === null) return;
  const { target } = run.binding;
  const from = target.breaker.state;
  target.record(run.ticket, result, now);
  run.ticket = null;
  noteBreaker(run, from);
}
