// The stdout of an attempt that may be followed by another one, held back until its outcome is known: `x=$(faultline run -- …)`
// captures what one attempt printed, not what several did.
// H1  a failed attempt that another one follows prints nothing. The last one does, whether it worked or not.
// H2  memory is bounded: what exceeds it goes to a temporary file that only this process can open.
// H3  the file is bounded, too: a command that prints without end must not fill the disk.
// H4  nothing is cut silently: `failure` says why the file could not take everything.

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
  /** Why a part of the output is missing; null when all of it is there. */
  failure: Fault | null = null;
  readonly #queue: OutputQueue;
  #held = new ByteBlocks();
  /** Holds what came first; `#held` holds what came after it. */
  #file: number | null = null;
  #fileBytes = 0;
  readonly #maxBytes: number;

  constructor(queue: OutputQueue, maxBytes = MAX_FILE_BYTES) {
    this.#queue = queue;
    this.#maxBytes = maxBytes;
  }

  /** No more is held back; what comes now is lost. */
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

  /** Another attempt follows. */
  discard(): void {
    this.#held = new ByteBlocks();
    this.failure = null;
    this.#close();
  }

  /** No attempt follows. */
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
  return `the command printed more than ${bytes} bytes, and no more is held back until an attempt is known to be the last`;
}

/** Without a name the file is gone with this process, however that ends. */
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
