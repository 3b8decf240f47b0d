// Replays the decisions of a journal under another policy. Only reads, also while other processes write.

import type { Policy } from "../core/policy/policy.ts";
import { createPolicyReplay, type ReplayOptions, type ReplaySummary } from "../core/record/replay-tally.ts";
import type { Entry } from "../core/record/event.ts";
import type { Journal } from "./journal.ts";

/** Which decisions to replay, and how many changes to describe. */
export interface ReplayQuery extends ReplayOptions {
  /** Only decisions made at or after this time, in epoch milliseconds. Default: all. */
  readonly sinceAt?: number;
  /** Only the decisions of this session or run. Default: all. */
  readonly session?: string;
}

/** Decides every past decision of a journal again under `policy`, and counts what would have changed. */
export async function replayPolicy(journal: Journal, policy: Policy, query: ReplayQuery = {}): Promise<ReplaySummary> {
  const { sinceAt = -Infinity, session, ...options } = query;
  const replay = createPolicyReplay(policy, options);
  const add = (entry: Entry): void => {
    if (entry.at >= sinceAt) replay.add(entry);
  };
  if (session === undefined) await eachSince(journal, sinceAt, add);
  else for await (const entry of journal.read(session)) add(entry);
  return replay.summary();
}

const PAGE = 1_000;

async function eachSince(journal: Journal, sinceAt: number, take: (entry: Entry) => void): Promise<void> {
  let position = await positionBefore(journal, sinceAt);
  for (;;) {
    const page = await journal.readFrom(position, { limit: PAGE });
    for (const { entry } of page) take(entry);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    position = last.position;
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
