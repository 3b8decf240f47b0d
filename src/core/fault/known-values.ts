// Secret values a program knows, and the ways they show up in what others write.

/** A shorter value would blank out ordinary words. */
const MIN_CHARS = 4;
/** Lines of a longer value are known one by one, if they are long enough to be told from ordinary ones. */
const MIN_LINE_CHARS = 8;
const MAX_DEPTH = 16;

/** Texts and numbers in a value, at any depth: what of it can be recognised. Truth values and very short texts cannot. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "bigint") return [String(value)];
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return [];
  return Object.values(value).flatMap((item) => textsIn(item, depth + 1));
}

/** A text, without the white space around it, and its lines: a program prints those one at a time. */
function partsOf(text: string): readonly string[] {
  const lines = text.includes("\n") ? text.split(/\r?\n/).filter((line) => line.trim().length >= MIN_LINE_CHARS) : [];
  return [text, ...[text, ...lines].map((part) => part.trim())];
}

/** Every spelling of every text in these values, the longest first. */
export function spellingsIn(values: Iterable<unknown>): readonly string[] {
  const parts = [...values].flatMap((value) => textsIn(value)).flatMap(partsOf);
  return [...new Set(parts.flatMap(spellingsOf))].sort((a, b) => b.length - a.length);
}

/** The ways a known value shows up: as it is, in URLs, in JSON inside JSON, in hex, and in base64 at each of three alignments. */
function spellingsOf(value: string): readonly string[] {
  if (value.length < MIN_CHARS) return [];
  const bytes = new TextEncoder().encode(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].flatMap((shift) => {
    const inner = base64Inside(bytes, shift);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const url = encodeURIComponent(toWellFormed(value));
  const urls = [url, url.replaceAll("%20", "+"), encodeURIComponent(url), encodeURI(toWellFormed(value))];
  const ascii = JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const json = [asJson(value), asJson(asJson(value)), asJson(asJson(asJson(value))), ascii.slice(1, -1)];
  return [value, ...urls, ...json, hex, ...base64].filter(({ length }) => length >= MIN_CHARS);
}

function asJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The base64 characters that depend on the value alone when `shift` unknown bytes come before it. */
function base64Inside(bytes: Uint8Array, shift: number): string {
  let padded = "\0".repeat(shift);
  for (const byte of bytes) padded += String.fromCharCode(byte);
  const encoded = btoa(padded).replaceAll("=", "");
  const head = shift === 0 ? 0 : shift + 1;
  const tail = padded.length % 3 === 0 ? 0 : 1;
  return encoded.slice(head, encoded.length - tail);
}

function toWellFormed(value: string): string {
  return value.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
}
