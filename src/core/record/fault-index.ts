// What the index of failures keeps of an event, so that failures can be grouped, counted and searched without reading entries.
// I1  The index follows from the entries alone: counting again gives the same rows and the same groups.
// I2  A cancellation is not a failure and is not in it.
// I3  A failed node that only passes on the failure of one of its calls is not in it: causes are counted, not their echoes.
// I4  A recourse worked when the call's next attempt succeeded, and failed when the call failed or was decided about again.

import { type FaultCode, isFaultCode, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import { turnOf } from "../flow/visit.ts";
import { NOWHERE, type Place } from "../policy/policy.ts";
import { parseJson, readField } from "../try-read.ts";
import type { JournalEvent } from "./event.ts";

/** A failure as its event tells it. */
export interface IndexedFault {
  readonly fingerprint: string;
  readonly code: string;
  /** The tool or target that failed; the node, for a failed node of a run. */
  readonly tool: string;
  /** What was decided: a recourse, or the resolution of a failed node. */
  readonly recourse: string;
  /** As the entry has it, shortened. */
  readonly message: string;
}

/** A failure with its place in the journal. */
export interface FaultOccurrence extends IndexedFault {
  readonly position: number;
  readonly at: number;
  readonly session: string;
  readonly seq: number;
  /** Empty for a failed node. */
  readonly call: string;
  /** Whether the recourse worked; null when that is not known, or not yet. */
  readonly worked: boolean | null;
}

/** All failures with the same fingerprint. */
export interface FaultGroup {
  readonly fingerprint: string;
  readonly code: string;
  readonly tool: string;
  readonly count: number;
  /** How many sessions met it. */
  readonly sessions: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The message of the newest failure. */
  readonly message: string;
}

/** How one recourse went for the failures of a group. */
export interface RecourseTally {
  readonly recourse: string;
  readonly worked: number;
  readonly failed: number;
}

/** What an event means for the index; null for most events. */
export interface FaultMark {
  readonly call: string;
  /** How the recourse went that was decided before in this call; null when the event does not tell. */
  readonly worked: boolean | null;
  readonly fault: IndexedFault | null;
  /** How the calls are named whose failure this may be an echo of; null for one that is counted in any case. */
  readonly echoOf: string | null;
}

export function faultMarkOf(event: JournalEvent): FaultMark | null {
  switch (event.type) {
    case "call-succeeded":
      return markOf(event.call, true, null);
    case "call-failed":
    case "call-decided": {
      const { saw, tool, fault, decision } = event;
      const place: Place = { ...NOWHERE, surface: "tool", tool, ...(isRecord(saw) ? saw.place : {}) };
      const row = rowOf(fault, place, readRecourse(decision));
      return row === null ? null : markOf(event.call, false, row);
    }
    case "node-failed": {
      const row = rowOf(event.fault, { ...NOWHERE, tool: event.node }, event.resolution);
      // The calls of a node's attempt carry its name and a slash in front of their own.
      return row === null ? null : { ...markOf("", null, row), echoOf: `${plain(turnOf(event))}/` };
    }
    default:
      return null;
  }
}

function markOf(call: unknown, worked: boolean | null, fault: IndexedFault | null): FaultMark {
  const name = plain(call);
  return { call: name, worked: name === "" ? null : worked, fault, echoOf: null };
}

/** What two faults have in common of which one is passed on as the other: `#rule+status`. */
export function causeIn({ fingerprint: name }: Pick<IndexedFault, "fingerprint">): string {
  return name.slice(name.indexOf("#"));
}

function isEcho({ fault, echoOf }: FaultMark, before: FaultOccurrence): boolean {
  if (fault === null || echoOf === null || !before.call.startsWith(echoOf)) return false;
  return before.code === fault.code && causeIn(before) === causeIn(fault);
}

/** Entries may come from files and from newer programs, so nothing about their shape is certain. */
function rowOf(given: unknown, place: Place, recourse: unknown): IndexedFault | null {
  if (!isRecord(given) || typeof given["code"] !== "string") return null;
  const { code, context, evidence, message } = given as Partial<Fault> & { readonly code: Fault["code"] };
  if (traitsOf(knownCode({ code })).cancels) return null;
  const rule = isRecord(evidence) && typeof evidence.rule === "string" ? evidence.rule : "";
  const { surface, provider, tool } = place;
  const seen = { code: plain(code), context: isRecord(context) ? context : {}, evidence: { rule } } as Fault;
  const at = { ...NOWHERE, surface: plain(surface) as Place["surface"], provider: plain(provider), tool: plain(tool) };
  return {
    fingerprint: fingerprint(seen, at),
    code: seen.code,
    tool: at.tool,
    recourse: plain(recourse),
    message: plain(message).slice(0, MESSAGE_CHARS).toWellFormed(),
  };
}

const MESSAGE_CHARS = 500;

function readRecourse(decision: unknown): unknown {
  return isRecord(decision) ? readField(decision, "recourse") : "";
}

/** Text that every store gives back as it got it. */
function plain(text: unknown): string {
  return typeof text === "string" ? text.replaceAll(/\p{Cc}/gu, " ").toWellFormed() : "";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Counts the index from entries. */
export class FaultFold {
  #rows: Mutable[] = [];
  readonly #ofSession = new Map<string, SessionRows>();

  get rows(): readonly FaultOccurrence[] {
    return this.#rows;
  }

  note(
    mark: FaultMark,
    { position, at, session, seq }: Pick<FaultOccurrence, "position" | "at" | "session" | "seq">,
  ): void {
    const { call, worked, fault } = mark;
    const before = this.#ofSession.get(session) ?? { rows: [], lastOfCall: new Map<string, Mutable>() };
    const last = worked === null ? undefined : before.lastOfCall.get(call);
    if (last !== undefined) last.worked ??= worked;
    if (fault === null || (mark.echoOf !== null && before.rows.some((row) => isEcho(mark, row)))) return;
    const row: Mutable = { position, at, session, seq, call, ...fault, worked: null };
    this.#rows.push(row);
    this.#ofSession.set(session, before);
    before.rows.push(row);
    if (call !== "") before.lastOfCall.set(call, row);
  }

  drop(sessions: ReadonlySet<string>): void {
    this.#rows = this.#rows.filter(({ session }) => !sessions.has(session));
    for (const session of sessions) this.#ofSession.delete(session);
  }
}

type Mutable = FaultOccurrence & { worked: boolean | null };

interface SessionRows {
  readonly rows: Mutable[];
  readonly lastOfCall: Map<string, Mutable>;
}

/** The groups of these failures, in no order. */
export function groupFaults(occurrences: Iterable<FaultOccurrence>): readonly FaultGroup[] {
  const groups = new Map<string, { newest: FaultOccurrence; count: number; firstAt: number; sessions: Set<string> }>();
  for (const one of occurrences) {
    const group = groups.get(one.fingerprint);
    if (group === undefined) {
      groups.set(one.fingerprint, { newest: one, count: 1, firstAt: one.at, sessions: new Set([one.session]) });
      continue;
    }
    group.count++;
    group.firstAt = Math.min(group.firstAt, one.at);
    group.sessions.add(one.session);
    if (isNewer(one, group.newest)) group.newest = one;
  }
  return Array.from(groups.values(), ({ newest, count, firstAt, sessions }) => {
    const { fingerprint: name, code, tool, at: lastAt, message } = newest;
    return { fingerprint: name, code, tool, count, sessions: sessions.size, firstAt, lastAt, message };
  });
}

function isNewer(a: FaultOccurrence, b: FaultOccurrence): boolean {
  return a.at > b.at || (a.at === b.at && a.position > b.position);
}

/** How each recourse went, by its name. */
export function tallyRecourses(occurrences: Iterable<FaultOccurrence>): readonly RecourseTally[] {
  const tallies = new Map<string, { worked: number; failed: number }>();
  for (const { recourse, worked } of occurrences) {
    if (worked === null) continue;
    const tally = tallies.get(recourse) ?? { worked: 0, failed: 0 };
    tally[worked ? "worked" : "failed"]++;
    tallies.set(recourse, tally);
  }
  return Array.from(tallies, ([recourse, tally]) => ({ recourse, ...tally })).sort((a, b) =>
    a.recourse < b.recourse ? -1 : 1,
  );
}

// A short, stable name for one kind of failure at one place, so that what was learned about it is
// found again: `RateLimited@tool:flight_search#words/rate-limit`. Nothing of the message goes in: it changes, and may hold secrets.

/** `code@surface/provider:tool#rule+status`; an unknown part is left out, with its sign. */
export function fingerprint({ code, context, evidence }: Fault, { surface, provider, tool }: Place): string {
  const status = context["status"];
  return [
    code,
    `@${surface}`,
    provider === "" ? "" : `/${name(provider)}`,
    tool === "" ? "" : `:${name(tool)}`,
    `#${ruleName(evidence.rule)}`,
    typeof status === "number" ? `+${status}` : "",
  ].join("");
}

/** What the failures of a group have in common; empty parts are unknown. */
interface FingerprintParts {
  readonly code: string;
  readonly surface: string;
  readonly provider: string;
  readonly tool: string;
  /** The row that named the fault. */
  readonly rule: string;
  readonly status: number | null;
}

const FORM =
  /^(?<code>[^@]*)@(?<surface>[^/:#]*)(?:\/(?<provider>[^:#]*))?(?::(?<tool>[^#]*))?#(?<rule>[^+]*)(?:\+(?<status>\d+))?$/u;

/** Reads a fingerprint back; any other text has no parts. Long names come back shortened, as the fingerprint has them. */
export function readFingerprint(text: string): FingerprintParts {
  const parts: Readonly<Record<string, string | undefined>> = FORM.exec(text)?.groups ?? {};
  const part = (which: string): string =>
    (parts[which] ?? "").replaceAll(/%([\da-f]{1,6});/gu, (_all, sign: string) =>
      String.fromCodePoint(parseInt(sign, 16)),
    );
  return {
    code: part("code"),
    surface: part("surface"),
    provider: part("provider"),
    tool: part("tool"),
    rule: part("rule"),
    status: parts["status"] === undefined ? null : Number(parts["status"]),
  };
}

/** Signs that part the fields, and what cannot be seen, are written out, so that two places never share a name. */
function name(text: string): string {
  return cut(text.replaceAll(/[%@/:#+\s\p{C}]/gu, escaped));
}

/** A rule's own name has slashes, and nothing but a status comes after it. */
function ruleName(text: string): string {
  return cut(text.replaceAll(/[%@#+\s\p{C}]/gu, escaped));
}

function escaped(sign: string): string {
  return `%${(sign.codePointAt(0) ?? 0).toString(16)};`;
}

const LONGEST_NAME = 64;

/** A long name keeps its beginning plus a hash of the whole, so that names with the same beginning differ. */
function cut(text: string): string {
  return text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME - 9)}~${checksum(text)}`;
}

/** FNV-1a, 32 bits. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, "0");
}

// A journal may hold codes of a newer program. They are read as the code for unknown failures; reading never fails because of them.

export function knownCode({ code }: Pick<Fault, "code">): FaultCode {
  return isFaultCode(code) ? code : "Unclassified";
}

// Which entries change the index of failures, when they are read back.

/** The types of events that mean something for the index. */
export const MARKED_TYPES: readonly string[] = ["call-failed", "call-decided", "node-failed", "call-succeeded"];

/** What an entry that was read back means for the index. */
export function markIn(body: string): FaultMark | null {
  const event = parseJson(body);
  return typeof event === "object" && event !== null ? faultMarkOf(event as JournalEvent) : null;
}
