// What must always hold for sessions, their records and their time, each as a function that bears its sentence as its name.
// null: it holds; else what broke it.

import { traitsOf } from "../../src/core/fault/catalogue.ts";
import type { Fault } from "../../src/core/fault/fault.ts";
import type { Spending } from "../../src/core/flow/money.ts";
import { emptySession, foldEntry, fromSnapshot, type SessionState, snapshotOf } from "../../src/core/record/replay.ts";
import type { JournalEvent } from "../../src/core/record/event.ts";
import { PRESETS } from "../../src/core/policy/presets.ts";
import { decidedAgain } from "../support/decided-again.ts";
import type { CallEvent } from "../../src/core/flow/call.ts";
import type { OutcomeStatus } from "../../src/runtime/call/outcome.ts";
import type { Broken } from "./invariants-calls.ts";
import { decisionOf, endsCall, historiesOf } from "./call-history.ts";
import type { Cancelled, Story, Written } from "./story.ts";

/** Announced waits, starts of tools, and the ends of turns; a store that answers late delays the last a little. */
export function noWaitOutlivesTheDeadline(story: Story): Broken {
  const { limits, disk } = story.world;
  const state = emptySession(story.session);
  const deadlines = new Map<string, number>();
  const takenUpAt = new Map<string, number>();
  const deadlineOf = (turn: string): number =>
    Math.min(state.turns.get(turn)?.deadlineAt ?? Infinity, state.startedAt + (limits.runTimeoutMs ?? Infinity));
  for (const { entry, life } of story.written) {
    const { event, at, seq } = entry;
    if (event.type === "call-failed" || event.type === "call-decided") {
      const deadlineAt = deadlineOf(state.calls.get(event.call)?.turn ?? "");
      const { decision } = event;
      if (decision.recourse === "retry" && at + decision.delayMs >= deadlineAt) {
        return `entry ${seq}: a wait of ${decision.delayMs} ms ends ${at + decision.delayMs - deadlineAt} ms after the deadline`;
      }
    }
    if (event.type === "call-admitted") {
      const deadlineAt = deadlineOf(state.calls.get(event.call)?.turn ?? "");
      deadlines.set(`${event.call} ${event.tool} ${event.attempt}`, deadlineAt);
    }
    const taken = "turn" in event ? event.turn : "call" in event ? (event.call.split("/")[0] ?? "") : "";
    if (!takenUpAt.has(`${life} ${taken}`)) takenUpAt.set(`${life} ${taken}`, at);
    if (event.type === "turn-ended" && story.refusals === 0) {
      // A program that returns to a turn after its time is up gets that result at once.
      const deadlineAt = Math.max(deadlineOf(event.turn), takenUpAt.get(`${life} ${event.turn}`) ?? 0);
      const slackMs = 1 + (disk.latency === "time" ? 500 : 0) + turnLengthMs(story, event.turn) * 0.01;
      if (at > deadlineAt + slackMs)
        return `entry ${seq}: ${event.turn} ended ${at - deadlineAt} ms after its deadline`;
    }
    foldEntry(state, entry);
  }
  for (const { call, tool, attempt, at } of story.runs) {
    const deadlineAt = deadlines.get(`${call} ${tool.id} ${attempt}`);
    if (deadlineAt !== undefined && at >= deadlineAt)
      return `${call}: ${tool.id} was started ${at - deadlineAt} ms after the deadline`;
  }
  return null;
}

/** What the entry holds is all that `decide` saw. A fault's words may be masked, which changes no decision. */
export function everyDecisionCanBeMadeAgainFromItsEntry(story: Story): Broken {
  const entries = story.written.map(({ entry }) => entry);
  return decidedAgain(entries, PRESETS[story.world.policy]).different[0] ?? null;
}

function turnLengthMs({ world }: Story, turn: string): number {
  const spec = world.turns[Number(turn.slice("turn".length))];
  return spec?.timeoutMs ?? world.limits.turnTimeoutMs ?? 300_000;
}

/** Nothing comes after it but late results. */
export function aSessionEndsOnceAndCancelWins(story: Story): Broken {
  const ends = story.written.filter(({ entry }) => entry.event.type === "session-ended");
  const [end, second] = ends;
  if (second !== undefined) return `entry ${second.entry.seq} ends the session once more`;
  if (end !== undefined) {
    const after = story.written.find(({ order, entry }) => order > end.order && entry.event.type !== "call-late");
    if (after !== undefined)
      return `entry ${after.entry.seq} ${after.entry.event.type} comes after the end of the session`;
  }
  for (const cancel of story.cancels) {
    const broken = overruled(story, cancel);
    if (broken !== null) return broken;
  }
  return null;
}

function overruled(story: Story, cancel: Cancelled): Broken {
  const { turn, life, order } = cancel;
  const what = turn ?? "the session";
  // A program that takes up a turn again which it had cancelled too late means it.
  const again = story.written.find(
    ({ order: at, entry: { event } }) => at > order && event.type === "turn-started" && event.turn === turn,
  );
  const until = again?.order ?? Infinity;
  const late = story.runs
    .filter((run) => run.life === life && run.order > order && run.order < until)
    .find((run) => turn === null || run.call.startsWith(`${turn}/`));
  if (late !== undefined) return `${late.call}: ${late.tool.id} was started after ${what} was cancelled`;
  for (const written of story.written) {
    const { event, seq } = written.entry;
    if (written.life !== life || written.order > until || !isRecordedAfter(story, written, cancel)) continue;
    if (event.type === "session-ended" && turn === null && event.status !== "cancelled") {
      return `entry ${seq}: the session was cancelled and ended as ${event.status}`;
    }
    if (isVerdict(event) && (turn === null || event.call.startsWith(`${turn}/`))) {
      return `entry ${seq}: ${what} was cancelled, and then ${event.call} met ${event.type}`;
    }
    if (event.type === "turn-ended" && event.turn === turn && event.status !== "cancelled") {
      return `entry ${seq}: ${turn} was cancelled and ended as ${event.status}`;
    }
  }
  return null;
}

/** What a call that was not cancelled comes to. */
function isVerdict(event: JournalEvent): event is Extract<CallEvent, { readonly type: (typeof VERDICTS)[number] }> {
  return (VERDICTS as readonly string[]).includes(event.type);
}

const VERDICTS = ["call-succeeded", "call-failed", "call-decided"] as const;

/** What was on its way to a slow disk when the cancellation came had been decided before it. */
function isRecordedAfter({ world, refusals }: Story, { order, entry }: Written, cancel: Cancelled): boolean {
  const isPrompt = world.disk.latency !== "time" && refusals === 0;
  return order > cancel.order && (isPrompt || entry.at > cancel.at);
}

/** Seen by subscribers, by tools that start, and by callers that wait for an outcome. */
export function anEventIsOnDiskBeforeAnyoneSeesIt(story: Story): Broken {
  const told = story.told.find(({ seq, onDisk }) => seq > onDisk);
  if (told !== undefined) return `a subscriber was told entry ${told.seq} when ${told.onDisk} were on disk`;
  const histories = historiesOf(story);
  for (const { order, call, tool, attempt } of story.runs) {
    const isAdmitted = histories
      .get(call)
      ?.events.some(
        ({ event, order: at }) =>
          at < order && event.type === "call-admitted" && event.tool === tool.id && event.attempt === attempt,
      );
    if (isAdmitted !== true) return `${call}: ${tool.id} was started before its admission was on disk`;
  }
  for (const { order, call, status, isRefusal, attempts, fault } of story.outcomes) {
    if (isRefusal) continue;
    const events = histories.get(call)?.events.filter((written) => written.order < order) ?? [];
    if (events.some(({ event }) => TELLS[status](event))) continue;
    // A step that did not run is reported by another event, and to an abandoned body by none.
    if (attempts === 0 && (isStepSettled(story, call, order) || isOutOfTime(fault))) continue;
    return `${call}: a reader saw it ${status} before that was on disk`;
  }
  for (const { order, result } of story.turns) {
    const { turn, status, fault } = result;
    if (fault?.class === "Session" || (fault?.class === "Limit" && status === "failed")) continue;
    const isWritten = story.written.some(
      ({ entry: { event }, order: at }) =>
        at < order && event.type === "turn-ended" && event.turn === turn && event.status === status,
    );
    if (!isWritten) return `${turn}: a reader saw it ${status} before that was on disk`;
  }
  return null;
}

function isOutOfTime(fault: Fault | null): boolean {
  return fault !== null && (traitsOf(fault.code).cancels || traitsOf(fault.code).scope === "limit");
}

function isStepSettled({ written }: Story, call: string, before: number): boolean {
  return written.some(
    ({ order, entry: { event } }) =>
      order < before && event.type === "node-settled" && call === `${event.turn}/${event.round}/${event.node}`,
  );
}

/** However often it is asked for, before and after a crash. */
export function aFinishedCallIsToldAsItEnded(story: Story): Broken {
  const histories = historiesOf(story);
  for (const { order, call, status, fault } of story.outcomes) {
    const end = histories.get(call)?.events.find(({ event }) => endsCall(event));
    if (end === undefined || end.order > order || TELLS[status](end.event)) continue;
    // Without its store a session can tell nothing but that.
    if (fault?.class === "Session") continue;
    return `${call}: it ended with entry ${end.seq} ${end.event.type} and was told as ${status}`;
  }
  return null;
}

/** The event that tells an outcome. */
const TELLS: Readonly<Record<OutcomeStatus, (event: CallEvent) => boolean>> = {
  done: ({ type }) => type === "call-succeeded",
  defaulted: (event) => decisionOf(event)?.recourse === "default",
  partial: (event) => decisionOf(event)?.recourse === "partial",
  skipped: (event) => decisionOf(event)?.recourse === "skip" || event.type === "question-answered",
  surfaced: (event) => decisionOf(event)?.recourse === "surface",
  failed: (event) => decisionOf(event)?.recourse === "fail",
  cancelled: ({ type }) => type === "call-cancelled",
  waiting: ({ type }) => type === "question-asked",
  parked: (event) => decisionOf(event)?.recourse === "park",
};

export function foldingTheJournalFromScratchGivesTheLiveState(story: Story): Broken {
  const scratch = emptySession(story.session);
  for (const entry of story.entries) foldEntry(scratch, entry);
  if (story.snapshot !== null) {
    const resumed = fromSnapshot(story.snapshot);
    for (const entry of story.entries.slice(resumed.seq)) foldEntry(resumed, entry);
    if (textOf(resumed) !== textOf(scratch)) return differenceOf(textOf(resumed), textOf(scratch));
  }
  const last = story.lives.at(-1);
  // What came late and could not be written is known to the live session only.
  if (last?.end !== "done" || story.refusals > 0 || last.spending === null) return null;
  if (!sameSpending(last.spending, scratch.spending)) {
    return `the session had spent ${JSON.stringify(last.spending)}, its journal says ${JSON.stringify(scratch.spending)}`;
  }
  return last.status === scratch.status ? null : `the session was ${last.status}, its journal says ${scratch.status}`;
}

/** Field by field in one order, so that equal states read the same. */
function textOf(state: SessionState): string {
  const { session, seq, lastAt, manifest, status, startedAt, spending, budgetWarned, run, ...rest } = state;
  const own = [session, seq, lastAt, manifest, status, startedAt, spending, budgetWarned, run];
  const { turns, calls } = snapshotOf(state) as { turns: unknown; calls: unknown };
  return JSON.stringify([...own, Object.keys(rest).sort(), turns, calls]);
}

function differenceOf(a: string, b: string): string {
  let at = 0;
  while (a[at] === b[at]) at++;
  return `the snapshot leads elsewhere: …${a.slice(at - 60, at + 60)}… is not …${b.slice(at - 60, at + 60)}…`;
}

function sameSpending(a: Spending, b: Spending): boolean {
  return (
    a.microcents === b.microcents &&
    a.estimatedMicrocents === b.estimatedMicrocents &&
    a.unpricedAttempts === b.unpricedAttempts
  );
}

export function everyWorldEnds({ lives, world }: Story): Broken {
  const last = lives.at(-1);
  if (last === undefined) return "no process lived";
  if (last.end === "done" || world.disk.brokenFrom !== null) return null;
  return `after ${lives.length} lives the last one is ${last.end}`;
}

/** A disk that answers keeps a session alive, whatever tools return and people say. */
export function onlyTheStoreEndsASessionEarly({ lives, refusals }: Story): Broken {
  const lost = lives.find(({ lostStore }) => lostStore);
  return lost !== undefined && refusals === 0
    ? `life ${lost.number} lost its session, and the disk refused nothing`
    : null;
}

/** For plain worlds, whose twin met no trouble; work that was cut down too often to be tried again has another outcome. */
export function aResumedRunEndsAsOneThatDidNotCrash(story: Story, twin: Story | null): Broken {
  if (twin === null || gaveUpAfterCrash(story)) return null;
  for (const { event } of twin.entries) {
    if (event.type !== "turn-ended" || event.status === "waiting") continue;
    const { turn } = event;
    const [found, expected] = [story.kept.get(turn), twin.kept.get(turn)];
    if (found === undefined || expected === undefined) return `the result of ${turn} is not kept`;
    if (found.status !== expected.status)
      return `${turn} ended as ${found.status}, without trouble as ${expected.status}`;
    const names = new Set([...Object.keys(found.outcomes), ...Object.keys(expected.outcomes)]);
    for (const name of names) {
      const [mine, others] = [shownOutcome(found.outcomes[name]), shownOutcome(expected.outcomes[name])];
      if (mine !== others) return `${turn} ${name} ended as ${mine}, without trouble as ${others}`;
    }
  }
  return null;
}

function gaveUpAfterCrash({ entries }: Story): boolean {
  return entries.some(
    ({ event }) =>
      event.type === "call-failed" && event.fault.code === "Interrupted" && event.decision.recourse !== "retry",
  );
}

function shownOutcome(outcome: { readonly status: OutcomeStatus; readonly value?: unknown } | undefined): string {
  return outcome === undefined ? "nothing" : `${outcome.status} ${JSON.stringify([outcome.value])}`;
}
