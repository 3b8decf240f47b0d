// What must always hold for targets: their breakers, and how many may work at once. Each as a function that bears its
// sentence as its name. null: it holds; else what broke it.

import type { Broken } from "./invariants-calls.ts";
import { type CallHistory, type CallWritten, decisionOf, historiesOf, isApproval, toolOf } from "./call-history.ts";
import type { BreakerSeen, Run, Story } from "./story.ts";
import type { TargetSpec, WorldSpec } from "./world-spec.ts";

/**
 * Judged by what the program last knew of the breaker; the moment at which it changed does not count. A call that had begun
 * continues its retries, unless the breaker counts attempts or an operator has taken the target out of service.
 */
export function anOpenBreakerLetsNoCallBeginButItsProbe(story: Story): Broken {
  const admissions = [...historiesOf(story).values()].flatMap((history) => admissionsOf(story.world, history));
  const seenOf = Map.groupBy(story.breakers, ({ life, target }) => `${life} ${target}`);
  for (const admission of admissions) {
    const seen = seenOf.get(`${admission.written.life} ${admission.target.id}`) ?? [];
    const broken = admission.isApproved ? null : wentPast(story, admissions, admission, seen);
    if (broken !== null) return broken;
  }
  for (const seen of seenOf.values()) {
    const broken = secondProbe(story, admissions, seen) ?? probesAtOnce(story, admissions, seen);
    if (broken !== null) return broken;
  }
  return null;
}

interface Admission {
  readonly written: CallWritten;
  readonly target: TargetSpec;
  /** A person's yes goes past a breaker. */
  readonly isApproved: boolean;
}

function admissionsOf(world: WorldSpec, { events }: CallHistory): readonly Admission[] {
  const admissions: Admission[] = [];
  let isApproved = false;
  for (const written of events) {
    const { event } = written;
    if (isApproval(event)) isApproved = true;
    if (event.type !== "call-admitted") continue;
    admissions.push({ written, target: toolOf(world, event.tool).target, isApproved });
    isApproved = false;
  }
  return admissions;
}

function wentPast(
  { lives }: Story,
  admissions: readonly Admission[],
  { written, target }: Admission,
  seen: readonly BreakerSeen[],
): Broken {
  const { life, recordedAt, event, seq } = written;
  // What changed in the last moment of a life was not told any more.
  if (recordedAt === lives[life]?.endedAt || seen.some(({ at }) => at === recordedAt)) return null;
  const breaker = seen.findLast(({ at }) => at < recordedAt)?.breaker;
  if (breaker === undefined || breaker.state === "closed") return null;
  const isRetry = event.type === "call-admitted" && event.attempt > 1;
  if (isRetry && breaker.state !== "isolated" && target.breaker.counts !== "attempts") return null;
  const probeAt = breaker.state === "half-open" ? breaker.probeStartedAt : null;
  const isProbe = probeAt !== null && probesAt(admissions, target.id, life, probeAt).includes(event.call);
  return isProbe
    ? null
    : `${event.call} went out (entry ${seq}) while the breaker of ${target.id} was ${breaker.state}`;
}

/** The calls that went out to a target at a moment. */
function probesAt(admissions: readonly Admission[], target: string, life: number, probeAt: number): readonly string[] {
  return admissions
    .filter(({ target: other, written }) => other.id === target && written.life === life)
    .filter(({ written }) => written.recordedAt === probeAt)
    .map(({ written }) => written.event.call);
}

const ANSWERS: ReadonlySet<string> = new Set(["call-failed", "call-succeeded", "call-cancelled", "call-decided"]);

/** The next probe goes out when the one before has answered, or has taken too long to. */
function secondProbe(story: Story, admissions: readonly Admission[], seen: readonly BreakerSeen[]): Broken {
  for (const [index, { breaker: after, life, target }] of seen.entries()) {
    const before = seen[index - 1]?.breaker;
    if (before?.state !== "half-open" || after.state !== "half-open" || before.generation !== after.generation)
      continue;
    const [firstAt, secondAt] = [before.probeStartedAt, after.probeStartedAt];
    if (firstAt === null || secondAt === null || firstAt === secondAt) continue;
    const spec = admissions.find((each) => each.target.id === target)?.target;
    if (spec === undefined || secondAt >= firstAt + (spec.breaker.probeTimeoutMs ?? 0)) continue;
    const probes = probesAt(admissions, target, life, firstAt);
    const hasAnswered = probes.some((call) => answersBetween(story, call, firstAt, secondAt));
    // The probe of an earlier life will not answer any more.
    if (probes.length > 0 && !hasAnswered)
      return `${target} was probed again while ${probes.join(", ")} had not answered`;
  }
  return null;
}

/** At one moment several may go out only if all but the last have answered at once. */
function probesAtOnce(story: Story, admissions: readonly Admission[], seen: readonly BreakerSeen[]): Broken {
  for (const [index, { breaker, at, life, target }] of seen.entries()) {
    const isLast = seen[index + 1]?.at !== at;
    const before = seen.findLast((earlier) => earlier.at < at)?.breaker.state;
    if (!isLast || breaker.state !== "half-open" || before === undefined || before === "closed") continue;
    const probes = probesAt(admissions.filter(isFirst), target, life, at);
    const open = probes.filter((call) => !answersBetween(story, call, at, at));
    if (open.length > 1) return `${target} was probed by ${open.join(", ")} at once`;
  }
  return null;
}

/** Later attempts go out with the permission of the first; a person's yes needs none. */
function isFirst({ written, isApproved }: Admission): boolean {
  return !isApproved && written.event.type === "call-admitted" && written.event.attempt === 1;
}

function answersBetween(story: Story, call: string, from: number, until: number): boolean {
  const events = historiesOf(story).get(call)?.events ?? [];
  return events.some(({ event, recordedAt }) => ANSWERS.has(event.type) && recordedAt >= from && recordedAt <= until);
}

/** Nor does the breaker end it: what other calls met in the same outage is not held against it. */
export function aBreakerEndsNoScheduleThatHasBegun(story: Story): Broken {
  for (const { call, events } of historiesOf(story).values()) {
    for (const [index, { event, seq, life }] of events.entries()) {
      if (event.type !== "call-decided" || event.fault.code !== "CircuitOpen") continue;
      const before = events[index - 1]?.event;
      if (before?.type !== "call-failed" || before.decision.recourse !== "retry") continue;
      const { target } = toolOf(story.world, event.tool);
      const isIsolated = story.breakers.some(
        (seen) => seen.life === life && seen.target === target.id && seen.breaker.state === "isolated",
      );
      if (target.breaker.counts === "attempts" || isIsolated) continue;
      return `${call}: entry ${seq} refuses a retry, because the breaker of ${target.id} is ${event.breaker}`;
    }
  }
  return null;
}

/** The result that one call shares instead of its own attempt was met by another call after its retry was due. */
export function aSharedAttemptIsOneThatFailed(story: Story): Broken {
  for (const { call, events } of historiesOf(story).values()) {
    for (const [index, { event, seq, recordedAt }] of events.entries()) {
      if (event.type !== "call-decided" || event.attempt === undefined) continue;
      const announced = events[index - 1];
      const decision = announced === undefined ? null : decisionOf(announced.event);
      if (announced === undefined || decision?.recourse !== "retry" || decision.attempt !== event.attempt) {
        return `${call}: entry ${seq} stands for attempt ${event.attempt}, which was not announced`;
      }
      const dueAt = announced.recordedAt + decision.delayMs;
      const by = historiesOf(story).get(String(event.fault.context["shownBy"]))?.events ?? [];
      const failed = by.some(
        (other) =>
          other.event.type === "call-failed" &&
          other.event.fault.code === event.fault.code &&
          other.recordedAt >= dueAt &&
          other.recordedAt <= recordedAt,
      );
      if (!failed) return `${call}: entry ${seq} stands for an attempt that no other call has made`;
    }
  }
  return null;
}

/** Of each target, and of each round of a plan. What was given up or cancelled has left its place. */
export function concurrencyLimitsHold(story: Story): Broken {
  for (const [index, run] of story.runs.entries()) {
    const others = story.runs.slice(0, index).filter((other) => isBusy(story, other, run));
    const { maxConcurrent, id } = run.tool.target;
    const running = others.filter((other) => other.tool.target === run.tool.target).length + 1;
    if (running > maxConcurrent) return `${running} attempts ran at once at ${id}, which takes ${maxConcurrent}`;
    const parallel = maxParallelOf(story.world, run.call);
    const round = run.call.slice(0, run.call.lastIndexOf("/") + 1);
    const besides = others.filter(({ call }) => call.startsWith(round)).length + 1;
    if (besides > parallel) return `${besides} steps of ${round} ran at once, and ${parallel} may`;
  }
  return null;
}

/** Ran for sure when `now` began. */
function isBusy({ cancels }: Story, other: Run, now: Run): boolean {
  if (other.life !== now.life || (other.ended !== null && other.ended.order < now.order)) return false;
  if (now.at >= other.deadlineAt) return false;
  return !cancels.some(
    ({ life, order, turn }) =>
      life === now.life && order < now.order && (turn === null || other.call.startsWith(`${turn}/`)),
  );
}

function maxParallelOf({ limits, turns }: WorldSpec, call: string): number {
  const [turn, round, node] = call.split("/");
  if (node === undefined) return Infinity;
  const plans = turns[Number(turn?.slice("turn".length))]?.rounds.filter(({ kind }) => kind === "plan") ?? [];
  const plan = plans[Number(round) - 1];
  return (plan?.kind === "plan" ? plan.maxParallel : null) ?? limits.maxParallel ?? Infinity;
}
