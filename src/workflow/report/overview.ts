// What a person on duty wants to know first, read by index: a journal with a long past costs no more than a new one.

import type { Question } from "../../core/flow/interaction.ts";
import { isEnded } from "../../core/flow/run-state.ts";
import { currentWait } from "../../core/flow/run-standing.ts";
import type { FaultBucket, Journal, SessionSummary, Timed } from "../../journal/journal.ts";
import { tagOf } from "../../journal/keep-kinds.ts";
import type { RunSummary } from "../runs-api.ts";
import { answeredOf } from "./run-reports.ts";

/** The first of many, and how many there are, counted up to a limit. */
export interface Counted<Item> {
  readonly count: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
  readonly first: readonly Item[];
}

/** A journal at a glance. */
export interface Overview {
  /** Open questions, the oldest first. */
  readonly questions: Counted<Question>;
  readonly running: Counted<RunSummary>;
  /** Runs that have something to do and wait for a process to take them up. */
  readonly queued: Counted<RunSummary>;
  /** Open sessions of programs, the one that was begun last first. */
  readonly programs: Counted<SessionSummary>;
  /** Runs that continue by themselves, the next one first. */
  readonly waiting: Counted<RunSummary & { readonly nextAt: number }>;
  /** Runs begun since the day began that failed and were not continued, by code, the most frequent first. */
  readonly failed: readonly { readonly code: string; readonly count: number; readonly newest: string }[];
  /** What the runs begun since the day began have cost. */
  readonly spentMicrocents: number;
  /** Failures of the last 24 hours, hour by hour. */
  readonly faults: FaultsOfDay;
  /** When the day began, in UTC. */
  readonly since: number;
  /** There are more runs since then than were looked at. */
  readonly isPartial: boolean;
}

interface FaultsOfDay {
  readonly trend: readonly FaultBucket[];
  readonly count: number;
  readonly recoveredByRetry: number;
}

const SHOWN = 20;
const COUNTED = 500;
/** Each of them is looked up by its name. */
const LOOKED_UP = 100;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Behind every other key. */
const LAST_KEY = "\u{10ffff}";

/** `held`: the runs that a live process advances. */
export async function overviewOf(journal: Journal, now: number, held: ReadonlySet<string>): Promise<Overview> {
  const since = now - (now % DAY_MS);
  const running = await journal.keptByTime("run", {
    order: "newest",
    limit: COUNTED + 1,
    tags: [tagOf("status", "running")],
  });
  const wakes = await journal.keptByTime("wake", {
    order: "oldest",
    limit: COUNTED + 1,
    after: { at: now, key: LAST_KEY },
  });
  const asked = await journal.keptByTime("question", { order: "oldest", limit: COUNTED + 1 });
  const answered = await answeredOf(
    journal,
    asked.map(({ key }) => key),
  );
  const questions = asked.filter(({ key }) => !answered.has(key));
  const begun = await begunSince(journal, since);
  // A run that asks also wakes when its question expires, but it does not continue by itself.
  const asking = new Set(questions.map(({ value }) => (value as Question).session));
  const alone = wakes.filter(({ key }) => !asking.has(key));
  const begunRuns = running.map(({ value }) => value as RunSummary);
  const retrying = begunRuns.flatMap((run) => {
    const wait = held.has(run.run) ? currentWait(run, now) : null;
    return wait === null ? [] : [{ ...run, nextAt: wait.nextAt }];
  });
  const waits = new Set(retrying.map(({ run }) => run));
  const working = begunRuns.filter(({ run }) => held.has(run) && !waits.has(run));
  const isElsewhere = (run: string): boolean =>
    held.has(run) || asking.has(run) || wakes.some(({ key }) => key === run);
  const queued = await queuedRuns(journal, now, begunRuns, isElsewhere);
  const later = await waitingRuns(journal, alone.slice(0, SHOWN));
  return {
    questions: counted(
      questions,
      questions.slice(0, SHOWN).map(({ value }) => value as Question),
    ),
    running: counted(working, working.slice(0, SHOWN)),
    queued: counted(queued, queued.slice(0, SHOWN)),
    programs: await openPrograms(journal, begunRuns),
    waiting: counted([...retrying, ...alone], [...retrying, ...later].toSorted(byNextAt).slice(0, SHOWN)),
    failed: byCode(begun.runs),
    faults: await faultsOfDay(journal, now),
    spentMicrocents: sum(begun.runs.map(({ spentMicrocents }) => spentMicrocents)),
    since,
    isPartial: begun.isPartial,
  };
}

function counted<Item>(
  found: readonly unknown[],
  first: readonly Item[],
  isMore = found.length > COUNTED,
): Counted<Item> {
  return { count: Math.min(found.length, COUNTED), isMore, first };
}

/** Runs that began and that no process advances, and runs whose time has come. */
async function queuedRuns(
  journal: Journal,
  now: number,
  begun: readonly RunSummary[],
  isElsewhere: (run: string) => boolean,
): Promise<readonly RunSummary[]> {
  const idle = begun.filter(({ run }) => !isElsewhere(run));
  const known = new Set(idle.map(({ run }) => run));
  const wakes = await journal.keptByTime("wake", { order: "oldest", limit: LOOKED_UP });
  const due = wakes.filter(({ at, key }) => at <= now && !known.has(key) && !isElsewhere(key));
  const runs = (await Promise.all(due.map(({ key }) => journal.kept("run", key)))) as readonly (RunSummary | null)[];
  return [...idle, ...runs.flatMap((run) => (run === null || isEnded(run) ? [] : [run]))];
}

async function openPrograms(journal: Journal, begun: readonly RunSummary[]): Promise<Overview["programs"]> {
  // One whose last turn waits has not ended either.
  const found = await Promise.all(
    (["open", "waiting"] as const).map((status) => journal.sessions({ status, limit: LOOKED_UP + 1 })),
  );
  const open = found.flat().toSorted((one, other) => other.startedAt - one.startedAt);
  const runs = new Set(begun.map(({ run }) => run));
  const isRun = await Promise.all(
    open.map(async ({ session }) => runs.has(session) || ((await journal.kept("run", session)) ?? null) !== null),
  );
  const programs = open.filter((_session, index) => isRun[index] === false);
  return counted(
    programs,
    programs.slice(0, SHOWN),
    found.some(({ length }) => length > LOOKED_UP),
  );
}

function byNextAt(one: { readonly nextAt: number }, other: { readonly nextAt: number }): number {
  return one.nextAt - other.nextAt;
}

async function waitingRuns(journal: Journal, wakes: readonly Timed[]): Promise<Overview["waiting"]["first"]> {
  const kept = await Promise.all(wakes.map(({ key }) => journal.kept("run", key)));
  return wakes.flatMap(({ at }, index) => {
    const run = kept[index] as RunSummary | null;
    return run === null ? [] : [{ ...run, nextAt: at }];
  });
}

async function begunSince(
  journal: Journal,
  since: number,
): Promise<{ readonly runs: readonly RunSummary[]; readonly isPartial: boolean }> {
  const newest = await journal.keptByTime("run", { order: "newest", limit: COUNTED + 1 });
  const runs = newest.filter(({ at }) => at >= since).map(({ value }) => value as RunSummary);
  return { runs: runs.slice(0, COUNTED), isPartial: runs.length > COUNTED };
}

/** Ends with the hour that is not over yet. */
async function faultsOfDay(journal: Journal, now: number): Promise<FaultsOfDay> {
  const until = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  const trend = await journal.faultTrend(null, { since: until - DAY_MS, until, bucketMs: HOUR_MS });
  return {
    trend,
    count: sum(trend.map(({ count }) => count)),
    recoveredByRetry: sum(trend.map(({ recoveredByRetry }) => recoveredByRetry)),
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}

function byCode(runs: readonly RunSummary[]): Overview["failed"] {
  const found = new Map<string, { code: string; count: number; newest: string }>();
  for (const { run, status, successor, code } of runs) {
    if (status !== "failed" || successor !== null) continue;
    const row = found.get(code ?? "") ?? { code: code ?? "", count: 0, newest: run };
    row.count++;
    found.set(row.code, row);
  }
  return [...found.values()].toSorted((a, b) => b.count - a.count);
}
