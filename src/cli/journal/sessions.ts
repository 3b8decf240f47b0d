// `faultline journal sessions` and `prune`: lists sessions and removes old ones.

import { type Locale, type SessionStatus, SHAPE_REDACTOR } from "../../core/index.ts";
import type { SessionSummary } from "../../journal/journal.ts";
import { ENDED } from "../../journal/encode.ts";
import type { Io } from "../io.ts";
import { type Paint, paintFor, type Style } from "../render/paint.ts";
import { JOURNAL_WORDS, type JournalWords } from "../render/words/journal-words.ts";
import type { GlobalOptions } from "../options.ts";
import { safeJson } from "../render/safe-text.ts";
import { tableLines } from "../render/table.ts";
import { minuteOf, shown } from "../render/values.ts";
import { lookAtJournal, withJournal } from "./with-journal.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export async function listSessions(
  file: string,
  { status, limit }: { readonly status?: SessionStatus; readonly limit: number },
  io: Io,
  { json, locale, color }: GlobalOptions,
): Promise<void> {
  const words = JOURNAL_WORDS[locale];
  // Reads one more than it shows, to know whether there are more.
  const filter = { ...(status === undefined ? {} : { status }), limit: limit + 1 };
  const found = await lookAtJournal({ file, io, locale }, (journal) => journal.sessions(filter));
  const sessions = found.slice(0, limit);
  if (json) await io.stdout.write(`${safeJson(sessions.map(SHAPE_REDACTOR.value))}\n`);
  else if (sessions.length === 0) await io.stderr.write(`${words.noSessions}\n`);
  else await printSessions(sessions, locale, io, paintFor(io.stdout, io.env, color));
  if (found.length > limit) await io.stderr.write(`${words.moreSessions(limit)}\n`);
}

async function printSessions(sessions: readonly SessionSummary[], locale: Locale, io: Io, paint: Paint): Promise<void> {
  const words = JOURNAL_WORDS[locale];
  const [head = "", ...lines] = tableLines(
    [
      { title: words.session },
      { title: words.status },
      { title: PUNCTUATION[locale].bracketed(words.started, "UTC") },
      { title: words.changed },
      { title: words.entries, right: true },
    ],
    sessions.map(({ session, status, startedAt, updatedAt, lastSeq }) => [
      shown(session),
      statusWord(status, words),
      minuteOf(startedAt),
      minuteOf(updatedAt),
      String(lastSeq),
    ]),
  );
  await io.stdout.write(`${paint("dim", head)}\n`);
  for (const line of lines) await io.stdout.write(`${line}\n`);
}

/** Falls back to the raw status: a newer program may write others. */
export function statusWord(status: SessionStatus, words: JournalWords): string {
  return Object.hasOwn(words.statuses, status) ? words.statuses[status] : shown(status);
}

export const STATUS_STYLES: Readonly<Record<SessionStatus, Style>> = {
  open: "cyan",
  waiting: "yellow",
  done: "green",
  failed: "red",
  cancelled: "dim",
};

export async function pruneSessions(
  file: string,
  { olderThan: olderThanMs, dryRun }: { readonly olderThan: number; readonly dryRun?: true },
  io: Io,
  { json, locale, color }: GlobalOptions,
): Promise<void> {
  const words = JOURNAL_WORDS[locale];
  const before = io.clock.now() - olderThanMs;
  const place = { file, io, locale };
  if (dryRun !== true) {
    const removed = await withJournal(place, (journal) => journal.prune({ before }));
    return io.stdout.write(json ? `${safeJson({ removed, before })}\n` : `${words.pruned(removed)}\n`);
  }
  const ended = await lookAtJournal(place, async (journal) => {
    const lists = await Promise.all(ENDED.map((status) => journal.sessions({ status })));
    return lists.flat();
  });
  const old = ended.filter(({ updatedAt }) => updatedAt < before).toSorted((a, b) => b.startedAt - a.startedAt);
  if (json)
    return io.stdout.write(
      `${safeJson({ wouldRemove: old.length, before, sessions: old.map(SHAPE_REDACTOR.value) })}\n`,
    );
  if (old.length > 0) await printSessions(old, locale, io, paintFor(io.stdout, io.env, color));
  await io.stdout.write(`${words.wouldPrune(old.length)}\n`);
}
