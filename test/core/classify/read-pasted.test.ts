// What someone copies from a terminal, a log or a browser is read as what it is.

import { describe, expect, it } from "vitest";
import { classify } from "../../../src/core/classify/classify.ts";
import { readPasted } from "../../../src/core/classify/read-pasted.ts";

const ANSWER = `HTTP/1.1 429 Too Many Requests
content-type: application/json
Retry-After: 30

{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}`;

const VERBOSE = `* Connected to api.example.com
> POST /v1/messages HTTP/2
> host: api.example.com
>
< HTTP/2 529
< request-id: req_1
<
{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}
* Connection #0 left intact`;

const PASTED: readonly (readonly [text: string, kind: string, surface: string, code: string])[] = [
  [ANSWER, "http", "http", "RateLimited"],
  [VERBOSE, "http", "http", "Overloaded"],
  ["HTTP/2 503", "http", "http", "Overloaded"],
  ["503 Service Unavailable", "http", "http", "Overloaded"],
  ["status: 401", "http", "http", "AuthFailed"],
  ['{"status":429,"headers":{"retry-after":"2"},"body":"slow down"}', "http", "http", "RateLimited"],
  ['{"type":"error","error":{"type":"overloaded_error"}}', "json", "http", "Overloaded"],
  [
    '{"name":"Error","message":"connect ECONNREFUSED 127.0.0.1:1","code":"ECONNREFUSED"}',
    "json",
    "node",
    "NetworkDisconnect",
  ],
  ["npm error ENOSPC: no space left on device\nexited with code 1", "process", "cli", "ResourceExhausted"],
  ["stream disconnected before completion", "text", "cli", "NetworkDisconnect"],
  ["{ not json", "text", "cli", "Unclassified"],
  ["218 pages were read", "text", "cli", "Unclassified"],
  ["", "text", "cli", "Unclassified"],
];

describe("a pasted failure", () => {
  it.each(PASTED)("is read as what it is: %s", (text, kind, surface, code) => {
    const pasted = readPasted(text);
    expect([pasted.kind, pasted.surface]).toEqual([kind, surface]);
    expect(classify({ ...pasted.evidence, surface: pasted.surface }).code).toBe(code);
  });

  it("keeps the status, the headers and the body of an HTTP answer apart", () => {
    expect(readPasted(ANSWER).evidence).toEqual({
      status: 429,
      headers: { "content-type": "application/json", "retry-after": "30" },
      body: { error: { code: "rate_limit_exceeded", message: "Rate limit reached" } },
    });
    expect(readPasted(ANSWER.replaceAll("\n", "\r\n")).evidence).toEqual(readPasted(ANSWER).evidence);
  });

  it("is read in a time that grows with its length only", () => {
    for (const part of ["HTTP/1.1 500\n", "a: ", "{", "exit code ", "< ", "\n"]) readPasted(part.repeat(50_000));
  });
});
