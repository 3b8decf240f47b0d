// Durations as machines write them (`1.4s`, `6m 11.52s`, `1h23m45.6s`, `7m12s`, `120ms`) and as sentences do
// ("in 5 days 22 hours 11 minutes", "after 37 seconds"); below, times of day with their zone.

import { tryRead } from "../try-read.ts";

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
  // `matchAll` would copy the expression each time.
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(text); part !== null; part = PARTS.exec(text)) {
    const [, amount = "", unit = ""] = part;
    total += Number(amount) * (UNIT_MS[unitKey(unit)] ?? NaN);
  }
  // 9.816 s is 9816 ms, whatever the binary fraction says.
  return Math.round(total * 1000) / 1000;
}

function unitKey(unit: string): string {
  const lower = unit.toLowerCase();
  return lower.startsWith("ms") || lower.startsWith("milli") ? "ms" : lower.charAt(0);
}

// "resets 9:16pm (UTC)", "reset at 5pm (Europe/Warsaw)", "regain access on 2026-06-01 at 00:00 UTC": a time of day with
// its zone, as an instant. A clock time without a zone is ambiguous and is ignored.

const CLOCK =
  /\b(?:resets?|reset at|try again|again|until|available)(?: on)?(?: at)? (?:([A-Z][a-z]{2})[a-z]{0,6} (\d{1,2})(?:,? (\d{4}))?,? (?:at )?)?(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\.? \(([A-Za-z]{2,32}(?:\/[A-Za-z_+-]{2,32}){0,2})\)/;
const DATE =
  /\b(?:access|resets?|again|until|available)(?: on| at)? (\d{4})-(\d{2})-(\d{2})(?:[T ](?:at )?(\d{2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)? ?(?:UTC|Z|GMT))/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** NaN when the text names no time, or `observedAt` is needed to know the day and is missing. */
export function parseClockTime(text: string, observedAt: number | undefined): number {
  const searched = text.slice(0, SEARCHED_CHARS);
  const date = DATE.exec(searched);
  if (date !== null) {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = date.slice(1).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute);
  }
  const clock = CLOCK.exec(searched);
  if (clock === null || observedAt === undefined) return NaN;
  const [, month, day, year, hour = "0", minute = "0", half = "a", zone = ""] = clock;
  const today = partsIn(zone, observedAt);
  if (today === undefined || (month !== undefined && !MONTHS.includes(month))) return NaN;
  const hours = (Number(hour) % 12) + (half === "p" ? 12 : 0);
  const at = (years: number, days: number): number =>
    instantIn(
      zone,
      Date.UTC(
        (year === undefined ? today.year : Number(year)) + years,
        month === undefined ? today.month : MONTHS.indexOf(month),
        (day === undefined ? today.day : Number(day)) + days,
        hours,
        Number(minute),
      ),
    );
  // A time that has passed today means tomorrow; a day without a year that has passed means next year.
  if (at(0, 0) > observedAt || year !== undefined) return at(0, 0);
  return day === undefined ? at(0, 1) : at(1, 0);
}

interface Parts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly asUtc: number;
}

/** The wall clock of a zone at an instant; undefined for an unknown zone. */
function partsIn(zone: string, at: number): Parts | undefined {
  const format = zoneFormat(zone);
  if (format === undefined) return undefined;
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return { year, month: month - 1, day, asUtc: Date.UTC(year, month - 1, day, hour, minute, second) };
}

/** The instant at which the zone's wall clock shows what `wall` shows in UTC: a guess, corrected once where the clock changes in between. */
function instantIn(zone: string, wall: number): number {
  const guess = wall - offsetAt(zone, wall);
  return wall - offsetAt(zone, guess);
}

function offsetAt(zone: string, at: number): number {
  return (partsIn(zone, at)?.asUtc ?? NaN) - at;
}

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  return tryRead(
    () =>
      new Intl.DateTimeFormat("en-US", {
        timeZone: zone,
        hourCycle: "h23",
        year: "numeric",
        month: "numeric",
        day: "numeric",
        hour: "numeric",
        minute: "numeric",
        second: "numeric",
      }),
    undefined,
  );
}
