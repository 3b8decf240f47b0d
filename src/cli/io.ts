// What a command may touch: data goes to stdout, everything else to stderr. Given, not global, so that tests can look.

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
  /** How long a file is; null when there is none. */
  fileBytes(path: string): Promise<number | null>;
  /** Writes a file that was not there before, whole or not at all, for its owner alone. */
  writeNewFile(path: string, pieces: AsyncIterable<string>): Promise<void>;
  /** Sets what the process ends with; the first failure stays. */
  exit(name: ExitName): void;
}

export interface Sink {
  readonly isTTY: boolean;
  /** How wide lines may be; without end when nobody looks. */
  readonly columns: number;
  /** The reader has closed its end: nothing that is written arrives any more. */
  readonly isClosed?: boolean;
  /** Resolves when more may be written. After the reader has closed its end, it does nothing. */
  write(data: string | Uint8Array): Promise<void>;
}

interface UsageErrorOptions {
  readonly cause?: unknown;
  readonly words?: Readonly<Record<Locale, string>>;
}

/** A message a person can act on: thrown by a command, printed by `main`, never with a stack. */
export class UsageError extends Error {
  readonly exit: ExitName;
  /** The message in each language, from those who are not told which one is wanted; null: it is in the right one. */
  readonly words: Readonly<Record<Locale, string>> | null;

  constructor(message: string, exit: ExitName = "usage", options: UsageErrorOptions = {}) {
    super(message, options);
    this.name = "UsageError";
    this.exit = exit;
    this.words = options.words ?? null;
  }
}
