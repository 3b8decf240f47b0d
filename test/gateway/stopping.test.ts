// A gateway that stops: calls that end in time are whole, the others end with the error of their dialect, and all are in the ledger.

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { always } from "../provider/chain/chain-world.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { everyPair, shareOf } from "../support/grid.ts";
import { ANSWER, ask, bodyOf, DIALECTS, pathOf } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, twoDialects, type Urls } from "./open-world.ts";
import { SSE, streamOf } from "./stub-upstream.ts";

const GRACE_MS = 5_000;

/** What the target does while the gateway stops, and what the client has seen by then. */
const UNDER_WAY = [
  { name: "a whole answer", streaming: false, rule: { fault: "hang" as const }, keepAliveMs: 15_000, status: 503 },
  {
    name: "a stream before anything was sent",
    streaming: true,
    rule: { fault: "hang" as const },
    keepAliveMs: 15_000,
    status: 503,
  },
  {
    name: "a stream after a keep-alive",
    streaming: true,
    rule: { fault: "hang" as const },
    keepAliveMs: 500,
    status: 200,
  },
  {
    name: "a stream after its first content",
    streaming: true,
    rule: { fault: "stall" as const, after: 2 },
    keepAliveMs: 15_000,
    status: 200,
  },
];

const GRID = everyPair(
  DIALECTS.flatMap((dialect) => DIALECTS.flatMap((target) => UNDER_WAY.map((one) => ({ ...one, dialect, target })))),
  ({ dialect }) => dialect,
  ({ target }) => target,
  ({ name }) => name,
);

describe.each(DIALECTS)("a client of %s", (dialect) => {
  describe.each(DIALECTS)("with a target of %s", (target) => {
    it.each(GRID.filter((one) => one.dialect === dialect && one.target === target))(
      "learns that the gateway stops: $name",
      async ({ streaming, rule, keepAliveMs, status }) => {
        const file = (urls: Urls): string => `${twoDialects(target, target)(urls)}keep_alive_ms: ${keepAliveMs}\n`;
        const world = await gatewayWorld({ file, rules: [always(FIRST, rule)] });
        const asking = ask(world.url, dialect, { streaming });
        void Promise.allSettled([asking]);
        await world.clock.advance(1_000);
        expect(world.asked()).toEqual([FIRST]);
        const stopping = world.run(world.started.close());
        const heard = await asking;
        expect(heard).toMatchObject({ status, isWhole: false });
        expect(heard.error).not.toBeNull();
        expect(heard.raw).toContain("the gateway is stopping");
        // Another process can answer it.
        if (status === 503) expect(heard.headers.get("x-should-retry")).toBe("true");
        if (status === 503) expect(heard.headers.get("retry-after")).toBe("1");
        await stopping;
        expect(world.received().map(({ ended }) => ended)).toEqual(["client-left"]);
        expect(world.asked()).not.toContain(SECOND);
        const [line] = await ledgerOf(world.fl.journal, 10);
        expect(line).toMatchObject({ status: "cancelled", code: "SessionCancelled", attempts: 1 });
      },
    );
  });

  it.each([true, false])("gets its whole answer if that comes in time (streaming: %s)", async (streaming) => {
    const rules = [always(FIRST, { "fault": "slow-first-token", "wait-ms": GRACE_MS - 1_000 })];
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect), rules });
    const asking = ask(world.url, dialect, { streaming });
    void Promise.allSettled([asking]);
    await world.clock.advance(500);
    const stopping = world.run(world.started.close());
    expect(await asking).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
    await stopping;
    expect(await ledgerOf(world.fl.journal, 10)).toMatchObject([{ status: "done", target: `one/${FIRST}` }]);
  });
});

it("a call that waits for its retry gets that answer, too, and is not sent again", async () => {
  const rules = [always("*", { "fault": "rate-limit", "retry-after": 20 })];
  const world = await gatewayWorld({ file: twoDialects("openai-chat", "openai-chat"), rules });
  const asking = ask(world.url, "openai-chat");
  void Promise.allSettled([asking]);
  await world.clock.advance(1_000);
  const before = world.asked().length;
  const stopping = world.run(world.started.close());
  expect(await asking).toMatchObject({ status: 503, isWhole: false });
  await stopping;
  expect(world.asked()).toHaveLength(before);
});

describe("a client that does not read its stream", () => {
  const LONG = Array.from({ length: 1_000 }, () => "z".repeat(20_000));

  /** The address of a target that writes more than the connections hold. */
  async function floodOf(dialect: Protocol): Promise<string> {
    const server = createServer((request, response) => {
      request.resume();
      request.on("end", () => response.writeHead(200, SSE).end(streamOf(dialect, LONG)));
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function askUnread(url: string, dialect: Protocol): Promise<Socket> {
    const client = connect(Number(new URL(url).port), "127.0.0.1");
    onTestFinished(() => void client.destroy());
    client.pause();
    await once(client, "connect");
    const body = JSON.stringify(bodyOf(dialect, { streaming: true }));
    const head = [`POST ${pathOf(dialect, { streaming: true })} HTTP/1.1`, `host: ${new URL(url).host}`];
    client.write(`${head.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    return client;
  }

  const cases = DIALECTS.flatMap((dialect, row) =>
    (["openai-chat", "anthropic-messages"] as const).flatMap((target, column) =>
      shareOf([true, false], 2, row + column).map((leaves) => ({ dialect, target, leaves })),
    ),
  );

  it.each(cases)("keeps nothing waiting for it: $dialect from $target, leaves: $leaves", async (one) => {
    const { dialect, target, leaves } = one;
    const base = await floodOf(target);
    const world = await gatewayWorld({ file: () => twoDialects(target, target)({ of: () => base }) });
    const client = await askUnread(world.url, dialect);
    await world.clock.advance(1_000);
    if (leaves) client.destroy();
    else world.started.gateway.endCalls();
    // The limits of the attempt have passed by then; a client may leave its stream unread for longer.
    await world.clock.advance(10_000);
    expect(world.clock.pending).toBe(0);
    client.destroy();
    await world.run(world.started.close());
    expect(await ledgerOf(world.fl.journal, 10)).toMatchObject([{ status: "cancelled" }]);
  });
});
