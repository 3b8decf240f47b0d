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
  `\\b${LEAD}[\\s:"']{1,4}(?:approximately |about |another |~ ?)?(\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}(?![a-z])(?:[\\s,]{0,3}(?:and )?\\d{1,12}(?:\\.\\d{1,9})?\\s{0,2}${UNIT}(?![a-z])){0,6})`,
  "i",
);
/** How much of a text is searched. */
const SEARCHED_CHARS = 16_384;

/** A header quoted in text: `Retry-After: 30` means seconds. */
const QUOTED_HEADER = /\bretry-after["']?: ?["']?(\d{1,9}(?:\.\d{1,9})?)\b(?! ?[a-z%])/i;

/** 请在 30 秒后重试 */
const CHINESE = /(\d{1,9}(?:\.\d{1,9})?)\s{0,2}(毫秒|秒|分钟|分|小时|天)(?:钟)?(?:之|以)?后\s{0,2}(?:再|重)/;
const CHINESE_UNIT_MS: Readonly<Record<string, number>> = {
  毫秒: 1,
  秒: 1000,
  分: 60_000,
  分钟: 60_000,
  小时: 3_600_000,
  天: 86_400_000,
};

/** The wait a sentence asks for, in milliseconds; NaN when it asks for none. */
export function durationInWords(text: string): number {
  const searched = text.slice(0, SEARCHED_CHARS);
  const said = SAID.exec(searched)?.[1];
  if (said !== undefined) return sum(said);
  const [, amount = "", unit = ""] = CHINESE.exec(searched) ?? [];
  if (unit !== "") return Number(amount) * (CHINESE_UNIT_MS[unit] ?? NaN);
  return Number(QUOTED_HEADER.exec(searched)?.[1] ?? NaN) * 1000;
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
