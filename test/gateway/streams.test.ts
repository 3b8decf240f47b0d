// Streams through a gateway: keep-alives while it waits, clients that leave, conversations that stay where they are.

import { type IncomingMessage, request } from "node:http";
import { describe, expect, it } from "vitest";
import { always } from "../provider/chain/chain-world.ts";
import { shareOf } from "../support/grid.ts";
import { ANSWER, ask, bodyOf, DIALECTS, pathOf, PROMPT } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, oneDialect, SECOND, twoDialects, type Urls } from "./open-world.ts";

describe.each(DIALECTS)("%s", (dialect) => {
  it.each(DIALECTS)("keeps the connection open while it waits, and still falls back to %s", async (other) => {
    const file = (urls: Urls): string => `${twoDialects(dialect, other)(urls)}keep_alive_ms: 4000\n`;
    const world = await gatewayWorld({ file, rules: [always(FIRST, { fault: "hang" })] });
    const heard = await world.run(ask(world.url, dialect, { streaming: true }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
    expect(heard.raw).toMatch(/^(?:: keep-alive|event: ping)/);
    expect(world.asked()).toEqual([FIRST, SECOND]);
    // The head was gone, so a comment says what its headers would have said.
    expect(heard.headers.get("x-faultline-target")).toBeNull();
    expect(heard.raw).toContain(`\n: x-faultline-target: two/${SECOND}\n`);
    expect(heard.raw).toContain("\n: x-faultline-attempts: 2\n");
    expect(heard.raw).toMatch(/\n: x-faultline-call: call_/);
  });

  it("tells an error below a head that was already sent", async () => {
    const file = (urls: Urls): string => `${oneDialect(dialect)(urls)}keep_alive_ms: 4000\n`;
    const world = await gatewayWorld({ file, rules: [always("*", { fault: "hang" })] });
    const heard = await world.run(ask(world.url, dialect, { streaming: true }));
    expect(heard.status).toBe(200);
    expect(heard.isWhole).toBe(false);
    expect(heard.error).not.toBeNull();
    expect(heard.raw).toContain("\n: x-faultline-code: NetworkTimeout\n");
  });

  it.each([true, false])("leaves the target when the client leaves (streaming: %s)", async (streaming) => {
    const world = await gatewayWorld({ file: oneDialect(dialect), rules: [always("*", { fault: "stall", after: 2 })] });
    const left = new AbortController();
    const asking = fetch(`${world.url}${pathOf(dialect, { streaming })}`, {
      method: "POST",
      body: JSON.stringify(bodyOf(dialect, { streaming })),
      signal: left.signal,
    });
    void Promise.allSettled([asking]);
    await world.clock.advance(1_000);
    left.abort();
    await world.clock.advance(1_000);
    expect(world.received().map(({ ended }) => ended)).toEqual(["client-left"]);
  });
});

describe("a conversation", () => {
  const turns = [
    { role: "user", content: "hello" },
    { role: "assistant", content: "hi" },
    { role: "user", content: PROMPT },
  ];

  it("stays with the fallback that took it over, and a new one begins with the first choice", async () => {
    const world = await gatewayWorld({ file: twoDialects("openai-chat", "anthropic-messages") });
    await world.afflict(FIRST, "bad-gateway");
    const asking = { body: { messages: turns } };
    const first = await world.run(ask(world.url, "openai-chat", asking));
    expect(first.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
    await world.afflict(FIRST, null);
    await world.clock.advance(60_000);
    const again = await world.run(ask(world.url, "openai-chat", asking));
    expect(again.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
    const fresh = await world.run(ask(world.url, "openai-chat"));
    expect(fresh.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
  });

  it("that is stored at its target goes nowhere else", async () => {
    const world = await gatewayWorld({
      file: oneDialect("openai-responses"),
      rules: [always(FIRST, { fault: "unavailable" })],
    });
    const body = { previous_response_id: "resp_123" };
    const heard = await world.run(ask(world.url, "openai-responses", { body }));
    expect(heard.status).toBe(503);
    expect(new Set(world.asked())).toEqual(new Set([FIRST]));
  });
});

describe.each(DIALECTS)("a stream of %s that is too slow", (target) => {
  // Soon enough for the limits of the first content and of the whole answer.
  const rules = [always(FIRST, { "fault": "slow-drip", "wait-ms": 3_000 })];

  // Half of the clients have a route that restarts, and the others one that does not.
  const row = DIALECTS.indexOf(target);
  it.each(shareOf(DIALECTS, 2, row))("is switched before a client of %s sees any of it", async (dialect) => {
    const route = ", mid_stream: restart, min_characters_per_second: 20";
    const world = await gatewayWorld({ file: twoDialects(target, dialect, route), rules });
    const heard = await world.run(ask(world.url, dialect, { streaming: true }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
    // A keep-alive has sent the head by then, so the target is in the ledger only.
    expect(world.asked().at(-1)).toBe(SECOND);
  });

  it.each(shareOf(DIALECTS, 2, row + 1))(
    "ends with an error if a client of %s has seen some of it",
    async (dialect) => {
      const file = twoDialects(target, dialect, ", min_characters_per_second: 20");
      const world = await gatewayWorld({ file, rules });
      const heard = await world.run(ask(world.url, dialect, { streaming: true }));
      expect(heard).toMatchObject({ status: 200, isWhole: false });
      expect(heard.error).not.toBeNull();
      expect([ANSWER.startsWith(heard.text), heard.text === ANSWER]).toEqual([true, false]);
      expect(world.asked()).toEqual([FIRST]);
    },
  );

  it("is left alone if it is fast enough", async () => {
    const route = ", mid_stream: restart, min_characters_per_second: 0.5";
    const world = await gatewayWorld({ file: twoDialects(target, target, route), rules });
    expect(await world.run(ask(world.url, target, { streaming: true }))).toMatchObject({ text: ANSWER, isWhole: true });
    expect(world.asked()).toEqual([FIRST]);
  });
});

it("tells the same in trailers of a list, which has no comments", async () => {
  const file = (urls: Urls): string => `${oneDialect("google-generate")(urls)}keep_alive_ms: 4000\n`;
  const world = await gatewayWorld({ file, rules: [always(FIRST, { fault: "hang" })] });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    const path = "/v1beta/models/team:streamGenerateContent";
    const asking = request(`${world.url}${path}`, { method: "POST" }, (response) => {
      response.resume();
      response.on("end", () => resolve(response));
    });
    asking.on("error", reject);
    asking.end(JSON.stringify(bodyOf("google-generate", {})));
  });
  const { trailers, headers } = await world.run(answered);
  expect(headers["trailer"]).toContain("x-faultline-target");
  expect(trailers).toMatchObject({ "x-faultline-target": `two/${SECOND}`, "x-faultline-attempts": "2" });
});

describe.each(DIALECTS)("requests_per_minute of a target of %s", (target) => {
  it.each(shareOf(DIALECTS, 2, DIALECTS.indexOf(target)))("spreads the requests of clients of %s", async (dialect) => {
    const file = (urls: Urls): string =>
      twoDialects(target, target)(urls).replaceAll("timeouts:", "requests_per_minute: 6, timeouts:");
    const world = await gatewayWorld({ file });
    const heard = await world.run(
      Promise.all([true, false, true].map((streaming) => ask(world.url, dialect, { streaming }))),
    );
    expect(heard.map(({ text }) => text)).toEqual([ANSWER, ANSWER, ANSWER]);
    const [first = 0, ...others] = world.received().map(({ at }) => at);
    expect(others.map((at) => Math.round((at - first) / 1_000))).toEqual([10, 20]);
  });
});
