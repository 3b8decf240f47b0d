// What must always hold for money, secrets and what comes late, each as a function that bears its sentence as its name.
// null: it holds; else what broke it.

import { createRedactor } from "../../src/core/fault/redact.ts";
import { viewFor } from "../../src/core/fault/view.ts";
import { emptySession, foldEntry } from "../../src/core/record/replay.ts";
import type { Broken } from "./invariants-calls.ts";
import { type CallHistory, type CallWritten, historiesOf, toolOf } from "./call-history.ts";
import type { Run, Story } from "./story.ts";
import type { WorldSpec } from "./world-spec.ts";

/** Worked out from what the tools said themselves, and held against the journal. */
export function costBookedIsTheSumOfAllAttempts(story: Story): Broken {
  const state = emptySession(story.session);
  for (const entry of story.entries) foldEntry(state, entry);
  let microcents = 0;
  let estimatedMicrocents = 0;
  let unpricedAttempts = 0;
  const parts: string[] = [];
  for (const history of historiesOf(story).values()) {
    for (const { cost, isEstimated, name } of costsOf(story.world, history)) {
      parts.push(`${name} ${cost ?? "?"}`);
      if (cost === null) unpricedAttempts += 1;
      else microcents += cost;
      if (isEstimated) estimatedMicrocents += cost ?? 0;
    }
  }
  const { spending } = state;
  if (spending.microcents !== microcents) {
    return `${spending.microcents} are booked, the attempts cost ${microcents}: ${parts.join(", ")}`;
  }
  if (spending.estimatedMicrocents !== estimatedMicrocents) {
    return `${spending.estimatedMicrocents} are marked as estimated, ${estimatedMicrocents} are: ${parts.join(", ")}`;
  }
  if (spending.unpricedAttempts !== unpricedAttempts) {
    return `${spending.unpricedAttempts} attempts are marked as without a price, ${unpricedAttempts} are`;
  }
  return null;
}

interface AttemptCost {
  readonly name: string;
  /** null: unknown. */
  readonly cost: number | null;
  readonly isEstimated: boolean;
}

/** Attempts whose end is on disk; the cost of an open attempt is not booked yet. */
function costsOf(world: WorldSpec, { call, events, runs }: CallHistory): readonly AttemptCost[] {
  return events.flatMap((admitted, index): AttemptCost[] => {
    const { event } = admitted;
    if (event.type !== "call-admitted") return [];
    const { tool: id, attempt } = event;
    const tool = toolOf(world, id);
    const run = runs.find((each) => each.tool.id === id && each.attempt === attempt);
    const end = events.slice(index + 1).find((later) => endsAttempt(later, attempt));
    if (end === undefined) return [];
    const late = events.some(
      ({ event: other }) => other.type === "call-late" && other.tool === id && other.attempt === attempt,
    );
    const name = `${call} ${id} ${attempt}`;
    const isCutDown = run?.life !== end.life;
    // An attempt that never ran costs nothing, unless that is unknown: after a crash.
    if (run === undefined && admitted.life === end.life) return [];
    const reported = isCutDown ? null : reportedCost(run, end, late);
    if (reported !== null) return [{ name, cost: reported, isEstimated: false }];
    if (tool.price === "free") return [];
    // Without a run, an attempt that was never started is booked as it would have been estimated.
    const estimate = run?.estimate ?? bookedEstimate(end);
    return [{ name, cost: estimate, isEstimated: estimate !== null }];
  });
}

function endsAttempt({ event }: CallWritten, attempt: number): boolean {
  if (event.type === "call-cancelled") return true;
  return (event.type === "call-failed" || event.type === "call-succeeded") && event.attempt === attempt;
}

function reportedCost(run: Run, end: CallWritten, isLate: boolean): number | null {
  const isGivenUp = isLate || run.ended === null || run.ended.at > end.recordedAt;
  const known = isGivenUp && !isLate ? run.reports.filter(({ isFirst }) => isFirst) : run.reports;
  return known.at(-1)?.microcents ?? null;
}

function bookedEstimate({ event }: CallWritten): number | null {
  return "cost" in event ? (event.cost?.microcents ?? null) : null;
}

/** An abandoned attempt that still ends is reported, as long as there is a listener. */
export function whatComesLateIsWrittenDown(story: Story): Broken {
  if (story.refusals > 0) return null;
  const histories = historiesOf(story);
  for (const { call, tool, attempt, ended, life, deadlineAt } of story.runs) {
    if (ended === null || ended.at <= deadlineAt + 1 || story.lives[life]?.end !== "done") continue;
    const events = histories.get(call)?.events ?? [];
    const isTold = events.some(
      ({ event }) =>
        (event.type === "call-late" || event.type === "call-succeeded" || event.type === "call-failed") &&
        event.tool === tool.id &&
        event.attempt === attempt &&
        (event.type === "call-late" || endedInTime(events, attempt, ended.at)),
    );
    if (!isTold) return `${call}: attempt ${attempt} of ${tool.id} ended late and is not in the journal`;
  }
  return null;
}

/** The clock gives up a little after the deadline, so what ends just then may still count. */
function endedInTime(events: readonly CallWritten[], attempt: number, endedAt: number): boolean {
  return events.some(
    ({ event, recordedAt }) => "attempt" in event && event.attempt === attempt && recordedAt === endedAt,
  );
}

/** In no entry, no kept value that pages show, no message to a user, and no view for a model or a user. */
export function noPlantedSecretGetsOut(story: Story): Broken {
  const { secrets, shaped } = story.world;
  const all = [...secrets, ...shaped];
  if (all.length === 0) return null;
  const redactor = createRedactor(secrets);
  for (const { entry } of story.written) {
    const found = secretIn(JSON.stringify(entry), all);
    if (found !== null) return `entry ${entry.seq} ${entry.event.type} shows ${found}`;
  }
  for (const text of story.shown) {
    const found = secretIn(text, all);
    if (found !== null) return `a kept value shows ${found}: ${text.slice(0, 200)}`;
  }
  for (const { result } of story.turns) {
    const found = secretIn(result.message, all);
    if (found !== null) return `the message of ${result.turn} shows ${found}`;
  }
  for (const { fault, call } of story.outcomes) {
    if (fault === null) continue;
    const options = { correlationId: call, redactor };
    const views = JSON.stringify([viewFor("model", fault, options), viewFor("user", fault, options)]);
    const found = secretIn(views, all);
    if (found !== null) return `a view of ${fault.code} shows ${found}`;
  }
  return null;
}

/** Most of a secret is as bad as the whole. */
const SHARE_THAT_TELLS = 0.75;

function secretIn(text: string, secrets: readonly string[]): string | null {
  return (
    secrets
      .map((secret) => secret.slice(0, Math.ceil(secret.length * SHARE_THAT_TELLS)))
      .find((part) => text.includes(part)) ?? null
  );
}
