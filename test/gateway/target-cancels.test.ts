// A target that answers with a status that says nothing about the request: it was cancelled, although its client waits, or no vendor documents it.

import { expect, it } from "vitest";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { everyPair } from "../support/grid.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { bodyOfAnswer, SSE, streamOf, stubWorld } from "./stub-upstream.ts";

const GRID = DIALECTS.flatMap((client) => DIALECTS.map((target) => ({ client, target })));
const file =
  (client: Protocol, target: Protocol) =>
  (base: string): string =>
    `
version: 1
targets:
  one: { dialect: ${target}, base_url: "${base}/one/v1" }
  two: { dialect: ${client}, base_url: "${base}/two/v1" }
routes: { "*": { chain: [one, two] } }
`;

it.each(GRID)("lets the next target answer a client of $client: $target", async ({ client, target }) => {
  const world = await stubWorld(
    (request, response) => {
      if (request.target === "two") return void response.writeHead(200, SSE).end(streamOf(client, ["north"]));
      const error = { error: { code: 499, status: "CANCELLED", message: "The operation was cancelled." } };
      response.writeHead(499, { "content-type": "application/json" }).end(JSON.stringify(error));
    },
    file(client, target),
  );
  const heard = await world.run(ask(world.url, client, { model: "m", streaming: true }));
  expect(heard).toMatchObject({ status: 200, text: "north", isWhole: true });
  expect(heard.headers.get("x-faultline-target")).toBe("two/m");
});

/** A busy target, and statuses that no rule knows. */
const STATUSES = [409, 418, 421, 423, 428, 440, 499, 509, 599, 600, 999];
const BODIES = ["", `{"error":{"message":"odd"}}`, "<html>odd</html>"];
const ODD = STATUSES.flatMap((status) =>
  BODIES.flatMap((body) => [true, false].map((streaming) => ({ status, body, streaming }))),
);

it.each(
  everyPair(
    ODD,
    ({ status }) => status,
    ({ body }) => body,
    ({ streaming }) => streaming,
  ),
)("lets the next target answer after a $status with $body, streaming $streaming", async (row) => {
  const { status, body, streaming } = row;
  const world = await stubWorld(
    (request, response) => {
      if (request.target === "one") return void response.writeHead(status).end(body);
      if (streaming) return void response.writeHead(200, SSE).end(streamOf("openai-chat", ["north"]));
      response.writeHead(200, { "content-type": "application/json" }).end(bodyOfAnswer("openai-chat", "north"));
    },
    file("openai-chat", "openai-chat"),
  );
  const heard = await world.run(ask(world.url, "openai-chat", { model: "m", streaming }));
  expect(heard).toMatchObject({ status: 200, text: "north", isWhole: true });
});

it.each(GRID)("lets the next target answer after a status above 599: client $client, target $target", async (row) => {
  const { client, target } = row;
  const world = await stubWorld(
    (request, response) => {
      if (request.target === "two") return void response.writeHead(200, SSE).end(streamOf(client, ["north"]));
      response.writeHead(600, { "content-type": "application/json" }).end(`{"error":{"message":"odd"}}`);
    },
    file(client, target),
  );
  const heard = await world.run(ask(world.url, client, { model: "m", streaming: true }));
  expect(heard).toMatchObject({ status: 200, text: "north", isWhole: true });
  expect(world.asked.map((asked) => asked.target)).toEqual(["one", "two"]);
});

it("lets the next target answer after headers that are too long", async () => {
  const world = await stubWorld(
    (request, response) => {
      const header = request.target === "one" ? { "x-request-id": "a".repeat(20_000) } : {};
      response
        .writeHead(200, { "content-type": "application/json", ...header })
        .end(bodyOfAnswer("openai-chat", request.target));
    },
    file("openai-chat", "openai-chat"),
  );
  const heard = await world.run(ask(world.url, "openai-chat", { model: "m" }));
  expect(heard).toMatchObject({ status: 200, text: "two" });
});

it("tells the client of an unknown status if there is no other target", async () => {
  const world = await stubWorld(
    (_request, response) => void response.writeHead(418).end(`{"error":{"message":"a teapot"}}`),
    (base) => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${base}/one/v1", models: [m] } }
`,
  );
  const heard = await world.run(ask(world.url, "openai-chat", { model: "m" }));
  expect([heard.status, heard.raw, world.asked.length]).toEqual([500, expect.stringContaining("a teapot"), 1]);
});
