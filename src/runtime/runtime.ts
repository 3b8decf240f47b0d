// The runtime: the one object that a program creates at its start. All its calls and sessions share what is in it. Each door does its
// work elsewhere: calls in call/, sessions in session/, reported failures in report/, questions in person/.

import { Moment, NEVER } from "../host/clock.ts";
import { lazyPart } from "../host/lazy-part.ts";
import type { Fault } from "../core/fault/fault.ts";
import type { Redactor } from "../core/fault/redact.ts";
import type { Answer, Question } from "../core/flow/interaction.ts";
import { budgetRule, type Spending } from "../core/flow/money.ts";
import { withRows } from "../core/policy/layer.ts";
import type { Policy } from "../core/policy/policy.ts";
import type { PresetName } from "../core/policy/presets.ts";
import { classify } from "../core/classify/classify.ts";
import type { Entry, JournalEvent } from "../core/record/event.ts";
import { metricsOf, type ToolMetrics } from "../core/record/metrics.ts";
import { audited, BY_PROGRAM, type Deed } from "../journal/audit.ts";
import type { Journal } from "../journal/journal.ts";
import { Budget, type Purse } from "./budget.ts";
import { Calls, type SharedCallOptions } from "./call/calls.ts";
import { CallRun } from "./call/loop.ts";
import { type Contributions, createEngine, createSuppress, type LiveEngine } from "./create-engine.ts";
import type { ExtendedRuntime } from "./extension/contributions.ts";
import { type Interactor, createInteractors, type Interactors } from "./person/interactors.ts";
import { postAnswer } from "./person/post-answer.ts";
import { listQuestions, type QuestionsFilter } from "../journal/open-questions.ts";
import { OpenSessions } from "./session/open-sessions.ts";
import type {
  MayCall,
  FailureReport,
  PlannedCall,
  ReportedEnd,
  ReportedFailure,
  ReportedOutcome,
  SuccessReport,
} from "./report/failure-report.ts";
import type { Reports } from "./report/reports.ts";
import type { SessionState } from "../core/record/replay.ts";
import { SESSION_OPTIONS, type SessionOptions, type SessionWrites } from "./session/session-options.ts";
import type { TriedDecisions, TriedFailure } from "./report/try-out.ts";
import {
  anyNumber,
  anything,
  callable,
  checkOptions,
  flag,
  invalidOption,
  over,
  shape,
  signal as signalKind,
} from "../options/check-options.ts";
import { policyOf, type ResolvedOptions, resolveOptions, RUNTIME_OPTIONS, type RuntimeOptions } from "./options.ts";
import { failedOutcome, handedOut, type Outcome } from "./call/outcome.ts";
import { ObservedRecorder, type Recorder, RingRecorder } from "./recorder.ts";
import { type Scope, scopeOfSignal } from "./scope.ts";
import type { Session } from "./session/session.ts";
import type { TargetSettings } from "./target/target.ts";
import { reportTargets, type TargetReport } from "./target/report-targets.ts";
import type { Targets } from "./target/targets.ts";
import { type AnyTool, type Chain, headOf, type Tool } from "./tool/tool.ts";

const extensions = lazyPart(() => import("./extension/contributions.ts"));
const reports = lazyPart(() => import("./report/reports.ts"));
const sessions = lazyPart(() => import("./session/open-session.ts"));
const tryingOut = lazyPart(() => import("./report/try-out.ts"));

/** Options of one protected call. */
export interface ProtectOptions<Output = unknown> extends SharedCallOptions<Output> {
  /** All attempts and waits together. No limit when left out. */
  readonly deadlineMs?: number;
}

export function createRuntime(options: RuntimeOptions = {}): Runtime {
  return new Runtime(resolveOptions(checkOptions("createRuntime", options, RUNTIME_OPTIONS)));
}

/** The client of a call outside sessions, for a door such as the gateway: it pays for the call, observes it and may cancel it. */
export interface CallParty {
  readonly purse: Purse;
  /** The call is cancelled with this scope. */
  readonly scope: Scope;
  /** Gets each event of the call. Not called for a call that succeeds at once, whose cost is booked all the same. */
  readonly heard: (event: JournalEvent, at: number) => void;
  /** Makes a fault safe for other calls and the journal, because a target's words may repeat what a client sent. */
  readonly shareable: (seen: Fault) => Fault;
  /** Derives the policy of its calls from the runtime's. It must return the same object for the same policy. */
  readonly policyOf: (own: Policy) => Policy;
}

const PROTECT_OPTIONS = shape<ProtectOptions>({
  signal: signalKind,
  deadlineMs: anyNumber,
  optional: flag,
  default: anything,
});

export class Runtime extends Calls<{ readonly deadlineMs?: number }> {
  readonly #options: ResolvedOptions;
  readonly #ring: RingRecorder;
  /** Reports an error that is ignored on purpose. */
  protected readonly suppress: LiveEngine["suppress"];
  readonly #interactors: Interactors;
  readonly #budget: Budget;
  /** null until extensions have started and the journal's memory is read. */
  #engine: LiveEngine | null = null;
  #starting: Promise<LiveEngine> | null = null;
  readonly #sessions = new OpenSessions();
  #extended: ExtendedRuntime | null = null;
  #reports: Reports | null = null;
  /** Set by `usePolicy`; null for the policy that the runtime was created with. */
  #policy: Policy | null = null;

  constructor(options: ResolvedOptions) {
    super();
    this.#options = options;
    this.#ring = new RingRecorder(options.maxRecent, options.redactor);
    this.suppress = createSuppress(this.#ring, options);
    this.#interactors = createInteractors({ clock: options.clock, suppress: this.suppress });
    this.#budget = new Budget(options.budget);
    for (const interactor of options.interactors) this.#interactors.attach(interactor);
    if (options.extensions.length === 0 && !options.journal.durable) this.#engine = this.#build(this.#own());
  }

  /** Masks the secrets this runtime knows. */
  protected get redactor(): Redactor {
    return this.#options.redactor;
  }

  get journal(): Journal {
    return this.#options.journal;
  }

  /** What calls outside sessions have cost. */
  get spending(): Spending {
    return this.#budget.spending;
  }

  protected perform(tool: AnyTool, input: unknown, options: ProtectOptions = NO_OPTIONS): Promise<Outcome<unknown>> {
    return this.#call(tool, input, options, null);
  }

  protected refuse(why: Fault): Outcome<unknown> {
    const { chance, redactor } = this.#options;
    return handedOut(failedOutcome(chance.newId("call"), why), undefined, redactor);
  }

  /**
   * Like `protect`, for a door whose clients each have a budget and a record of their own.
   *
   * @internal
   */
  protectFor<Accepts, Output>(
    party: CallParty,
    given: Tool<Accepts, Output> | Chain<Accepts, Output>,
    input: Accepts,
  ): Promise<Outcome<Output>> {
    return this.#call(headOf(given), input, NO_OPTIONS, party) as Promise<Outcome<Output>>;
  }

  #call(tool: AnyTool, input: unknown, options: ProtectOptions, party: CallParty | null): Promise<Outcome<unknown>> {
    const engine = this.#engine;
    return engine === null
      ? this.#protectLater(tool, input, options, party)
      : this.#protect(engine, tool, input, options, party);
  }

  #protect(
    engine: LiveEngine,
    tool: AnyTool,
    input: unknown,
    options: ProtectOptions,
    party: CallParty | null,
  ): Promise<Outcome<unknown>> {
    let binding;
    let scope;
    try {
      if (options !== NO_OPTIONS) checkOptions("protect", options, PROTECT_OPTIONS);
      const own = this.#bindings(engine);
      binding = (party === null ? own : engine.bindingsFor(party.policyOf(own.policy))).bind(tool);
      scope = options.signal === undefined ? (party?.scope ?? null) : scopeOfSignal(options.signal);
    } catch (error) {
      const seen = classify({ surface: "node", error });
      return Promise.resolve(handedOut(failedOutcome(engine.newCall(), seen), error, this.#options.redactor));
    }
    const { deadlineMs } = options;
    const recorder: Recorder = party === null ? this.#ring : new ObservedRecorder(this.#ring, party.heard);
    return new CallRun(engine, {
      binding,
      input,
      call: null,
      turn: "",
      stage: null,
      digest: "",
      recorder,
      budget: party?.purse ?? this.#budget,
      shareable: party?.shareable,
      scope,
      deadline: deadlineMs === undefined ? NEVER : new Moment(engine.clock, engine.clock.now() + deadlineMs),
      deadlineCode: "RunTimeout",
      offers: binding.offers,
      optional: options.optional ?? false,
      mayRepeat: false,
      fallbackValue: options !== NO_OPTIONS && "default" in options ? { value: options.default } : null,
      inSession: null,
      headless: false,
    }).run();
  }

  async #protectLater(
    tool: AnyTool,
    input: unknown,
    options: ProtectOptions,
    party: CallParty | null,
  ): Promise<Outcome<unknown>> {
    try {
      return await this.#protect(await this.#begin(), tool, input, options, party);
    } catch (error) {
      const { chance, clock } = this.#options;
      const seen = classify({ surface: "node", error, observedAt: clock.now() });
      return handedOut(failedOutcome(chance.newId("call"), seen), error, this.#options.redactor);
    }
  }

  /** The tools that can be found by name: the program's own and those of extensions. */
  async tool(id: string): Promise<AnyTool | undefined> {
    const engine = await this.#begin();
    return engine.find(id);
  }

  /** Starts extensions and reads what the journal remembers. The first call or session does this, too. */
  async ready(): Promise<void> {
    await this.#begin();
  }

  #begin(): Promise<LiveEngine> {
    if (this.#engine !== null) return Promise.resolve(this.#engine);
    this.#starting ??= this.#start().catch((error: unknown) => {
      // The cause may be fixed by then, so the next call tries again.
      this.#starting = null;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<LiveEngine> {
    const own = this.#own();
    const engine = this.#build(this.#options.extensions.length === 0 ? own : await this.#extend(own));
    await engine.shared.begin(engine.targets, engine.incidents);
    this.#engine = engine;
    return engine;
  }

  async #extend(own: Contributions): Promise<Contributions> {
    const { collectContributions } = await extensions();
    this.#extended = await collectContributions(this.#options, own, this.#interactors, this.#ring, this.suppress);
    return this.#extended.contributions;
  }

  #own(): Contributions {
    const { tools, rules, policy } = this.#options;
    return { tools, rules, policy, extend: (other) => withRows(other, []) };
  }

  #build(contributions: Contributions): LiveEngine {
    return createEngine(this.#options, contributions, this.#interactors, this.suppress);
  }

  /**
   * From now on new sessions, calls outside sessions and reported failures use this policy; null: the one the runtime was created
   * with. Sessions that are open keep theirs. Breakers, pauses and budgets stay as they are.
   */
  usePolicy(policy: PresetName | Policy | null): void {
    this.#policy = policy === null ? null : policyOf(policy);
  }

  #bindings(engine: LiveEngine): LiveEngine["bindings"] {
    return this.#policy === null ? engine.bindings : engine.bindingsFor(this.#policy);
  }

  /**
   * Begins a durable session, or resumes the one with that name after a crash: what it has done already is not done again.
   * Use a name of your own to find it again, in one process at a time. An ended session cannot be resumed. Rejects if the session has ended,
   * or if a file or an extension that it depends on has changed.
   *
   * @example
   * ```ts
   * import { createFaultline, tool } from "faultline";
   *
   * const fl = createFaultline({ journal: "agent.db" });
   * const book = tool({ id: "book", run: (city: string) => `booked ${city}` });
   * const session = await fl.session("trip-42");
   * console.log(await session.call(book, "Oslo", { id: "hotel" }));
   * await session.end();
   * await fl.close();
   * ```
   */
  async session(id?: string, options: SessionOptions = {}): Promise<Session> {
    checkOptions("session", options, SESSION_OPTIONS);
    const engine = await this.#begin();
    const name = id ?? engine.chance.newId("ses");
    return this.#sessions.get(name, () => this.#open(engine, name, options));
  }

  /**
   * Begins a session with its first entries, all of them or none. Rejects when the name is taken.
   *
   * @internal
   */
  async beginSession(name: string, options: SessionOptions, first: SessionWrites): Promise<Session> {
    const engine = await this.#begin();
    return this.#sessions.begin(name, () => this.#open(engine, name, options, first));
  }

  /**
   * Resumes a session that the caller has folded already. The session continues to fold that state.
   *
   * @internal
   */
  async resumeSession(state: SessionState, options: SessionOptions): Promise<Session> {
    const engine = await this.#begin();
    return this.#sessions.get(state.session, () => this.#open(engine, state.session, options, null, state));
  }

  /**
   * Adds to a session that has ended. `make` sees the session as `read` has folded it, and returns null when there is nothing to add.
   *
   * @internal
   */
  async amendSession(
    read: () => Promise<SessionState>,
    make: (state: SessionState) => SessionWrites | null,
  ): Promise<void> {
    const engine = await this.#begin();
    const { rescueFolders } = this.#options;
    const { amendSession } = await sessions();
    await amendSession(engine, { bindings: engine.bindings, secrets: [], rescueFolders }, read, make);
  }

  async #open(
    engine: LiveEngine,
    name: string,
    given: SessionOptions,
    first: SessionWrites | null = null,
    known: SessionState | null = null,
  ): Promise<Session> {
    const { openSession } = await sessions();
    const { mode = "attended", labels = {}, secrets = [] } = given;
    const budget = budgetRule(this.#options.budget, given.budget);
    const limits = over(this.#options.limits, given.limits);
    const { rescueFolders } = this.#options;
    const bindings = given.policy === undefined ? this.#bindings(engine) : engine.bindingsFor(policyOf(given.policy));
    return openSession(engine, name, { mode, labels, budget, limits, bindings, secrets, rescueFolders }, first, known);
  }

  /**
   * Decides about a failure of work that runs elsewhere, in another process or another language, with the breakers, budgets, memory
   * and policy of this runtime. The decision is in the journal before it is returned; carrying it out is up to the caller.
   */
  async report(failure: FailureReport): Promise<ReportedFailure> {
    return (await this.#reporting()).report(failure);
  }

  /** What would be decided about a failure, attempt by attempt. Writes nothing; breakers and budgets do not count it. */
  async tryOut(failure: TriedFailure): Promise<TriedDecisions> {
    const engine = await this.#begin();
    const { tryOut } = await tryingOut();
    return tryOut(engine, failure);
  }

  /** The policy of this runtime, with the rows that extensions bring. */
  async policyInForce(): Promise<Policy> {
    return (await this.#begin()).bindings.policy;
  }

  /** Records how a reported call ended. */
  async reportOutcome(id: string, outcome: ReportedOutcome): Promise<ReportedFailure> {
    return (await this.#reporting()).outcome(id, outcome);
  }

  /** A reported call as it stands, with a person's answer taken into account; null if there is no call with that id. */
  async reported(id: string): Promise<ReportedFailure | null> {
    return (await this.#reporting()).show(id);
  }

  /** Whether a call that runs elsewhere may begin now, and with which tool. Nothing is written. */
  async mayCall(call: PlannedCall): Promise<MayCall> {
    return (await this.#reporting()).ask(call);
  }

  /** Reports a call elsewhere that succeeded at once, for its breaker and its retry budget. Returns whether the next call may begin. */
  async reportSuccess(call: SuccessReport): Promise<MayCall> {
    return (await this.#reporting()).succeeded(call);
  }

  /** Ends a session of reported calls. */
  async endReports(session: string, status: ReportedEnd = "done"): Promise<void> {
    await (await this.#reporting()).endSession(session, status);
  }

  /**
   * Ends reported calls whose executor was silent for this long; returns how many.
   *
   * @internal
   */
  async endSilentReports(idleMs: number): Promise<number> {
    return (await this.#reporting()).endSilent(this.#options.clock.now() - idleMs);
  }

  async #reporting(): Promise<Reports> {
    if (this.#reports !== null) return this.#reports;
    const engine = await this.#begin();
    const [{ Reports }, { openReported, REPORTED, REPORTED_CALLS }] = await Promise.all([reports(), sessions()]);
    const { budget, limits, rescueFolders } = this.#options;
    const labels = { [REPORTED]: REPORTED_CALLS };
    const settings = { mode: "headless", labels, budget, limits, secrets: [], rescueFolders } as const;
    this.#reports ??= new Reports({
      engine,
      bind: (tool) => this.#bindings(engine).bind(tool),
      knows: (target) => engine.targets.knows(target),
      breakersKept: () => engine.shared.flush(),
      open: (name, isNew) => openReported(engine, name, { ...settings, bindings: this.#bindings(engine) }, isNew),
    });
    return this.#reports;
  }

  /** Questions that wait for an answer, the oldest first: all of them, those of one session, or the page after another one. */
  async questions(filter: QuestionsFilter = {}): Promise<readonly Question[]> {
    return listQuestions(this.journal, filter);
  }

  /** Answers a question of a waiting session, which continues when it is resumed. The first answer wins: false for a later one. */
  async answer(questionId: string, answer: Answer, by = "program"): Promise<boolean> {
    const { journal, clock } = this.#options;
    const wake = (): void => this.#engine?.openQuestions.get(questionId)?.();
    return postAnswer({ journal, clock, wake }, questionId, answer, by);
  }

  attach(interactor: Interactor): () => void {
    return this.#interactors.attach(interactor);
  }

  /** The last events outside sessions and the errors ignored on purpose; scrubbed. A call that succeeds at once appears when it has ended and if it cost something; while there is a listener, every event appears at once. */
  recent(): readonly Entry[] {
    return this.#ring.recent();
  }

  /** Every event from now on: of calls outside sessions at once, of sessions when they are on disk. */
  subscribe(listener: (entry: Entry) => void): () => void {
    if (!callable.fits(listener))
      throw invalidOption("subscribe", "listener", "the listener must be a function, as in subscribe((entry) => …)");
    const safe = this.#ring.guard(listener);
    const outside = this.#ring.subscribe(safe);
    const inside = this.journal.subscribe(safe);
    return () => {
      outside();
      inside();
    };
  }

  /**
   * Per tool and per target of a model, with the names of the tool error handling specification; `(other tools)` for those beyond `maxTargets`.
   * A second target of the same name has its own row: the name, and the target as `targets()` shows it.
   */
  metrics(): Readonly<Record<string, ToolMetrics>> {
    const counters = this.#engine?.counters ?? [];
    return Object.fromEntries(Array.from(counters, ([tool, counted]) => [tool, metricsOf(counted)]));
  }

  /**
   * The targets that were used, and those that the journal knows from other processes. Empty until the runtime has started: see `ready`.
   */
  targets(): readonly TargetReport[] {
    if (this.#engine === null) return [];
    const { targets, counters, clock } = this.#engine;
    return reportTargets(targets, (target) => counters.rowsOf(target), clock.now());
  }

  /** Takes a target out of service until it is released, in all processes of the journal. `by` says who does it, for the record. */
  async isolate(target: string, reason: string, by = BY_PROGRAM): Promise<void> {
    await this.#byHand({ what: "target.isolate", on: target, by, said: reason }, (targets, now, settings) =>
      // People who meet the target see the reason and who gave it.
      targets.isolate(target, by === BY_PROGRAM ? reason : `${reason} (${by})`, now, settings),
    );
  }

  /** Puts a target back into service in all processes of the journal: closes its breaker and ends its pause. */
  async release(target: string, by = BY_PROGRAM): Promise<void> {
    await this.#byHand({ what: "target.release", on: target, by }, (targets, now, settings) =>
      targets.release(target, now, settings),
    );
  }

  /**
   * Lets the next call to a target through as a probe now, instead of when its breaker's open time ends. Enough successful probes close
   * the breaker, a failed one opens it again; so for an isolated target this is a careful release. A closed breaker stays as it is.
   */
  async probe(target: string, by = BY_PROGRAM): Promise<void> {
    await this.#byHand({ what: "target.probe", on: target, by }, (targets, now, settings) =>
      targets.probe(target, now, settings),
    );
  }

  /** Changes a target for a person, and keeps a record of it. Resolves when the change is in the journal. */
  async #byHand(deed: Deed, change: (targets: Targets, now: number, settings: TargetSettings) => void): Promise<void> {
    const engine = await this.#begin();
    const { journal, clock, chance } = engine;
    const auditing = { journal, clock, newId: () => chance.newId("aud") };
    await audited(auditing, deed, async () => {
      change(engine.targets, clock.now(), settingsOf(engine));
      await engine.shared.flush();
    });
  }

  /** Stops extensions, last started first, and closes the journal. */
  async close(): Promise<void> {
    // A start that runs has to finish before it can be undone. If it fails, its own caller gets the error.
    await Promise.allSettled([this.#starting]);
    await this.#extended?.stop();
    this.#engine?.shared.end();
    await this.#engine?.shared.flush();
    await this.journal.close();
  }
}

const NO_OPTIONS: ProtectOptions<never> = Object.freeze({});

function settingsOf({ bindings: { policy } }: LiveEngine): TargetSettings {
  return { rule: policy.breaker, maxConcurrent: Infinity, maxQueued: Infinity, maxPerMinute: Infinity };
}
