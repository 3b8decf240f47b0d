// Advances one run until it is over or has to wait. While it works, it is the only writer of the run: others post their actions to
// the journal, which it reads every half second.
// L1  A node begins only after its `node-started` is on disk.
// L2  Exactly one `run-ended` is written, whatever fails, and a cancellation wins over what ends at the same time.
// L3  A run that only waits leaves memory. What is posted meanwhile is in the journal, so nothing is lost.
// L4  `node-failed` is on disk before sibling visits are aborted, so an aborted sibling is never recorded as the failure.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { MATRIX_OUTCOMES, matrixOutcome, type MatrixOutcome } from "../../core/fault/vocabulary.ts";
import { type NodePlace, placeIn, switchedTo, turnOf, type Visit } from "../../core/flow/visit.ts";
import type { RunEvent, RunLimits } from "../../core/flow/run-event.ts";
import type { TurnEvent } from "../../core/record/event.ts";
import { begunCount, isEnded, keyOf, openVisits, type RunState, visitOf } from "../../core/flow/run-state.ts";
import { copyRun, foldRun, needsOf, type RunNeeds, siblingsOf } from "../../core/flow/run.ts";
import { steadyNow } from "../../host/clock.ts";
import type { Journal } from "../../journal/journal.ts";
import { dropQuestion } from "../../runtime/call/ask.ts";
import { Interruptible } from "../../runtime/scope.ts";
import { runOf } from "./held-run.ts";
import { NodeResults, runVisit, type VisitDeps, type VisitEnd } from "./run-visit.ts";
import { keepOutput, readOutput } from "./summary.ts";
import { tracedStage } from "../../telemetry/run-trace.ts";
import type { Stage, Workflow } from "../../workflow-model/stage.ts";
import { NO_WRITES } from "../../runtime/session/session-options.ts";
import type { SessionWrites } from "../../runtime/session/session.ts";
import { eventsOf, openActions } from "../operator/instructions.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";

interface SliceDeps extends VisitDeps {
  readonly journal: Journal;
  readonly workflow: Workflow;
  /** The limits that the session was opened with. */
  readonly limits: RunLimits;
  /** Writes the files about a failed attempt. Called before the event about the failure is written. */
  readonly keepFiles: (visit: Visit, end: VisitEnd) => Promise<void>;
}

/** The run stays in memory during a wait this short: releasing it and opening it again would cost more. */
const SHORT_WAIT_MS = 5_000;
/** How often it reads the journal for actions that other processes posted. */
const LOOK_EVERY_MS = 500;

interface Busy {
  readonly visit: Visit;
  readonly abort: AbortController;
}

export class Slice {
  readonly #deps: SliceDeps;
  readonly #results: NodeResults;
  readonly #busy = new Map<string, Busy>();
  /** Visits that this slice has begun; their `node-started` may not be on disk yet. */
  readonly #admitted = new Set<string>();
  #broken: FaultError | null = null;
  readonly #wait: Interruptible;
  /** Something has happened since the loop last looked at the state. */
  #hasNews = false;
  /** There may be an action in the journal that it has not read. */
  #mustLook = true;
  /** When it last read the actions in the journal, in steady time. */
  #lookedAt = 0;
  #isDraining = false;

  constructor(deps: SliceDeps) {
    this.#deps = deps;
    this.#wait = new Interruptible(deps.clock);
    this.#results = new NodeResults(deps.session.id, deps.journal);
  }

  get #state(): RunState {
    const { id, run } = this.#deps.session;
    return runOf({ session: id, run });
  }

  /** An action was posted in this process, so the slice reads the journal at once. */
  poke(): void {
    this.#mustLook = true;
    this.#wakeLoop();
  }

  #wakeLoop(): void {
    this.#hasNews = true;
    this.#wait.wake?.();
  }

  /** The limits were changed: the session must be opened again to apply them. */
  get hasNewLimits(): boolean {
    return !isEnded(this.#state) && !sameLimits(this.#state.limits, this.#deps.limits);
  }

  async run(): Promise<void> {
    while (!isEnded(this.#state)) {
      if (this.#broken !== null) throw this.#broken;
      this.#hasNews = false;
      await this.#takeActions();
      const { cancelledBy, failing } = this.#state;
      if (cancelledBy !== null || failing !== null) {
        this.#abort([...this.#busy.values()]);
        if (this.#busy.size === 0) {
          return this.#close(cancelledBy === null ? failedEnd(this.#state) : cancelledEnd(cancelledBy));
        }
        await this.#waitForNews(null);
        continue;
      }
      if ((this.hasNewLimits || this.#isDraining) && this.#busy.size === 0) return;
      const needs = needsOf(this.#state, this.#deps.clock.now(), new Set(this.#busy.keys()));
      const begun = await this.#beginAll(needs);
      if (!begun && this.#busy.size === 0 && !this.#isNewsPending()) {
        if (needs.isOver) return this.#close(completedEnd(this.#state));
        const waitMs = (needs.wakeAt ?? Infinity) - this.#deps.clock.now();
        if (waitMs > SHORT_WAIT_MS && (await this.#pause(needs))) return;
      }
      if (!(await this.#waitForNews(needs.wakeAt))) await this.#deps.session.flush();
    }
  }

  /** Ends the run with an error inside Faultline, unless the run has ended already. */
  async breakOff(why: Fault): Promise<void> {
    this.#abort([...this.#busy.values()]);
    while (this.#busy.size > 0) await this.#waitForNews(null);
    if (!isEnded(this.#state)) await this.#close(brokenEnd(why));
  }

  /** A person stops this process. Running visits are paused, so that they continue only when a person resumes the run. */
  async stop(by: string): Promise<void> {
    const running = openVisits(this.#state).filter((visit) => visit.state === "running");
    const paused = running.map((visit): RunEvent => {
      const nothing = { fault: null, questions: [], wakeAt: null };
      return { type: "node-paused", ...placeIn(visit), why: "stopped", ...nothing };
    });
    try {
      if (paused.length > 0)
        await this.#deps.session.record([...paused, { type: "run-paused", why: "stopped", wakeAt: null }]);
    } finally {
      await this.abandon(`stopped by ${by}`);
    }
  }

  /** Begins nothing more, and returns when the visits that run have ended: another process begins the next ones. */
  drain(): void {
    this.#isDraining = true;
    this.poke();
  }

  async abandon(reason: string): Promise<void> {
    await this.#deps.session.abandon(reason);
    this.poke();
  }

  /** Actions of this process poke the slice; those of other processes are found every half second, and before the run ends. */
  async #takeActions(): Promise<void> {
    const { journal, session, clock } = this.#deps;
    const now = steadyNow(clock);
    const isEnding = this.#state.failing !== null || openVisits(this.#state).length === 0;
    if (!this.#mustLook && !isEnding && now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#mustLook = false;
    this.#lookedAt = now;
    for (const posted of await openActions(journal, session.id, this.#state)) {
      // A visit that got an instruction no longer needs an answer.
      const asked = visitOf(this.#state, posted)?.pause?.questions ?? [];
      const keeps = asked.flatMap(({ id }) => dropQuestion(id));
      const output = await readOutput(journal, session.id, posted);
      const events = eventsOf(posted, this.#state, this.#deps.workflow, output);
      for (const event of events) if (event.type === "node-resumed") session.repeatInterrupted(turnOf(event));
      await session.record(events, keeps);
    }
  }

  async #beginAll(needs: RunNeeds): Promise<boolean> {
    if (this.#isDraining) return false;
    const { resume, start, places } = needs;
    const answered = (await this.#answered(needs.paused)).slice(0, places);
    const all = [...resume, ...answered, ...start.slice(0, places - answered.length)];
    for (const visit of all) this.#begin(visit);
    return all.length > 0;
  }

  async #answered(paused: readonly Visit[]): Promise<readonly Visit[]> {
    const found: Visit[] = [];
    for (const visit of paused) {
      for (const { id } of visit.pause?.questions ?? []) {
        const answer = await this.#deps.journal.kept("answer", id);
        if (answer !== null && answer !== undefined && !found.includes(visit)) found.push(visit);
      }
    }
    return found;
  }

  #begin(visit: Visit): void {
    const abort = new AbortController();
    const begun = begunCount(this.#state, (one) => this.#admitted.has(keyOf(one)));
    const exceedsMaxNodes = visit.startedAt === 0 && begun >= this.#state.limits.maxNodes;
    this.#busy.set(keyOf(visit), { visit, abort });
    if (!exceedsMaxNodes) this.#admitted.add(keyOf(visit));
    void this.#work(visit, abort.signal, exceedsMaxNodes)
      .catch((error: unknown) => {
        // The loop reports it, where a caller waits for it.
        this.#broken ??= new FaultError(classify({ surface: "node", error, observedAt: this.#deps.clock.now() }));
      })
      .finally(() => {
        this.#busy.delete(keyOf(visit));
        this.#wakeLoop();
      });
  }

  async #work(visit: Visit, signal: AbortSignal, exceedsMaxNodes: boolean): Promise<void> {
    const stage = this.#deps.workflow.stages.get(visit.node);
    const place = placeIn(visit);
    if (stage === undefined || exceedsMaxNodes) {
      const seen = stage === undefined ? unknownNode(visit.node) : tooManyNodes(this.#state.limits.maxNodes);
      const { events, keeps } = await this.#closingOf(visit, refusedEnd(place, seen));
      return this.#deps.session.record(events, keeps);
    }
    const opening = await this.#openingOf(visit, stage);
    const scope = await this.#results.scopeFor(this.#state, visit);
    await tracedStage(place, stage.kind, (ended) =>
      runVisit(this.#deps, {
        visit,
        place,
        stage,
        scope,
        signal,
        opening,
        closing: async (end) => {
          // The event that stopped an aborted visit also says how the visit ended.
          if (signal.aborted && end.fault !== null) return NO_WRITES;
          ended(end);
          return this.#closingOf(visit, end);
        },
      }),
    );
  }

  /** The event that starts the visit; none for a visit that was running when an earlier process died. */
  async #openingOf(visit: Visit, { kind }: Stage): Promise<readonly RunEvent[]> {
    if (visit.state === "ready") return [this.#startOf(visit, kind)];
    return visit.state === "paused" ? [await this.#resumed(visit)] : [];
  }

  #startOf({ node, execution, attempt, instruction }: Visit, kind: Stage["kind"]): RunEvent {
    const switched = switchedTo(instruction);
    const own = this.#deps.workflow.targetsOf(node);
    // An operator can switch to a target that the agent does not have.
    const targets = switched !== null && own.length > 0 ? [...new Set([switched, ...own])] : own;
    return { type: "node-started", node, execution, attempt, kind, ...(targets.length === 0 ? {} : { targets }) };
  }

  async #resumed(visit: Visit): Promise<RunEvent> {
    const { node, execution, attempt, pause } = visit;
    const [question] = pause?.questions ?? [];
    const posted = question === undefined ? null : await this.#deps.journal.kept("answer", question.id);
    const { answer = null, by = "clock" } = (posted ?? {}) as Partial<
      Pick<Extract<RunEvent, { type: "node-resumed" }>, "answer" | "by">
    >;
    const why = pause?.why ?? "parked";
    return { type: "node-resumed", node, execution, attempt, why, answer, by };
  }

  async #closingOf(visit: Visit, end: VisitEnd): Promise<SessionWrites> {
    // The files about a failed attempt also say what followed it.
    if (end.fault !== null || visit.fault !== null) await this.#deps.keepFiles(visit, end);
    this.#results.put(visit, end.output);
    const events = [...end.events, ...this.#startNext(end.events)];
    return { events, keeps: [keepOutput(this.#deps.session.id, visit, end.output)] };
  }

  /**
   * The events that start the next visit, if it is the only one that can start after `events`: written together, the two cost one
   * append. The loop then finds the visit and runs it. Empty when something else may come first, or may change how the visit starts.
   */
  #startNext(events: readonly RunEvent[]): readonly (RunEvent | TurnEvent)[] {
    const { session, clock, workflow } = this.#deps;
    const now = clock.now();
    const { actions, predecessor } = this.#state;
    // An operator's action may change the limits, and a process that drains does not run the visit.
    if (this.#isDraining || this.#busy.size > 1 || actions.length > 0 || predecessor !== null) return [];
    const after = copyRun(this.#state);
    for (const event of events) foldRun(after, event, now);
    if (isEnded(after) || after.cancelledBy !== null || after.failing !== null) return [];
    const [visit, another] = needsOf(after, now, new Set()).start;
    const stage = visit === undefined ? undefined : workflow.stages.get(visit.node);
    if (visit === undefined || another !== undefined || stage === undefined) return [];
    if (visit.startedAt === 0 && begunCount(after, () => false) >= after.limits.maxNodes) return [];
    return [this.#startOf(visit, stage.kind), session.turnStarted(turnOf(visit), stage.timeoutMs)];
  }

  /** The run and its session end together, and open questions are withdrawn. */
  async #close({ events, status, message }: RunEnding): Promise<void> {
    const { session } = this.#deps;
    const asked = openVisits(this.#state).flatMap(({ pause }) => pause?.questions ?? []);
    const last = { events, keeps: asked.flatMap(({ id }) => dropQuestion(id)) };
    await (status === "cancelled" ? session.cancel(message, last) : session.end(status, last));
  }

  /** True when the run may be put away; false when an action, an answer or an event arrived while `run-paused` was written. */
  async #pause({ paused, wakeAt }: RunNeeds): Promise<boolean> {
    const { journal, session } = this.#deps;
    const why = paused[0]?.pause?.why ?? "retry";
    await session.record([{ type: "run-paused", why, wakeAt }]);
    // An action posted from here on wakes the run. One posted before may have found it still running.
    const posted = await openActions(journal, session.id, this.#state);
    return posted.length === 0 && (await this.#answered(paused)).length === 0 && !this.#hasNews;
  }

  #abort(some: readonly Busy[]): void {
    for (const { abort } of some) if (!abort.signal.aborted) abort.abort();
  }

  /** A method, because the compiler assumes that a field keeps the value it was read with. */
  #isNewsPending(): boolean {
    return this.#hasNews;
  }

  /** True: a visit ended or the loop was woken. False: the next wake-up time or the next check is due. */
  async #waitForNews(wakeAt: number | null): Promise<boolean> {
    if (this.#hasNews) return true;
    await this.#wait.waitOnce(Math.min(this.#deps.clock.now() + LOOK_EVERY_MS, wakeAt ?? Infinity));
    this.#mustLook ||= !this.#isNewsPending();
    return this.#isNewsPending();
  }
}

function sameLimits(a: RunLimits, b: RunLimits): boolean {
  const names = Object.keys(a) as (keyof RunLimits)[];
  return names.every((name) => a[name] === b[name]);
}

/** The end of a visit that must not begin. */
function refusedEnd(place: NodePlace, seen: Fault): VisitEnd {
  const outcome = matrixOutcome(seen.code, "coder");
  const how = { fault: seen, outcome, resolution: "abort-workflow", route: null } as const;
  const events = [{ type: "node-failed", ...place, ...how }] as const;
  return { events, output: undefined, fault: seen, raw: "" };
}

function unknownNode(node: string): Fault {
  return fault("ResumeMismatch", {
    message: `the workflow has no node ${node} any more; resume with the definition it was started with`,
    context: { stage: node },
  });
}

function tooManyNodes(limit: number): Fault {
  return fault("TurnLimit", {
    message: `the run reached its limit of ${limit} node visits; check for a loop, or raise maxNodes (max_nodes in YAML)`,
    context: { limit },
  });
}

// The events that end a run: completed, failed, cancelled, or broken by a bug.

interface RunEnding {
  readonly events: readonly RunEvent[];
  /** The status that the session of the run ends with. */
  readonly status: "done" | "failed" | "cancelled";
  readonly message: string;
}

/** Names the visit that made the run fail, and skips the visits beside it. */
function failedEnd(state: RunState): RunEnding {
  const { node, execution, outcome } = state.failing ?? { node: "", execution: 0, outcome: "" };
  const visit = visitOf(state, { node, execution });
  const why = visit?.fault ?? fault("InvariantBroken", { message: "a run failed without a fault" });
  const beside = (visit === undefined ? [] : siblingsOf(state, visit)).map((sibling): RunEvent => {
    return { type: "node-skipped", ...placeIn(sibling), reason: "sibling-failed", fault: null, route: null };
  });
  const ended = { type: "run-ended", status: "failed", outcome, node, fault: why } as const;
  return { events: [...beside, ended], status: "failed", message: why.message };
}

export function completedEnd(state: RunState): RunEnding {
  const last = state.ends.findLast(({ outcome }) => outcome !== "") ?? { node: "", outcome: "completed" };
  const declared = MATRIX_OUTCOMES.find((outcome) => outcome === last.outcome);
  if (declared === undefined) {
    const ended = { type: "run-ended", status: "completed", outcome: last.outcome, node: "", fault: null } as const;
    return { events: [ended], status: "done", message: "" };
  }
  // A path may end in an outcome of the matrix, which is a failure. Its fault is that of the node that led there, if it has failed.
  const led = state.visits.findLast(({ node }) => node === last.node)?.fault;
  const seen = state.visits.findLast(
    (visit) => visit.fault !== null && matrixOutcome(visit.fault.code, "coder") === declared,
  )?.fault;
  const message = `the workflow ended at ${last.node} with ${declared}`;
  const why = led ?? seen ?? fault(DECLARED_AS[declared], { message, context: { stage: last.node, declared: true } });
  const ended = { type: "run-ended", status: "failed", outcome: declared, node: last.node, fault: why } as const;
  return { events: [ended], status: "failed", message };
}

/** The fault code of an outcome that the workflow declares, when no node has failed with that outcome. */
const DECLARED_AS: Readonly<Record<MatrixOutcome, FaultCode>> = {
  provider_network_error: "NetworkDisconnect",
  provider_timeout: "NetworkTimeout",
  provider_auth_error: "AuthFailed",
  provider_not_found: "BinaryMissing",
  review_schema_invalid: "SchemaInvalid",
  tester_schema_invalid: "SchemaInvalid",
  test_failed: "TestsFailed",
  provider_permission_denied: "PermissionLoop",
  approval_rejected: "ApprovalRejected",
  canceled: "SessionCancelled",
  provider_quota_exceeded: "QuotaExhausted",
  provider_runtime_error: "ExecutionFailed",
  provider_unsupported: "MissingCapability",
  max_iterations_reached: "TurnLimit",
  internal_error: "ExecutionFailed",
};

function cancelledEnd(by: string): RunEnding {
  const message = `the run was cancelled by ${by}`;
  const why = fault("SessionCancelled", { message });
  const ended = { type: "run-ended", status: "cancelled", outcome: "canceled", node: "", fault: why } as const;
  return { events: [ended], status: "cancelled", message };
}

/** An error inside Faultline ended the run, so no node failed. */
function brokenEnd(why: Fault): RunEnding {
  const outcome = matrixOutcome(why.code, "coder");
  const ended = { type: "run-ended", status: "failed", outcome, node: "", fault: why } as const;
  return { events: [ended], status: "failed", message: why.message };
}
