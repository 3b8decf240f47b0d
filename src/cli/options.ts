// How values of options are read, the same for every command.

import { InvalidArgumentError } from "commander";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { safeText } from "./render/safe-text.ts";

/** Parses an option that can be repeated. Without a default, so that the help does not print "(default: [])". */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Commander's error as we print it. It repeats what the user typed; the help, which Commander writes the same way, is our own. */
export function errorOf(text: string): string {
  return safeText(SHAPE_REDACTOR.text(text)).replace(/^error: /, "faultline: ");
}

export function toCount(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("It must be a whole number from 1 up.");
  return Number(value);
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `90s`, `15m`, `2h`, `7d`. A bare number could be seconds or milliseconds, so it needs its unit. 0: it cannot be read. */
export function msIn(value: string): number {
  const [, amount = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(value) ?? [];
  return Math.round(Number(amount) * (UNIT_MS[unit] ?? 0));
}

export function toMs(value: string): number {
  const ms = msIn(value);
  if (ms < 1) throw new InvalidArgumentError("It must be a time with its unit: 500ms, 90s, 15m, 2h, 7d.");
  return ms;
}

/** 0 stands for a free one. */
export function toPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : Infinity;
  if (port > 65_535) throw new InvalidArgumentError("It must be a port from 0 to 65535.");
  return port;
}
