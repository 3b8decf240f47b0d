// A gateway in front of targets that answer in odd pieces, break in the middle of a line, or take over from a target of the same dialect.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatewayWorld } from "./gateway-world.ts";
import { type GatewayWorld, TARGET_KEY } from "./open-world.ts";

interface Asked {
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

type Answering = (response: ServerResponse) => void;

/** A target whose answer the test chooses. */
async function target(answer: Answering): Promise<{ readonly url: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      asked.push({ headers: request.headers, text });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const failing: Answering = (response) => void response.writeHead(503).end("{}");

/** Writes these pieces one by one. */
function pieces(parts: readonly string[], end: "end" | "destroy" = "end"): Answering {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const [part, ...rest] = parts;
    const next = (left: readonly string[]): void => {
      const [one, ...others] = left;
      if (one === undefined) return void response[end]();
      response.write(one, () => setImmediate(next, others));
    };
    next([part ?? "", ...rest]);
  };
}

async function post(world: GatewayWorld, path: string, body: object, headers = {}): Promise<Response> {
  return world.run(fetch(`${world.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

const event = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

describe("a fallback of the same dialect", () => {
  it("gets the request's own bytes and headers, with fields that the gateway does not know", async () => {
    const message = {
      id: "m",
      type: "message",
      role: "assistant",
      model: "x",
      content: [{ type: "text", text: "hi" }],
    };
    const whole = { ...message, stop_reason: "end_turn", usage: { input_tokens: 1, output_tokens: 1 } };
    const first = await target(failing);
    const second = await target((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    });
    const world = await gatewayWorld({
      file: () => `
version: 1
targets:
  one: { dialect: anthropic-messages, base_url: "${first.url}" }
  two: { dialect: anthropic-messages, base_url: "${second.url}" }
routes: { team: { chain: [one/x, two/x] } }
`,
    });
    const body = { model: "team", max_tokens: 9, messages: [{ role: "user", content: "hi" }], of_tomorrow: { a: 1 } };
    const response = await post(world, "/v1/messages", body, { "anthropic-beta": "tomorrow-1" });
    expect([response.status, response.headers.get("x-faultline-omitted")]).toEqual([200, null]);
    expect(second.asked.map(({ text, headers }) => [text, headers["anthropic-beta"]])).toEqual([
      [JSON.stringify({ ...body, model: "x" }), "tomorrow-1"],
    ]);
  });

  it.each([20, 60, 4_000])("keeps what it has stored, if its answer comes in pieces of %i", async (size) => {
    const response = { id: "resp_two", object: "response", status: "completed", model: "x", output: [] };
    const text = [
      event("response.created", { response: { ...response, status: "in_progress" } }),
      event("response.output_text.delta", { item_id: "m", output_index: 0, content_index: 0, delta: "hi" }),
      event("response.completed", { response }),
    ].join("");
    const split = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
    let isDown = true;
    const first = await target((answer) => (isDown ? failing : pieces([text]))(answer));
    const second = await target(pieces(split));
    const world = await gatewayWorld({
      file: () => `
version: 1
targets:
  one: { dialect: openai-responses, base_url: "${first.url}" }
  two: { dialect: openai-responses, base_url: "${second.url}" }
routes: { team: { chain: [one/x, two/x] } }
`,
    });
    const body = { model: "team", stream: true, input: "hi" };
    await (await post(world, "/v1/responses", body)).text();
    isDown = false;
    await (await post(world, "/v1/responses", { ...body, previous_response_id: "resp_two" })).text();
    expect([first.asked.length, second.asked.length]).toEqual([2, 2]);
  });
});

describe("a stream that breaks in the middle of a line", () => {
  const chunk = (content: string): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;

  it.each([1, 2, 9, 30])("ends with an error that a client can read (%i characters are missing)", async (missing) => {
    const broken = await target(pieces([chunk("hello"), chunk("more").slice(0, -missing)], "destroy"));
    const world = await gatewayWorld({
      file: () => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${broken.url}" } }
routes: { team: { chain: [one/x] } }
`,
    });
    const body = { model: "team", stream: true, messages: [{ role: "user", content: "hi" }] };
    const text = await (await post(world, "/v1/chat/completions", body)).text();
    const events = text.split("\n\n").flatMap((block) => {
      const data = block.trim().replace(/^data: /, "");
      return data === "" ? [] : [JSON.parse(data) as object];
    });
    expect(events.at(0)).toMatchObject({ choices: [{ delta: { content: "hello" } }] });
    expect(events.at(-1)).toMatchObject({ error: { message: expect.any(String) as string } });
  });
});

describe("a Google stream as a JSON list", () => {
  const path = "/v1beta/models/team:streamGenerateContent";
  const body = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
  const file = (url: string) => (): string =>
    `
version: 1
targets: { one: { dialect: google-generate, base_url: "${url}", timeouts: { headers_ms: 10000, total_ms: 60000 } } }
routes: { team: { chain: [one/x] } }
keep_alive_ms: 1000
`;

  it("is still JSON after keep-alives, whether it fails or not", async () => {
    const silent = await target(() => undefined);
    const world = await gatewayWorld({ file: file(silent.url) });
    const response = await post(world, path, body);
    const text = await world.run(response.text());
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(text).toMatch(/^\n/);
    expect(JSON.parse(text)).toMatchObject([{ error: { code: expect.any(Number) as number } }]);
  });

  const part = { candidates: [{ index: 0, content: { role: "model", parts: [{ text: 'say "]}" \\' }] } }] };
  const written = JSON.stringify(part);

  it.each([
    { where: "behind an element", sent: [`[${written}`, `,\n${written}`], whole: 2 },
    { where: "behind a comma", sent: [`[${written}`, ",\n"], whole: 1 },
    { where: "within an element", sent: [`[${written}`, `,\n${written.slice(0, 30)}`], whole: 1 },
    { where: "within a text", sent: [`[${written}`, `,\n${written}\n,${written.slice(0, -14)}`], whole: 2 },
  ])("ends with an error as its last element when it breaks $where", async ({ sent, whole }) => {
    const broken = await target(pieces(sent, "destroy"));
    const world = await gatewayWorld({ file: file(broken.url) });
    const response = await post(world, path, body);
    const elements = JSON.parse(await world.run(response.text())) as readonly unknown[];
    expect(elements.slice(0, -1)).toEqual(Array.from({ length: whole }, () => part));
    expect(elements.at(-1)).toMatchObject({ error: { code: expect.any(Number) as number } });
  });
});

it("a refusal that repeats the request does not show the gateway's key", async () => {
  const echo = await target((response) => {
    const sent = JSON.stringify(echo.asked.map(({ headers }) => headers));
    const error = { message: `cannot read ${sent}`, type: "invalid_request_error" };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  });
  const world = await gatewayWorld({
    file: () => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${echo.url}", api_key_env: TARGET_KEY } }
routes: { team: { chain: [one/x] } }
`,
  });
  const response = await post(world, "/v1/chat/completions", { model: "team", messages: [] });
  const text = await response.text();
  expect([response.status, JSON.parse(text)]).toMatchObject([400, { error: { type: "invalid_request_error" } }]);
  expect(text).not.toContain(TARGET_KEY);
});
