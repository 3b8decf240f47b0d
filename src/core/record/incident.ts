// What happened in a run or session, for a report: its timeline, what failed how often, what it cost, who did what, and what can be
// done next. Every text is free of secrets, paths and control characters (`incident-timeline.ts`).

import { type FaultCode, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import { viewFor } from "../fault/view.ts";
import { book, NOTHING_SPENT, rebook, type Spending } from "../flow/money.ts";
import { isOpen, turnOf } from "../flow/visit.ts";
import { isEnded, type RunState, type RunStatus } from "../flow/run-state.ts";
import { describeRun } from "../flow/run-words.ts";
import { NOWHERE } from "../policy/policy.ts";
import type { Entry, JournalEvent, SessionStatus } from "./event.ts";
import { fingerprint, knownCode } from "./fault-index.ts";
import {
  actionText,
  createIncidentTelling,
  type IncidentOptions,
  faultText,
  type TimelineMoment,
  momentOf,
  say,
  type IncidentTelling,
} from "./incident-timeline.ts";
import { emptySession, foldEntry, type SessionState } from "./replay.ts";

/** Failures of one kind at one place. */
export interface IncidentCause {
  readonly fingerprint: string;
  readonly code: FaultCode;
  readonly title: string;
  /** `ProviderTransient/RateLimited`. */
  readonly name: string;
  /** The tool, or the node for a failure outside any call. */
  readonly where: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** What the last one said. */
  readonly said: string;
}

/** What the attempts at one tool or target cost. */
export interface IncidentCost {
  readonly target: string;
  readonly attempts: number;
  readonly failed: number;
  readonly spent: Spending;
  /** The cost of failed and cancelled attempts. */
  readonly wasted: Spending;
}

/** What a person did. */
export interface IncidentDeed {
  readonly at: number;
  readonly by: string;
  readonly what: string;
}

/** What happened in a run or session. */
export interface IncidentFacts {
  readonly kind: "run" | "session";
  readonly name: string;
  /** Its workflow and version; empty for a plain session. */
  readonly workflow: string;
  readonly status: RunStatus | SessionStatus;
  readonly outcome: string;
  readonly startedAt: number;
  /** null while it has not ended. */
  readonly endedAt: number | null;
  readonly durationMs: number;
  readonly spending: Spending;
  /** What ended it, or what it waits for the end of; null when nothing failed. */
  readonly cause: { readonly title: string; readonly name: string; readonly said: string } | null;
  readonly failedNode: string;
  readonly predecessor: string | null;
  readonly successor: string | null;
  /** One sentence; empty for a plain session. */
  readonly summary: string;
  readonly timeline: readonly TimelineMoment[];
  /** Moments in the middle of a long timeline that are left out … */
  readonly leftOut: number;
  /** … behind this many. */
  readonly leftOutAfter: number;
  /** Most frequent first. */
  readonly causes: readonly IncidentCause[];
  readonly costs: readonly IncidentCost[];
  readonly wasted: Spending;
  readonly people: readonly IncidentDeed[];
  readonly next: readonly string[];
}

/** What the journal keeps beside the entries. */
export interface AroundIncident {
  readonly now: number;
  /** What an operator can do now. */
  readonly actions: readonly { readonly label: string; readonly explains: string }[];
  /** Open questions. */
  readonly questions: readonly string[];
  /** What operators did, with the key of each action. */
  readonly acted: readonly {
    readonly key: string;
    readonly action: string;
    readonly by: string;
    readonly at: number;
  }[];
}

/** Collects what happened from the entries of one run or session, in their order. */
export interface IncidentRecorder {
  add(entry: Entry): void;
  incident(around: AroundIncident): IncidentFacts;
}

export function recordIncident(session: string, options: IncidentOptions): IncidentRecorder {
  return new Recorder(session, createIncidentTelling(options));
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type AttemptEnd = Extract<JournalEvent, { readonly type: "call-failed" | "call-succeeded" | "call-cancelled" }>;

/** The beginning and the end of a long timeline. */
const MAX_MOMENTS = 400;

class Recorder implements IncidentRecorder {
  readonly #state: SessionState;
  readonly #telling: IncidentTelling;
  readonly #timeline: TimelineMoment[] = [];
  readonly #causes = new Map<string, Mutable<IncidentCause>>();
  readonly #costs = new Map<string, Mutable<IncidentCost>>();
  readonly #people: IncidentDeed[] = [];
  readonly #keys = new Set<string>();
  /** Codes that calls of a turn failed with: the node that fails with the same fault is not counted once more. */
  readonly #codesOfTurn = new Map<string, Set<string>>();
  #lastFault: Fault | null = null;

  constructor(session: string, telling: IncidentTelling) {
    this.#state = emptySession(session);
    this.#telling = telling;
  }

  add(entry: Entry): void {
    foldEntry(this.#state, entry);
    this.#count(entry);
    this.#note(entry);
    const { type } = entry.event;
    // A run begins and ends with events of its own.
    if (type === "run-started") this.#timeline.length = 0;
    const moment = type === "session-ended" && this.#state.run !== null ? null : momentOf(entry, this.#telling);
    if (moment !== null) this.#timeline.push(moment);
  }

  incident({ now, actions, questions, acted }: AroundIncident): IncidentFacts {
    const { session, run, status, startedAt, lastAt, spending } = this.#state;
    const endedAt = run === null ? (status === "open" || status === "waiting" ? null : lastAt) : run.endedAt || null;
    const fault = run === null ? (status === "failed" ? this.#lastFault : null) : causeOf(run);
    const costs = [...this.#costs.values()].toSorted((a, b) => b.spent.microcents - a.spent.microcents);
    const others = acted
      .filter(({ key }) => !this.#keys.has(key))
      .map(({ at, by, action }) => this.#deed(at, by, action));
    const left = Math.max(0, this.#timeline.length - MAX_MOMENTS);
    const half = left === 0 ? this.#timeline.length : MAX_MOMENTS / 2;
    return {
      kind: run === null ? "session" : "run",
      name: say(session, this.#telling),
      workflow: run === null ? "" : say(`${run.workflow} ${run.version}`, this.#telling, 100),
      status: run?.status ?? status,
      outcome: say(run?.outcome ?? "", this.#telling, 60),
      startedAt: run?.startedAt ?? startedAt,
      endedAt,
      durationMs: Math.max(0, (endedAt ?? now) - (run?.startedAt ?? startedAt)),
      spending,
      cause: fault === null ? null : faultText(fault, this.#telling),
      failedNode: say(run?.failedNode ?? "", this.#telling, 80),
      predecessor: this.#named(run?.predecessor),
      successor: this.#named(run?.successor),
      summary: run === null ? "" : say(describeRun(run, this.#telling.locale), this.#telling, 1_000),
      timeline: [...this.#timeline.slice(0, half), ...this.#timeline.slice(half + left)],
      leftOut: left,
      leftOutAfter: half,
      causes: [...this.#causes.values()].toSorted((a, b) => b.count - a.count),
      costs,
      wasted: costs.reduce((sum, { wasted }) => added(sum, wasted), NOTHING_SPENT),
      people: distinct([...this.#people, ...others]).toSorted((a, b) => a.at - b.at),
      next: this.#next(fault, actions, questions),
    };
  }

  #named(run: string | null | undefined): string | null {
    return run === null || run === undefined ? null : say(run, this.#telling);
  }

  #next(fault: Fault | null, actions: AroundIncident["actions"], questions: readonly string[]): readonly string[] {
    const { locale } = this.#telling;
    const remedy =
      fault === null
        ? []
        : [viewFor("operator", { ...fault, code: knownCode(fault) }, { ...this.#telling, correlationId: "" }).next];
    const period = locale === "zh-CN" ? "。" : ". ";
    return [
      ...remedy,
      ...questions.map((prompt) => say(prompt, this.#telling)),
      ...actions.map(({ label, explains }) => say(`${label}${period}${explains}`, this.#telling)),
    ].filter((text) => text !== "");
  }

  #count({ event, at }: Entry): void {
    switch (event.type) {
      case "call-failed":
      case "call-decided": {
        const { call, tool, fault, saw } = event;
        this.#codes(call.split("/")[0] ?? "").add(fault.code);
        this.#cause(fault, fingerprint(fault, { ...NOWHERE, tool, ...saw?.place }), tool, at);
        if (event.type === "call-failed") this.#spend(event);
        return;
      }
      case "call-succeeded":
      case "call-cancelled":
        return this.#spend(event);
      case "call-late":
        return this.#spendLate(event);
      case "node-retrying":
      case "node-deferred":
      case "node-failed":
      case "node-skipped": {
        const { node, fault } = event;
        if (fault === null || this.#codes(turnOf(event)).has(fault.code)) return;
        return this.#cause(fault, fingerprint(fault, { ...NOWHERE, stage: node, tool: node }), node, at);
      }
      default:
    }
  }

  #codes(turn: string): Set<string> {
    const codes = this.#codesOfTurn.get(turn) ?? new Set<string>();
    this.#codesOfTurn.set(turn, codes);
    return codes;
  }

  #cause(fault: Fault, name: string, where: string, at: number): void {
    this.#lastFault = fault;
    // A cancellation is not a failure.
    if (traitsOf(knownCode(fault)).cancels) return;
    const known = this.#causes.get(name);
    const { title, name: fullName, said } = faultText(fault, this.#telling);
    const started = { count: 0, firstAt: at, code: knownCode(fault), title, name: fullName };
    const print = { fingerprint: say(name, this.#telling, 200), where: say(where, this.#telling, 80) };
    this.#causes.set(name, { ...started, ...print, ...known, count: (known?.count ?? 0) + 1, lastAt: at, said });
  }

  #spend(event: AttemptEnd): void {
    const { tool, cost } = event;
    // A call that is cancelled while it waits has no attempt.
    if (event.type === "call-cancelled" && cost === null) return;
    const isWasted = event.type !== "call-succeeded";
    const known = this.#costs.get(tool);
    this.#costs.set(tool, {
      target: say(tool, this.#telling, 80),
      attempts: (known?.attempts ?? 0) + 1,
      failed: (known?.failed ?? 0) + (isWasted ? 1 : 0),
      spent: book(known?.spent ?? NOTHING_SPENT, cost),
      wasted: isWasted ? book(known?.wasted ?? NOTHING_SPENT, cost) : (known?.wasted ?? NOTHING_SPENT),
    });
  }

  /** What an attempt that was given up cost in the end: one that lost to another attempt has no other end. */
  #spendLate({ tool, cost, booked }: Extract<JournalEvent, { readonly type: "call-late" }>): void {
    const lost = { target: say(tool, this.#telling, 80), attempts: 1, failed: 1 };
    const known = this.#costs.get(tool) ?? { ...lost, spent: NOTHING_SPENT, wasted: NOTHING_SPENT };
    const { spent, wasted } = known;
    this.#costs.set(tool, { ...known, spent: rebook(spent, booked, cost), wasted: rebook(wasted, booked, cost) });
  }

  #note({ event, at }: Entry): void {
    const { words } = this.#telling;
    const person = (by: string, what: string): void =>
      void this.#people.push({ at, by: say(by, this.#telling, 60), what });
    if (event.type === "question-answered" && event.answer.status !== "timeout")
      person(event.by, words.answers[event.answer.status]);
    if (event.type === "workflow-changed") person(event.by, words.workflowChanged);
    if (event.type === "run-started" && event.instruction !== null) {
      const { action, by } = event.instruction;
      person(by, words.action(actionText(action, this.#telling)));
    }
    if (event.type !== "run-instructed") return;
    this.#keys.add(event.key);
    this.#people.push(this.#deed(at, event.by, event.action));
  }

  #deed(at: number, by: string, action: string): IncidentDeed {
    const { words } = this.#telling;
    return { at, by: say(by, this.#telling, 60), what: words.action(actionText(action, this.#telling)) };
  }
}

/** What ended the run, or what it waits for the end of. */
function causeOf(run: RunState): Fault | null {
  return isEnded(run)
    ? run.fault
    : (run.visits.findLast((visit) => isOpen(visit) && visit.fault !== null)?.fault ?? null);
}

/** The same deed is kept in several places. */
function distinct(deeds: readonly IncidentDeed[]): readonly IncidentDeed[] {
  return [...new Map(deeds.map((deed) => [JSON.stringify(deed), deed])).values()];
}

function added(one: Spending, other: Spending): Spending {
  return {
    microcents: one.microcents + other.microcents,
    estimatedMicrocents: one.estimatedMicrocents + other.estimatedMicrocents,
    unpricedAttempts: one.unpricedAttempts + other.unpricedAttempts,
  };
}
