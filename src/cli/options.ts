// Options every command has, resolved once.

import type { Command } from "commander";
import { type Locale, resolveLocale } from "../core/index.ts";
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
  /** `program.ts` gives it a default. */
  readonly color: ColorMode;
}

export function globalOptions(command: Command, { env }: Io): GlobalOptions {
  const raw = command.optsWithGlobals<RawOptions>();
  return {
    json: raw.json === true,
    locale: raw.locale ?? resolveLocale(firstSet(env["LC_ALL"], env["LC_MESSAGES"], env["LANG"])),
    color: raw.color,
  };
}

/** A variable that is set but empty counts as not set. */
function firstSet(...values: readonly (string | undefined)[]): string {
  return values.find((value) => value !== undefined && value !== "") ?? "en";
}
