// What a running command works with: its I/O, and what its user chose for all commands. It is made once, where the command starts.

import type { Command } from "commander";
import { type Locale, resolveLocale } from "../core/index.ts";
import { variableOf } from "./config/settings.ts";
import type { Io } from "./io.ts";
import { type ColorMode, type Paint, paintFor } from "./render/paint.ts";

export interface Cli extends Io {
  readonly json: boolean;
  readonly locale: Locale;
  /** Colours what goes to stdout. */
  readonly paint: Paint;
  /** Colours what goes to stderr. */
  readonly paintError: Paint;
}

/** The options of every command. `program.ts` sets the default of `color`. */
interface GlobalOptions {
  readonly json?: boolean;
  readonly locale?: Locale;
  readonly color: ColorMode;
}

export function cliOf(command: Command, io: Io): Cli {
  return cliWith(command.optsWithGlobals(), io);
}

export function cliWith({ json = false, locale, color }: GlobalOptions, io: Io): Cli {
  return {
    ...io,
    json,
    locale: locale ?? resolveLocale(variableOf("locale", io.env)),
    paint: paintFor(io.stdout, io.env, color),
    paintError: paintFor(io.stderr, io.env, color),
  };
}

/** The action of a command whose work is loaded when it runs. The work gets what was typed. */
export function doing<Typed extends readonly unknown[]>(
  io: Io,
  load: () => Promise<(...given: [...Typed, Cli]) => Promise<void>>,
): (...given: [...Typed, Command]) => Promise<void> {
  return async (...given) => {
    const work = await load();
    const typed = given.slice(0, -1) as unknown as Typed;
    await work(...typed, cliOf(given.at(-1) as Command, io));
  };
}
