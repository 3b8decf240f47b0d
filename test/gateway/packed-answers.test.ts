// Targets that pack their answers although the gateway asks for plain bytes: clients can read what they get, or another target answers.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatewayWorld } from "./gateway-world.ts";
import { type GatewayWorld, TARGET_KEY } from "./open-world.ts";

const WHOLE = JSON.stringify({
  id: "c",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});
const ERROR = JSON.stringify({
  error: { message: `no such field; you sent ${TARGET_KEY}`, type: "invalid_request_error" },
});

const PACKERS = [
  { encoding: "gzip", pack: gzipSync },
  { encoding: "deflate", pack: deflateSync },
  { encoding: "br", pack: brotliCompressSync },
  { encoding: "gzip, br", pack: (text: string): Buffer => brotliCompressSync(gzipSync(text)) },
];

interface Packing {
  readonly world: GatewayWorld;
  readonly asked: IncomingHttpHeaders[];
  readonly post: (path: string, body?: object) => Promise<Response>;
}

async function packing(status: number, encoding: string, body: Buffer): Promise<Packing> {
  const asked: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers);
    request.resume().on("end", () => {
      response.writeHead(status, { "content-type": "application/json", "content-encoding": encoding }).end(body);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const file = (): string => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${url}", api_key_env: TARGET_KEY } }
other_paths: one
routes: { team: { chain: [one/gpt-4o] } }`;
  const world = await gatewayWorld({ file });
  const post = (path: string, fields = {}): Promise<Response> => {
    const sent = { model: "team", messages: [{ role: "user", content: "hi" }], ...fields };
    return world.run(fetch(`${world.url}${path}`, { method: "POST", body: JSON.stringify(sent) }));
  };
  return { world, asked, post };
}

it.each([1, 10_000])("plain bytes pass as they are, whatever their characters (%i times)", async (times) => {
  const whole = WHOLE.replace(`"hi"`, JSON.stringify("é 中 🙂 \u0000 ÿ".repeat(times)));
  const { post } = await packing(200, "identity", Buffer.from(whole));
  const response = await post("/v1/chat/completions");
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(whole))).toBe(true);
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(whole)));
});

describe.each(PACKERS)("$encoding", ({ encoding, pack }) => {
  it.each(["/v1/chat/completions", "/v1/embeddings"])("is readable on %s, and was not asked for", async (path) => {
    const { post, asked } = await packing(200, encoding, pack(WHOLE));
    const response = await post(path);
    expect([response.status, await response.text()]).toEqual([200, WHOLE]);
    expect(asked.map((headers) => headers["accept-encoding"])).toEqual(["identity"]);
  });

  it.each(["/v1/chat/completions", "/v1/embeddings"])(
    "of an error is readable on %s, without the key",
    async (path) => {
      const { post } = await packing(400, encoding, pack(ERROR));
      const response = await post(path);
      const text = await response.text();
      expect([response.status, text]).toEqual([400, expect.stringContaining("no such field")]);
      expect(text).not.toContain(TARGET_KEY);
    },
  );
});

it.each([
  { what: "a stream", encoding: "gzip", body: gzipSync("data: [DONE]\n\n"), fields: { stream: true } },
  { what: "an unknown way", encoding: "own", body: Buffer.from("\u0001\u0002"), fields: {} },
  { what: "broken bytes", encoding: "gzip", body: Buffer.from("no gzip"), fields: {} },
])("fails with plain words: $what", async ({ encoding, body, fields }) => {
  const { post } = await packing(200, encoding, body);
  const response = await post("/v1/chat/completions", fields);
  expect([response.status, response.headers.get("x-faultline-code")]).toEqual([502, "AnswerUnreadable"]);
  expect(await response.text()).toContain(`the target compressed the answer (${encoding})`);
});
