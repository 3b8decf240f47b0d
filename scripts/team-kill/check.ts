// Compares a run whose worker was killed with the same run undisturbed: nothing may be lost, repeated, or end differently.

import { cutOffAttempts, finishedAttempts, finishedRequests, microcents, only, places } from "./entries.ts";
import type { Story } from "./story.ts";

/** The problems, as sentences; empty if there are none. */
export function checkStory(story: Story, undisturbed: Story): readonly string[] {
  return CHECKS.flatMap((check) => check(story, undisturbed));
}

type Check = (story: Story, undisturbed: Story) => readonly string[];

/** A longer excerpt of a difference would not help. */
const SHOWN = 300;

function same(what: string, is: unknown, was: unknown): readonly string[] {
  const [left, right] = [JSON.stringify(is ?? null), JSON.stringify(was ?? null)];
  if (left === right) return [];
  let from = 0;
  while (left[from] === right[from]) from += 1;
  const part = (text: string): string => text.slice(Math.max(0, from - 60), from + SHOWN);
  return [`${what}: …${part(left)} instead of …${part(right)}`];
}

const CHECKS: readonly Check[] = [
  // Every worker process ended as planned.
  ({ lives }) =>
    lives.flatMap(({ killed, hung, exitCode, stderr, told }, index) => [
      ...(hung
        ? [`life ${index + 1} did not end by itself; its last message was ${JSON.stringify(told.at(-1) ?? null)}`]
        : []),
      ...(!killed && !hung && exitCode !== 0
        ? [`life ${index + 1} ended with ${exitCode ?? "a signal"}: ${stderr}`]
        : []),
      ...told.flatMap((said) => (said.told === "trouble" ? [`life ${index + 1}: ${said.code}: ${said.message}`] : [])),
    ]),
  // The run has the same end, exactly once.
  (story, undisturbed) =>
    same(
      "the end",
      only(story.entries, "run-ended", "session-ended").map(endOf),
      only(undisturbed.entries, "run-ended", "session-ended").map(endOf),
    ),
  ({ entries }) => same("the last entry", entries.at(-1)?.event.type, "session-ended"),
  // Entries are numbered without a gap and unchanged.
  ({ entries }) =>
    entries.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`entry ${index + 1} has number ${seq}`])),
  ({ verified }) => same("the journal's own check", verified.firstBad, null),
  // Each attempt of each visit starts once, and the same attempts end in the same order.
  (story, undisturbed) =>
    same("nodes", places(story.entries, ...NODE_EVENTS), places(undisturbed.entries, ...NODE_EVENTS)),
  // A call with an answer is not repeated, and every call has the same result.
  ({ entries }) => {
    const over = new Set<string>();
    return entries.flatMap(({ seq, event }) => {
      if (event.type === "call-succeeded") over.add(event.call);
      return event.type === "call-admitted" && over.has(event.call) ? [`${event.call} is called again in ${seq}`] : [];
    });
  },
  (story, undisturbed) => same("finished attempts", attemptsOf(story), attemptsOf(undisturbed)),
  (story, undisturbed) => {
    const moved = movedCalls(story, undisturbed);
    const cutOff = new Set(cutOffAttempts(story.entries).map(({ call }) => call));
    return [...moved].filter((call) => !cutOff.has(call)).map((call) => `${call} was answered by another target`);
  },
  // A request is repeated only if the kill came before its answer was on disk, and then with the same words.
  (story, undisturbed) => {
    const { asks, lives } = story;
    const { asks: asksThen } = undisturbed;
    const kills = lives.filter(({ killed }) => killed).length;
    const tooMany = asks.length - asksThen.length - kills;
    const bodies = new Map(asksThen.map(({ step, body }) => [step, body]));
    const moved = stepsOf(story, otherwiseAsked(story, undisturbed));
    return [
      ...(tooMany > 0 ? [`${asks.length} requests instead of ${asksThen.length}, with ${kills} kills`] : []),
      ...asksThen.flatMap(({ step }) =>
        asks.some((ask) => ask.step === step) ? [] : [`step ${step} was never asked`],
      ),
      ...asks.flatMap(({ step, life, body }, index) => [
        ...(moved.has(step) ? [] : same(`request ${step} of life ${life}`, body, bodies.get(step))),
        ...(asks.some((other, at) => at < index && other.step === step && other.life === life)
          ? [`step ${step} was asked twice in life ${life}`]
          : []),
      ]),
    ];
  },
  // Every finished attempt costs the same as undisturbed …
  (story, undisturbed) => {
    const moved = otherwiseAsked(story, undisturbed);
    const costOf = ({ entries }: Story): number =>
      microcents(finishedAttempts(entries).filter(({ call }) => !moved.has(call)));
    return same("cost of finished attempts", costOf(story), costOf(undisturbed));
  },
  // … and an interrupted attempt is booked in addition, with its estimate, and marked.
  ({ entries, report, lives }) => {
    const cutOff = cutOffAttempts(entries);
    const booked = microcents(finishedAttempts(entries)) + microcents(cutOff);
    return [
      ...same("what is booked", report?.spending.microcents, booked),
      ...same("what the list says", report?.summary.spentMicrocents, booked),
      ...cutOff.flatMap(({ call, cost }) =>
        cost === null || cost.basis === "estimated" ? [] : [`${call} was cut off, and its cost is ${cost.basis}`],
      ),
      ...(cutOff.length > MOST_AT_ONCE * lives.length ? [`${cutOff.length} attempts were cut off`] : []),
    ];
  },
  // The disk has the same files, and none is half written.
  (story, undisturbed) => same("files", story.files, undisturbed.files),
  (story, undisturbed) => same("kept files", story.report?.files, undisturbed.report?.files),
  (story, undisturbed) => same("outputs", outputsOf(story), outputsOf(undisturbed)),
  ({ left }) => left.map((what) => `${what} is still there`),
  // A worker that was killed after the end of the run could not release it, and no other worker takes it.
  ({ holds, lives }) => (lives.at(-1)?.told.some(({ told }) => told === "driving") === true ? holds : []),
  ({ atRestate }) => atRestate,
  ({ orphans }) => orphans.map((one) => `process ${one} is still there`),
];

const NODE_EVENTS = ["node-started", "node-completed", "node-failed", "node-skipped", "node-retrying"] as const;

/** A model may call this many tools at once. */
const MOST_AT_ONCE = 4;

function endOf(event: { readonly type: string; readonly status: string; readonly outcome?: string }): string {
  return `${event.type} ${event.status} ${event.outcome ?? ""}`;
}

/** Parallel calls may end in another order, so the attempts are grouped by call. */
function attemptsOf({ entries }: Story): readonly string[] {
  return finishedAttempts(entries)
    .map((event) => `${event.call} ${event.type} ${event.type === "call-failed" ? event.fault.code : ""}`)
    .toSorted();
}

/**
 * Calls that went to other targets than undisturbed. An interrupted attempt counts, so a call that fails again
 * may use its fallback one attempt earlier.
 */
function movedCalls(story: Story, undisturbed: Story): ReadonlySet<string> {
  const targetsOf = ({ entries }: Story): ReadonlyMap<string, string> =>
    new Map(
      [...Map.groupBy(finishedAttempts(entries), ({ call }) => call)].map(([call, attempts]) => [
        call,
        attempts.map(({ tool }) => tool).join(),
      ]),
    );
  const before = targetsOf(undisturbed);
  return new Set([...targetsOf(story)].filter(([call, targets]) => before.get(call) !== targets).map(([call]) => call));
}

/** Calls whose requests may have other words than undisturbed, and so another price. */
function otherwiseAsked(story: Story, undisturbed: Story): ReadonlySet<string> {
  return new Set([...movedCalls(story, undisturbed), ...forgottenAnswers(story)]);
}

/**
 * Calls whose worker died between a poor answer and the request for a better one. The poor answer was only in its memory, so the
 * new request says what was wrong but does not contain that answer.
 */
function forgottenAnswers({ entries }: Story): readonly string[] {
  const open = new Set<string>();
  return entries.flatMap(({ event }) => {
    if (event.type === "call-failed" && event.decision.recourse === "regenerate") open.add(event.call);
    if (event.type === "call-adapted") open.delete(event.call);
    return event.type === "session-resumed" ? [...open] : [];
  });
}

/** The n-th finished request is the n-th step of what the models say. */
function stepsOf({ entries }: Story, calls: ReadonlySet<string>): ReadonlySet<number> {
  return new Set(finishedRequests(entries).flatMap(({ call }, step) => (calls.has(call) ? [step] : [])));
}

/** The duration of commands differs each time. */
function outputsOf({ outputs }: Story): readonly string[] {
  return Object.entries(outputs)
    .filter(([key]) => !key.includes("/run_tests#"))
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .toSorted();
}
