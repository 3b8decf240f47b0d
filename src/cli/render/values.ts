// Times, money and names for display. Every stored text passes through here: secrets masked, on one line, safe to print.

import { dollars } from "../../core/flow/money.ts";
import { type Cost, type Entry, SHAPE_REDACTOR } from "../../core/index.ts";
import type { JournalWords } from "./words/journal-words.ts";
import { oneLine, safeJson } from "./safe-text.ts";

export { dateMinute as minuteOf, dayOf, timeOfDay } from "../../core/fault/words/time-words.ts";

/** Makes any stored value printable. Control sequences are removed first, as they may hide the beginning of a secret. */
export function shown(value: unknown, maxChars = 500): string {
  const text = oneLine(typeof value === "string" ? value : safeJson(value ?? null), Infinity);
  return oneLine(SHAPE_REDACTOR.text(text), maxChars);
}

export function costText({ microcents, basis }: Cost, words: JournalWords): string {
  if (microcents === null) return words.unpriced;
  return basis === "estimated" ? words.estimated(dollars(microcents)) : dollars(microcents);
}

/** An entry as JSON, with secrets masked. Session ids only look like secrets and are kept. */
export function entryJson({ session, seq, at, event }: Entry): string {
  const safe = SHAPE_REDACTOR.value(event) as Fields;
  const manifest = fieldsOf((event as unknown as Fields)["manifest"]);
  if (manifest === null) return safeJson({ session, seq, at, event: safe });
  const { sessionId, storeId } = manifest;
  return safeJson({
    session,
    seq,
    at,
    event: { ...safe, manifest: { ...fieldsOf(safe["manifest"]), sessionId, storeId } },
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** null when the value is not an object. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null ? (value as Fields) : null;
}
