// Walks everything that was written and names the first record that is not as it was, whatever the store. The store hands out one
// moment of itself, page by page.

import { FaultFold, type FaultOccurrence, MARKED_TYPES, markIn } from "../core/record/fault-index.ts";
import type { JournalEvent, SessionStatus } from "../core/record/event.ts";
import { parseJson, readField } from "../core/try-read.ts";
import { chainStart, nextLink } from "./chain.ts";
import { type KeptRow, wrongWithKept } from "./sealed.ts";
import type { VerifyReport } from "./journal.ts";
import { isKeepKind, ownerOf, placeOf } from "./keep-kinds.ts";
import { statusAfter, statusMarkOf } from "./encode.ts";

export type Bad = NonNullable<VerifyReport["firstBad"]>;

export interface SessionRow {
  readonly number: number;
  readonly session: string;
  readonly status: SessionStatus;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly lastSeq: number;
  readonly lastHash: string;
}

export interface VerifiedEntry {
  readonly position: number;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly body: string;
  readonly hash: string;
  readonly seal: string;
}

/** A kept value with its place in lists. */
export interface PlacedRow extends KeptRow {
  readonly kind: string;
  readonly at: number | null;
  /** JSON of `[tag, at]` each. */
  readonly tags: string;
}

type Soon<T> = T | Promise<T>;

/** Pages have `VERIFY_PAGE` rows; a shorter one is the last. */
export interface VerifiedStore {
  sessionsAfter(session: string): Soon<readonly SessionRow[]>;
  entriesAfter(row: SessionRow, seq: number): Soon<readonly VerifiedEntry[]>;
  keptAfter(kind: string, key: string): Soon<readonly PlacedRow[]>;
  /** The number of the entry that a value of this session came with; undefined when it is not there. */
  keptSeq(kind: string, key: string, session: string): Soon<number | undefined>;
  faultsOf(row: SessionRow): Soon<readonly FaultOccurrence[]>;
  /** Rows of the index of failures that belong to a session, also those that `faultsOf` cannot show. */
  countFaults(row: SessionRow): Soon<number>;
  /** A tag as the store writes it. */
  tagText(tag: string): string;
  /** The first row that a query finds; undefined when it finds none. */
  readonly first: (sql: string) => Soon<Readonly<Record<string, unknown>> | undefined>;
  readonly strays: StrayQueries;
  /** Lets others have a turn. */
  rest(): Promise<void>;
}

/** Queries of which each finds a record that the others do not account for. */
export interface StrayQueries {
  /** The session and number of an entry without a session. */
  readonly entry: string;
  /** The name of a group of failures, or of a count of what helped, that its failures do not give. */
  readonly groups: readonly string[];
  /** The kind and key of a tag whose value is gone. */
  readonly tag: string;
}

export const VERIFY_PAGE = 500;

export interface VerifyPlace {
  session: string;
  seq: number;
  sessions: number;
  entries: number;
}

/** `place` says how far it has come, also when the store fails. */
export async function findFirstBad(store: VerifiedStore, place: VerifyPlace): Promise<Bad | null> {
  return (await walkSessions(store, place)) ?? (await findStray(store)) ?? (await walkKept(store));
}

async function walkSessions(store: VerifiedStore, place: VerifyPlace): Promise<Bad | null> {
  for (let last = ""; ;) {
    const page = await store.sessionsAfter(last);
    for (const row of page) {
      const bad = await walkSession(store, row, place);
      if (bad !== null) return bad;
      place.sessions++;
      last = row.session;
    }
    if (page.length < VERIFY_PAGE) return null;
    await store.rest();
  }
}

async function walkSession(store: VerifiedStore, row: SessionRow, place: VerifyPlace): Promise<Bad | null> {
  const { session } = row;
  const sealed = createSealCheck(store, session);
  const said = createSummaryCheck(row);
  const indexed = new FaultFold();
  place.session = session;
  place.seq = 0;
  let hash = chainStart(session);
  for (;;) {
    const page = await store.entriesAfter(row, place.seq);
    for (const entry of page) {
      const why = wrongWith(entry, place.seq + 1, hash);
      if (why !== null) return { session, seq: place.seq + 1, why };
      sealed.saw(entry.seq, entry.seal);
      said.saw(entry.at, entry.body);
      const mark = MARKED_TYPES.includes(entry.type) ? markIn(entry.body) : null;
      if (mark !== null) indexed.note(mark, { ...entry, session });
      hash = entry.hash;
      place.seq++;
      place.entries++;
    }
    if (page.length < VERIFY_PAGE) break;
    await store.rest();
  }
  return (
    wrongWithEnd(row, place.seq, hash) ??
    said.wrong() ??
    (await sealed.findMissing()) ??
    (await wrongWithFaults(store, row, indexed.rows))
  );
}

function wrongWith(
  { seq, at, type, body, hash, seal }: VerifiedEntry,
  expectedSeq: number,
  before: string,
): string | null {
  if (seq !== expectedSeq) return `it is missing: entry ${seq} comes next`;
  const event = parseJson(body);
  if (typeof event !== "object" || event === null) return "it is not JSON";
  if (readField(event, "type") !== type) return `it is filed as ${type} and says something else`;
  if (nextLink(before, seq, at, type, body, seal) !== hash)
    return "it does not fit its hash and the one before: it, or its neighbour, was changed";
  return null;
}

function wrongWithEnd({ session, lastSeq, lastHash }: SessionRow, seq: number, hash: string): Bad | null {
  if (seq < lastSeq) return { session, seq: seq + 1, why: `it is missing: the session has ${lastSeq} entries` };
  if (seq > lastSeq)
    return { session, seq: lastSeq + 1, why: `the session is said to have ${lastSeq} entries, and has ${seq}` };
  if (hash !== lastHash) return { session, seq, why: "its hash is not the one that the session ends with" };
  return null;
}

/** What the row of a session says beside its chain follows from its entries. */
function createSummaryCheck({ session, status, startedAt, updatedAt, lastSeq }: SessionRow): {
  readonly saw: (at: number, body: string) => void;
  readonly wrong: () => Bad | null;
} {
  let seen: { status: SessionStatus; startedAt: number; updatedAt: number } | null = null;
  return {
    saw(at, body) {
      seen ??= { status: "open", startedAt: at, updatedAt: at };
      seen.status = statusAfter(seen.status, statusMarkOf(parseJson(body) as JournalEvent));
      seen.updatedAt = Math.max(seen.updatedAt, at);
    },
    wrong() {
      const isSame =
        seen === null || (seen.status === status && seen.startedAt === startedAt && seen.updatedAt === updatedAt);
      const why = "the session's status or times are not those that its entries give";
      return isSame ? null : { session, seq: lastSeq, why };
    },
  };
}

/** The last value that an entry sealed exists. */
function createSealCheck(store: VerifiedStore, session: string) {
  const last = new Map<string, { readonly kind: string; readonly key: string; readonly seq: number }>();
  return {
    saw(seq: number, seal: string): void {
      if (seal === "") return;
      for (const [kind, key, digest] of itemsOf(seal)) {
        if (digest === "") last.delete(`${kind} ${key}`);
        else last.set(`${kind} ${key}`, { kind, key, seq });
      }
    },
    /** A value that an entry sealed last, and that is gone or older than that. */
    async findMissing(): Promise<Bad | null> {
      for (const { kind, key, seq } of last.values()) {
        if ((await store.keptSeq(kind, key, session)) !== seq)
          return { session, seq, why: `the ${kind} kept under ${key}, which came with it, is missing` };
      }
      return null;
    },
  };
}

/** A seal is covered by its entry's hash, so an unreadable seal was written that way. */
function itemsOf(seal: string): readonly (readonly [string, string, string])[] {
  const items = parseJson(seal);
  return Array.isArray(items) ? (items as readonly (readonly [string, string, string])[]) : [];
}

async function wrongWithFaults(
  store: VerifiedStore,
  row: SessionRow,
  expected: readonly FaultOccurrence[],
): Promise<Bad | null> {
  const { session } = row;
  const bySeq = new Map((await store.faultsOf(row)).map((found) => [found.seq, found]));
  const bad = expected.find((one) => !isSame(one, bySeq.get(one.seq)));
  if (bad !== undefined)
    return { session, seq: bad.seq, why: "the index of failures does not say what this entry does" };
  const extra = (await store.countFaults(row)) - expected.length;
  return extra === 0 ? null : { session, seq: 0, why: `the index of failures has ${extra} more of this session` };
}

function isSame(a: object, b: object | undefined): boolean {
  return b !== undefined && JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(row: object): readonly (readonly [string, unknown])[] {
  return Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Each kept value is unchanged, and is listed where its content says. */
async function walkKept(store: VerifiedStore): Promise<Bad | null> {
  let [kind, key] = ["", ""];
  for (;;) {
    const page = await store.keptAfter(kind, key);
    for (const row of page) {
      const why = wrongWithKept(row.kind, row) ?? wrongWithPlace(store, row);
      if (why !== null) {
        const session = row.session ?? ownerOf(row.key);
        return { session, seq: row.seq, why: `the ${row.kind} kept under ${row.key}: ${why}` };
      }
      ({ kind, key } = row);
    }
    if (page.length < VERIFY_PAGE) return null;
    await store.rest();
  }
}

function wrongWithPlace(store: VerifiedStore, { kind, value, at, tags }: PlacedRow): string | null {
  if (!isKeepKind(kind)) return "there is no such kind of kept value";
  const place = placeOf(kind, parseJson(String(value)));
  const expected = place.tags.map((tag) => store.tagText(tag));
  const listed = JSON.parse(tags) as readonly (readonly [string, number])[];
  const isListed =
    listed.length === expected.length && listed.every(([tag, when]) => expected.includes(tag) && when === at);
  return place.at === at && isListed ? null : "it is not listed where its content says";
}

async function findStray({ first, strays }: VerifiedStore): Promise<Bad | null> {
  const entry = await first(strays.entry);
  if (entry !== undefined)
    return {
      session: String(entry["session"]),
      seq: Number(entry["seq"]),
      why: "the session it belongs to is missing",
    };
  for (const sql of strays.groups) {
    const group = await first(sql);
    if (group !== undefined) {
      const why = `the groups of failures are not what their failures give: ${String(group["name"])}`;
      return { session: "", seq: 0, why };
    }
  }
  const tag = await first(strays.tag);
  if (tag === undefined) return null;
  const [kind, key] = [String(tag["kind"]), String(tag["key"])];
  return { session: ownerOf(key), seq: 0, why: `the ${kind} kept under ${key} is listed, and is not there` };
}
