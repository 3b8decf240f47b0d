// Turns a journal entry into a CloudEvent. A viewer gets less of it than an operator.

import { defined } from "../core/defined.ts";
import type { Role } from "./route.ts";
import { nextStep } from "../core/fault/view.ts";
import { isoTime } from "../core/fault/words/time-words.ts";
import { type Fault, isFault } from "../core/fault/fault.ts";
import { wordsOf } from "../core/fault/words/words.ts";
import type { CloudEnvelope } from "../core/record/cloud-event.ts";
import type { Entry, JournalEvent } from "../core/record/event.ts";

/** An entry as a CloudEvent. Its id is its position in the stream: a reader resumes after it. */
export interface EntryEvent extends CloudEnvelope {
  readonly dataschema: string;
  readonly data: {
    readonly session: string;
    /** Within the session, from 1, without gaps. */
    readonly seq: number;
    readonly at: number;
    readonly event: Readonly<Record<string, unknown>>;
  };
}

export const ENTRY_TYPE_PREFIX = "dev.faultline.";
const DATA_SCHEMA = "urn:faultline:entry:1";

export function entryEvent({ session, seq, at, event }: Entry, id: string, role: Role): EntryEvent {
  const subject = subjectOf(event);
  return {
    specversion: "1.0",
    id,
    source: `/faultline/sessions/${encodeURIComponent(session)}`,
    type: ENTRY_TYPE_PREFIX + event.type,
    ...(subject === "" ? {} : { subject }),
    time: isoTime(at),
    datacontenttype: "application/json",
    dataschema: DATA_SCHEMA,
    data: { session, seq, at, event: role === "operator" ? { ...event } : forViewer(event) },
  };
}

function subjectOf(event: JournalEvent): string {
  if ("call" in event) return event.call;
  if ("node" in event && typeof event.node === "string") return event.node;
  return "turn" in event && typeof event.turn === "string" ? event.turn : "";
}

/** Fields that hold outside text or a path, at any depth. */
// prettier-ignore
const HIDDEN = new Set(["saw", "input", "inputs", "output", "errors", "answer", "params", "instruction", "reason", "file"]);

/** The event without outside text: each fault in it, at any depth, becomes its fixed words. */
function forViewer(event: JournalEvent): Readonly<Record<string, unknown>> {
  return shownFields(event);
}

function shownFields(value: object): Readonly<Record<string, unknown>> {
  const shown = Object.entries(value).filter(([field]) => !HIDDEN.has(field));
  return Object.fromEntries(shown.map(([field, part]: [string, unknown]) => [field, shownValue(part)]));
}

function shownValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isFault(value)) return shownFault(value);
  return Array.isArray(value) ? value.map(shownValue) : shownFields(value);
}

function shownFault(fault: Fault): Readonly<Record<string, unknown>> {
  const { class: family, code, retryAfterMs, resetAt } = fault;
  const { title, user } = wordsOf(fault, "en");
  return {
    class: family,
    code,
    title,
    message: user,
    next: nextStep(fault, "en"),
    ...defined({ retryAfterMs, resetAt }),
  };
}
