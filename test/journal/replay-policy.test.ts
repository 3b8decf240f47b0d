// A journal's decisions are replayed from a time on without reading what is older, and nothing that is newer is missed.

import { expect, it } from "vitest";
import { createPolicyReplay, DEFAULT_POLICY, type Entry, PRESETS } from "../../src/core/index.ts";
import { createMemoryJournal, replayPolicy } from "../../src/index.ts";
import { entriesOf, type PastCall } from "../core/record/past-calls.ts";

const CALLS: readonly PastCall[] = Array.from({ length: 900 }, (_, index) => ({
  session: `s${index % 7}`,
  call: `t${index}/1/search`,
  tool: "search",
  fails: ["ResourceBusy", "ResourceBusy", "RateLimited"],
}));

it("gives the same as all entries since that time, wherever the time lies", async () => {
  const journal = createMemoryJournal();
  const entries = entriesOf(CALLS, DEFAULT_POLICY);
  for (const { session, seq, at, event } of entries) await journal.append(session, seq - 1, [{ at, event }]);
  let read = 0;
  const counting = {
    ...journal,
    readFrom: async (...asked: Parameters<typeof journal.readFrom>) => {
      const page = await journal.readFrom(...asked);
      read += page.length;
      return page;
    },
  };
  const times = [
    -Infinity,
    0,
    ...[0.2, 0.5, 0.95].map((share) => entries[Math.floor(share * entries.length)]?.at ?? 0),
    Infinity,
  ];
  for (const sinceAt of times) {
    const replay = createPolicyReplay(PRESETS.cautious);
    for (const entry of entries.filter(({ at }: Entry) => at >= sinceAt)) replay.add(entry);
    expect(await replayPolicy(counting, PRESETS.cautious, { sinceAt })).toEqual(replay.summary());
  }
  read = 0;
  await replayPolicy(counting, PRESETS.cautious, { sinceAt: Infinity });
  expect(read, "old entries are not read").toBeLessThan(1_100);
});

it("takes one session alone", async () => {
  const journal = createMemoryJournal();
  for (const { session, seq, at, event } of entriesOf(CALLS.slice(0, 14), DEFAULT_POLICY))
    await journal.append(session, seq - 1, [{ at, event }]);
  const { sessions, decisions } = await replayPolicy(journal, PRESETS.cautious, { session: "s3" });
  expect([sessions, decisions]).toEqual([1, 6]);
});

it("takes the newest decisions alone, however many there are", async () => {
  const journal = createMemoryJournal();
  const entries = entriesOf(CALLS, DEFAULT_POLICY);
  for (const { session, seq, at, event } of entries) await journal.append(session, seq - 1, [{ at, event }]);
  const all = (await replayPolicy(journal, PRESETS.cautious)).decisions;
  for (const last of [1, 2, 10, 999, all - 1, all, all + 1]) {
    const { decisions } = await replayPolicy(journal, PRESETS.cautious, { last });
    expect(decisions).toBe(Math.min(last, all));
  }
  const { decisions, lastAt } = await replayPolicy(journal, PRESETS.cautious, { session: "s3", last: 2 });
  expect([decisions, lastAt]).toEqual([2, (await replayPolicy(journal, PRESETS.cautious, { session: "s3" })).lastAt]);
});

it("says how far it is, and stops when its signal fires", async () => {
  const journal = createMemoryJournal();
  for (const { session, seq, at, event } of entriesOf(CALLS, DEFAULT_POLICY))
    await journal.append(session, seq - 1, [{ at, event }]);
  const shares: number[] = [];
  const onProgress = ({ read, of }: { readonly read: number; readonly of: number }): void =>
    void shares.push(read / of);
  await replayPolicy(journal, PRESETS.cautious, { onProgress });
  expect(shares.length).toBeGreaterThan(1);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
  const stopping = new AbortController();
  const reads: number[] = [];
  const stopped = replayPolicy(journal, PRESETS.cautious, {
    signal: stopping.signal,
    onProgress: ({ read }) => {
      reads.push(read);
      stopping.abort(new Error("enough"));
    },
  });
  await expect(stopped).rejects.toThrow("enough");
  expect(reads).toHaveLength(1);
});
