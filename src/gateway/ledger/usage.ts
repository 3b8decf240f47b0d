// How much each client used each target on each day, summed over all processes of the journal, so that reading it does not depend on the
// number of calls.

import { countOf, objectOf, textOf } from "../../core/json-fields.ts";
import type { Journal } from "../../journal/journal.ts";
import { windowStart } from "../key/key-account.ts";
import type { LedgerLine } from "./ledger-line.ts";

/** One client's calls to one target on one day (UTC). */
export interface DayUsage {
  /** When the day began. */
  readonly at: number;
  readonly client: string;
  /** Empty: no target answered. */
  readonly target: string;
  readonly calls: number;
  readonly failed: number;
  /** Attempts at this target that failed, in whatever calls. Days of older programs have none. */
  readonly failedAttempts: number;
  readonly microcents: number;
  /** Calls at targets without a price: what they cost is not known, and not in `microcents`. */
  readonly unpriced: number;
}

/** The pages of one process are added in the order of their numbers. */
export interface PageName {
  readonly owner: string;
  readonly number: number;
}

/** Adds a page once, however often it is called for it. Resolves or rejects when every sum is written, or could not be. */
export async function addUsage(journal: Journal, lines: readonly LedgerLine[], page: PageName): Promise<void> {
  const sums: DayUsage[] = [];
  for (const one of lines.flatMap(usagesOf)) {
    const at = sums.findLastIndex((sum) => isAlike(sum, one));
    if (at === -1) sums.push(one);
    else sums[at] = sumOf(sums[at] ?? null, one);
  }
  const ends = await Promise.allSettled(
    sums.map((more) => journal.changeKept("usage", keyOf(more), (present) => withPage(present, more, page))),
  );
  const failed = ends.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/** A page is written again within seconds. By then so many other processes have not written to the same sum. */
const MOST_OWNERS = 100;

/**
 * Each sum names the last page of each process that is in it, so that it counts a page once. Only of the processes that wrote to it last: a
 * gateway that starts again and again must not make it grow.
 */
function withPage(present: unknown, more: DayUsage, { owner, number }: PageName): unknown {
  const pages = objectOf(objectOf(present)?.["pages"]) ?? {};
  if (countOf(pages[owner]) >= number) return present;
  const others = Object.entries(pages).filter(([name]) => name !== owner);
  const kept = [...others.slice(1 - MOST_OWNERS), [owner, number] as const];
  return { ...sumOf(readUsage(present), more), pages: Object.fromEntries(kept) };
}

/** Both belong to one client's calls to one target on one day. */
function isAlike(one: DayUsage, other: DayUsage): boolean {
  return one.target === other.target && one.client === other.client && one.at === other.at;
}

const DAY_MS = 86_400_000;

/** The oldest day first. */
export async function usageOfDays(journal: Journal, days: number, now: number): Promise<readonly DayUsage[]> {
  const today = windowStart("day", now);
  const starts = Array.from({ length: days }, (_none, index) => today - (days - 1 - index) * DAY_MS);
  const kept = await Promise.all(starts.map((start) => journal.keptAll("usage", String(start))));
  return kept.flat().flatMap(({ value }) => readUsage(value) ?? []);
}

const NOTHING = { calls: 0, failed: 0, microcents: 0, unpriced: 0 };

/** The call itself, and each of its attempts that failed. */
function usagesOf({
  at,
  key: client,
  target,
  code,
  microcents,
  isUnpriced,
  decisions,
}: LedgerLine): readonly DayUsage[] {
  const day = { at: windowStart("day", at), client };
  const failed = code === null ? 0 : 1;
  const failures = decisions.filter((one) => one.code !== null && one.attempt > 0);
  return [
    {
      ...day,
      target: target ?? "",
      calls: 1,
      failed,
      failedAttempts: 0,
      microcents,
      unpriced: isUnpriced === true ? 1 : 0,
    },
    ...failures.map((one) => ({ ...day, ...NOTHING, target: one.target, failedAttempts: 1 })),
  ];
}

function keyOf({ at, client, target }: DayUsage): string {
  return [at, encodeURIComponent(client), encodeURIComponent(target)].join("/");
}

function sumOf(one: DayUsage | null, other: DayUsage): DayUsage {
  if (one === null) return other;
  return {
    ...other,
    calls: one.calls + other.calls,
    failed: one.failed + other.failed,
    failedAttempts: one.failedAttempts + other.failedAttempts,
    microcents: one.microcents + other.microcents,
    unpriced: one.unpriced + other.unpriced,
  };
}

function readUsage(value: unknown): DayUsage | null {
  const read = objectOf(value);
  if (read === null) return null;
  return {
    at: countOf(read["at"]),
    client: textOf(read["client"]),
    target: textOf(read["target"]),
    calls: countOf(read["calls"]),
    failed: countOf(read["failed"]),
    failedAttempts: countOf(read["failedAttempts"]),
    microcents: countOf(read["microcents"]),
    unpriced: countOf(read["unpriced"]),
  };
}
