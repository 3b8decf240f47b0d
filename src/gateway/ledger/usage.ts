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
  const ends = await Promise.allSettled(
    sumsOf(lines).map((more) => journal.changeKept("usage", keyOf(more), (present) => withPage(present, more, page))),
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

const DAY_MS = 86_400_000;

/** The oldest day first. */
export async function usageOfDays(journal: Journal, days: number, now: number): Promise<readonly DayUsage[]> {
  const today = windowStart("day", now);
  const starts = Array.from({ length: days }, (_none, index) => today - (days - 1 - index) * DAY_MS);
  const kept = await Promise.all(starts.map((start) => journal.keptAll("usage", String(start))));
  return kept.flat().flatMap(({ value }) => readUsage(value) ?? []);
}

type Counting = { -readonly [Field in keyof DayUsage]: DayUsage[Field] };

const NOTHING = { calls: 0, failed: 0, failedAttempts: 0, microcents: 0, unpriced: 0 };

/** Each line counts as a call, and each of its attempts that failed counts under its own target. */
function sumsOf(lines: readonly LedgerLine[]): readonly DayUsage[] {
  const sums: Counting[] = [];
  const sumFor = (at: number, client: string, target: string): Counting => {
    const known = sums.findLast((sum) => sum.target === target && sum.client === client && sum.at === at);
    if (known !== undefined) return known;
    const sum = { at, client, target, ...NOTHING };
    sums.push(sum);
    return sum;
  };
  for (const { at, key, target, code, microcents, isUnpriced, decisions } of lines) {
    const day = windowStart("day", at);
    const sum = sumFor(day, key, target ?? "");
    sum.calls += 1;
    sum.microcents += microcents;
    if (code !== null) sum.failed += 1;
    if (isUnpriced === true) sum.unpriced += 1;
    for (const one of decisions)
      if (one.code !== null && one.attempt > 0) sumFor(day, key, one.target).failedAttempts += 1;
  }
  return sums;
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
