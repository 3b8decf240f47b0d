// A command's output as text in a JSON document, which also says how the text differs from the printed bytes.

import { ByteBlocks } from "../render/byte-blocks.ts";

export type AnswerProblem = "invalid-utf8" | "truncated";

export interface Printed {
  /** Without trailing line breaks, like `$(…)`. */
  readonly text: string;
  readonly problems: readonly AnswerProblem[];
}

const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export class PrintedAnswer {
  #kept = new ByteBlocks();
  #isCut = false;

  add(chunk: Uint8Array): void {
    const fits = chunk.subarray(0, MAX_ANSWER_BYTES - this.#kept.bytes);
    this.#isCut ||= fits.length < chunk.length;
    if (fits.length > 0) this.#kept.add(fits);
  }

  discard(): void {
    this.#kept = new ByteBlocks();
    this.#isCut = false;
  }

  take(): Printed {
    const isCut = this.#isCut;
    const bytes = Buffer.concat(this.#kept.take());
    // A cut in the middle of a character is not the command's error.
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: isCut });
    const isValid = isCut ? !text.includes("\uFFFD") : Buffer.from(text).equals(bytes);
    return {
      text: text.replace(/[\r\n]+$/, ""),
      problems: [...(isValid ? [] : ["invalid-utf8" as const]), ...(isCut ? ["truncated" as const] : [])],
    };
  }
}
