// The reading half of a journal on SQLite, shared by writable and read-only journals.

import { checkPosition } from "../encode.ts";
import type { Journal } from "../journal.ts";
import type { Reads } from "./reads.ts";

const PAGE = 256;

/** Runs one read, and waits while another process holds the store. */
export type Look = <T>(read: (reads: Reads) => T) => Promise<T>;

type ReadSide = Pick<
  Journal,
  | "read"
  | "position"
  | "readFrom"
  | "kept"
  | "keptAll"
  | "keptByTime"
  | "session"
  | "sessions"
  | "faultGroups"
  | "faultGroup"
  | "faultsOf"
  | "faultRuns"
  | "faultTrend"
  | "faultRecourses"
  | "search"
>;

export function readSide(look: Look): ReadSide {
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
    position: () => look((reads) => reads.position()),
    async readFrom(position, { limit }) {
      checkPosition(position);
      return look((reads) => reads.entriesBehind(position, limit));
    },
    kept: (kind, key) => look((reads) => reads.kept(kind, key)),
    keptAll: (kind, under) =>
      look((reads) => (under === undefined ? reads.keptAll(kind) : reads.keptUnder(kind, under))),
    keptByTime: (kind, query) => look((reads) => reads.keptByTime(kind, query)),
    session: (session) => look((reads) => reads.session(session)),
    sessions: (query = {}) => look((reads) => reads.sessions(query)),
    search: (question, query) => look((reads) => reads.search(question, query)),
    faultGroups: (query) => look((reads) => reads.faults().groups(query)),
    faultGroup: (fingerprint) => look((reads) => reads.faults().group(fingerprint)),
    faultRuns: (fingerprint, query) => look((reads) => reads.faults().runsOf(fingerprint, query)),
    faultsOf: (fingerprint, query) => look((reads) => reads.faults().faultsOf(fingerprint, query)),
    faultTrend: (fingerprint, query) => look((reads) => reads.faults().trend(fingerprint, query)),
    faultRecourses: (fingerprint) => look((reads) => reads.faults().recourses(fingerprint)),
  };
}
