// The options that every command has, resolved once.

import type { Command } from "commander";
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
