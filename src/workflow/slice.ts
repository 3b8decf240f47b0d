// Advances one run for as long as there is something to do, and stops when it is over or has to wait. The only writer of its
// run while it works; what others want of it they leave in the journal, where it looks every now and then.
// L1  a node is begun only after its `node-started` is on disk.
// L2  exactly one `run-ended` is written, whatever fails, and a cancellation wins over what ends at the same time.
// L3  a run that only waits is put away: nothing of it stays in memory.

import { FAULT_CODES } from "../core/fault/catalogue.ts";
import { fault, type Fault } from "../core/fault/fault.ts";
import { matrixOutcome, MATRIX_OUTCOMES } from "../core/fault/vocabulary.ts";
import type { RunEvent } from "../core/flow/run-event.ts";
import {
  foldRun,
  isEnded,
  keyOf,
  needsOf,
  type RunNeeds,
  type RunState,
  siblingsOf,
  visitOf,
  type Visit,
} from "../core/flow/run.ts";
import type { Journal, Keep } from "../journal/journal.ts";
import { FaultError } from "../core/fault/fault-error.ts";
import { noQuestion } from "../runtime/call/ask.ts";
import { keepOutput, NodeResults } from "./node-results.ts";
import { runVisit, type VisitEnd, type VisitHome } from "./run-visit.ts";
import type { Workflow } from "./stage.ts";
import { keepsOf, summaryOf } from "./summary.ts";
import { openActions } from "./posted-actions.ts";

export interface SliceHome extends VisitHome {
  readonly journal: Journal;
  readonly workflow: Workflow;
  /** Keeps files about a failed attempt; called before the event that tells of it is written. */
  readonly keepFiles: (visit: Visit, end: VisitEnd) => Promise<void>;
}

/** A wait this short is waited out; putting a run away and taking it up again costs more. */
const SHORT_WAIT_MS = 5_000;
/** How often it looks for what others have left for it. */
const LOOK_EVERY_MS = 500;

interface Busy {
  readonly visit: Visit;
  readonly abort: AbortController;
}

export class Slice {
  readonly #home: SliceHome;
  readonly #results: NodeResults;
  readonly #busy = new Map<string, Busy>();
  /** The node that ended the run; written when everything beside it has stopped. */
  #failing: { readonly visit: Visit; readonly end: VisitEnd } | null = null;
  #broken: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;

  constructor(home: SliceHome) {
    this.#home = home;
    this.#results = new NodeResults(home.session.id, home.journal);
  }

  get #state(): RunState {
    const { run } = this.#home.session;
    if (run === null)
      throw new FaultError(fault("InvariantBroken", { message: "a session without a workflow is no run" }));
    return run;
  }

  /** Something was left for it: it looks at once. */
  poke(): void {
    this.#wake?.();
  }

  async run(): Promise<void> {
    while (!isEnded(this.#state)) {
      if (this.#broken !== null) throw this.#broken.error;
      await this.#takeActions();
      const isStopping = this.#state.cancelledBy !== null || this.#failing !== null;
      if (isStopping) {
        this.#abort([...this.#busy.values()]);
        if (this.#busy.size === 0) return this.#state.cancelledBy === null ? this.#fail() : this.#cancel();
        await this.#somethingHappens(null);
        continue;
      }
      const needs = needsOf(this.#state, this.#home.clock.now(), new Set(this.#busy.keys()));
      const begun = await this.#beginAll(needs);
      if (!begun && this.#busy.size === 0) {
        if (needs.isOver) return this.#complete();
        const waitMs = (needs.wakeAt ?? Infinity) - this.#home.clock.now();
        if (waitMs > SHORT_WAIT_MS) return this.#pause(needs);
      }
      await this.#somethingHappens(needs.wakeAt);
    }
  }

  /** Something inside is broken: the run ends with it, unless it has ended already. */
  async breakOff(why: Fault): Promise<void> {
    this.#abort([...this.#busy.values()]);
    while (this.#busy.size > 0) await this.#somethingHappens(null);
    if (isEnded(this.#state)) return;
    const outcome = matrixOutcome(why.code, "coder");
    await this.#record([{ type: "run-ended", status: "failed", outcome, node: "", fault: why }]);
    await this.#home.session.end("failed");
  }

  async abandon(reason: string): Promise<void> {
    await this.#home.session.abandon(reason);
    this.#wake?.();
  }

  async #takeActions(): Promise<void> {
    const { journal, session } = this.#home;
    for (const { action, node, execution, key, params, by } of await openActions(journal, session.id, this.#state)) {
      // Who is told what to do needs no answer any more.
      const asked = visitOf(this.#state, { node, execution })?.pause?.questions ?? [];
      const keeps = asked.flatMap(({ id }) => noQuestion(id));
      await this.#record([{ type: "run-instructed", action, node, execution, key, params, by }], keeps);
    }
  }

  async #beginAll(needs: RunNeeds): Promise<boolean> {
    const answered = await this.#answered(needs.paused);
    const all = [...needs.goOn, ...answered, ...needs.start].filter((visit) => !this.#busy.has(keyOf(visit)));
    for (const visit of all) this.#begin(visit);
    return all.length > 0;
  }

  async #answered(paused: readonly Visit[]): Promise<readonly Visit[]> {
    const found: Visit[] = [];
    for (const visit of paused) {
      for (const { id } of visit.pause?.questions ?? []) {
        const answer = await this.#home.journal.kept("answer", id);
        if (answer !== null && answer !== undefined && !found.includes(visit)) found.push(visit);
      }
    }
    return found;
  }

  #begin(visit: Visit): void {
    const abort = new AbortController();
    this.#busy.set(keyOf(visit), { visit, abort });
    void this.#work(visit, abort.signal)
      .catch((error: unknown) => {
        // Thrown again by the loop, where somebody waits for it.
        this.#broken ??= { error };
      })
      .finally(() => {
        this.#busy.delete(keyOf(visit));
        this.#wake?.();
      });
  }

  async #work(visit: Visit, signal: AbortSignal): Promise<void> {
    const { workflow } = this.#home;
    const stage = workflow.stages.get(visit.node);
    const { node, execution, attempt } = visit;
    const place = { node, execution, attempt };
    const started = this.#state.visits.filter(({ startedAt, inherited }) => startedAt > 0 && !inherited).length;
    const { maxNodes } = this.#state.limits;
    if (stage === undefined || (visit.startedAt === 0 && started >= maxNodes)) {
      const seen = stage === undefined ? unknownNode(node) : tooManyNodes(maxNodes);
      const outcome = matrixOutcome(seen.code, "coder");
      const event = {
        type: "node-failed",
        ...place,
        fault: seen,
        outcome,
        resolution: "abort-workflow",
        route: null,
      } as const;
      return this.#end(visit, { events: [event], output: undefined, fault: seen, isDeadEnd: true, raw: "" });
    }
    if (visit.state === "ready") await this.#record([{ type: "node-started", ...place, kind: stage.kind }]);
    else if (visit.state === "paused") await this.#resume(visit);
    const scope = await this.#results.scopeFor(this.#state, visit);
    const end = await runVisit(this.#home, stage, visit, scope, signal);
    // A visit that was stopped has not ended by itself: what stopped it says what becomes of it.
    if (signal.aborted && end.fault !== null) return;
    await this.#end(visit, end);
  }

  async #resume(visit: Visit): Promise<void> {
    const { node, execution, attempt, pause } = visit;
    const [question] = pause?.questions ?? [];
    const posted = question === undefined ? null : await this.#home.journal.kept("answer", question.id);
    const { answer = null, by = "clock" } = (posted ?? {}) as Partial<
      Pick<Extract<RunEvent, { type: "node-resumed" }>, "answer" | "by">
    >;
    const why = pause?.why ?? "parked";
    await this.#record([{ type: "node-resumed", node, execution, attempt, why, answer, by }]);
  }

  async #end(visit: Visit, end: VisitEnd): Promise<void> {
    if (end.fault !== null) await this.#home.keepFiles(visit, end);
    const isFailing = end.isDeadEnd && (this.#state.fans[visit.fan]?.failFast ?? true);
    if (isFailing && this.#failing === null) {
      this.#failing = { visit, end };
      return;
    }
    this.#results.put(visit, end.output);
    await this.#record(end.events, [keepOutput(this.#home.session.id, visit, end.output)]);
  }

  async #fail(): Promise<void> {
    if (this.#failing === null) return;
    const { visit, end } = this.#failing;
    const { session } = this.#home;
    const [failed] = end.events;
    const why = end.fault ?? fault("InvariantBroken", { message: "a run failed without a fault" });
    const outcome = failed?.type === "node-failed" ? failed.outcome : matrixOutcome(why.code, "coder");
    const beside = siblingsOf(this.#state, visit).map(({ node, execution, attempt }): RunEvent => {
      return { type: "node-skipped", node, execution, attempt, reason: "sibling-failed", fault: null, route: null };
    });
    const ended = { type: "run-ended", status: "failed", outcome, node: visit.node, fault: why } as const;
    await this.#record([...end.events, ...beside, ended], [keepOutput(session.id, visit, end.output)]);
    await session.end("failed");
  }

  async #complete(): Promise<void> {
    const last = this.#state.ends.findLast(({ outcome }) => outcome !== "") ?? { node: "", outcome: "completed" };
    const declared = MATRIX_OUTCOMES.find((outcome) => outcome === last.outcome);
    if (declared === undefined) {
      await this.#record([{ type: "run-ended", status: "completed", outcome: last.outcome, node: "", fault: null }]);
      return this.#home.session.end("done");
    }
    // A path may end in one of the matrix's outcomes, and those are failures.
    const code = FAULT_CODES.find((one) => matrixOutcome(one, "coder") === declared) ?? "ExecutionFailed";
    const seen = this.#state.visits.findLast(
      (visit) => visit.fault !== null && matrixOutcome(visit.fault.code, "coder") === declared,
    )?.fault;
    const why =
      seen ??
      fault(code, { message: `the workflow ended at ${last.node} with ${declared}`, context: { stage: last.node } });
    await this.#record([{ type: "run-ended", status: "failed", outcome: declared, node: last.node, fault: why }]);
    await this.#home.session.end("failed");
  }

  async #cancel(): Promise<void> {
    const { cancelledBy } = this.#state;
    const why = fault("SessionCancelled", { message: `the run was cancelled by ${cancelledBy ?? "somebody"}` });
    await this.#record([{ type: "run-ended", status: "cancelled", outcome: "canceled", node: "", fault: why }]);
    await this.#home.session.cancel(why.message);
  }

  async #pause({ paused, wakeAt }: RunNeeds): Promise<void> {
    const why = paused[0]?.pause?.why ?? "retry";
    await this.#record([{ type: "run-paused", why, wakeAt }]);
  }

  /** With the run's line in lists, and the time at which it wants to be taken up. */
  async #record(events: readonly RunEvent[], keeps: readonly Keep[] = []): Promise<void> {
    const { session, clock } = this.#home;
    const now = clock.now();
    const after = structuredClone(this.#state);
    for (const event of events) foldRun(after, event, now);
    const summary = summaryOf(session.id, after, session.spending.microcents, now);
    await session.record(events, [...keeps, ...keepsOf(summary)]);
  }

  #abort(some: readonly Busy[]): void {
    for (const { abort } of some) if (!abort.signal.aborted) abort.abort();
  }

  /** A visit ends, a time comes, somebody pokes; or it is time to look. */
  async #somethingHappens(wakeAt: number | null): Promise<void> {
    const { clock } = this.#home;
    const lookMs = Math.min(LOOK_EVERY_MS, wakeAt === null ? Infinity : Math.max(0, wakeAt - clock.now()));
    await new Promise<void>((resolve) => {
      const disarm = clock.after(lookMs, () => resolve());
      this.#wake = () => {
        disarm();
        resolve();
      };
    });
    this.#wake = null;
  }
}

function unknownNode(node: string): Fault {
  return fault("ResumeMismatch", {
    message: `the workflow has no node ${node} any more; resume with the definition it was started with`,
    context: { stage: node },
  });
}

function tooManyNodes(limit: number): Fault {
  return fault("TurnLimit", { message: `the run has visited its ${limit} nodes`, context: { limit } });
}
