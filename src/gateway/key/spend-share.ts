// What all gateways of a journal have spent of one limit, and what each of them has set aside of the rest. Pure. Invariant:
// Spent and set-aside money together never exceed the limit, whatever processes ask for and in whatever order. The exception is a single call
// that gets the whole rest. So a process that spends only what it has set aside need not know what the others do.

import { countOf, objectOf } from "../../core/json-fields.ts";

/** The share of one process. It ends at `until` unless the process renews it, so a dead process keeps nothing. */
interface Share {
  readonly microcents: number;
  readonly until: number;
}

/** As the journal keeps it. */
export interface SharedSpend {
  /** When the window of time begins. */
  readonly at: number;
  readonly microcents: number;
  readonly held: Readonly<Record<string, Share>>;
}

export interface ShareRequest {
  readonly owner: string;
  readonly start: number;
  readonly now: number;
  /** What this process has spent since it last wrote. */
  readonly spent: number;
  /** null for no limit: then nothing is set aside. */
  readonly limit: number | null;
  /** What this process has set aside and not spent. It keeps that. */
  readonly kept: number;
  /** What running calls may cost. It stays set aside even if nothing is left, because they may still spend it. */
  readonly running: number;
  /** The same, and what the next call may cost. */
  readonly needed: number;
  /** No call of this process runs, so the next one may take all that is left, and even more (see `mayStartAlone`). */
  readonly isIdle: boolean;
}

/** How long a process uses what it has set aside before it asks again. */
export const SHARE_MS = 5_000;
/**
 * How long the others may not use it: long enough for its process to ask again and to write what it spent, even on a journal that takes several
 * seconds. Short enough to wait for when that process is idle or dead.
 */
export const HELD_MS = 15_000;
/** A process sets aside what it needs and a tenth of the rest. */
const SHARE_OF_REST = 0.1;

/** Books what was spent, and sets money aside for the next calls. Returns `present` itself when nothing changes. */
export function takeShare(present: unknown, request: ShareRequest): unknown {
  const { owner, start, now, spent, limit, kept, running, needed, isIdle } = request;
  const before = sharedSpend(present);
  const microcents = before.microcents + spent;
  const others = Object.fromEntries(
    Object.entries(before.held).filter(([name, { until }]) => name !== owner && until > now),
  );
  const unspent = limit === null ? 0 : Math.max(0, limit - microcents);
  const rest = Math.max(0, unspent - sumOf(others));
  const more =
    needed <= rest ? Math.min(rest, shareFor(needed, rest)) : isIdle && mayStartAlone(rest, needed) ? needed : 0;
  const own = limit === null ? 0 : Math.max(Math.min(kept, unspent), more, running);
  if (spent === 0 && own === 0 && !Object.hasOwn(before.held, owner)) return present;
  const held = own > 0 ? { ...others, [owner]: { microcents: own, until: now + HELD_MS } } : others;
  return { at: start, microcents, held } satisfies SharedSpend;
}

/** How much of the rest a process sets aside that needs so much. */
export function shareFor(needed: number, rest: number): number {
  return needed + Math.max(0, Math.floor((rest - needed) * SHARE_OF_REST));
}

/**
 * The most that a call may cost is about four times its usual cost. So a call may start if a quarter of that is left. It sets aside all that it
 * may cost, so that nothing is left for calls of other processes: at worst, this one call exceeds the limit.
 */
export function mayStartAlone(left: number, most: number): boolean {
  return left > 0 && most <= 4 * left;
}

/** What others have set aside. */
export function heldByOthers({ held }: SharedSpend, owner: string, now: number): number {
  return sumOf(Object.fromEntries(Object.entries(held).filter(([name, { until }]) => name !== owner && until > now)));
}

export function sharedSpend(kept: unknown): SharedSpend {
  const value = objectOf(kept);
  const held = Object.entries(objectOf(value?.["held"]) ?? {}).map(([owner, share]) => {
    const { microcents, until } = objectOf(share) ?? {};
    return [owner, { microcents: countOf(microcents), until: countOf(until) }] as const;
  });
  return { at: countOf(value?.["at"]), microcents: countOf(value?.["microcents"]), held: Object.fromEntries(held) };
}

function sumOf(held: Readonly<Record<string, Share>>): number {
  return Object.values(held).reduce((sum, { microcents }) => sum + microcents, 0);
}
