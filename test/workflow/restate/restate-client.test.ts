// Which node of a cluster is asked: in the order in which the address names them, the one that answered last first.

import { once } from "node:events";
import { createServer } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { RestateClient } from "../../../src/workflow/restate/restate-client.ts";

/** A node of the cluster. One that is down closes each connection that it gets. */
async function node(asked: string[], name: string, down: ReadonlySet<string>): Promise<string> {
  const server = createServer((request, response) => {
    asked.push(name);
    if (down.has(name)) request.socket.destroy();
    else response.writeHead(202).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

it("asks the nodes in their order, then the one that answered last, and the next ones when it does not answer", async () => {
  const asked: string[] = [];
  const down = new Set<string>();
  const names = ["a", "b", "c"];
  const ingress = await Promise.all(names.map((name) => node(asked, name, down)));
  const client = new RestateClient({ ingress, admin: ingress, authorization: null }, systemClock, null);
  const steps: readonly (readonly [down: string, asked: string])[] = [
    ["", "a"],
    ["", "a"],
    ["a", "ab"],
    ["", "b"],
    ["bc", "bca"],
    ["a", "ab"],
    ["ab", "bc"],
    ["c", "ca"],
  ];
  for (const [isDown, expected] of steps) {
    down.clear();
    for (const name of isDown) down.add(name);
    asked.length = 0;
    expect(await client.hand("service", "run_1")).toBe(true);
    expect([isDown, asked.join("")]).toEqual([isDown, expected]);
  }
});

it("says which nodes do not answer, once it has asked all of them", async () => {
  const asked: string[] = [];
  const down = new Set(["a", "b"]);
  const ingress = await Promise.all(["a", "b"].map((name) => node(asked, name, down)));
  const client = new RestateClient({ ingress, admin: [], authorization: null }, systemClock, null);
  const hosts = ingress.map((origin) => new URL(origin).host).join(", ");
  await expect(client.hand("service", "run_1")).rejects.toThrow(`Restate cannot be reached at ${hosts}`);
  expect(asked).toEqual(["a", "b"]);
});
