// "resets 9:16pm (UTC)", "reset at 5pm (Europe/Warsaw)", "regain access on 2026-06-01 at 00:00 UTC": a time of day with
// its zone, as an instant. A clock time without a zone is ambiguous and is ignored.

import { tryRead } from "../try-read.ts";

const CLOCK =
  /\b(?:resets?|reset at|try again|again|until|available)(?: on)?(?: at)? (?:([A-Z][a-z]{2})[a-z]{0,6} (\d{1,2})(?:,? (\d{4}))?,? (?:at )?)?(\d{1,2})(?::(\d{2}))? ?([ap])\.?m\.? \(([A-Za-z]{2,32}(?:\/[A-Za-z_+-]{2,32}){0,2})\)/;
const DATE =
  /\b(?:access|resets?|again|until|available)(?: on| at)? (\d{4})-(\d{2})-(\d{2})(?:[T ](?:at )?(\d{2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)? ?(?:UTC|Z|GMT))/;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const SEARCHED_CHARS = 16_384;

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
