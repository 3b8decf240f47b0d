// Embeddings, files and other paths: what they cost is booked, and a budget holds for them, too.

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMemoryJournal } from "../../src/index.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { type GatewayWorld, TARGET_KEY } from "./open-world.ts";

const env = { ALICE: "alice-key-0123456789" };
const headers = { "authorization": `Bearer ${env.ALICE}`, "content-type": "application/json" };
const VECTOR = JSON.stringify(Array.from({ length: 2_000 }, (_none, index) => index / 7));
const journal = createMemoryJournal;

interface Upstream {
  readonly world: GatewayWorld;
  readonly asked: readonly string[];
  /** The headers and bodies of the same requests. */
  readonly got: readonly { readonly headers: IncomingMessage["headers"]; readonly body: string }[];
  readonly spent: () => number;
  readonly embed: (model: string, path?: string) => Promise<Response>;
}

async function upstream(
  budget: string,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  key = "",
  faultline = { journal: journal() },
  dialect = "openai-chat",
  routes = "",
): Promise<Upstream> {
  const asked: string[] = [];
  const got: { headers: IncomingMessage["headers"]; body: string }[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    void text(request).then((body) => {
      got.push({ headers: request.headers, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const file = (): string => `
version: 1
targets: { one: { dialect: ${dialect}, base_url: "http://127.0.0.1:${port}/v1", api_key_env: TARGET_KEY } }
other_paths: one
routes: { ${routes} }
keys: { alice: { key_env: ALICE, budget: { ${budget} }${key} } }
`;
  const world = await gatewayWorld({ file, env, faultline });
  return {
    world,
    asked,
    got,
    spent: () => [...world.started.gateway.accounts].find(({ name }) => name === "alice")?.spent("day") ?? -1,
    embed: (model, path = "/v1/embeddings") =>
      fetch(`${world.url}${path}`, { method: "POST", headers, body: JSON.stringify({ model, input: "north" }) }),
  };
}

const USAGES = [
  { name: "OpenAI's", usage: `"usage":{"prompt_tokens":1000000,"total_tokens":1000000}` },
  { name: "one with a total only", usage: `"usage": { "total_tokens": 1000000 }` },
  { name: "one in Google's words", usage: `"usageMetadata":{"promptTokenCount":1000000}` },
];

it.each(USAGES)("books what embeddings cost by their usage: $name", async ({ usage }) => {
  const faultline = { journal: journal() };
  const answer = (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(200, { "content-type": "application/json" }).end(`{"data":[${VECTOR}],${usage}}`);
  const { embed, spent, world } = await upstream("per_day_usd: 1", answer, "", faultline);
  const response = await embed("text-embedding-3-small");
  expect([response.status, response.headers.get("x-faultline-target")]).toEqual([200, "one"]);
  expect((await response.text()).length).toBeGreaterThan(VECTOR.length);
  // 0.02 dollars for a million tokens.
  expect(spent()).toBe(2_000_000);
  await world.run(world.started.gateway.close());
  expect(await ledgerOf(faultline.journal, 10)).toMatchObject([
    {
      ...{ call: response.headers.get("x-faultline-call"), key: "alice", route: "other_paths", attempts: 1 },
      ...{ model: "text-embedding-3-small", target: "one", status: "done", code: null, microcents: 2_000_000 },
      isExact: true,
    },
  ]);
});

const whole = (_request: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(200, { "content-type": "application/json" }).end(`{"usage":{"prompt_tokens":40000000}}`);

it("refuses them once the budget is used up, and lets through what costs nothing", async () => {
  const { embed, asked, world } = await upstream("per_day_usd: 0.5", whole);
  expect((await embed("text-embedding-3-small")).status).toBe(200);
  const refused = await embed("text-embedding-3-small");
  expect([refused.status, await refused.text()]).toEqual([
    402,
    expect.stringMatching(/\$0\.80 of \$0\.50 is spent\. The key's budget per day starts again at 20..-..-..T00:00:00/),
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await fetch(`${world.url}/v1/files`, { headers })).status).toBe(200);
  expect(asked).toEqual(["POST /v1/embeddings", "GET /v1/files"]);
});

it.each([
  { what: "a model without a price", model: "own-embedder", path: "/v1/embeddings" },
  { what: "a path without a model", model: "", path: "/v1/batches" },
])("refuses $what under a budget, unless the key may use it", async ({ model, path }) => {
  const strict = await upstream("per_day_usd: 1", whole);
  const refused = await strict.embed(model, path);
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining("is unknown")]);
  expect(strict.asked).toEqual([]);
  const free = await upstream("per_day_usd: 1", whole, ", unpriced: allow");
  expect((await free.embed(model, path)).status).toBe(200);
  expect(free.spent()).toBe(0);
  for (const account of free.world.started.gateway.accounts) account.book(100_000_000);
  expect((await free.embed(model, path)).status).toBe(200);
});

it("books an estimate when the answer has no usage, and nothing when it is an error", async () => {
  const silent = await upstream("per_day_usd: 1", (_request, response) => void response.end("{}"));
  await silent.embed("text-embedding-3-large");
  expect(silent.spent()).toBeGreaterThan(0);
  const failing = await upstream("per_day_usd: 1", (_request, response) => void response.writeHead(500).end("no"));
  expect((await failing.embed("text-embedding-3-large")).status).toBe(500);
  expect(failing.spent()).toBe(0);
});

it("reads the model of Google's embeddings from their path", async () => {
  const { embed, spent } = await upstream("per_day_usd: 100", whole, "", { journal: journal() }, "google-generate");
  expect((await embed("", "/v1beta/models/gemini-embedding-001:embedContent")).status).toBe(200);
  expect(spent()).toBe(600_000_000);
});

it.each([400, 401, 403, 429, 500])(
  "keeps the gateway's own key from a client when a %d repeats the request",
  async (status) => {
    const answer = (request: IncomingMessage, response: ServerResponse): void =>
      void response.writeHead(status, { "content-type": "text/plain" }).end(`bad: ${JSON.stringify(request.headers)}`);
    const { embed } = await upstream("per_day_usd: 1", answer);
    const response = await embed("text-embedding-3-small");
    const text = await response.text();
    expect([response.status, text]).toEqual([status, expect.stringContaining("bad: ")]);
    expect(text).not.toContain(TARGET_KEY);
  },
);

// A dollar pays for 100,000 tokens of output.
it.each([
  { n: 128, max_tokens: 10_000 },
  { best_of: 128, max_tokens: 10_000 },
  { max_tokens: 1, max_completion_tokens: 1_000_000 },
  { max_tokens: 10_000, prompt: Array.from({ length: 128 }, () => "a") },
])("counts all that completions may answer: $n $best_of $max_tokens $max_completion_tokens", async (body) => {
  const { asked, world } = await upstream("per_day_usd: 1", whole);
  const send = (fields: object): Promise<Response> =>
    fetch(`${world.url}/v1/completions`, {
      ...{ method: "POST", headers },
      body: JSON.stringify({ model: "gpt-4o", prompt: [1, 2, 3], ...fields }),
    });
  expect([(await send(body)).status, asked]).toEqual([402, []]);
  expect((await send({ max_tokens: 10_000 })).status).toBe(200);
});

it.each([
  "/v1/uploads/..%2fchat/completions",
  "/v1/uploads/..%2Fchat/completions",
  "/v1/uploads/%252e%252e/embeddings",
  "/v1/uploads/..%5cchat/completions",
  "/v1//uploads/chat",
  "/v1beta/model%73/gpt-4o:generateContent",
  "/v1beta/models/gpt-4o%3AgenerateContent",
  "/v1beta/models/gpt-4o%3agenerateContent",
  "/v1beta/models/gpt-4o:generat%65Content",
  "/v1beta/models/gpt%2D4o:predict",
  "/v1beta/models/gpt-4o:generateContent%3F",
  "/v1/chat/completions%23",
  "/v1/chat/completions%3Bx=1",
  "/v1/chat/completions;x=1",
  "/v1/chat/completions%00",
  "/v1/chat/completions%zz",
])("refuses a path that may mean another one: %s", async (path) => {
  const { embed, asked } = await upstream("per_day_usd: 1", whole);
  expect([(await embed("gpt-4o", path)).status, asked]).toEqual([400, []]);
});

it.each(["key", "apikey", "api_key", "api-key", "apiKey", "API_KEY", "access_token", "x-goog-api-key", "%61pikey"])(
  "keeps a client's key in ?%s= from the target",
  async (name) => {
    const { embed, asked } = await upstream("per_day_usd: 1", whole);
    await embed("text-embedding-3-small", `/v1/embeddings?a=1&${name}=of-the-client&pageToken=2`);
    expect(asked).toEqual(["POST /v1/embeddings?a=1&pageToken=2"]);
  },
);

it("passes on what has to be encoded in a path", async () => {
  const { embed, asked } = await upstream("per_day_usd: 1", whole);
  expect((await embed("gpt-4o", "/v1/files/caf%C3%A9%20%40noon%2B1")).status).toBe(200);
  expect(asked).toEqual(["POST /v1/files/caf%C3%A9%20%40noon%2B1"]);
});

describe.each(["GET", "HEAD", "POST", "DELETE", "OPTIONS"])("%s", (method) => {
  it.each([
    "$httpMethod=POST",
    "%24httpMethod=POST",
    "a=1&$http%4dethod=POST",
    "a=1;$httpMethod=POST",
    "x-http-method-override=POST",
    "_method=POST",
  ])("cannot become another method by ?%s", async (query) => {
    const { world, asked } = await upstream("per_day_usd: 1", whole, "", undefined, "google-generate");
    const body = method === "GET" || method === "HEAD" ? {} : { body: JSON.stringify({ model: "gpt-4o" }) };
    const response = await fetch(`${world.url}/v1beta/tunedModels/dear:generate?${query}`, {
      method,
      headers,
      ...body,
    });
    expect([response.status, asked]).toEqual([400, []]);
    if (method !== "HEAD") expect(await response.text()).toContain("changes the method");
  });
});

/** Sends what `fetch` does not. */
async function sendRaw(
  url: string,
  method: string,
  path: string,
  more: Readonly<Record<string, string>>,
  body: string,
): Promise<string> {
  const { hostname, port, host } = new URL(url);
  const client = connect(Number(port), hostname);
  onTestFinished(() => void client.destroy());
  const lines = Object.entries({ host, "connection": "close", "content-length": String(body.length), ...more });
  client.write(
    [`${method} ${path} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), "", body].join("\r\n"),
  );
  return text(client);
}

it.each(["GET", "HEAD", "DELETE", "OPTIONS"])(
  "%s carries no body and no other method to the target",
  async (method) => {
    const { world, asked, got } = await upstream("per_day_usd: 1", whole);
    const more = { ...headers, "x-http-method-override": "POST", "x-http-method": "POST" };
    const body = JSON.stringify({ model: "gpt-4o", prompt: "hi" });
    await world.run(sendRaw(world.url, method, "/v1/files", more, body));
    expect(asked).toEqual([`${method} /v1/files`]);
    expect(got.map(({ body: sent }) => sent)).toEqual([""]);
    expect(Object.keys(got[0]?.headers ?? {}).filter((name) => name.startsWith("x-http"))).toEqual([]);
  },
);

it.each([
  ["POST", "*"],
  ["OPTIONS", "*"],
  ["GET", "http://127.0.0.1:1/v1/files"],
])("refuses an address that is no path: %s %s", async (method, path) => {
  const { world, asked } = await upstream("per_day_usd: 1", whole);
  expect(await world.run(sendRaw(world.url, method, path, headers, ""))).toMatch(/^HTTP\/1.1 400 /);
  expect(asked).toEqual([]);
});

it.each(["TRACE", "PROPFIND", "SEARCH", "PURGE", "MKCOL"])("does not pass on %s", async (method) => {
  const { world, asked } = await upstream("per_day_usd: 1", whole);
  const answer = await world.run(sendRaw(world.url, method, "/v1/files", headers, ""));
  expect(answer).toMatch(/^HTTP\/1.1 405 /);
  expect(answer).toMatch(/\r\nallow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS\r\n/);
  expect(asked).toEqual([]);
});

const PACKINGS: Readonly<Record<string, (text: string) => string | Buffer>> = {
  "identity": (text) => text,
  "gzip": gzipSync,
  "br": brotliCompressSync,
  "gzip, gzip": (text) => gzipSync(gzipSync(text)),
};

it.each(
  Object.keys(PACKINGS).flatMap((encoding) => ["application/json", undefined].map((type) => ({ encoding, type }))),
)(
  "reads an answer of the type $type that is encoded with $encoding: its key and its usage",
  async ({ encoding, type }) => {
    const said = `{"key":"Bearer ${TARGET_KEY}","usage":{"prompt_tokens":1000000,"total_tokens":1000000}}`;
    const answer = (_request: IncomingMessage, response: ServerResponse): void => {
      response.writeHead(200, {
        "content-encoding": encoding,
        ...(type === undefined ? {} : { "content-type": type }),
      });
      response.end(PACKINGS[encoding]?.(said));
    };
    const { embed, spent } = await upstream("per_day_usd: 1", answer);
    const got = await embed("text-embedding-3-small");
    expect([got.status, await got.json()]).toMatchObject([200, { key: "Bearer [removed]" }]);
    // Two cents for a million tokens.
    expect(spent()).toBe(2_000_000);
  },
);

it("does not pass on a text that it cannot read, but files as they are", async () => {
  const answer = ({ url }: IncomingMessage, response: ServerResponse): void => {
    const type = url?.includes("files") === true ? "application/octet-stream" : "text/plain";
    response.writeHead(200, { "content-encoding": "compress", "content-type": type }).end(TARGET_KEY);
  };
  const { embed } = await upstream("per_day_usd: 1", answer);
  const [text, file] = [await embed("text-embedding-3-small"), await embed("", "/v1/files/1/content")];
  expect([text.status, await text.text()]).toEqual([502, expect.stringContaining("compressed the answer (compress)")]);
  expect([file.status, file.headers.get("content-encoding"), await file.text()]).toEqual([200, "compress", TARGET_KEY]);
});

it.each(["application/json", "text/plain", "message/http", "text/event-stream", undefined])(
  "keeps the gateway's own key from a client when an answer of the type %s repeats the request",
  async (type) => {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      const said = `said: ${JSON.stringify(request.headers)} é`;
      const half = said.indexOf(TARGET_KEY) + 5;
      response.writeHead(200, type === undefined ? {} : { "content-type": type });
      response.write(said.slice(0, half), () => response.end(said.slice(half)));
    };
    const { embed } = await upstream("per_day_usd: 1", answer);
    const said = await (await embed("text-embedding-3-small")).text();
    expect(said).toMatch(/^said: \{.*Bearer \[removed\].*\} é$/);
    expect(said).not.toContain(TARGET_KEY);
  },
);

it("leaves the bytes of a file as they are", async () => {
  const bytes = Buffer.from([0xff, 0x00, ...Buffer.from(TARGET_KEY), 0xfe]);
  const answer = (_request: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(200, { "content-type": "application/octet-stream" }).end(bytes);
  const { world } = await upstream("per_day_usd: 1", answer);
  const response = await fetch(`${world.url}/v1/files/file-1/content`, { headers });
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
});

it.each([
  `x=1;key=${env.ALICE}`,
  `x=1%26key=${env.ALICE}`,
  `a=${env.ALICE}`,
  `a=before-${env.ALICE}-after`,
  env.ALICE,
  `a=${env.ALICE.replace("a", "%61")}`,
  `a=${env.ALICE.replace("a", "%2561")}`,
  "x=1;key=of-another",
])("keeps the client's key in ?%s from the target", async (query) => {
  const { embed, asked } = await upstream("per_day_usd: 1", whole);
  await embed("text-embedding-3-small", `/v1/embeddings?b=1&${query}&pageToken=2`);
  expect(asked).toEqual(["POST /v1/embeddings?b=1&pageToken=2"]);
});

it("keeps the client's key in a path from the target", async () => {
  const { embed, asked } = await upstream("per_day_usd: 1", whole);
  expect([(await embed("text-embedding-3-small", `/v1/files/${env.ALICE}`)).status, asked]).toEqual([400, []]);
});

it.each(["user-agent", "idempotency-key", "openai-beta", "session_id", "x-app"])(
  "keeps the client's key in the header %s from the target",
  async (name) => {
    const { world, got } = await upstream("per_day_usd: 1", whole);
    const send = (value: string): Promise<Response> =>
      fetch(`${world.url}/v1/files`, { headers: { ...headers, [name]: value } });
    await send(`a ${env.ALICE}`);
    await send("plain");
    expect(got.map((one) => one.headers[name])).toEqual([undefined, "plain"]);
  },
);

it.each(["fields=data", "$fields=data", "%66ields=data", "alt=proto", "callback=f"])(
  "keeps ?%s from the target of what costs money, because its answer would not say how much",
  async (query) => {
    const { embed, asked, world } = await upstream("per_day_usd: 1", whole);
    await embed("text-embedding-3-small", `/v1/embeddings?${query}&a=1`);
    await fetch(`${world.url}/v1/files?${query}`, { headers });
    expect(asked).toEqual(["POST /v1/embeddings?a=1", `GET /v1/files?${query}`]);
  },
);

it.each(["/v1beta/Models/dear:predict", "/v1beta/tunedModels/dear:predict", "/v1/endpoints/dear:predict"])(
  "reads the model of %s from the path, too",
  async (path) => {
    const { embed, asked } = await upstream("", whole, "", undefined, "google-generate");
    expect([(await embed("gpt-4o", path)).status, asked]).toEqual([400, []]);
  },
);

it("holds a key with routes to them, except for embeddings", async () => {
  const only = ", routes: [team], other_paths: true";
  const { embed, asked } = await upstream(
    "per_day_usd: 100",
    whole,
    only,
    undefined,
    "openai-chat",
    "team: { chain: [one/gpt-4o] }",
  );
  expect((await embed("gpt-4o", "/v1/completions")).status).toBe(404);
  expect((await embed("one/gpt-4o", "/v1/completions")).status).toBe(403);
  expect(asked).toEqual([]);
  expect((await embed("text-embedding-3-small")).status).toBe(200);
});

const NAMELESS = [
  { path: "/v1/messages/batches", body: JSON.stringify({ requests: [{ params: { model: "gpt-5" } }] }) },
  { path: "/v1/batches", body: JSON.stringify({ input_file_id: "file-1" }) },
  { path: "/v1/threads/runs", body: JSON.stringify({ assistant_id: "a" }) },
  { path: "/v1/engines/gpt-5/completions", body: JSON.stringify({ prompt: "hi" }) },
  { path: "/v1beta/deployedModels/gpt-5:predict", body: "{}" },
  { path: "/v1/completions", body: Buffer.from(JSON.stringify({ model: "gpt-5" }), "utf16le") },
  { path: "/v1/completions", body: `{"model":"gpt-5"} trailing` },
  { path: "/v1/completions", body: `{/* */"model":"gpt-5"}` },
  { path: "/v1/completions", body: "model=gpt-5" },
  { path: "/v1/completions", body: `[{"model":"gpt-5"}]` },
] as const;

it.each(NAMELESS)("refuses a key with routes what names no model that can be read: $path $body", async (row) => {
  const only = ", routes: [team], other_paths: true";
  const { world, asked } = await upstream("", whole, only, undefined, "openai-chat", "team: { chain: [one/gpt-4o] }");
  const response = await fetch(`${world.url}${row.path}`, { method: "POST", headers, body: row.body });
  expect([response.status, asked]).toEqual([403, []]);
  expect(await response.text()).toContain("can read no name of a model");
});

it.each([
  { body: { model: "team", instances: [] }, status: 400 },
  { body: { model: "models/gpt-4o", content: {} }, status: 200 },
])("refuses a path and a body that name different models: $body", async ({ body, status }) => {
  const { world } = await upstream("", whole, "", undefined, "google-generate", "team: { chain: [one/gpt-4o] }");
  const path = "/v1beta/models/gpt-4o:embedContent";
  const response = await fetch(`${world.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  expect(response.status).toBe(status);
});

it.each([
  { how: "compressed", encoding: "gzip", bytes: (text: string) => gzipSync(text) },
  { how: "behind a byte order mark", encoding: "identity", bytes: (text: string) => Buffer.from(`\uFEFF${text}`) },
])("refuses a key with routes a body that is $how", async ({ encoding, bytes }) => {
  const { world, asked } = await upstream(
    "",
    whole,
    ", routes: [team], other_paths: true",
    undefined,
    "openai-chat",
    "team: { chain: [one/gpt-4o] }",
  );
  const response = await fetch(`${world.url}/v1/completions`, {
    method: "POST",
    headers: { ...headers, "content-encoding": encoding },
    body: bytes(JSON.stringify({ model: "gpt-4o", prompt: "hi" })),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("may hide the name of a model");
  expect(asked).toEqual([]);
});

describe("a gateway that stops", () => {
  const EVENT = 'data: {"type":"piece"}\n\n';
  const EMBEDDED = `{"data":[],"usage":{"prompt_tokens":7}}`;

  it.each(["/v1/embeddings", "/v1/rerank", "/v1/anything"])("lets %s finish that ends in time", async (path) => {
    const later = Promise.withResolvers<undefined>();
    const { world, asked, embed } = await upstream("per_day_usd: 1", (_request, response) => {
      void later.promise.then(() => response.end(EMBEDDED));
    });
    const asking = embed("text-embedding-3-small", path);
    await expect.poll(() => asked).toHaveLength(1);
    const stopping = world.started.close();
    later.resolve(undefined);
    expect([(await asking).status, await (await asking).text()]).toEqual([200, EMBEDDED]);
    await world.run(stopping);
    expect(await ledgerOf(world.fl.journal, 10)).toMatchObject([{ status: "done", route: "other_paths" }]);
  });

  it("answers one that does not with a 503 of its dialect, and books it", async () => {
    const { world, asked, embed, spent } = await upstream("per_day_usd: 1", () => undefined);
    const asking = embed("text-embedding-3-small");
    await expect.poll(() => asked).toHaveLength(1);
    const stopping = world.run(world.started.close());
    const answer = await asking;
    expect([answer.status, answer.headers.get("x-should-retry"), answer.headers.get("retry-after")]).toEqual([
      503,
      "true",
      "1",
    ]);
    expect(await answer.json()).toMatchObject({
      error: { message: "the gateway is stopping; ask again (SessionCancelled)" },
    });
    await stopping;
    expect(spent()).toBeGreaterThan(0);
    expect(await ledgerOf(world.fl.journal, 10)).toMatchObject([{ status: "cancelled", code: "SessionCancelled" }]);
  });

  it("ends a stream of events that has begun with an event of its dialect, and cuts any other answer", async () => {
    const { world, asked, embed } = await upstream("per_day_usd: 1", (request, response) => {
      const type = request.url?.endsWith("rerank") === true ? "application/json" : "text/event-stream";
      response.writeHead(200, { "content-type": type }).write(EVENT);
    });
    const [stream, other] = await Promise.all([
      embed("text-embedding-3-small"),
      embed("text-embedding-3-small", "/v1/rerank"),
    ]);
    expect(asked).toHaveLength(2);
    const read = Promise.allSettled([stream.text(), other.text()]);
    await world.run(world.started.close());
    const [streamed, cut] = await read;
    expect(streamed).toMatchObject({
      value: expect.stringMatching(/^data: .*piece[^]*\ndata: \{"error":.*the gateway is stopping/) as string,
    });
    expect(cut.status).toBe("rejected");
  });

  it("answers a client that is still sending with a 503", async () => {
    const { world } = await upstream("per_day_usd: 1", () => undefined);
    const client = connect(Number(new URL(world.url).port), "127.0.0.1");
    onTestFinished(() => void client.destroy());
    const head = ["POST /v1/files HTTP/1.1", `host: ${new URL(world.url).host}`, "expect: 100-continue"];
    const key = `authorization: ${headers.authorization}`;
    client.write(`${[...head, key].join("\r\n")}\r\ncontent-length: 1000\r\n\r\nhalf of it`);
    // The gateway has begun to read it.
    const [begun] = (await once(client, "data")) as [Buffer];
    expect(String(begun)).toContain("100 Continue");
    const heard = text(client);
    await world.run(world.started.close());
    expect(await heard).toMatch(/^HTTP\/1\.1 503 [^]*the gateway is stopping/);
  });
});
