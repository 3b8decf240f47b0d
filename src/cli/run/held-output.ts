// Holds back the stdout of an attempt until its outcome is known, if another attempt may follow. So `x=$(faultline run -- …)`
// captures the output of one attempt, not of several.
// H1  A failed attempt prints nothing if another one follows. The last attempt prints, whether it worked or not.
// H2  Memory is bounded: more output goes to a temporary file that only this process can open.
// H3  The file is bounded, too: a command that prints without end must not fill the disk.
// H4  Nothing is cut silently: `failure` says why the file could not hold everything.

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { classify, fault, type Fault } from "../../core/index.ts";
import { systemClock } from "../../host/clock.ts";
import { ByteBlocks } from "../render/byte-blocks.ts";
import type { OutputQueue } from "../render/output-queue.ts";

const MAX_HELD_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 1024 * 1024;
const MAX_FILE_BYTES = 4 * 1024 * 1024 * 1024;

export class HeldOutput {
  /** Why a part of the output is missing; null when it is complete. */
  failure: Fault | null = null;
  readonly #queue: OutputQueue;
  #held = new ByteBlocks();
  /** Holds the first part of the output; `#held` holds the rest. */
  #file: number | null = null;
  #fileBytes = 0;
  readonly #maxBytes: number;

  constructor(queue: OutputQueue, maxBytes = MAX_FILE_BYTES) {
    this.#queue = queue;
    this.#maxBytes = maxBytes;
  }

  /** The limit is reached; further output is lost. */
  get isFull(): boolean {
    return this.#fileBytes >= this.#maxBytes;
  }

  write(chunk: Uint8Array): void {
    if (this.failure !== null) return;
    this.#held.add(chunk);
    if (this.#held.bytes < (this.#file === null ? MAX_HELD_BYTES : READ_BYTES)) return;
    try {
      this.#file ??= openUnnamed();
      for (const block of this.#held.take()) {
        writeWhole(this.#file, block);
        this.#fileBytes += block.length;
      }
      if (this.isFull) this.failure = fault("ResourceExhausted", { message: tooLong(this.#maxBytes) });
    } catch (error) {
      this.failure = classify({ surface: "node", error, observedAt: systemClock.now() });
    }
  }

  /** Drops the output because another attempt follows. */
  discard(): void {
    this.#held = new ByteBlocks();
    this.failure = null;
    this.#close();
  }

  /** Prints the output because no attempt follows. */
  async release(): Promise<void> {
    for (let at = 0; this.#file !== null;) {
      const piece = Buffer.allocUnsafe(READ_BYTES);
      const count = readSync(this.#file, piece, 0, READ_BYTES, at);
      if (count === 0) break;
      at += count;
      await this.#queue.write(piece.subarray(0, count));
    }
    this.#close();
    for (const block of this.#held.take()) await this.#queue.write(block);
  }

  #close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
    this.#fileBytes = 0;
  }
}

function tooLong(bytes: number): string {
  return `the command printed more than ${bytes} bytes, which is the limit for output held back while another attempt may follow`;
}

/** A file without a name disappears with this process, however it ends. */
function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), "faultline-run-"));
  try {
    return openSync(join(folder, "stdout"), "wx+", 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function writeWhole(file: number, block: Uint8Array): void {
  for (let at = 0; at < block.length;) at += writeSync(file, block, at);
}
