// Durations as machines write them (`1.4s`, `6m 11.52s`, `1h23m45.6s`, `7m12s`, `120ms`) and as sentences do
// ("in 5 days 22 hours 11 minutes", "after 37 seconds").

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const UNIT = "(?:ms|msecs?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)";
const PART = `\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}`;
const DURATION = new RegExp(`^\\s*${PART}(?:[\\s,]{0,3}(?:and )?${PART}){0,6}\\s*$`, "i");
const PARTS = new RegExp(`(\\d{1,12}(?:\\.\\d{1,9})?)\\s{0,2}(${UNIT})(?![a-z])`, "gi");

/** NaN when the text is not a duration. */
export function parseDuration(text: string): number {
  return text.length <= 80 && DURATION.test(text) ? sum(text) : NaN;
}

/** Words after which a server says how long to wait. "Retrying in" is a client talking of itself and does not count. */
const LEAD =
  "(?:try again(?: later)?(?: in| after)|retry(?: your request)?(?: in| after)|retry[-_ ]after[:=]?|please wait(?: for)?(?: at least| about| approximately)?|wait(?: for)?(?= \\d+ ?\\w+ before)|available(?: again)? in|resets? (?:in|after)|next (?:request|attempt) in|in about)";
const SAID = new RegExp(
  `\\b${LEAD}[\\s:"']{1,4}(?:approximately |about |another )?(\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}(?![a-z])(?:[\\s,]{0,3}(?:and )?\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}(?![a-z])){0,6})`,
  "i",
);
/** How much of a text is searched. */
const SEARCHED_CHARS = 16_384;

/** A header quoted in text: `Retry-After: 30` means seconds. */
const QUOTED_HEADER = /\bretry-after["']?: ?["']?(\d{1,9}(?:\.\d{1,9})?)\b(?! ?[a-z%])/i;

/** The wait a sentence asks for, in milliseconds; NaN when it asks for none. */
export function durationInWords(text: string): number {
  const searched = text.slice(0, SEARCHED_CHARS);
  const said = SAID.exec(searched)?.[1];
  return said === undefined ? Number(QUOTED_HEADER.exec(searched)?.[1] ?? NaN) * 1000 : sum(said);
}

function sum(text: string): number {
  let total = 0;
  for (const [, amount = "", unit = ""] of text.matchAll(PARTS))
    total += Number(amount) * (UNIT_MS[unitKey(unit)] ?? NaN);
  // 9.816 s is 9816 ms, whatever the binary fraction says.
  return Math.round(total * 1000) / 1000;
}

function unitKey(unit: string): string {
  const lower = unit.toLowerCase();
  return lower.startsWith("ms") || lower.startsWith("milli") ? "ms" : lower.charAt(0);
}
