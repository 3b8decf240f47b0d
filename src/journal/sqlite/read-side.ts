// The reading half of a journal on SQLite, shared by writable and read-only journals.

import type { Journal } from "../journal.ts";
import type { Reads } from "./reads.ts";

const PAGE = 256;

/** Runs one read, when the store lets it. */
export type Look = <T>(read: (reads: Reads) => T) => Promise<T>;

export function readSide(
  look: Look,
): Pick<Journal, "read" | "kept" | "keptAll" | "keptByTime" | "session" | "sessions"> {
  async function* pages(session: string, after: number) {
    for (let last = after; ;) {
      const from = last;
      const page = await look((reads) => reads.checkedEntriesOf(session, from, PAGE));
      yield* page;
      if (page.length < PAGE) return;
      last += page.length;
    }
  }

  return {
    read: (session, after = 0) => pages(session, after),
    kept: (kind, key) => look((reads) => reads.kept(kind, key)),
    keptAll: (kind, under) =>
      look((reads) => (under === undefined ? reads.keptAll(kind) : reads.keptUnder(kind, under))),
    keptByTime: (kind, query) => look((reads) => reads.keptByTime(kind, query)),
    session: (session) => look((reads) => reads.session(session)),
    sessions: (query = {}) => look((reads) => reads.sessions(query)),
  };
}
