// Everything a command may touch. Data goes to stdout, everything else to stderr. Passed as a parameter so that tests can replace it.

import type { Locale } from "../core/index.ts";
import type { Clock } from "../host/clock.ts";
import type { ExitName } from "./exit-codes.ts";

export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Reads a file as text. */
  readFile(path: string): Promise<string>;
  /** Streams a file. */
  openFile(path: string): AsyncIterable<Uint8Array>;
  /** The size of a file; null when it does not exist. */
  fileBytes(path: string): Promise<number | null>;
  /** Creates a file that only its owner can read. Writes all of it or nothing, and fails if it exists. */
  writeNewFile(path: string, pieces: AsyncIterable<string>): Promise<void>;
  /** Sets the exit code of the process. The first failure wins. */
  exit(name: ExitName): void;
}

export interface Sink {
  readonly isTTY: boolean;
  /** The width of the terminal; Infinity when the output is not a terminal. */
  readonly columns: number;
  /** The reader has closed its end, so further output is dropped. */
  readonly isClosed?: boolean;
  /** Resolves when more may be written. Does nothing once the reader has closed its end. */
  write(data: string | Uint8Array): Promise<void>;
}

/** A message a person can act on. A command throws it; `main` prints it without a stack. */
export class UsageError extends Error {
  readonly exit: ExitName;
  /** In each language, from code that does not know the user's locale; null: `message` is already in the right one. */
  readonly #words: Readonly<Record<Locale, string>> | null;

  constructor(said: string | Readonly<Record<Locale, string>>, exit: ExitName = "usage", options: ErrorOptions = {}) {
    super(typeof said === "string" ? said : said.en, options);
    this.name = "UsageError";
    this.exit = exit;
    this.#words = typeof said === "string" ? null : said;
  }

  in(locale: Locale): string {
    return this.#words?.[locale] ?? this.message;
  }
}
