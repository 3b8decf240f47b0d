// What 64 writers notice of pruning on PostgreSQL: entries a second before and while 100,000 old entries are removed.

import { type Journal, type NewEntry, openJournal } from "../../src/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { print } from "../measure.ts";

const WRITERS = 64;
const PER_SESSION = 100;
const TEXT = "x".repeat(400);
const ALONE_MS = 5_000;

export async function pruneWhileWriting(entries: number): Promise<void> {
  print(`\n8. Pruning ${entries.toLocaleString("en")} entries on PostgreSQL while ${WRITERS} writers write`);
  const server = await startPostgres();
  const [journal, pruner] = [await openJournal(server.url), await openJournal(server.url)];
  const sessions = Math.ceil(entries / PER_SESSION);
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => fill(journal, writer, sessions)));
  const written = { count: 0, isOver: false };
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(journal, `live-${writer}`, written));
  const speedDuring = async (work: Promise<unknown>): Promise<readonly [perSecond: number, seconds: number]> => {
    const [before, startedAt] = [written.count, performance.now()];
    await work;
    const seconds = (performance.now() - startedAt) / 1_000;
    return [(written.count - before) / seconds, seconds];
  };
  const [alone] = await speedDuring(new Promise((resolve) => setTimeout(resolve, ALONE_MS)));
  const [during, seconds] = await speedDuring(pruner.prune({ before: Date.now() - 1_000 }));
  const [after] = await speedDuring(new Promise((resolve) => setTimeout(resolve, ALONE_MS)));
  written.isOver = true;
  await Promise.all(writers);
  const shown = (value: number): string => Math.round(value).toLocaleString("en");
  print(`  entries a second: before ${shown(alone)}, while pruning ${shown(during)}, after ${shown(after)}`);
  print(`  pruning took ${seconds.toFixed(1)} s: ${shown(entries / seconds)} entries a second`);
  await journal.close();
  await pruner.close();
  await server.stop();
}

const entry = (at: number): NewEntry => ({ at, event: { type: "extension-started", name: TEXT } });

/** Ended sessions, long ago. */
async function fill(journal: Journal, writer: number, sessions: number): Promise<void> {
  for (let session = writer; session < sessions; session += WRITERS) {
    const last: NewEntry = { at: 1, event: { type: "session-ended", status: "done", fault: null } };
    await journal.append(`old-${session}`, 0, [...Array.from({ length: PER_SESSION - 1 }, () => entry(1)), last]);
  }
}

async function write(journal: Journal, session: string, written: { count: number; isOver: boolean }): Promise<void> {
  for (let seq = 0; !written.isOver; seq++) {
    await journal.append(session, seq, [entry(Date.now())]);
    written.count += 1;
  }
}
