// A gateway that stops: calls that end in time are whole, the others end with the error of their dialect, and all are in the ledger.

import { describe, expect, it } from "vitest";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { always } from "../provider/chain/chain-world.ts";
import { ANSWER, ask, DIALECTS } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, twoDialects, type Urls } from "./open-world.ts";

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

describe.each(DIALECTS)("a client of %s", (dialect) => {
  describe.each(DIALECTS)("with a target of %s", (target) => {
    it.each(UNDER_WAY)("is told that the gateway stops: $name", async ({ streaming, rule, keepAliveMs, status }) => {
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
    });
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

it("a call that waits for its retry is told, too, and is not sent again", async () => {
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
