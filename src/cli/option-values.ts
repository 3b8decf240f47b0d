// Reads the values of options that several commands have: counts, durations and ports.

import { InvalidArgumentError } from "commander";

export function toCount(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1 up.");
  return Number(value);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `90s`, `15m`, `2h`, `7d`. */
export function toMs(value: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(value) ?? [];
  const ms = Math.round(Number(amount) * (UNIT_MS[unit] ?? 0));
  if (ms < 1) throw new InvalidArgumentError("It must be a time with its unit: 500ms, 90s, 15m, 2h, 7d.");
  return ms;
}

/** 0 stands for a free one. */
export function toPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Infinity;
  if (port > 65_535) throw new InvalidArgumentError("It must be a port from 0 to 65535.");
  return port;
}
