// `faultline journal sessions` and `prune`: lists sessions and removes old ones.

import { defined } from "../../core/defined.ts";
import { type SessionStatus, SHAPE_REDACTOR } from "../../core/index.ts";
import type { SessionSummary } from "../../journal/journal.ts";
import { ENDED } from "../../journal/encode.ts";
import type { Cli } from "../cli.ts";
import type { Style } from "../render/paint.ts";
import { JOURNAL_WORDS, type JournalWords } from "../render/words/journal-words.ts";
import { safeJson } from "../render/safe-text.ts";
import { tableLines } from "../render/table.ts";
import { minuteOf, shown } from "../render/values.ts";
import { lookAtJournal, withJournal } from "./with-journal.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export async function listSessions(
  file: string,
  { status, limit }: { readonly status?: SessionStatus; readonly limit: number },
  cli: Cli,
): Promise<void> {
  const { json } = cli;
  const words = JOURNAL_WORDS[cli.locale];
  // Reads one more than it shows, to know whether there are more.
  const filter = { ...defined({ status }), limit: limit + 1 };
  const found = await lookAtJournal(file, cli, (journal) => journal.sessions(filter));
  const sessions = found.slice(0, limit);
  if (json) await cli.stdout.write(`${safeJson(sessions.map(SHAPE_REDACTOR.value))}\n`);
  else if (sessions.length === 0) await cli.stderr.write(`${words.noSessions}\n`);
  else await printSessions(sessions, cli);
  if (found.length > limit) await cli.stderr.write(`${words.moreSessions(limit)}\n`);
}

async function printSessions(sessions: readonly SessionSummary[], { stdout, locale, paint }: Cli): Promise<void> {
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
  await stdout.write(`${paint("dim", head)}\n`);
  for (const line of lines) await stdout.write(`${line}\n`);
}

/** Falls back to the raw status: a newer program may write others. */
export function statusWord(status: SessionStatus, words: JournalWords): string {
  return Object.hasOwn(words.statuses, status) ? words.statuses[status] : shown(status);
}

export const SESSION_STATUS_STYLES: Readonly<Record<SessionStatus, Style>> = {
  open: "cyan",
  waiting: "yellow",
  done: "green",
  failed: "red",
  cancelled: "dim",
};

export async function pruneSessions(
  file: string,
  { olderThan: olderThanMs, dryRun }: { readonly olderThan: number; readonly dryRun?: true },
  cli: Cli,
): Promise<void> {
  const { json } = cli;
  const words = JOURNAL_WORDS[cli.locale];
  const before = cli.clock.now() - olderThanMs;
  if (dryRun !== true) {
    const removed = await withJournal(file, cli, (journal) => journal.prune({ before }));
    return cli.stdout.write(json ? `${safeJson({ removed, before })}\n` : `${words.pruned(removed)}\n`);
  }
  const ended = await lookAtJournal(file, cli, async (journal) => {
    const lists = await Promise.all(ENDED.map((status) => journal.sessions({ status })));
    return lists.flat();
  });
  const old = ended.filter(({ updatedAt }) => updatedAt < before).toSorted((a, b) => b.startedAt - a.startedAt);
  if (json)
    return cli.stdout.write(
      `${safeJson({ wouldRemove: old.length, before, sessions: old.map(SHAPE_REDACTOR.value) })}\n`,
    );
  if (old.length > 0) await printSessions(old, cli);
  await cli.stdout.write(`${words.wouldPrune(old.length)}\n`);
}
