// Failures that executors elsewhere report, perhaps in another language. The work runs there; the decisions are made here, with
// the same breakers, budgets, memory and policy as for calls of this process. Holds these:
// X1  A decision is on disk before the executor learns of it, and so is a breaker that it has opened.
// X2  An attempt is decided about once: a repeated report gets the decision that is on record.
// X3  Any process on the journal can take the next report about a call: what is in memory here is also in the journal.
// X4  Sessions that a process runs itself cannot be written to by a report.

import { defined } from "../../core/defined.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, FaultError, withContext } from "../../core/fault/fault.ts";
import type { CallState } from "../../core/flow/call.ts";
import { microcentsOf, type Cost } from "../../core/flow/money.ts";
import { KeyedMutex } from "../../host/keyed-mutex.ts";
import type { SessionSummary } from "../../journal/journal.ts";
import { ENDED } from "../../journal/encode.ts";
import { checkOptions } from "../../options/check-options.ts";
import { askPerson } from "../call/ask.ts";
import { keptCallKey, NO_FAULT, recordInBackground } from "../call/live-call.ts";
import { endAsCancelled, fail, redecide, succeed } from "../call/settle.ts";
import type { Engine } from "../engine.ts";
import type { SessionCore } from "../session/session-core.ts";
import type { Binding } from "../tool/binding.ts";
import { type AnyTool, tool as declare } from "../tool/tool.ts";
import {
  type MayCall,
  FAILURE_REPORT,
  failureId,
  type FailureReport,
  PLANNED_CALL,
  type PlannedCall,
  readFailureId,
  type ReportedEnd,
  REPORTED_OUTCOME,
  type ReportedFailure,
  type ReportedOutcome,
  SUCCESS_REPORT,
  type SuccessReport,
} from "./failure-report.ts";
import { ReportedCall } from "./reported-call.ts";

export interface ReportsDeps {
  readonly engine: Engine;
  /** Opens a session of reported calls; null when this process or another runs the session itself. */
  readonly open: (session: string, isNew: boolean) => Promise<SessionCore | null>;
  readonly bind: (tool: AnyTool) => Binding;
  /** This target was used, or the journal has it. */
  readonly knows: (target: string) => boolean;
  /** Resolves when the breakers are in the journal as they are now. */
  readonly breakersKept: () => Promise<void>;
}

interface OpenSession {
  readonly core: SessionCore;
  readonly calls: Map<string, ReportedCall>;
}

/** Sessions held in memory; the journal has the others. */
const MAX_OPEN = 2_000;
const MAX_TOOLS = 1_000;
/** Sessions looked through at a time. */
const PAGE = 500;
/** How often a report starts over because another process wrote to its session first. */
const MAX_TRIES = 5;

export class Reports {
  readonly #deps: ReportsDeps;
  readonly #open = new Map<string, OpenSession>();
  readonly #tools = new Map<string, AnyTool>();
  readonly #mutex = new KeyedMutex();

  constructor(deps: ReportsDeps) {
    this.#deps = deps;
  }

  /** Decides about a failed attempt. */
  report(given: FailureReport): Promise<ReportedFailure> {
    const report = checkOptions("report", given, FAILURE_REPORT);
    const { chance } = this.#deps.engine;
    const known = report.failure === undefined ? null : idOf(report.failure);
    const session = known?.session ?? report.session ?? chance.newId("rep");
    const call = known?.call ?? report.call;
    // A session of its own begins and ends with its call.
    const isNew = known === null && report.session === undefined;
    return this.#in(session, isNew, (open) => this.#report(open, call ?? nextCall(open), report, known !== null));
  }

  async #report(open: OpenSession, call: string, report: FailureReport, isKnown: boolean): Promise<ReportedFailure> {
    const { core } = open;
    const state = core.state.calls.get(call);
    if (state === undefined && isKnown) throw new FaultError(noFailure(failureId(core.state.session, call)));
    if (state !== undefined) {
      const refused = refusalOf(state, report);
      if (refused !== null) throw new FaultError(refused);
      if (isRepeated(state, report)) return this.#shown(core, state, true, open.calls.get(call));
    }
    const run = this.#callOf(open, call, report);
    const { target } = run.binding;
    const { state: from } = target.breaker;
    await this.#fail(core, run, report);
    if (target.breaker.state !== from) await this.#deps.breakersKept();
    return this.#settled(open, run);
  }

  async #fail({ clock }: SessionCore, run: ReportedCall, report: FailureReport): Promise<void> {
    const { record, call, binding } = run;
    const { durationMs = 0, hasPartial, committed, costUsd } = report;
    const at = clock.now();
    binding.target.recent.note(false, report.durationMs ?? null);
    binding.target.noteHeaders(report.evidence?.headers, at);
    if (!record.begun) record.begin(call);
    const { attempt: before } = record.state;
    const attempt = Math.max(report.attempt ?? before + 1, 1);
    if (before === 0) binding.retryBudget.earn(at);
    run.ticket ??= binding.target.admitBegun(at - durationMs, at);
    run.committed = committed ?? false;
    record.partialValue = hasPartial === true ? { value: null, errors: [] } : null;
    record.note({ type: "call-admitted", call, tool: binding.tool.id, attempt }, at - durationMs);
    const cost = costOfReport(costUsd);
    run.request.budget.settle(null, cost);
    await fail(run, seenIn(binding, report, at), { attempt, durationMs, cost, at }, null);
  }

  /** Carries out what needs no executor: puts the question, or decides again once a person has answered. */
  async #settled(open: OpenSession, run: ReportedCall): Promise<ReportedFailure> {
    const { core } = open;
    for (;;) {
      const { state } = run.record;
      const { step } = state;
      if (step.at === "decide") await redecide(run, state.fault ?? NO_FAULT);
      else if (step.at !== "ask" || (await askPerson(run, state)) !== null) break;
    }
    const { state } = run.record;
    if (state.step.at === "end") this.#callEnded(open, run.call);
    return this.#shown(core, state, false, run);
  }

  /** Whether a call elsewhere may begin now, and with which tool. Writes nothing and takes no probe. */
  ask(given: PlannedCall): MayCall {
    const { alternatives = [], ...asked } = checkOptions("mayCall", given, PLANNED_CALL);
    const now = this.#deps.engine.clock.now();
    const tools = [asked, ...alternatives.map((tool) => ({ tool }))].map((call) => this.#standing(call, now));
    const soonest = (one: MayCall, other: MayCall): number => (one.nextAt ?? Infinity) - (other.nextAt ?? Infinity);
    // The first one of those that may begin at the same time: sorting keeps their order.
    return tools.toSorted(soonest)[0] ?? this.#standing(asked, now);
  }

  #standing(call: PlannedCall, now: number): MayCall {
    const tool = this.#toolOf(call);
    // A question about an unused target does not create that target.
    if (!this.#deps.knows(tool.target)) return { action: "attempt", tool: call.tool, nextAt: now, breaker: "closed" };
    const { target } = this.#deps.bind(tool);
    const admittedAt = target.retryAt(now);
    const nextAt = admittedAt === null ? null : Math.max(admittedAt, target.pausedUntil, now);
    const action = nextAt === null ? "stop" : nextAt > now ? "wait" : "attempt";
    return { action, tool: call.tool, nextAt, breaker: target.breaker.state };
  }

  /** A call elsewhere worked at once: it counts for the breaker and the retry budget. */
  async succeeded(given: SuccessReport): Promise<MayCall> {
    const { durationMs, ...call } = checkOptions("reportSuccess", given, SUCCESS_REPORT);
    const at = this.#deps.engine.clock.now();
    const { target, retryBudget } = this.#deps.bind(this.#toolOf(call));
    const { state: from } = target.breaker;
    retryBudget.earn(at);
    target.recent.note(true, durationMs ?? null);
    const ticket = target.admit(at);
    if (ticket !== null) target.record(ticket, "success", at);
    if (target.breaker.state !== from) await this.#deps.breakersKept();
    return this.#standing(call, at);
  }

  /** Ends a session of reported calls; calls that are open are cancelled. One that is over stays as it is. */
  async endSession(session: string, status: ReportedEnd): Promise<void> {
    await this.#in(session, false, async (open) => {
      const { core } = open;
      if (ENDED.includes(core.state.status)) return;
      await this.#giveUp(open, "the executor ended its session");
      // The session of a single call has ended with it.
      if (core.recorder.closedAs !== null) return;
      await core.recorder.record([{ type: "session-ended", status, fault: null }], [], core.clock.now());
      core.recorder.close(status);
    });
  }

  /** What the executor made of it. */
  outcome(id: string, given: ReportedOutcome): Promise<ReportedFailure> {
    const outcome = checkOptions("reportOutcome", given, REPORTED_OUTCOME);
    const { session, call } = idOf(id);
    return this.#in(session, false, async (open) => {
      const { core } = open;
      const state = core.state.calls.get(call);
      if (state === undefined) throw new FaultError(noFailure(id));
      if (state.step.at === "end") return this.#shown(core, state, true);
      const run = open.calls.get(call) ?? this.#callOf(open, call, { tool: state.tool });
      await this.#end(run, state, outcome);
      this.#callEnded(open, call);
      return this.#shown(core, run.record.state, false, run);
    });
  }

  async #end(run: ReportedCall, state: CallState, outcome: ReportedOutcome): Promise<void> {
    const { record, call, binding, engine } = run;
    const { status, durationMs = 0, costUsd, output = null, reason = "the executor stopped trying" } = outcome;
    const at = engine.clock.now();
    const cost = costOfReport(costUsd);
    run.request.budget.settle(null, cost);
    if (status === "cancelled") {
      await endAsCancelled(run, fault("ToolCancelled", { message: reason, context: { tool: state.tool } }), cost);
      return;
    }
    run.ticket ??= binding.target.admitBegun(at, at);
    binding.target.recent.note(true, outcome.durationMs ?? null);
    const attempt = outcome.attempt ?? state.attempt + 1;
    record.note({ type: "call-admitted", call, tool: binding.tool.id, attempt }, at - durationMs);
    await succeed(run, { value: output, errors: [] }, { attempt, durationMs, cost, at }, null);
  }

  /** A call as it stands; null if there is no call with that id. */
  async show(id: string): Promise<ReportedFailure | null> {
    const found = readFailureId(id);
    if (found === null) return null;
    return this.#in(found.session, false, async (open) => {
      const state = open.core.state.calls.get(found.call);
      if (state === undefined) return null;
      const isAsked = state.step.at === "ask" || state.step.at === "decide";
      if (!isAsked) return this.#shown(open.core, state, true);
      return this.#settled(open, open.calls.get(found.call) ?? this.#callOf(open, found.call, { tool: state.tool }));
    });
  }

  /**
   * Ends calls whose executor has not been heard of since `before`, so that their sessions can be pruned. Only sessions of one call:
   * one that a client named may get its next call at any time. Returns how many.
   */
  async endSilent(before: number): Promise<number> {
    const { journal } = this.#deps.engine;
    let ended = 0;
    for (let after: SessionSummary | undefined; ;) {
      const page = await journal.sessions({ status: "open", limit: PAGE, ...defined({ after }) });
      for (const { session, updatedAt } of page) {
        if (!session.startsWith(OWN_SESSION) || updatedAt >= before) continue;
        await this.#in(session, false, (open) => this.#giveUp(open, "the executor was not heard of any more"));
        ended++;
      }
      after = page.at(-1);
      if (page.length < PAGE) return ended;
    }
  }

  async #giveUp(open: OpenSession, reason: string): Promise<void> {
    for (const state of [...open.core.state.calls.values()]) {
      if (state.step.at === "end") continue;
      const run = open.calls.get(state.call) ?? this.#callOf(open, state.call, { tool: state.tool });
      await this.#end(run, state, { status: "cancelled", reason });
      this.#callEnded(open, state.call);
    }
  }

  /** Works on a session, one at a time. Starts over when another process wrote to it first. */
  async #in<T>(session: string, isNew: boolean, work: (open: OpenSession) => Promise<T>): Promise<T> {
    return this.#mutex.run(session, async () => {
      for (let tries = 1; ; tries++) {
        const open = await this.#sessionOf(session, isNew);
        try {
          return await work(open);
        } catch (error) {
          const { deadFault } = open.core.recorder;
          // A store that fails was tried often enough. Anything else means that another process wrote first.
          if (deadFault === null || traitsOf(deadFault.code).retryable || tries >= MAX_TRIES) throw error;
        } finally {
          const { closedAs, deadFault } = open.core.recorder;
          if (closedAs !== null || deadFault !== null) this.#open.delete(session);
        }
      }
    });
  }

  async #sessionOf(session: string, isNew: boolean): Promise<OpenSession> {
    const known = this.#open.get(session);
    if (known !== undefined) return known;
    const core = await this.#deps.open(session, isNew);
    if (core === null) throw new FaultError(notReported(session));
    const opened = { core, calls: new Map<string, ReportedCall>() };
    this.#open.set(session, opened);
    if (this.#open.size > MAX_OPEN)
      for (const oldest of this.#open.keys()) {
        this.#open.delete(oldest);
        break;
      }
    return opened;
  }

  #callOf({ core, calls }: OpenSession, call: string, report: FailureReport): ReportedCall {
    const binding = core.bind(this.#toolOf(report));
    const known = calls.get(call);
    if (known !== undefined) {
      if (known.binding.tool.id !== binding.tool.id) known.ticket = null;
      known.binding = binding;
      return known;
    }
    const made = new ReportedCall(core, call, binding, report);
    calls.set(call, made);
    return made;
  }

  /** The tool as it is registered here, with what the report says about it. The same report gives the same tool. */
  #toolOf(report: FailureReport): AnyTool {
    const { tool: id, idempotent, alternatives, target, provider, surface, retry } = report;
    const registered = this.#deps.engine.find(id);
    const says = [idempotent, alternatives, target, provider, surface, retry];
    if (registered !== undefined && says.every((said) => said === undefined)) return registered;
    const key = JSON.stringify([id, ...says]);
    const known = this.#tools.get(key);
    if (known !== undefined) return known;
    const named = { id, run: runsElsewhere };
    const plain = declare({
      ...named,
      ...defined({ idempotent, target, provider, surface, retry }),
      ...defined({ alternatives: alternatives?.map((other) => this.#toolOf({ tool: other, ...sharedBy(report) })) }),
    }) as AnyTool;
    const made = registered === undefined ? plain : withReport(registered, plain, report);
    if (this.#tools.size >= MAX_TOOLS) this.#tools.clear();
    this.#tools.set(key, made);
    return made;
  }

  /** The session that was made for one call ends with it. */
  #callEnded(open: OpenSession, call: string): void {
    const { core, calls } = open;
    calls.delete(call);
    const { session } = core.state;
    if (!session.startsWith(OWN_SESSION) || ENDED.includes(core.state.status)) return;
    const end = core.state.calls.get(call)?.step;
    const status = end?.at === "end" && end.end.status !== "failed" ? "done" : "failed";
    const written = core.recorder.record([{ type: "session-ended", status, fault: null }], [], core.clock.now());
    core.recorder.close(status);
    recordInBackground(core.engine, written);
  }

  /** `run`: the call as this process has it; another process may have begun it. */
  async #shown(core: SessionCore, state: CallState, repeated: boolean, run?: ReportedCall): Promise<ReportedFailure> {
    const { call, tool, attempt, fault: seen, decision, step } = state;
    if (seen === null || decision === null) throw new FaultError(NO_FAULT);
    const { session } = core.state;
    const replaced = state.inputReplaced ? await core.engine.store.kept("input", keptCallKey(session, call)) : null;
    return {
      id: failureId(session, call),
      session,
      call,
      tool,
      attempt,
      fault: seen,
      decision,
      breaker: (run?.binding ?? core.bind(this.#toolOf({ tool }))).target.breaker.state,
      nextAt: step.at === "admit" ? step.notBefore : step.at === "park" ? step.wakeAt : null,
      question: step.at === "ask" ? step.question : null,
      end: step.at === "end" ? step.end : null,
      ...(isKeptValue(replaced) ? { input: replaced.value } : {}),
      repeated,
    };
  }
}

function isKeptValue(kept: unknown): kept is { readonly value: unknown } {
  return typeof kept === "object" && kept !== null && "value" in kept;
}

const OWN_SESSION = "rep_";

function runsElsewhere(): never {
  throw new Error("this tool runs in another process");
}

/** What an alternative has in common with the tool it replaces. */
function sharedBy({ idempotent, surface }: FailureReport): Omit<FailureReport, "tool"> {
  return defined({ idempotent, surface });
}

/** What the report says replaces what is registered; everything else stays. */
function withReport(registered: AnyTool, plain: AnyTool, report: FailureReport): AnyTool {
  const { idempotent, alternatives, target, provider, surface, retry } = report;
  return Object.freeze<AnyTool>({
    ...registered,
    ...defined({ idempotent, target, provider, surface }),
    ...(alternatives === undefined ? {} : { alternatives: plain.alternatives }),
    ...(retry === undefined ? {} : { retry: plain.retry }),
  });
}

/** The fault of a report: as the executor names it, else as the evidence says. */
function seenIn(binding: Binding, { evidence = {}, code, ran }: FailureReport, now: number): Fault {
  const seen = binding.classifySeen(evidence, now);
  const { message, context, retryAfterMs, resetAt } = seen;
  const named =
    code === undefined
      ? seen
      : fault(code, { message, context, retryAfterMs, resetAt, evidence: { ...seen.evidence, rule: "executor" } });
  return ran === undefined ? named : withContext(named, { ran });
}

function costOfReport(usd: number | undefined): Cost | null {
  return usd === undefined ? null : { microcents: microcentsOf(usd), basis: "reported" };
}

function nextCall({ core }: OpenSession): string {
  let number = core.state.calls.size + 1;
  while (core.state.calls.has(`c${number}`)) number++;
  return `c${number}`;
}

/** A call moves on from a tool only by a decision, so a report about an earlier tool was already decided. */
function isRepeated({ attempt, tool, tried, decision }: CallState, report: FailureReport): boolean {
  if (decision === null || report.attempt === undefined) return false;
  return report.tool === tool ? report.attempt <= attempt : tried.includes(report.tool);
}

/** Why a report does not fit its call; null when it does, and for one that repeats an earlier one. */
function refusalOf(state: CallState, report: FailureReport): Fault | null {
  const { call, tool, tried, step } = state;
  if (step.at === "end") {
    if (isRepeated(state, report)) return null;
    const message = `call ${call} is over (${step.end.status}); report the next failure without its id`;
    return fault("EngineState", { message, context: { call } });
  }
  if (report.tool === tool || (report.attempt !== undefined && tried.includes(report.tool))) return null;
  const message = `call ${call} is now at tool ${tool}, and the report is about ${report.tool}; report what ${tool} did, or begin another call`;
  return fault("EngineState", { message, context: { call, tool, expected: tool } });
}

function idOf(id: string): { readonly session: string; readonly call: string } {
  const read = readFailureId(id);
  if (read === null) throw new FaultError(noFailure(id));
  return read;
}

function noFailure(id: string): Fault {
  return fault("NotFound", {
    message: `there is no failure ${JSON.stringify(id.slice(0, 100))}; use the id that the report was answered with`,
    context: { field: "failure" },
  });
}

function notReported(session: string): Fault {
  return fault("EngineState", {
    message: `session ${session} is run by a program itself; give reported calls a session name of their own`,
    context: { session },
  });
}
