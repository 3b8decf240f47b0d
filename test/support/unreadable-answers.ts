// Answers with status 200 that no SDK can read.

import { gzipSync } from "node:zlib";
import { asBytes, type RawReply, type StubReply, type StubRequest } from "./dialect-stub.ts";

const GOOD: StubReply = { text: "a good answer, long enough to be cut in the middle of its compressed form" };

function gzipped(request: StubRequest, change: (bytes: Buffer) => Buffer): RawReply {
  const { bytes } = asBytes(GOOD, request);
  return { headers: { "content-encoding": "gzip" }, bytes: change(gzipSync(bytes)) };
}

/** What a request gets instead of an answer, with status 200. */
export const UNREADABLE: Readonly<Record<string, (request: StubRequest) => StubReply>> = {
  "gzip that was cut": (request) => gzipped(request, (bytes) => bytes.subarray(0, 30)),
  "gzip that is none": (request) => gzipped(request, () => Buffer.from("this was never compressed")),
  "a page": () => ({
    headers: { "content-type": "text/html" },
    bytes: "<!doctype html><html><body><h1>Please sign in to the hotel's network</h1></body></html>",
  }),
  "a page that says it is what was asked for": () => ({ bytes: "<html><body>Bad gateway</body></html>" }),
  "an error object": () => ({
    headers: { "content-type": "application/json" },
    bytes: JSON.stringify({ ok: false, error: { reason: "E-1207" } }),
  }),
  "a malformed beginning": ({ isStreaming }) => ({
    bytes: isStreaming ? 'data: {"id": "x", "cho\n\n' : '{"id": "x", "cho',
  }),
  "nothing": () => ({ bytes: "" }),
};
