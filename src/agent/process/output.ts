// One stream of a process, read as it comes: counted, its end kept, its lines told.

import type { Readable } from "node:stream";
import { createLineReader } from "./line-reader.ts";
import { createTail } from "./tail.ts";

export interface Output {
  readonly bytes: number;
  tail(): string;
  /** Nothing more is read, and a line without its newline is told now. */
  finish(): void;
}

export interface OutputOptions {
  readonly maxLineBytes: number;
  readonly maxTailBytes: number;
  readonly onLine: (line: string) => void;
  /** Before the lines in them are told. */
  readonly onBytes: () => void;
}

export function readOutput(stream: Readable, options: OutputOptions): Output {
  const lines = createLineReader(options.maxLineBytes, options.onLine);
  const tail = createTail(options.maxTailBytes);
  let bytes = 0;
  const onData = (chunk: Uint8Array): void => {
    bytes += chunk.length;
    options.onBytes();
    tail.push(chunk);
    lines.push(chunk);
  };
  stream.on("data", onData);
  return {
    get bytes() {
      return bytes;
    },
    tail: () => tail.text(),
    finish() {
      stream.off("data", onData);
      lines.end();
    },
  };
}
