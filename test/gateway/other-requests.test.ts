// What clients ask of a gateway besides answers of a model.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { ask } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { oneDialect, TARGET_KEY, type WorldOptions } from "./open-world.ts";

const COUNTED = [
  {
    dialect: "anthropic-messages" as const,
    path: "/v1/messages/count_tokens",
    body: { model: "team", messages: [{ role: "user", content: "north" }] },
  },
  {
    dialect: "google-generate" as const,
    path: "/v1beta/models/team:countTokens",
    body: { contents: [{ parts: [{ text: "north" }] }] },
  },
];

it.each(COUNTED)("estimates tokens for $dialect when its target cannot count", async ({ dialect, path, body }) => {
  const world = await gatewayWorld({ file: oneDialect(dialect) });
  const headers = dialect === "anthropic-messages" ? { "anthropic-version": "2023-06-01" } : {};
  const response = await world.run(
    fetch(`${world.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
  );
  const counted = (await response.json()) as Record<string, number>;
  expect(response.status).toBe(200);
  expect(counted["input_tokens"] ?? counted["totalTokens"]).toBeGreaterThan(0);
});

const COUNT = `{"input_tokens":77,"totalTokens":77}`;
/** What a target says to a request to count. 77 only if it could. */
const SAID = [
  { name: "a count", headers: {}, said: COUNT, count: 77 },
  { name: "a compressed count", headers: { "content-encoding": "gzip" }, said: gzipSync(COUNT), count: 77 },
  { name: "a page of a proxy", headers: { "content-type": "text/html" }, said: "<html>sign in</html>", count: null },
  { name: "nothing", headers: {}, said: "", count: null },
  { name: "bytes that say they are compressed", headers: { "content-encoding": "gzip" }, said: COUNT, count: null },
  { name: "three megabytes of nothing", headers: {}, said: Buffer.alloc(3_000_000, " "), count: null },
  { name: "its key", headers: {}, said: COUNT.replace("{", `{"key":"${TARGET_KEY}",`), count: 77 },
];

it.each(COUNTED.flatMap((row) => SAID.map((said) => ({ ...row, ...said }))))(
  "a client of $dialect gets a count, whatever the target says: $name",
  async ({ dialect, path, body, headers, said, count }) => {
    const upstream = createServer((_request, response) => void response.writeHead(200, headers).end(said));
    await new Promise<void>((resolve) => void upstream.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void upstream.close());
    const { port } = upstream.address() as AddressInfo;
    const file = (): string => `
version: 1
targets: { one: { dialect: ${dialect}, base_url: "http://127.0.0.1:${port}/v1", api_key_env: TARGET_KEY, models: [team] } }
`;
    const world = await gatewayWorld({ file });
    const response = await fetch(`${world.url}${path}`, { method: "POST", body: JSON.stringify(body) });
    const text = await response.text();
    const { input_tokens: input, totalTokens: total } = JSON.parse(text) as Record<string, number>;
    expect(response.status).toBe(200);
    expect(input ?? total).toEqual(count ?? expect.any(Number));
    expect(text).not.toContain(TARGET_KEY);
  },
);

it("passes other paths to the target that is named for them, with its key and not the client's", async () => {
  const seen: Pick<IncomingMessage, "url" | "method" | "headers">[] = [];
  const upstream = createServer((request, response) => {
    seen.push({ url: request.url, method: request.method, headers: request.headers });
    response.writeHead(201, { "content-type": "application/json", "set-cookie": "a=b" }).end('{"ok":true}');
  });
  await new Promise<void>((resolve) => void upstream.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const file = (): string => `
version: 1
targets: { files: { dialect: openai-chat, base_url: "http://127.0.0.1:${port}/v1", api_key_env: TARGET_KEY } }
other_paths: files
`;
  const world = await gatewayWorld({ file });
  const headers = { "authorization": "Bearer client-key", "cookie": "secret=1", "content-type": "application/json" };
  const response = await fetch(`${world.url}/v1/embeddings?key=client-key&x=1`, {
    method: "POST",
    headers,
    body: '{"input":"a"}',
  });
  expect({ status: response.status, body: await response.json(), cookie: response.headers.get("set-cookie") }).toEqual({
    status: 201,
    body: { ok: true },
    cookie: null,
  });
  expect(seen).toMatchObject([
    { method: "POST", url: "/v1/embeddings?x=1", headers: { authorization: `Bearer ${TARGET_KEY}` } },
  ]);
  expect(JSON.stringify(seen)).not.toMatch(/client-key|secret/);
});

it("refuses other paths when no target is named for them", async () => {
  const world = await gatewayWorld();
  expect((await world.run(fetch(`${world.url}/v1/embeddings`, { method: "POST", body: "{}" }))).status).toBe(404);
});

it("says which routes there are, with their patterns, when none takes a model", async () => {
  const file: WorldOptions["file"] = ({ of }) => `version: 1
targets:
  one: { dialect: openai-chat, base_url: "${of("openai-chat")}", api_key_env: TARGET_KEY }
routes:
  fast: { chain: [one/x] }
  claude-*: { chain: [one/y] }
`;
  const world = await gatewayWorld({ file });
  const heard = await world.run(ask(world.url, "openai-chat", { model: "gpt-5" }));
  expect([heard.status, heard.raw]).toEqual([404, expect.stringContaining("it has fast, claude-*")]);
});

it("lists no route that a key may not use, because of its regions, its routes or a missing price", async () => {
  const file: WorldOptions["file"] = ({ of }) => `version: 1
targets:
  us: { dialect: openai-chat, base_url: "${of("openai-chat")}", region: us, models: [gpt-us] }
  eu: { dialect: openai-chat, base_url: "${of("openai-chat")}", region: eu, models: [gpt-eu] }
routes:
  everywhere: { chain: [us/gpt-5, eu/gpt-5] }
  american: { chain: [us/gpt-5] }
  american-*: { chain: [us] }
  unpriced: { chain: [eu/unheard-of] }
  unpriced-*: { chain: [eu/unheard-of] }
  any-*: { chain: [eu] }
keys:
  far: { key_env: FAR, regions: [eu] }
  few: { key_env: FEW, routes: [american] }
  poor: { key_env: POOR, regions: [eu], budget: { per_day_usd: 1 } }
`;
  const world = await gatewayWorld({ file, env: { FAR: "far", FEW: "few", POOR: "poor" } });
  const listed = async (key: string): Promise<string | undefined> => {
    const heard = await world.run(
      ask(world.url, "openai-chat", { model: "nowhere", headers: { authorization: `Bearer ${key}` } }),
    );
    return /it has ([^"]*)"/.exec(heard.raw)?.[1];
  };
  expect(await listed("far")).toBe("everywhere, unpriced, unpriced-*, any-*, gpt-eu");
  expect(await listed("few")).toBe("american");
  expect(await listed("poor")).toBe("everywhere, any-*");
});

it("gives Codex its own empty list of models beside the one that every client reads", async () => {
  const world = await gatewayWorld();
  const list = async (query: string): Promise<unknown> =>
    (await world.run(fetch(`${world.url}/v1/models${query}`))).json();
  const everyones = { object: "list", data: [{ id: "team" }] };
  expect(await list("?client_version=0.166.0")).toMatchObject({ ...everyones, models: [] });
  expect(await list("")).not.toHaveProperty("models");
});
