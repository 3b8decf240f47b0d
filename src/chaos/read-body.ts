// The body of a request as text, up to a limit: more is thrown away while it comes, so that the refusal can be read.

import type { IncomingMessage } from "node:http";

export type ReadBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  /** The client left before it had sent everything. */
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
