// Names of models and items that clients choose never choose a path of a vendor, or a property of our own objects.

import { describe, expect, it } from "vitest";
import { bodyOfAnswer, stubWorld } from "./stub-upstream.ts";

const file = (base: string): string => `
version: 1
targets: { g: { dialect: google-generate, base_url: "${base}/g/v1beta" } }
routes: { "gemini-flash*": { chain: [g] } }
`;

const PATHS = [
  { path: "/v1/chat/completions", body: { messages: [{ role: "user", content: "hi" }] } },
  { path: "/v1/responses", body: { input: "hi" } },
  { path: "/v1/messages", body: { messages: [{ role: "user", content: "hi" }], max_tokens: 10 } },
];
const NAMES = [
  "\\..\\gemini-pro",
  "/../gemini-pro",
  "/../../../v1beta/cachedContents?x=",
  "?x=",
  "#x",
  "%2f..%2fgemini-pro",
];

describe.each(PATHS)("$path", ({ path, body }) => {
  it.each(NAMES)("a model's name is one segment of the path to Google: gemini-flash%s", async (rest) => {
    const model = `gemini-flash${rest}`;
    const urls: string[] = [];
    const world = await stubWorld((request, response) => {
      urls.push(request.model);
      response.writeHead(200, { "content-type": "application/json" }).end(bodyOfAnswer("google-generate", "ok"));
    }, file);
    const headers = { "content-type": "application/json" };
    const sent = fetch(`${world.url}${path}`, { method: "POST", headers, body: JSON.stringify({ model, ...body }) });
    expect((await world.run(sent)).status).toBe(200);
    expect(urls.map(decodeURIComponent)).toEqual([model]);
  });
});

it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("refuses an item of the type %s", async (type) => {
  const world = await stubWorld((_request, response) => void response.end(), file);
  const body = JSON.stringify({ model: "gemini-flash", input: [{ type }, { role: "user", content: "hi" }] });
  const response = await world.run(fetch(`${world.url}/v1/responses`, { method: "POST", body }));
  expect(response.status).toBe(422);
  expect(await response.text()).toContain("exist only in this dialect");
});
