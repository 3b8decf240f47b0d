// What clients read when no target answers: a code of ours, words of their dialect, and no address of a target.

import { describe, expect, it } from "vitest";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";

/** Nothing listens on it. */
const PORT = 9;
const file = (): string => `
version: 1
targets:
  openai: { dialect: openai-chat, base_url: "http://127.0.0.1:${PORT}/v1", models: [gpt-own] }
  anthropic: { dialect: anthropic-messages, base_url: "http://gone.invalid:${PORT}" }
routes:
  claude-*: { chain: [anthropic, openai/gpt-5] }
  gpt-*: { chain: [openai, anthropic/claude-sonnet-4-5] }
other_paths: openai
`;

describe.each(DIALECTS)("%s", (dialect) => {
  it("says that there is no such model", async () => {
    const world = await gatewayWorld({ file });
    const heard = await world.run(ask(world.url, dialect, { model: "nobody" }));
    expect([heard.status, heard.headers.get("x-faultline-code")]).toEqual([404, "ModelNotFound"]);
  });

  it.runIf(dialect !== "google-generate")("says so of a target's name without a model", async () => {
    const world = await gatewayWorld({ file });
    const heard = await world.run(ask(world.url, dialect, { model: "openai/" }));
    expect([heard.status, heard.headers.get("x-faultline-code")]).toEqual([404, "ModelNotFound"]);
  });

  it("has no request id in a refusal at the door, because there is no call", async () => {
    const world = await gatewayWorld({ file });
    const heard = await world.run(ask(world.url, dialect, { model: "nobody" }));
    expect(heard.headers.get("x-faultline-call")).toBeNull();
    expect(heard.raw).not.toContain("request_id");
  });

  it.each(["gpt-5", "claude-opus-4-5"])("does not tell where the targets of %s are", async (model) => {
    const world = await gatewayWorld({ file });
    const heard = await world.run(ask(world.url, dialect, { model }));
    expect(heard.status).toBeGreaterThanOrEqual(500);
    expect(heard.headers.get("x-faultline-code")).not.toBeNull();
    expect(heard.raw).not.toMatch(/127\.0\.0\.1|gone\.invalid|:9\b/);
  });

  it.each([
    { model: "gpt-5", tried: /tried openai\/gpt-5 \(\w+(, \d times)?\), then anthropic\/claude-sonnet-4-5 \(\w+/ },
    {
      model: "claude-opus-4-5",
      tried: /tried anthropic\/claude-opus-4-5 \(\w+(, \d times)?\), then openai\/gpt-5 \(\w+/,
    },
  ])("names the targets that were tried for $model, and how each failed", async ({ model, tried }) => {
    const world = await gatewayWorld({ file });
    expect((await world.run(ask(world.url, dialect, { model }))).raw).toMatch(tried);
  });
});

it.each(
  [
    { path: "/v1/chat/completions", body: { messages: [] } },
    { path: "/v1/responses", body: { input: "hi" } },
    { path: "/v1/messages", body: { messages: [], max_tokens: 10 } },
  ].flatMap((row) => [
    { ...row, route: "gpt-*" },
    // A pattern that takes every name, and a target without a model of its own.
    { ...row, route: "*" },
    { ...row, route: "*", body: { ...row.body, model: "" } },
    { ...row, route: "*", body: { ...row.body, model: 5 } },
  ]),
)("says that a request names no model: $path $body, behind the route $route", async ({ path, body, route }) => {
  const world = await gatewayWorld({ file: () => file().replace("gpt-*", JSON.stringify(route)) });
  const response = await world.run(fetch(`${world.url}${path}`, { method: "POST", body: JSON.stringify(body) }));
  expect([response.status, response.headers.get("x-faultline-code")]).toEqual([400, "RequestInvalid"]);
  expect(await response.json()).toMatchObject({
    error: { type: "invalid_request_error", message: 'the request names no model; set the field "model"' },
  });
});

it.each([
  { path: "/v1/nothing", headers: {}, words: { error: { code: null, type: "invalid_request_error" } } },
  { path: "/", headers: {}, words: { error: { code: null } } },
  { path: "/v1/nothing", headers: { "anthropic-version": "1" }, words: { error: { type: "not_found_error" } } },
  { path: "/v1beta/nothing", headers: {}, words: { error: { status: "NOT_FOUND" } } },
])("an unknown path is no unknown model: $path", async ({ path, headers, words }) => {
  const world = await gatewayWorld({ file: () => file().replace("other_paths: openai", "") });
  const response = await world.run(fetch(`${world.url}${path}`, { headers }));
  expect([response.status, response.headers.get("x-faultline-code")]).toEqual([404, "RequestInvalid"]);
  expect(await response.json()).toMatchObject(words);
});

it.each([
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/messages",
  "/v1/messages/count_tokens",
  "/v1beta/models/gpt-5:generateContent",
])("says that a call of a model is a POST: GET %s", async (path) => {
  const world = await gatewayWorld({ file: () => file().replace("other_paths: openai", "") });
  const response = await world.run(fetch(`${world.url}${path}`));
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  expect(await response.json()).toMatchObject({ error: { message: `the gateway has no GET ${path}; use POST` } });
});

it("does not tell where the target of other paths is", async () => {
  const world = await gatewayWorld({ file });
  const response = await world.run(fetch(`${world.url}/v1/embeddings`, { method: "POST", body: "{}" }));
  expect([response.status, response.headers.get("x-faultline-code")]).toEqual([502, "NetworkDisconnect"]);
  expect(await response.text()).not.toMatch(/127\.0\.0\.1|:9\b/);
});

it("lists the models that its chains name and its patterns take", async () => {
  const world = await gatewayWorld({ file });
  const response = await world.run(fetch(`${world.url}/v1/models`));
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  expect(data.map(({ id }) => id).toSorted()).toEqual(["claude-sonnet-4-5", "gpt-5", "gpt-own"]);
});

it.each(["/", "/v1/chat/completion", "/v1/embeddings"])(
  "says which paths it has when it is asked for another one: %s",
  async (path) => {
    const world = await gatewayWorld({ file: () => file().replace("other_paths: openai", "") });
    const response = await world.run(fetch(`${world.url}${path}`));
    expect(response.status).toBe(404);
    expect(await response.text()).toMatch(
      /the gateway has no GET .+; it answers POST \/v1\/chat\/completions, .+ under other_paths/,
    );
  },
);
