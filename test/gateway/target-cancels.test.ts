// A target that says the request was cancelled, although its client waits.

import { expect, it } from "vitest";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { SSE, streamOf, stubWorld } from "./stub-upstream.ts";

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
