// Times in words: how long, and when.

import type { Fault } from "../fault.ts";
import type { Locale } from "./words.ts";

const UNITS = {
  "en": { ms: "ms", s: "s", min: "min", h: "h", d: "d" },
  "zh-CN": { ms: "毫秒", s: "秒", min: "分钟", h: "小时", d: "天" },
} as const;

/** `1.5 s`, `5 min`, `2 h 30 min`: short, and exact enough to wait by. Rounded to the unit that is shown, then split. */
export function formatMs(ms: number, locale: Locale): string {
  const unit = UNITS[locale];
  if (Math.round(ms) < 1000) return `${Math.round(ms)} ${unit.ms}`;
  const tenths = Math.round(ms / 100);
  if (tenths < 600) return `${tenths / 10} ${unit.s}`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return both(Math.floor(seconds / 60), unit.min, seconds % 60, unit.s);
  const minutes = Math.round(ms / 60_000);
  if (minutes < 48 * 60) return both(Math.floor(minutes / 60), unit.h, minutes % 60, unit.min);
  const hours = Math.round(ms / 3_600_000);
  return both(Math.floor(hours / 24), unit.d, hours % 24, unit.h);
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** Dates end here; a server, or a file that is read, may name a time beyond all the same. */
const FARTHEST_INSTANT = 8_640_000_000_000_000;

/** `2026-01-02T03:04:05.678Z` */
function instantText(at: number): string {
  return new Date(Math.max(-FARTHEST_INSTANT, Math.min(FARTHEST_INSTANT, at))).toISOString();
}

/** `2026-01-02T03:04:05Z`, with milliseconds where there are some. */
export function isoTime(at: number): string {
  return instantText(at).replace(".000Z", "Z");
}

/** `2026-01-02`, in UTC. */
export function dayOf(at: number): string {
  return instantText(at).replace(/T.*$/, "");
}

/** `03:04:05.678`, in UTC. */
export function timeOfDay(at: number): string {
  return instantText(at).replace(/^.*T/, "").replace("Z", "");
}

/** `2026-01-02 03:04:05 UTC` */
export function secondOf(at: number): string {
  return `${instantText(at)
    .replace("T", " ")
    .replace(/\.\d+Z$/, "")} UTC`;
}

/** `2026-01-02 03:04 UTC`: as people say a time; empty for none. */
export function minuteOf(at: number): string {
  return Number.isNaN(at) ? "" : `${dateMinute(at)} UTC`;
}

/** `2026-01-02 03:04`, in UTC. */
export function dateMinute(at: number): string {
  return instantText(at)
    .replace("T", " ")
    .replace(/:\d\d\.\d+Z$/, "");
}

/** What stands behind "wait" or “请等”: until when, or how long when only that is known. */
export function waitInWords(
  { retryAfterMs = 0, resetAt }: Pick<Fault, "retryAfterMs" | "resetAt">,
  locale: Locale,
): string {
  const { until, long } = WAITS[locale];
  return resetAt === undefined ? long(formatMs(retryAfterMs, locale)) : until(minuteOf(resetAt));
}

const WAITS = {
  "en": { until: (at: string) => `until ${at}`, long: (time: string) => time },
  "zh-CN": { until: (at: string) => `到 ${at} `, long: (time: string) => ` ${time}` },
} as const;
