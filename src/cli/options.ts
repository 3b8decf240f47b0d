// The options that every command has, resolved once.

import type { Command } from "commander";
import { type Locale, resolveLocale } from "../core/index.ts";
import { variableOf } from "./config/settings.ts";
import type { Io } from "./io.ts";
import type { ColorMode } from "./render/paint.ts";

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

/** Parses an option that can be repeated. Without a default, so that the help does not print "(default: [])". */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
