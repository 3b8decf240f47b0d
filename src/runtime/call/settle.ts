// Settles an attempt that has ended or was refused: checks its value or classifies its failure, decides, and writes the result.

import { nodeUtil } from "../../host/builtin.ts";
import { decide } from "../../core/decide/decide.ts";
import type { Decision } from "../../core/decide/decision.ts";
import { type SeenSituation, seenSituation } from "../../core/decide/situation.ts";
import { type BreakerCause, type BreakerState, type CallResult, withCause } from "../../core/decide/breaker.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, withContext } from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import type { CallState } from "../../core/flow/call.ts";
import type { Cost } from "../../core/flow/money.ts";
import { countEvent, countSuccess } from "../../core/record/metrics.ts";
import type { Keep } from "../../journal/journal.ts";
import type { Check } from "../../schema/index.ts";
import type { Shown } from "../target/outage.ts";
import type { Attempt } from "./attempt.ts";
import { costOf } from "../budget.ts";
import { faultOf, noteFailed, noteHelped, outOfTime, situationOf, withFirstReturn } from "./situation.ts";
import { checkValue } from "./prepare.ts";
import { needsPerson } from "./outcome.ts";
import {
  type CallValue,
  type LiveCall,
  NO_FAULT,
  NO_KEEPS,
  noteBreaker,
  recordInBackground,
  valueOf,
} from "./live-call.ts";
import { hasJsonForm, noJsonForm, preview } from "../../core/record/preview.ts";
import { dropQuestion } from "./ask.ts";
import { classify } from "../../core/classify/classify.ts";
import { readField } from "../../core/try-read.ts";
import type { HostEvent } from "../../core/record/event.ts";
import { keepArtefact } from "../../journal/files/artefacts.ts";

/** The cost that the attempt reported. If it reported none: the estimate for an attempt that was sent. */
function costOfAttempt({ binding, request, engine, sentInput }: LiveCall, attempt: Attempt): Cost | null {
  const { costMicrocents, costBasis, reserved } = attempt;
  const { estimate, estimateSent } = binding.tool;
  if (costMicrocents !== null) return costOf(estimate !== null, costMicrocents, null, costBasis);
  // If the tool has only `estimate`, a bounded budget has already called it before the attempt.
  const isEstimated = estimateSent === null && request.budget.isBounded;
  return costOf(estimate !== null, null, isEstimated ? reserved : binding.estimateSent(sentInput, engine.suppress));
}

function book(run: LiveCall, attempt: Attempt): Cost | null {
  const cost = costOfAttempt(run, attempt);
  run.request.budget.settle(attempt.reserved, cost);
  attempt.booked = cost;
  attempt.isBooked = true;
  return cost;
}

/** Ends a call whose first attempt succeeded: counts it and keeps its cost. null: the call has to be settled like others. */
export function endCompactly(run: LiveCall, attempt: Attempt): CallValue | null {
  const { binding, ticket, request } = run;
  const { tool, counters } = binding;
  const { quiet } = request.recorder;
  if (attempt.end !== "value" || ticket === null || tool.checkOutput !== null || quiet === null) return null;
  const cost = costOfAttempt(run, attempt);
  const value = valueOf(attempt);
  const { startedAt } = attempt;
  const { target } = binding;
  target.record(ticket, "success", startedAt);
  if (target.outage.isSick) target.outage.succeeded(run.departure, run.engine.clock.now());
  counters.calls += 1;
  countSuccess(counters, 1, cost);
  request.budget.settle(attempt.reserved, cost);
  const endedAt = run.engine.clock.now();
  target.recent.note(tool.tellsFailure?.(value.value) !== true, endedAt - startedAt);
  if (cost === null) return value;
  const { deadline } = request;
  if (!binding.costs) binding.noteCost();
  quiet.keepCompact({
    call: run.call,
    by: binding,
    deadlineAt: deadline.at,
    startedAt,
    endedAt,
    cost,
    errors: value.errors,
  });
  return value;
}

/** null: everything is already written. */
export function endAttempt(run: LiveCall, attempt: Attempt): Promise<void> | null {
  const { engine, binding } = run;
  const cost = book(run, attempt);
  if (attempt.costMicrocents !== null && !binding.costs) binding.noteCost();
  run.record.partialValue = attempt.partialValue;
  if (attempt.end === "error") run.record.thrown = attempt.result;
  if (run.cancelled !== null) return endAsCancelled(run, run.cancelled, cost);
  const now = engine.clock.now();
  const figures = { attempt: attempt.attempt, durationMs: now - attempt.startedAt, cost, at: now };
  if (attempt.end !== "value") return fail(run, faultOf(run, attempt), figures, attempt);
  if (binding.tool.checkOutput !== null) return endChecked(run, attempt, figures, binding.tool.checkOutput);
  return succeed(run, valueOf(attempt), figures, attempt);
}

async function endChecked(run: LiveCall, attempt: Attempt, figures: Figures, check: Check): Promise<void> {
  const { value, errors } = valueOf(attempt);
  const checked = await checkValue(run, check, "output", value);
  if (run.cancelled !== null) return void (await endAsCancelled(run, run.cancelled, figures.cost));
  await (checked.fault === null
    ? succeed(run, { value: checked.value, errors }, figures, attempt)
    : fail(run, checked.fault, figures, attempt));
}

/** Ends an attempt that succeeded; `attempt` is null if it ran in another process. */
export function succeed(
  run: LiveCall,
  { value, errors }: CallValue,
  figures: Figures,
  attempt: Attempt | null,
): Promise<void> | null {
  const { record, call, request } = run;
  if (request.recorder.isSession && !hasJsonForm(value)) {
    return fail(run, noJsonForm(run.binding.tool.id, { ran: true }), figures, attempt);
  }
  record.result = { value, errors };
  const isFailure = run.binding.tool.tellsFailure?.(value) === true;
  if (attempt !== null) run.binding.target.recent.note(!isFailure, figures.durationMs);
  reportToBreaker(run, "success", figures.at);
  run.binding.target.outage.succeeded(run.departure, figures.at);
  noteHelped(run, figures.at);
  const output = request.recorder.isSession ? preview(value, request.recorder.redactor) : null;
  const { durationMs, cost } = figures;
  return record.write(
    {
      type: "call-succeeded",
      call,
      tool: run.binding.tool.id,
      attempt: figures.attempt,
      durationMs,
      cost,
      errors,
      output,
    },
    // The executor keeps the value of an attempt that ran elsewhere. The preview has no secrets.
    attempt === null ? NO_KEEPS : record.keepsOf(call, record.result),
    figures.at,
  );
}

export function endAsCancelled(run: LiveCall, why: Fault, cost: Cost | null): Promise<void> | null {
  const { record, call, binding } = run;
  reportToBreaker(run, "neutral", run.engine.clock.now());
  return record.write({ type: "call-cancelled", call, tool: binding.tool.id, fault: why, cost }, dropOpenQuestion(run));
}

/** Removes the question that the call was waiting for. */
function dropOpenQuestion({ record }: LiveCall): readonly Keep[] {
  const { step } = record.state;
  return step.at === "ask" && step.question !== null ? dropQuestion(step.question.id) : NO_KEEPS;
}

/** Ends an attempt that was running when a process died. It was sent, so its estimated cost is booked, once; its result is unknown. */
export async function endAsInterrupted(run: LiveCall, { tool, attempt }: CallState): Promise<void> {
  const { binding, engine, sentInput } = run;
  const cost = costOf(binding.tool.estimate !== null, null, binding.estimateSent(sentInput, engine.suppress));
  run.request.budget.rebook(null, cost);
  if (run.cancelled !== null) return void (await endAsCancelled(run, run.cancelled, cost));
  const context = run.request.mayRepeat ? { repeatApproved: true } : {};
  const seen = fault("Interrupted", { message: `${tool} was running when the process ended`, context });
  await fail(run, seen, { attempt, durationMs: 0, cost, at: engine.clock.now() }, null);
}

/** Ends an attempt that was admitted when no time was left to run it. */
export async function endUnbegun(run: LiveCall): Promise<void> {
  const { engine, record } = run;
  const figures = { attempt: record.state.attempt, durationMs: 0, cost: null, at: engine.clock.now() };
  await fail(run, outOfTime(run), figures, null);
}

/** The figures of an attempt that has ended. */
interface Figures {
  readonly attempt: number;
  readonly durationMs: number;
  readonly cost: Cost | null;
  readonly at: number;
}

/** Decides about the fault of an attempt and writes both; `attempt` is null if it did not run in this process. */
export function fail(run: LiveCall, seen: Fault, figures: Figures, attempt: Attempt | null): Promise<void> | null {
  const { record, request } = run;
  const { tool, policy } = run.binding;
  const reported = withContext(seen, { tool: tool.id, attempt: figures.attempt });
  if (attempt !== null) noteAttempt(run, attempt, figures);
  (record.failed ??= new Map()).set(tool.id, reported.code);
  if (needsPerson(reported)) (record.unusable ??= new Map()).set(tool.id, reported);
  const result = traitsOf(reported.code).tripsBreaker ? "failure" : "neutral";
  const isOutage = attempt !== null && result === "failure";
  const isNews =
    !isOutage || run.binding.target.outage.failed(run.departure, { fault: seen, call: run.call }, figures.at);
  const noteEnd = noteFailed(run, figures.at);
  // Where attempts count, this one may open the breaker. That comes first, so that no retry is announced that cannot be sent.
  if (policy.breaker.counts === "attempts") reportToBreaker(run, result, figures.at, reported);
  const { state } = record;
  const decided = decideAbout(run, { fault: reported, state, at: figures.at, isOwnAttempt: true, isNews });
  const { decision } = decided;
  noteEnd(decision);
  if (decision.recourse !== "retry") reportToBreaker(run, result, figures.at, reported);
  else if (isOutage) run.binding.target.outage.announce(figures.at + decision.delayMs);
  const writeDown = (): Promise<void> | null => writeFailure(run, decided, figures);
  if (attempt === null || decision.recourse === "retry" || !request.recorder.isSession) return writeDown();
  return keepArtefacts(run, attempt).then((files) => {
    for (const file of files) record.attach(file);
    return (run.cancelled === null ? writeDown() : endAsCancelled(run, run.cancelled, figures.cost)) ?? undefined;
  });
}

/** Adds an attempt that failed in this process to the statistics of its target. */
function noteAttempt({ binding }: LiveCall, { end, result }: Attempt, { durationMs, at }: Figures): void {
  const { target } = binding;
  target.recent.note(false, durationMs);
  if (end === "error" && typeof result === "object" && result !== null)
    target.noteHeaders(readField(result, "responseHeaders"), at);
}

function writeFailure(
  run: LiveCall,
  decided: Decided,
  { attempt, durationMs, cost, at }: Figures,
): Promise<void> | null {
  const { record, call, binding } = run;
  const tool = binding.tool.id;
  return record.write(
    { type: "call-failed", call, tool, attempt, ...decided, durationMs, cost },
    keepsOfPartial(run, decided.decision),
    at,
  );
}

/** The partial value, if the decision is that the call ends with it. */
function keepsOfPartial({ record, call }: LiveCall, { recourse }: Decision): readonly Keep[] {
  return recourse === "partial" ? record.keepsOf(call, record.partialValue) : NO_KEEPS;
}

interface Decided {
  readonly fault: Fault;
  readonly decision: Decision;
  readonly breaker: BreakerState;
  /** What `decide` saw, for the journal; absent outside sessions. */
  readonly saw?: SeenSituation;
}

interface ToDecide {
  readonly fault: Fault;
  readonly state: CallState;
  readonly at: number;
  /** False for a guard's refusal, and for a failure that another call had. */
  readonly isOwnAttempt: boolean;
  /** No other call has had this failure in the same outage. */
  readonly isNews: boolean;
}

/** Decides, and applies the decision to what calls share: the retry budget, the target's pause and the incident memory. */
function decideAbout(run: LiveCall, { fault: seen, state, at: now, isOwnAttempt, isNews }: ToDecide): Decided {
  const { binding, engine, request, record } = run;
  const { target, retryBudget, changes } = binding;
  record.fingerprint = binding.fingerprint(seen);
  if (state.decision?.recourse !== "retry") record.incidentsBefore = engine.incidents.noted;
  const breaker = target.breaker.state;
  const { situation, policy } = situationOf(run, seen, state, now, isNews);
  const decision = decide(situation, policy);
  if (decision.recourse === "retry" && isNews) retryBudget.spend(now);
  const until = seen.resetAt ?? (seen.retryAfterMs === undefined ? 0 : now + seen.retryAfterMs);
  // A guard's refusal does not hold other calls back.
  if (isOwnAttempt && until > target.pausedUntil && until > now && traitsOf(seen.code).lifts) {
    target.pause(until, shareable(run, seen));
    record.attach({ type: "target-paused", target: target.id, until, call: run.call });
  }
  const isFinal = decision.recourse === "fail" || decision.recourse === "surface";
  const reported = isFinal ? withFirstReturn(seen, situation.chain, now) : seen;
  const saw = request.recorder.isSession ? { saw: seenSituation(situation, changes, policy, reported) } : {};
  return { fault: reported, decision, breaker, ...saw };
}

/** Decides without an attempt: a guard refused, the input is wrong, or a person said no. */
export async function redecide(run: LiveCall, seen: Fault): Promise<void> {
  const { record, call, binding, engine } = run;
  const { id } = binding.tool;
  const reported = withContext(seen, { tool: id });
  const now = engine.clock.now();
  const { state } = record;
  const decided = decideAbout(run, { fault: reported, state, at: now, isOwnAttempt: false, isNews: true });
  reportToBreaker(run, "neutral", now);
  await record.write({ type: "call-decided", call, tool: id, ...decided }, keepsOfPartial(run, decided.decision));
}

/** Counts another call's attempt as a retry of this call, and decides about its fault. */
export async function endShared(run: LiveCall, { fault: seen, call: by }: Shown): Promise<void> {
  const { record, call, binding, engine } = run;
  const { id } = binding.tool;
  const now = engine.clock.now();
  const attempt = record.state.attempt + 1;
  // The work of this call did not run again, whatever happened in the other call.
  const reported = withContext(seen, { tool: id, attempt, ran: false, shownBy: by });
  const noteEnd = noteFailed(run, now);
  const state = { ...record.state, attempt, refusals: 0 };
  const decided = decideAbout(run, { fault: reported, state, at: now, isOwnAttempt: false, isNews: false });
  noteEnd(decided.decision);
  if (decided.decision.recourse !== "retry") reportToBreaker(run, "failure", now, reported);
  await record.write(
    { type: "call-decided", call, tool: id, ...decided, attempt },
    keepsOfPartial(run, decided.decision),
  );
}

/** Reports the result to the breaker, once. */
export function reportToBreaker(run: LiveCall, result: CallResult, now: number, seen: Fault | null = null): void {
  if (run.ticket === null) return;
  const { target } = run.binding;
  const from = target.breaker.state;
  target.record(run.ticket, result, now);
  const to: BreakerState = target.breaker.state;
  if (to === "open" && from !== to && seen !== null)
    target.replace(withCause(target.breaker, causeOf(shareable(run, seen), run.request.recorder.redactor)));
  run.ticket = null;
  // Another call may probe now.
  if (from === "half-open" && result === "neutral") target.outage.wakeAll();
  noteBreaker(run, from);
}

/** What other calls and the journal may see of a fault that pauses a target or opens its breaker. */
function shareable({ request }: LiveCall, seen: Fault): Fault {
  return request.shareable?.(seen) ?? seen;
}

const MAX_CAUSE = 200;

/** The cause that calls refused by the open breaker see, and that the journal keeps. */
function causeOf({ code, message }: Fault, redactor: Redactor): BreakerCause {
  const scrubbed = redactor.text(message);
  return { code, message: scrubbed.length > MAX_CAUSE ? `${scrubbed.slice(0, MAX_CAUSE)}…` : scrubbed };
}

/** Writes a failed attempt's raw error and artefacts as files beside the journal and returns their events. A file that cannot be written is reported and left out. */
async function keepArtefacts(run: LiveCall, attempt: Attempt): Promise<readonly HostEvent[]> {
  const { engine, request, call } = run;
  const { session, isSession } = request.recorder;
  const { files } = engine.journal;
  if (!isSession || files === null) return [];
  const artefacts = [...attempt.artefacts];
  if (attempt.end === "error")
    artefacts.push({ name: `attempt-${attempt.attempt}.error.txt`, content: nodeUtil().inspect(attempt.result) });
  const events: HostEvent[] = [];
  const { redactor } = request.recorder;
  for (const { name: given, content } of artefacts) {
    // Events and the disk show the names.
    const name = redactor.text(given);
    try {
      const kept = await keepArtefact(files.artefacts, { session, call, name, content }, { redactor });
      events.push({ type: "artefact-kept", call, name, ...kept });
    } catch (error) {
      const seen = classify({ surface: "store", error, observedAt: engine.clock.now() });
      engine.suppress(seen, `the call continues without its artefact ${name}`);
    }
  }
  return events;
}

/** Ends an attempt that did not answer its hedged call: books its cost and reports its result to its breaker. */
export async function endLost(run: LiveCall, attempt: Attempt): Promise<void> {
  const { engine, call, binding, record } = run;
  const cost = book(run, attempt);
  const now = engine.clock.now();
  const durationMs = now - attempt.startedAt;
  attempt.isLost = true;
  const seen = attempt.end === "cancel" ? null : faultOf(run, attempt);
  if (seen !== null) noteAttempt(run, attempt, { attempt: attempt.attempt, durationMs, cost, at: now });
  reportToBreaker(run, seen !== null && traitsOf(seen.code).tripsBreaker ? "failure" : "neutral", now, seen);
  const about = { call, tool: binding.tool.id, attempt: attempt.attempt, ok: false, fault: seen };
  await record.write({ type: "call-late", ...about, durationMs, cost, booked: null }, NO_KEEPS, now);
}

/** Reports the last failure to the breaker when the retry that was decided is not sent, because another attempt of the call has won. */
export function endWithoutRetry(run: LiveCall): void {
  const { fault: about, decision } = run.record.state;
  const seen = about ?? NO_FAULT;
  // After any other decision, another target is in charge, and that one has not failed.
  const isFailure = decision?.recourse === "retry" && traitsOf(seen.code).tripsBreaker;
  reportToBreaker(run, isFailure ? "failure" : "neutral", run.engine.clock.now(), seen);
}

/** Records what a tool answered after its attempt was given up. It is never returned. */
export function recordLate(run: LiveCall, attempt: Attempt, ok: boolean, result: unknown): void {
  if (!attempt.isBooked) return;
  const { engine, request, call } = run;
  const { binding, tool } = attempt;
  const now = engine.clock.now();
  const { booked, costMicrocents } = attempt;
  const isNews =
    costMicrocents !== null && (booked?.basis !== attempt.costBasis || booked.microcents !== costMicrocents);
  // `endLost` has recorded it.
  if (attempt.isLost && !isNews) return;
  const cost = isNews ? costOf(true, costMicrocents, null, attempt.costBasis) : null;
  request.budget.rebook(booked, cost);
  const event = binding.counted({
    type: "call-late",
    call,
    tool,
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
