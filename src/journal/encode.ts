// Entries and kept values as text, encoded when they are passed in, so that later changes to the objects have no effect.

import type { JournalEvent, SessionStatus } from "../core/record/event.ts";
import { type FaultMark, faultMarkOf } from "../core/record/fault-index.ts";
import { isKeepKind, type KeptPlace, placeOf, SEAL } from "./keep-kinds.ts";
import type { Keep, KeepKind, NewEntry, Positioned } from "./journal.ts";
import { textOfRun } from "./search-text.ts";
import { drift, unfit } from "./journal-faults.ts";

export interface EncodedEntry {
  readonly at: number;
  readonly type: string;
  /** The whole event as JSON, on one line. */
  readonly body: string;
  readonly mark: StatusMark | null;
  /** What it means for the index of failures. */
  readonly faultMark: FaultMark | null;
  /** For an entry of a copy: what it was written with. */
  readonly restored?: { readonly hash: string; readonly seal: string };
}

export interface EncodedKeep {
  readonly kind: KeepKind;
  readonly key: string;
  /** null takes the value away. */
  readonly text: string | null;
  readonly place: KeptPlace;
  /** The text by which a search finds it; null for what is not searched. */
  readonly searched: string | null;
  /** For a value of a copy: its checksum, and the entry it hangs on. */
  readonly restored?: { readonly hash: string; readonly session: string | null; readonly seq: number };
}

const MAX_NAME_CHARS = 200;
const MAX_KEY_CHARS = 2000;
const CONTROLS = /\p{Cc}/u;

export function encodeEntry({ at, event }: NewEntry): EncodedEntry {
  checkInstant(at, "An entry's time");
  const type: unknown = event.type;
  if (typeof type !== "string" || type === "" || CONTROLS.test(type)) {
    throw unfit("An event must say its type, e.g. `call-failed`.");
  }
  const body = jsonOf(event, `A ${type} event`);
  return { at, type, body, mark: statusMarkOf(event), faultMark: faultMarkOf(event) };
}

export function encodeKeep({ kind, key, value }: Keep): EncodedKeep {
  if (!isKeepKind(kind)) throw unfit(`There is no kind of kept value called ${JSON.stringify(kind)}.`);
  checkName(key, "The key of a kept value", MAX_KEY_CHARS);
  const text = value === null ? null : jsonOf(value, `The ${kind} kept under ${key}`);
  const searched = kind === "run" && value !== null ? textOfRun(key, value) : null;
  return { kind, key, text, place: placeOf(kind, value), searched };
}

/** A value that comes with no entry: what the chain of entries covers cannot. */
export function encodeLoose(keep: Keep): EncodedKeep {
  const encoded = encodeKeep(keep);
  if (SEAL[encoded.kind] !== "in-chain") return encoded;
  throw unfit(`The ${encoded.kind} kept under ${encoded.key} must come with the entry that tells of it. Use append.`);
}

/** Nothing can be kept first that takes a value away. */
export function encodePresent(keep: Keep): EncodedKeep & { readonly text: string } {
  const { text, ...rest } = encodeLoose(keep);
  if (text === null) throw unfit("Only a value can be kept first, and null takes one away. Use keep.");
  return { ...rest, text };
}

/** What `change` makes of a kept value; null when it leaves it as it is. Throws only FaultErrors. */
export function encodeChanged(
  kind: KeepKind,
  key: string,
  present: unknown,
  change: (present: unknown) => unknown,
): { readonly value: unknown; readonly encoded: EncodedKeep | null } {
  let value: unknown;
  try {
    value = change(present);
  } catch (error) {
    throw unfit(`The function that was to change the ${kind} kept under ${key} failed; nothing was changed.`, error);
  }
  return { value, encoded: value === present ? null : encodeLoose({ kind, key, value }) };
}

/** Keys are `session/…`, so a session's own name has no slash: else one session's values could pass for another's. */
export function checkSession(session: string): void {
  checkName(session, "A session's name", MAX_NAME_CHARS);
  if (session.includes("/")) throw unfit(`A session's name must not contain a slash: ${JSON.stringify(session)}.`);
}

export function checkHold(key: string, owner: string): void {
  checkName(key, "The key of a hold", MAX_KEY_CHARS);
  checkName(owner, "The owner of a hold", MAX_NAME_CHARS);
}

export function checkInstant(at: number, what: string): void {
  if (Number.isFinite(at) && Math.abs(at) <= Number.MAX_SAFE_INTEGER) return;
  throw unfit(`${what} must be a number of milliseconds, and is ${String(at)}.`);
}

/** Checks the position of an entry among all entries, or the number of entries to read. */
export function checkPosition(position: number): void {
  if (Number.isSafeInteger(position) && position >= 0) return;
  throw unfit(`A position in the journal must be a whole number from 0, and is ${String(position)}.`);
}

function checkName(name: string, what: string, maxChars: number): void {
  if (
    typeof name === "string" &&
    name !== "" &&
    name.length <= maxChars &&
    name.isWellFormed() &&
    !CONTROLS.test(name)
  ) {
    return;
  }
  throw unfit(`${what} must be text of 1 to ${maxChars} characters without control characters.`);
}

export function jsonOf(value: unknown, what: string): string {
  let text: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    throw unfit(
      `${what} cannot be written as JSON (a cycle, a BigInt, a getter that throws). Make it plain data.`,
      error,
    );
  }
  if (typeof text !== "string")
    throw unfit(`${what} has no form in JSON (undefined, a function, a symbol). Make it plain data.`);
  return text;
}

/** A stored entry. */
export interface EventRow {
  readonly position: number;
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly body: string;
}

export function positioned({ position, session, seq, at, body }: EventRow): Positioned {
  return { position, entry: { session, seq, at, event: decodeEvent(session, seq, body) } };
}

export function decodeEvent(session: string, seq: number, body: unknown): JournalEvent {
  return decode(body, `Entry ${seq} of session ${session}`, { session, seq }) as JournalEvent;
}

export function decodeKept(kind: string, key: string, text: unknown): unknown {
  return decode(text, `The ${kind} kept under ${key}`, { kind, key });
}

function decode(text: unknown, what: string, context: Readonly<Record<string, string | number>>): unknown {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch (error) {
    throw drift(
      `${what} is not what was written: it is not JSON. Run a verification, and restore a copy of the journal.`,
      {
        context,
        error,
      },
    );
  }
}

// What an event means for the status of its session: a table. Once ended, a session stays ended until it is resumed.

interface StatusMark {
  readonly status: SessionStatus;
  /** Holds even for a session that has ended. */
  readonly reopens: boolean;
}

type MarkRows = {
  readonly [Type in JournalEvent["type"]]?: (event: Extract<JournalEvent, { type: Type }>) => StatusMark | null;
};

// prettier-ignore
const MARKS: MarkRows = {
  "session-started": () => ({ status: "open", reopens: false }),
  "session-resumed": () => ({ status: "open", reopens: true }),
  "turn-started":    () => ({ status: "open", reopens: false }),
  "turn-ended":      ({ status }) => (status === "waiting" ? { status, reopens: false } : null),
  "session-ended":   ({ status }) => ({ status, reopens: false }),
};

/** null: the status does not change. */
export function statusMarkOf(event: JournalEvent): StatusMark | null {
  // A foreign event may be called anything, `constructor` too.
  if (!Object.hasOwn(MARKS, event.type)) return null;
  const mark = (MARKS[event.type] as (event: JournalEvent) => StatusMark | null)(event);
  return mark !== null && STATUSES.includes(mark.status) ? mark : null;
}

const STATUSES: readonly SessionStatus[] = ["open", "waiting", "done", "failed", "cancelled"];
export const ENDED: readonly SessionStatus[] = ["done", "failed", "cancelled"];

export function statusAfter(before: SessionStatus, mark: StatusMark | null): SessionStatus {
  if (mark === null) return before;
  return ENDED.includes(before) && !mark.reopens ? before : mark.status;
}

// The order of keys: that of their bytes in UTF-8, as SQLite has it, found without making the bytes.

export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x !== y) return rankOf(x) - rankOf(y);
  }
  return a.length - b.length;
}

/** JavaScript writes what lies beyond 0xFFFF with two units from the middle of the range; in UTF-8 it comes last. */
function rankOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
