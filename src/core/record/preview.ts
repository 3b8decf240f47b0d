// A short look at a value, for events and pages: cut in depth, width and length. The value itself is kept apart.

import { fault, type Fault, type FaultContext } from "../fault/fault.ts";
import type { Redactor } from "../fault/redact.ts";
import { tryRead } from "../try-read.ts";

const MAX_TEXT = 400;
/** A longer text is shown by its length only: scanning it would cost more than the call. */
const MAX_READ = 65_536;
const MAX_ITEMS = 12;
const MAX_DEPTH = 4;

/** Whether a value can be kept: BigInts and rings cannot. */
export function hasJsonForm(value: unknown): boolean {
  return tryRead(() => {
    JSON.stringify(value);
    return true;
  }, false);
}

/** A session keeps results as JSON, so that they are there after a restart. */
export function noJsonForm(who: string, context: FaultContext): Fault {
  const message = `${who} returned a value that cannot be written as JSON, so the session cannot keep it; return plain data`;
  return fault("OutputMalformed", { message, context });
}

/** Secrets are taken out before anything is cut: half a secret is not recognised any more. */
export function preview(value: unknown, redactor: Redactor, depth = 0): unknown {
  if (typeof value === "string") return shortText(value, redactor);
  if (typeof value === "number") return redactor.value(value);
  if (typeof value === "boolean" || value === null || value === undefined) return value ?? null;
  if (typeof value !== "object") return `[${typeof value}]`;
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? `[${value.length} items]` : "{…}";
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_ITEMS).map((item: unknown) => preview(item, redactor, depth + 1));
    return value.length > MAX_ITEMS ? [...shown, `… ${value.length - MAX_ITEMS} more`] : shown;
  }
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  // An object with `toJSON` decides what is shown: it may leave fields out on purpose.
  if (hasOwnForm(value))
    return preview(
      tryRead(() => value.toJSON(), null),
      redactor,
      depth + 1,
    );
  return tryRead(() => shortObject(value, redactor, depth), "[unreadable]");
}

function hasOwnForm(value: object): value is { readonly toJSON: () => unknown } {
  return tryRead(() => "toJSON" in value && typeof value.toJSON === "function", false);
}

function shortText(value: string, { text }: Redactor): string {
  if (value.length > MAX_READ) return `[${value.length} characters]`;
  const safe = text(value);
  return safe.length > MAX_TEXT ? `${safe.slice(0, MAX_TEXT)}… (${value.length} characters)` : safe;
}

function shortObject(value: object, redactor: Redactor, depth: number): unknown {
  const entries = Object.entries(value);
  const shown = entries
    .slice(0, MAX_ITEMS)
    .map(([key, item]) => [shortText(key, redactor), preview(item, redactor, depth + 1)] as const);
  return Object.fromEntries(
    entries.length > MAX_ITEMS ? [...shown, ["…", `${entries.length - MAX_ITEMS} more`]] : shown,
  );
}
