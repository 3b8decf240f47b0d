// Replays the decisions of a journal under another policy. Only reads, also while other processes write.

import type { Policy } from "../core/policy/policy.ts";
import { createPolicyReplay, isReplayed, type ReplayOptions, type ReplaySummary } from "../core/record/replay-tally.ts";
import type { Entry } from "../core/record/event.ts";
import type { Journal } from "./journal.ts";

/** Which decisions to replay, and how many changes to describe. */
export interface ReplayQuery extends ReplayOptions {
  /** Only decisions made at or after this time, in epoch milliseconds. Default: all. */
  readonly sinceAt?: number;
  /** Only the decisions of this session or run. Default: all. */
  readonly session?: string;
  /** Only the newest so many decisions of those. Default: all. */
  readonly last?: number;
  /** Called after every page of entries, before the next one is read. A promise is awaited: a server answers others meanwhile. */
  readonly onProgress?: (progress: ReplayProgress) => void | Promise<void>;
  /** Ends the replay with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** How many entries a replay has read, and how many it will read. */
export interface ReplayProgress {
  readonly read: number;
  readonly of: number;
}

/** Decides every past decision of a journal again under `policy`, and counts what would have changed. */
export async function replayPolicy(journal: Journal, policy: Policy, query: ReplayQuery = {}): Promise<ReplaySummary> {
  const { sinceAt = -Infinity, session, last, onProgress, signal, ...options } = query;
  const replay = createPolicyReplay(policy, options);
  const walk: Walk = { sinceAt, last, onProgress, signal, take: (entry) => replay.add(entry) };
  await (session === undefined ? walkJournal(journal, walk) : walkSession(journal, session, walk));
  return replay.summary();
}

interface Walk {
  readonly sinceAt: number;
  readonly last: number | undefined;
  readonly onProgress: ReplayQuery["onProgress"];
  readonly signal: AbortSignal | undefined;
  readonly take: (entry: Entry) => void;
}

const PAGE = 1_000;

async function walkSession(journal: Journal, session: string, { sinceAt, last, take }: Walk): Promise<void> {
  const entries: Entry[] = [];
  for await (const entry of journal.read(session)) if (entry.at >= sinceAt) entries.push(entry);
  const decisions = entries.flatMap(({ event }, index) => (isReplayed(event) ? [index] : []));
  const first = last === undefined ? 0 : (decisions.at(-last) ?? 0);
  for (const entry of entries.slice(first)) take(entry);
}

async function walkJournal(journal: Journal, { sinceAt, last, onProgress, signal, take }: Walk): Promise<void> {
  const earliest = await positionBefore(journal, sinceAt);
  const begin = last === undefined ? earliest : await positionOfLast(journal, last, earliest);
  const { last: end } = await journal.position();
  for (let position = begin; ;) {
    signal?.throwIfAborted();
    const page = await journal.readFrom(position, { limit: PAGE });
    for (const { entry } of page) if (entry.at >= sinceAt) take(entry);
    position = page.at(-1)?.position ?? position;
    await onProgress?.({ read: position - begin, of: Math.max(end, position) - begin });
    if (page.length < PAGE) return;
  }
}

/** The position before the newest `count` decisions, and at least `earliest`: reads backwards, further each time. */
async function positionOfLast(journal: Journal, count: number, earliest: number): Promise<number> {
  const { last: end } = await journal.position();
  for (let reach = Math.max(PAGE, count * 4); ; reach *= 4) {
    const begin = Math.max(earliest, end - reach);
    const decisions: number[] = [];
    for (let position = begin; ;) {
      const page = await journal.readFrom(position, { limit: PAGE });
      for (const { entry, position: at } of page) if (isReplayed(entry.event)) decisions.push(at);
      position = page.at(-1)?.position ?? position;
      if (page.length < PAGE) break;
    }
    const first = decisions.at(-count);
    if (first !== undefined) return first - 1;
    if (begin === earliest) return earliest;
  }
}

/** Positions follow the order of commits. The clocks of several machines may differ by this much. */
const CLOCKS_DIFFER_MS = 3_600_000;

/** A position before everything written since: found by halving, so that old entries are not read. */
async function positionBefore(journal: Journal, sinceAt: number): Promise<number> {
  let before = 0;
  if (sinceAt === -Infinity) return before;
  let { last: behind } = await journal.position();
  while (behind - before > PAGE) {
    const middle = Math.floor((before + behind) / 2);
    const [next] = await journal.readFrom(middle, { limit: 1 });
    if (next !== undefined && next.entry.at < sinceAt - CLOCKS_DIFFER_MS) before = next.position;
    else behind = middle;
  }
  return before;
}
