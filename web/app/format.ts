// Numbers, money and time as people read them, in the chosen language.

import { moneyOf, moneyPair } from "./money.ts";
import { type Language, usePreferences } from "./preferences.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

export interface Format {
  readonly count: (value: number) => string;
  readonly percent: (share: number) => string;
  /** From microcents. */
  readonly money: (microcents: number) => string;
  /** Two amounts, with as many digits as they need to look different. */
  readonly moneyPair: (one: number, other: number) => readonly [string, string];
  /** How long something took. */
  readonly duration: (ms: number) => string;
  /** A clock such as 02:10, for what is still to come; days and hours where that is long. */
  readonly countdown: (ms: number) => string;
  /** The time of the day; with the date when that is not today. */
  readonly clock: (at: number) => string;
  /** The same without the seconds. */
  readonly minute: (at: number) => string;
  readonly dateTime: (at: number) => string;
  /** How long ago, in one unit. */
  readonly age: (ms: number) => string;
  readonly bytes: (count: number) => string;
}

export function useFormat(): Format {
  return formatIn(usePreferences().language);
}

const made = new Map<Language, Format>();

function formatIn(language: Language): Format {
  const known = made.get(language);
  if (known !== undefined) return known;
  const format = makeFormat(language);
  made.set(language, format);
  return format;
}

const UNITS: Readonly<Record<Language, Readonly<Record<"ms" | "s" | "min" | "h" | "d", string>>>> = {
  "en": { ms: " ms", s: " s", min: " min", h: " h", d: " d" },
  "zh-CN": { ms: " 毫秒", s: " 秒", min: " 分钟", h: " 小时", d: " 天" },
};

function makeFormat(language: Language): Format {
  const units = UNITS[language];
  const number = new Intl.NumberFormat(language);
  const share = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const time = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
  const timeShort = new Intl.DateTimeFormat(language, { timeStyle: "short", hourCycle: "h23" });
  const full = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });
  const short = new Intl.DateTimeFormat(language, {
    ...{ month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });
  const long = (ms: number): string =>
    ms < HOUR
      ? `${Math.floor(ms / MINUTE)}${units.min}`
      : ms < DAY
        ? `${Math.floor(ms / HOUR)}${units.h}`
        : `${Math.floor(ms / DAY)}${units.d}`;
  return {
    count: (value) => number.format(value),
    percent: (value) => share.format(value),
    money: moneyOf,
    moneyPair,
    duration: (ms) => {
      if (Math.round(ms) < SECOND) return `${Math.round(ms)}${units.ms}`;
      // Rounded to what is shown first, so that 59.99 s is a minute.
      const tenths = Math.round(ms / 100);
      if (tenths < 600) return `${tenths / 10}${units.s}`;
      const seconds = Math.round(ms / SECOND);
      if (seconds < 3_600) return both(Math.floor(seconds / 60), units.min, seconds % 60, units.s);
      const minutes = Math.round(ms / MINUTE);
      if (minutes < 1_440) return both(Math.floor(minutes / 60), units.h, minutes % 60, units.min);
      const hours = Math.round(ms / HOUR);
      return both(Math.floor(hours / 24), units.d, hours % 24, units.h);
    },
    countdown: (ms) => (ms < DAY ? clockOf(Math.max(0, ms)) : `${long(ms)} ${Math.floor((ms % DAY) / HOUR)}${units.h}`),
    clock: (at) => (isToday(at) ? time.format(at) : short.format(at)),
    minute: (at) => (isToday(at) ? timeShort.format(at) : short.format(at)),
    dateTime: (at) => full.format(at),
    age: (ms) => (ms < MINUTE ? `${Math.max(0, Math.floor(ms / SECOND))}${units.s}` : long(ms)),
    bytes: (count) => (count < 1_024 ? `${count} B` : `${(count / 1_024).toFixed(1)} KB`),
  };
}

/** Two units, the small one only when it says something. */
function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`;
}

function isToday(at: number): boolean {
  return new Date(at).toDateString() === new Date().toDateString();
}

function clockOf(ms: number): string {
  const seconds = Math.ceil(ms / SECOND);
  const two = (value: number): string => String(value).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60), seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${two(m)}:${two(s)}`;
}
