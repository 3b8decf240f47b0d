// Reads the body of a client's request, up to a limit.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { type Fault, FaultError } from "../../core/fault/fault.ts";
import { type JsonObject, objectOf } from "../../core/json-fields.ts";
import { parseJson } from "../../core/try-read.ts";
import type { Scope } from "../../runtime/scope.ts";
import { unclearField } from "./repeated-field.ts";

/** null: it is larger than that. Rejects when the client left before its end, and with `uploads`. */
export function readBody(request: IncomingMessage, maxBytes: number, uploads: Scope): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const upload = { cancel: (why: Fault) => reject(new FaultError(why)) };
    uploads.add(upload);
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
    request.on("close", () => {
      uploads.remove(upload);
      if (!request.complete) reject(new Error("the client left before its request was complete"));
    });
  });
}

const BYTE_ORDER_MARK = "\uFEFF";

/** The body of a request that has to be a JSON object; a sentence when the gateway does not take it. */
export function readObject(text: string, headers: IncomingHttpHeaders): JsonObject | string {
  const body = objectOf(parseJson(text));
  if (body === null) return `the body is not a JSON object${whyUnread(text, headers)}`;
  return unclearField(text, body) ?? body;
}

/** Empty when nothing about the body is unusual. */
export function whyUnread(text: string, { "content-encoding": encoding = "identity" }: IncomingHttpHeaders): string {
  if (encoding !== "identity")
    return "; the gateway does not accept compressed bodies, so send it without content-encoding";
  return text.startsWith(BYTE_ORDER_MARK)
    ? "; it begins with a byte order mark, which the gateway does not accept"
    : "";
}
