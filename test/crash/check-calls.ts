// Holds the journal of a session that has ended against the work that was really done: every run of a tool was written down
// before it began, nothing finished ran again, and nothing that may have happened ran again without a person's word.

import type { Entry, JournalEvent } from "../../src/index.ts";
import { type Append, appendsOf, type Diary, type Effect } from "./diary.ts";
import type { SessionSpec, StepSpec } from "./program.ts";

export interface EndedSession {
  readonly spec: SessionSpec;
  readonly entries: readonly Entry[];
  readonly diary: Diary;
  /** How often a person allowed an interrupted call to run again, by call. */
  readonly approvals: ReadonlyMap<string, number>;
}

type Of<Type extends JournalEvent["type"]> = Extract<JournalEvent, { type: Type }>;
type CallEvent = Extract<JournalEvent, { readonly call: string }>;

interface Seen<Event> {
  readonly seq: number;
  readonly event: Event;
}

export function checkCalls(ended: EndedSession): readonly string[] {
  const { spec, entries } = ended;
  const calls = Map.groupBy(
    entries.flatMap(({ seq, event }) => (isCallEvent(event) ? [{ seq, event }] : [])),
    ({ event }) => event.call,
  );
  const work = workOf(ended);
  return [
    ...[...calls].flatMap(([call, events]) =>
      [
        ...checkLifeline(events),
        ...checkRepeats(call, events, stepOf(spec, call), ended.approvals),
        ...checkAttempts(call, events, work),
      ].map((problem) => `${spec.session} ${call}: ${problem}`),
    ),
    ...checkBegins(ended, calls),
  ];
}

/** One beginning, one end, nothing behind the end but what came too late. */
function checkLifeline(events: readonly Seen<CallEvent>[]): readonly string[] {
  const starts = events.filter(({ event }) => event.type === "call-started");
  const ends = events.filter(({ event }) => isTerminal(event));
  const end = ends[0]?.seq ?? Infinity;
  const after = events.filter(({ seq, event }) => seq > end && event.type !== "call-late");
  return [
    ...(starts.length === 1 ? [] : [`was started ${starts.length} times`]),
    ...(ends.length === 1 ? [] : [`ended ${ends.length} times`]),
    ...after.map(({ seq, event }) => `${event.type} stands behind its end, as entry ${seq}`),
  ];
}

/** Each further attempt was decided on; what may have happened went out again only when that is safe or a person said so. */
function checkRepeats(
  call: string,
  events: readonly Seen<CallEvent>[],
  step: StepSpec | null,
  approvals: ReadonlyMap<string, number>,
): readonly string[] {
  const problems: string[] = [];
  let failed: Of<"call-failed"> | null = null;
  let approved = false;
  let byApproval = 0;
  for (const { seq, event } of events) {
    if (event.type === "call-failed") [failed, approved] = [event, false];
    if (event.type === "question-answered")
      approved = event.answer.status === "accepted" && event.answer.value === true;
    if (event.type !== "call-admitted" || failed === null) continue;
    if (!approved && failed.decision.recourse !== "retry") problems.push(`ran again, undecided, at entry ${seq}`);
    if (failed.fault.code === "Interrupted") {
      if (approved) byApproval++;
      else if (step?.idempotent !== true) problems.push(`may have happened, and ran again at entry ${seq}`);
    }
    failed = null;
  }
  const allowed = approvals.get(call) ?? 0;
  if (byApproval > allowed)
    problems.push(`ran again ${byApproval} times on a person's word, who gave it ${allowed} times`);
  return problems;
}

/** Every attempt has one outcome, and the outcome is that of the work. */
function checkAttempts(call: string, events: readonly Seen<CallEvent>[], work: Work): readonly string[] {
  return events.flatMap(({ seq, event: admitted }) => {
    if (admitted.type !== "call-admitted") return [];
    const { tool, attempt } = admitted;
    const name = `attempt ${attempt} of ${tool}`;
    const outcomes = events.filter(
      ({ event }) =>
        (event.type === "call-failed" || event.type === "call-succeeded") &&
        event.tool === tool &&
        event.attempt === attempt,
    ) as readonly Seen<Of<"call-failed" | "call-succeeded">>[];
    const outcome = outcomes[0];
    if (outcome === undefined || outcomes.length > 1) return [`${name} has ${outcomes.length} outcomes`];
    if (outcome.seq < seq) return [`${name} was over before it was admitted`];
    const key = keyOf(call, tool, attempt);
    const end = work.ends.get(key);
    const own = work.ownsOutcome(outcome.seq, end);
    const isInterrupted = outcome.event.type === "call-failed" && outcome.event.fault.code === "Interrupted";
    if (isInterrupted) {
      const mine = work.livesOf(outcome.seq).every((life) => life === work.begins.get(key)?.life);
      return mine && work.begins.has(key) ? [`${name} was called interrupted by the life that ran it`] : [];
    }
    if (end === undefined) return [`${name} has an outcome, and was never done`];
    if (end.ok !== (outcome.event.type === "call-succeeded")) return [`${name} went otherwise than written`];
    return own ? [] : [`the outcome of ${name} was written by another life, or before the work was done`];
  });
}

/** Runs and admissions are the same, one to one. An admission without a run is the last thing its life wrote. */
function checkBegins(
  { spec, diary }: EndedSession,
  calls: ReadonlyMap<string, readonly Seen<CallEvent>[]>,
): readonly string[] {
  const { session } = spec;
  const appended = appendsOf(diary, "appended").filter((append) => append.session === session);
  const asked = appendsOf(diary, "appending").filter((append) => append.session === session);
  const problems: string[] = [];
  const begun = new Set<string>();
  const admissions = new Map<string, number>();
  for (const [call, events] of calls) {
    for (const { seq, event } of events) {
      if (event.type === "call-admitted") admissions.set(keyOf(call, event.tool, event.attempt), seq);
    }
  }
  for (const { call, tool, attempt, phase, life, order, session: of } of diary.effects) {
    if (of !== session || phase !== "begin") continue;
    const key = keyOf(call, tool, attempt);
    const seq = admissions.get(key);
    if (begun.has(key)) problems.push(`${session} ${key}: ran twice`);
    begun.add(key);
    if (seq === undefined) problems.push(`${session} ${key}: ran, and was never admitted`);
    else if (!appended.some((append) => append.life === life && append.order < order && covers(append, seq))) {
      problems.push(`${session} ${key}: ran in life ${life} before its admission was acknowledged there`);
    }
  }
  for (const [key, seq] of admissions) {
    if (begun.has(key)) continue;
    const writers = asked.filter((append) => covers(append, seq)).map(({ life }) => life);
    const wentOn = writers.filter((life) => appended.some((append) => append.life === life && append.after >= seq));
    if (wentOn.length === writers.length) problems.push(`${session} ${key}: was admitted, and left out`);
  }
  return problems;
}

interface Work {
  readonly begins: ReadonlyMap<string, Effect>;
  readonly ends: ReadonlyMap<string, Effect>;
  /** The lives that may have written an entry. */
  livesOf(seq: number): readonly number[];
  ownsOutcome(seq: number, end: Effect | undefined): boolean;
}

function workOf({ spec, diary }: EndedSession): Work {
  const own = diary.effects.filter(({ session }) => session === spec.session);
  const byKey = (phase: Effect["phase"]): Map<string, Effect> =>
    new Map(
      own
        .filter((effect) => effect.phase === phase)
        .map((effect) => [keyOf(effect.call, effect.tool, effect.attempt), effect]),
    );
  const refused = new Set(appendsOf(diary, "refused").map(({ life, session, after }) => `${life} ${session} ${after}`));
  const asked = appendsOf(diary, "appending").filter(
    ({ life, session, after }) => session === spec.session && !refused.has(`${life} ${session} ${after}`),
  );
  const writersOf = (seq: number): readonly Append[] => asked.filter((append) => covers(append, seq));
  return {
    begins: byKey("begin"),
    ends: byKey("end"),
    livesOf: (seq) => writersOf(seq).map(({ life }) => life),
    ownsOutcome: (seq, end) => writersOf(seq).some(({ life, order }) => life === end?.life && order > end.order),
  };
}

function covers({ after, digests }: Append, seq: number): boolean {
  return seq > after && seq <= after + digests.length;
}

function keyOf(call: string, tool: string, attempt: number): string {
  return `${call} ${tool} ${attempt}`;
}

function isCallEvent(event: JournalEvent): event is CallEvent {
  return event.type.startsWith("call-") || event.type.startsWith("question-");
}

const ENDS: ReadonlySet<string> = new Set(["default", "partial", "skip", "surface", "fail"]);

export function isTerminal(event: JournalEvent): boolean {
  switch (event.type) {
    case "call-succeeded":
    case "call-cancelled":
      return true;
    case "call-failed":
    case "call-decided":
      return ENDS.has(event.decision.recourse);
    default:
      return false;
  }
}

/** null for the call outside all turns, which must not be repeated either. */
export function stepOf({ turns }: SessionSpec, call: string): StepSpec | null {
  const [turn = "", round = "", name = ""] = call.split("/");
  return turns[Number(turn.slice(1)) - 1]?.rounds[Number(round) - 1]?.find((step) => step.name === name) ?? null;
}
