// Reads the body of a client's request, up to a limit.

import type { IncomingMessage } from "node:http";

/** null: it is larger than that. Rejects when the client left before its end. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        resolve(null);
      }
    });
    request.on("end", () =>
      resolve(size > maxBytes ? null : chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks)),
    );
    request.on("error", reject);
    request.on("close", () => request.complete || reject(new Error("the client left before its request was complete")));
  });
}
