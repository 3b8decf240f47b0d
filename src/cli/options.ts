// The options that every command has, resolved once, and what commands share: their actions, and how values of options are read.

import { type Command, InvalidArgumentError } from "commander";
import { type Locale, resolveLocale } from "../core/index.ts";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { variableOf } from "./config/settings.ts";
import type { Io } from "./io.ts";
import type { ColorMode } from "./render/paint.ts";
import { safeText } from "./render/safe-text.ts";

export interface GlobalOptions {
  readonly json: boolean;
  readonly locale: Locale;
  readonly color: ColorMode;
}

interface RawOptions {
  readonly json?: true;
  readonly locale?: Locale;
  /** `program.ts` sets the default. */
  readonly color: ColorMode;
}

export function globalOptions(command: Command, { env }: Io): GlobalOptions {
  const raw = command.optsWithGlobals<RawOptions>();
  return {
    json: raw.json === true,
    locale: raw.locale ?? resolveLocale(variableOf("locale", env)),
    color: raw.color,
  };
}

/** The action of a command whose work is loaded when it runs. The work gets what was typed, then the I/O and the global options. */
export function doing<Typed extends readonly unknown[]>(
  io: Io,
  load: () => Promise<(...given: [...Typed, Io, GlobalOptions]) => Promise<void>>,
): (...given: [...Typed, Command]) => Promise<void> {
  return async (...given) => {
    const work = await load();
    const typed = given.slice(0, -1) as unknown as Typed;
    await work(...typed, io, globalOptions(given.at(-1) as Command, io));
  };
}

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
