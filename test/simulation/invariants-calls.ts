// What must always hold for calls, each as a function that bears its sentence as its name. null: it holds; else what broke it.

import {
  type CallHistory,
  type CallWritten,
  decisionOf,
  endsCall,
  historiesOf,
  isApproval,
  mayHaveHappened,
  rowInCharge,
  toolOf,
} from "./call-history.ts";
import type { Run, Story } from "./story.ts";
import type { WorldSpec } from "./world-spec.ts";

export type Broken = string | null;

/** Counted are attempts that went out; those a person approved, and those after a durable wait, are not the policy's. */
export function attemptsNeverExceedThePolicysNumber(story: Story): Broken {
  return firstBroken(story, ({ call, events }) => {
    const counts = new Map<string, number>();
    const most = new Map<string, number>();
    let isExtra = false;
    for (const { event } of events) {
      if (event.type === "call-admitted") {
        if (!isExtra) counts.set(event.tool, (counts.get(event.tool) ?? 0) + 1);
        isExtra = false;
      }
      if (isApproval(event)) isExtra = true;
      const decision = decisionOf(event);
      if (decision === null || (event.type !== "call-failed" && event.type !== "call-decided")) continue;
      if (decision.recourse === "park") isExtra = true;
      const row = rowInCharge(story.world, toolOf(story.world, event.tool), event.fault);
      const allowed = row.retry?.maxAttempts ?? 1;
      most.set(event.tool, Math.max(most.get(event.tool) ?? 1, allowed));
      if (decision.recourse === "retry" && decision.attempt > allowed) {
        return `${call}: attempt ${decision.attempt} was decided, and the row for ${event.fault.code} allows ${allowed}`;
      }
    }
    for (const [tool, count] of counts) {
      const allowed = most.get(tool) ?? 1;
      if (count > allowed) return `${call}: ${tool} had ${count} attempts of ${allowed}`;
    }
    return null;
  });
}

/** Neither by the same tool nor by another. A declared default or skip is not a repetition: its fault is recorded. */
export function nothingThatMayHaveHappenedIsRunAgainUnlessIdempotentOrApproved(story: Story): Broken {
  return firstBroken(story, (history) => repeated(story.world, history) ?? effectTwice(history)) ?? passedOver(story);
}

/** A step that was in flight when its process died is not settled as if it had never begun. */
function passedOver(story: Story): Broken {
  for (const { order, entry } of story.written) {
    const { event, seq } = entry;
    if (event.type !== "node-settled" || event.status === "failed") continue;
    const call = `${event.turn}/${event.round}/${event.node}`;
    const before =
      historiesOf(story)
        .get(call)
        ?.moments.filter((moment) => moment.order < order) ?? [];
    const last = before.at(-1);
    const isOpen = last?.run !== null || last.written.event.type === "call-admitted";
    const tool = last?.run?.tool ?? null;
    if (last !== undefined && isOpen && tool?.idempotent === false) {
      return `${call}: entry ${seq} leaves it out as ${event.status}, and nobody knows how it ended`;
    }
  }
  return null;
}

function repeated(world: WorldSpec, { call, moments }: CallHistory): Broken {
  let unsafe: string | null = null;
  let running: Run | null = null;
  for (const { written, run } of moments) {
    if (run !== null) {
      if (unsafe !== null) return `${call}: ${run.tool.id} ran again after ${unsafe}`;
      if (running !== null && !running.tool.idempotent) {
        return `${call}: ${run.tool.id} ran again, and nobody knows how attempt ${running.attempt} ended`;
      }
      running = run;
      continue;
    }
    const { event } = written;
    if (isApproval(event)) unsafe = null;
    if (event.type === "call-succeeded") running = null;
    if (event.type !== "call-failed") continue;
    running = null;
    if (toolOf(world, event.tool).idempotent || !mayHaveHappened(event.fault)) continue;
    unsafe = `${event.tool} failed with ${event.fault.code} (attempt ${event.attempt})`;
  }
  return null;
}

function effectTwice({ call, events, runs }: CallHistory): Broken {
  const effects = runs.filter(({ hasEffect, tool }) => hasEffect && !tool.idempotent).length;
  const approved = events.filter(({ event }) => isApproval(event)).length;
  return effects > 1 + approved ? `${call}: its work was done ${effects} times, with ${approved} approvals` : null;
}

export function finishedCallsDoNotRunTwice(story: Story): Broken {
  return firstBroken(story, ({ call, moments }) => {
    let end: CallWritten | null = null;
    const admitted = new Set<string>();
    for (const { written, run } of moments) {
      if (end !== null && run !== null) return `${call}: ${run.tool.id} ran after ${end.event.type} (entry ${end.seq})`;
      if (written === null) continue;
      const { event, seq } = written;
      if (end !== null && event.type !== "call-late") {
        return `${call}: entry ${seq} ${event.type} after its end, entry ${end.seq} ${end.event.type}`;
      }
      if (endsCall(event)) end = written;
      if (event.type !== "call-admitted") continue;
      const name = `${event.tool} ${event.attempt}`;
      if (admitted.has(name)) return `${call}: attempt ${event.attempt} of ${event.tool} was admitted twice`;
      admitted.add(name);
    }
    return null;
  });
}

/** After the announcement comes the attempt, not before its time, or what says why it does not come. */
export function aRetryAnnouncedIsARetryMade(story: Story): Broken {
  return firstBroken(story, ({ call, events }) => {
    for (const [index, { event, seq, recordedAt }] of events.entries()) {
      const decision = decisionOf(event);
      if (decision?.recourse !== "retry") continue;
      const later = events.slice(index + 1).find((each) => each.event.type !== "call-late");
      const next = later?.event;
      if (later === undefined || next === undefined) {
        if (isSettled(story, call, seq)) return `${call}: the retry announced in entry ${seq} never came`;
        continue;
      }
      if (next.type === "call-admitted" && later.recordedAt < recordedAt + decision.delayMs) {
        return `${call}: the retry announced in entry ${seq} came ${recordedAt + decision.delayMs - later.recordedAt} ms early`;
      }
      const isMade = next.type === "call-admitted" && next.attempt === decision.attempt;
      if (!isMade && next.type !== "call-decided" && next.type !== "call-cancelled") {
        return `${call}: after the retry announced in entry ${seq} came ${next.type}`;
      }
    }
    return null;
  });
}

/** Its turn is over, and nothing there says that the step could not run. */
function isSettled({ written }: Story, call: string, after: number): boolean {
  const [turn, round, node] = call.split("/");
  const later = written.slice(after).map(({ entry }) => entry.event);
  const explained = later.some(
    (event) =>
      event.type === "node-settled" && event.turn === turn && String(event.round) === round && event.node === node,
  );
  const isOver = later.some(
    (event) => event.type === "turn-ended" && event.turn === turn && event.status !== "waiting",
  );
  return isOver && !explained;
}

/** Nor does a turn end because its store was away for a while: it is taken up again when the store is back. */
export function aTurnThatIsOverLeavesNoAttemptOpen(story: Story): Broken {
  for (const { order, entry } of story.written) {
    const { event, seq } = entry;
    if (event.type !== "turn-ended" || event.status === "waiting") continue;
    if (event.fault?.class === "Session") return `entry ${seq} ends ${event.turn} with ${event.fault.code}`;
    // Time, a cancellation or a throw may keep a program from coming back to what it had begun.
    if (event.fault !== null) continue;
    for (const { call, events } of historiesOf(story).values()) {
      if (!call.startsWith(`${event.turn}/`)) continue;
      const last = events.findLast((written) => written.order < order)?.event;
      if (last?.type === "call-admitted")
        return `entry ${seq} ends ${event.turn}, and ${call} has an attempt without an end`;
    }
  }
  return null;
}

function firstBroken(story: Story, check: (history: CallHistory) => Broken): Broken {
  for (const history of historiesOf(story).values()) {
    const broken = check(history);
    if (broken !== null) return broken;
  }
  return null;
}
