// Reads a request body as text, up to a limit, and parses its JSON. An oversized body is drained, so that the client can read the
// refusal.

import type { IncomingMessage } from "node:http";
import { parseJson } from "../core/try-read.ts";

export type ReadBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  /** The client left before it had sent the whole body. */
  | { readonly kind: "gone" };

export function readBody(request: IncomingMessage, mostBytes: number): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on("end", () =>
      resolve(
        bytes > mostBytes ? { kind: "too-large" } : { kind: "text", text: Buffer.concat(chunks).toString("utf8") },
      ),
    );
    request.on("error", () => resolve({ kind: "gone" }));
    request.on("close", () => resolve({ kind: "gone" }));
  });
}

export interface ReadJson {
  readonly value: unknown;
  /** What is wrong with it; null if it is valid. */
  readonly complaint: string | null;
}

/** Deeper JSON can be parsed but not stringified, which would break the list of received requests. */
const DEEPEST = 500;

export function readJson(text: string): ReadJson {
  const value = parseJson(text);
  if (value === undefined) return { value, complaint: "The request body is not JSON." };
  if (!isDeeperThan(DEEPEST, value)) return { value, complaint: null };
  return { value: undefined, complaint: `The request body is nested deeper than ${DEEPEST} levels.` };
}

function isDeeperThan(levels: number, value: unknown): boolean {
  let inside: readonly unknown[] = [value];
  for (let level = 0; level <= levels; level++) {
    inside = inside.flatMap((one): unknown[] => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (inside.length === 0) return false;
  }
  return true;
}
