// Compares a journal with what its writers were told: what was acknowledged is there, word for word, and nothing is missing
// between. True at any moment, so it is asked after every kill. Each check returns what is wrong, in sentences.

import { createHash } from "node:crypto";
import type { Entry, Journal } from "../../src/index.ts";
import { appendsOf, type Diary, type Told } from "./diary.ts";

export type Entries = ReadonlyMap<string, readonly Entry[]>;

export async function readEntries(journal: Journal, sessions: readonly string[]): Promise<Entries> {
  const all = new Map<string, readonly Entry[]>();
  for (const session of sessions) {
    const entries: Entry[] = [];
    for await (const entry of journal.read(session)) entries.push(entry);
    all.set(session, entries);
  }
  return all;
}

export async function checkJournal(journal: Journal, entries: Entries, diary: Diary): Promise<readonly string[]> {
  const { firstBad } = await journal.verify();
  return [
    ...(firstBad === null ? [] : [`verify names entry ${firstBad.seq} of ${firstBad.session}: ${firstBad.why}`]),
    ...checkNumbers(entries),
    ...checkAppended(entries, diary),
    ...checkTold(entries, diary),
  ];
}

function checkNumbers(entries: Entries): readonly string[] {
  return [...entries].flatMap(([session, list]) => {
    const wrong = list.findIndex(({ seq }, index) => seq !== index + 1);
    return wrong === -1 ? [] : [`${session}: entry ${wrong + 1} is numbered ${list[wrong]?.seq ?? "not at all"}`];
  });
}

/** The promise of `append` was kept: it resolved, so the entries are there. */
function checkAppended(entries: Entries, diary: Diary): readonly string[] {
  return appendsOf(diary, "appended").flatMap(({ life, session, after, digests }) =>
    digests.flatMap((digest, index) => {
      const seq = after + 1 + index;
      const found = entries.get(session)?.[seq - 1];
      if (found === undefined) return [`${session}: life ${life} was told that entry ${seq} is written; it is lost`];
      return digestOf(found.event) === digest ? [] : [`${session}: entry ${seq} is not what life ${life} wrote`];
    }),
  );
}

/** Subscribers were told only what is there, each once and in order. */
function checkTold(entries: Entries, { acks }: Diary): readonly string[] {
  const lastTold = new Map<string, number>();
  return acks
    .filter((ack): ack is Told => ack.what === "told" && entries.has(ack.session))
    .flatMap(({ life, session, seq, digest }) => {
      const key = `${life} ${session}`;
      const before = lastTold.get(key);
      lastTold.set(key, seq);
      const found = entries.get(session)?.[seq - 1];
      if (found === undefined) return [`${session}: a subscriber in life ${life} saw entry ${seq}; it is lost`];
      return [
        ...(digestOf(found.event) === digest ? [] : [`${session}: life ${life} saw another entry ${seq}`]),
        ...(before === undefined || seq === before + 1
          ? []
          : [`${session}: life ${life} was told entry ${seq} after entry ${before}`]),
      ];
    });
}

/** As `child.mjs` makes it. */
function digestOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}
