// The gateway asks targets for plain bytes, because it reads what passes. Some compress their answers all the same.

import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { tryRead } from "../../core/try-read.ts";
import { type Bounded, MOST_BYTES } from "../../provider/fetch/bounded.ts";

/** The header that asks for plain bytes. */
export const PLAIN = { "accept-encoding": "identity" };

type Chunk = Uint8Array<ArrayBuffer>;
type Unpack = (bytes: Chunk, options: { readonly maxOutputLength: number }) => Buffer;

const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["deflate", inflateSync],
  ["br", brotliDecompressSync],
]);

/** How an answer is compressed, the first step first; empty for plain bytes. */
function stepsOf(encoding: string | readonly string[] | undefined): readonly string[] {
  if (encoding === undefined) return [];
  const steps = String(encoding).toLowerCase().split(",");
  return steps.map((step) => step.trim()).filter((step) => step !== "" && step !== "identity");
}

export function isPacked(encoding: string | readonly string[] | undefined): boolean {
  return stepsOf(encoding).length > 0;
}

/** The plain bytes; null if they cannot be read. */
export function unpacked(bytes: Chunk, encoding: string | readonly string[] | undefined, what: Bounded): Chunk | null {
  if (encoding === undefined) return bytes;
  const options = { maxOutputLength: MOST_BYTES[what] };
  let plain: Chunk | null = bytes;
  for (const step of stepsOf(encoding).toReversed()) {
    const unpack = UNPACK.get(step);
    const packed: Chunk | null = plain;
    if (unpack === undefined || packed === null) return null;
    plain = tryRead(() => new Uint8Array(unpack(packed, options)), null);
  }
  return plain;
}

/** A stream is read as it arrives, so it has to be plain. */
export function refusePacked(encoding: string | readonly string[] | undefined): void {
  if (isPacked(encoding)) throw packedFault(encoding);
}

export function packedFault(encoding: string | readonly string[] | undefined): FaultError {
  const named = stepsOf(encoding).join(", ").slice(0, 40);
  const message = `the target compressed the answer (${named}), although the gateway asked for plain bytes; turn compression off there`;
  return new FaultError(fault("AnswerUnreadable", { message }));
}
