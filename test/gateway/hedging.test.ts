// Routes that hedge: a second target is asked when the first one is silent, and the first that shows content answers.

import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { always, steps } from "../provider/chain/chain-world.ts";
import { shareOf } from "../support/grid.ts";
import { ANSWER, ask, DIALECTS } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, type GatewayWorld, SECOND, twoDialects, type Urls } from "./open-world.ts";

const AFTER_MS = 700;

/** Two targets with prices, and a client with a budget. */
function hedged(client: Protocol, first: Protocol, after: string | number = AFTER_MS): (urls: Urls) => string {
  return (urls) =>
    twoDialects(
      first,
      client,
      `, hedge: { after: ${after} }`,
    )(urls).replaceAll("api_key_env", `prices: { "*": { input: 1, output: 10 } }, api_key_env`) +
    "keys: { ci: { key_env: CI_KEY, budget: { per_day_usd: 5 } } }\n";
}

const KEY = "key-of-the-client";
const HEADERS = { "authorization": `Bearer ${KEY}`, "x-goog-api-key": KEY };

function world(
  file: (urls: Urls) => string,
  rules: Parameters<typeof gatewayWorld>[0] & object = {},
): Promise<GatewayWorld> {
  return gatewayWorld({ file, env: { CI_KEY: KEY }, ...rules });
}

const lines = async ({ started, fl }: GatewayWorld): ReturnType<typeof ledgerOf> => {
  await started.gateway.close();
  return ledgerOf(fl.journal, 10);
};

describe.each(DIALECTS)("a client of %s", (dialect) => {
  describe.each(DIALECTS)("with a silent first target of %s", (first) => {
    // Each pair of dialects has streams in one of these tests, and whole answers in the other.
    const turn = DIALECTS.indexOf(dialect) + DIALECTS.indexOf(first);
    it.each(shareOf([true, false], 2, turn))("is answered by the second one (streaming: %s)", async (streaming) => {
      const here = await world(hedged(dialect, first), { rules: [always(FIRST, { fault: "hang" })] });
      const heard = await here.run(ask(here.url, dialect, { streaming, headers: HEADERS }));
      expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
      expect(heard.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
      expect(heard.headers.get("x-faultline-attempts")).toBe("2");
      expect(here.asked()).toEqual([FIRST, SECOND]);
      expect(here.received().map(({ ended }) => ended)).toEqual(["client-left", "answered"]);
      const [line] = await lines(here);
      expect(line).toMatchObject({ target: `two/${SECOND}`, attempts: 2, status: "done", isExact: false });
      expect(line?.decisions).toEqual([{ target: `one/${FIRST}`, attempt: 1, code: null, recourse: "hedge" }]);
      // Both are paid for: what was sent to the one that lost, too.
      const costs = here.events().flatMap((event) => ("cost" in event ? [event.cost?.microcents ?? 0] : []));
      expect(costs).toHaveLength(2);
      expect(Math.min(...costs)).toBeGreaterThan(0);
      expect(line?.microcents).toBe(costs.reduce((sum, each) => sum + each, 0));
    });

    it.each(shareOf([true, false], 2, turn + 1))(
      "keeps its first target when that answers in time (streaming: %s)",
      async (streaming) => {
        const here = await world(hedged(dialect, first));
        const heard = await here.run(ask(here.url, dialect, { streaming, headers: HEADERS }));
        expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true });
        expect(here.asked()).toEqual([FIRST]);
      },
    );
  });

  describe.each(DIALECTS.filter((other) => other !== dialect))("with a second target of %s", (second) => {
    const turn = DIALECTS.indexOf(dialect) + DIALECTS.indexOf(second);
    it.each(shareOf([true, false], 2, turn))(
      "is answered by it beside a silent one of its own dialect (streaming: %s)",
      async (streaming) => {
        const here = await world(hedged(second, dialect), { rules: [always(FIRST, { fault: "hang" })] });
        const heard = await here.run(ask(here.url, dialect, { streaming, headers: HEADERS }));
        expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
        expect(heard.headers.get("x-faultline-target")).toBe(`two/${SECOND}`);
        expect(here.received().map(({ ended }) => ended)).toEqual(["client-left", "answered"]);
      },
    );
  });

  it.each([true, false])(
    "is answered by a retry that does not wait for a silent hedge (streaming: %s)",
    async (streaming) => {
      // The first attempt is silent until the hedge is sent, and fails then.
      const rules = [steps(FIRST, { "fault": "hang", "for-ms": AFTER_MS + 200 }), always(SECOND, { fault: "hang" })];
      const here = await world(hedged(dialect, dialect), { rules });
      const began = here.clock.now();
      const heard = await here.run(ask(here.url, dialect, { streaming, headers: HEADERS }));
      expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
      expect(heard.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
      expect(here.asked()).toEqual([FIRST, SECOND, FIRST]);
      expect(here.received()[1]?.ended).toBe("client-left");
      expect(here.clock.now() - began).toBeLessThan(10_000);
      const [line] = await lines(here);
      expect(line).toMatchObject({ target: `one/${FIRST}`, attempts: 3, status: "done" });
    },
  );

  it.each(DIALECTS)("never gets two answers, of a first target of %s: what comes second is dropped", async (first) => {
    const rules = [
      always(FIRST, { "fault": "slow-first-token", "wait-ms": 900 }),
      always(SECOND, { "fault": "slow-first-token", "wait-ms": 900 }),
    ];
    const here = await world(hedged(dialect, first), { rules });
    const heard = await here.run(ask(here.url, dialect, { streaming: true, headers: HEADERS }));
    expect(heard).toMatchObject({ text: ANSWER, isWhole: true });
    expect(heard.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
    expect(heard.headers.get("x-faultline-attempts")).toBe("2");
    expect(here.asked()).toEqual([FIRST, SECOND]);
    expect(here.received().map(({ ended }) => ended)).toEqual(["answered", "client-left"]);
  });
});

describe("a hedge", () => {
  const silent = { rules: [always(FIRST, { fault: "hang" })] };

  const declared = { name: "look", parameters: { type: "OBJECT", properties: {} } };
  it.each<[Protocol, string, object]>([
    ["openai-chat", "a search", { web_search_options: {} }],
    ["openai-responses", "a search", { tools: [{ type: "web_search" }] }],
    ["openai-responses", "work in the background", { background: true }],
    ["anthropic-messages", "a search", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["anthropic-messages", "an MCP server", { mcp_servers: [{ type: "url", url: "https://mcp.example", name: "a" }] }],
    ["anthropic-messages", "skills", { container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } }],
    ["google-generate", "code", { tools: [{ codeExecution: {} }] }],
    ["google-generate", "code beside functions", { tools: [{ functionDeclarations: [declared], codeExecution: {} }] }],
    [
      "google-generate",
      "a search beside functions",
      { tools: [{ function_declarations: [declared], google_search: {} }] },
    ],
  ])("is not sent for a request of %s that lets the vendor run %s", async (dialect, _what, body) => {
    const here = await world(hedged(dialect, dialect), {
      rules: [always(FIRST, { "fault": "slow-first-token", "wait-ms": 5_000 })],
    });
    await here.run(ask(here.url, dialect, { streaming: true, headers: HEADERS, body: { ...body } }));
    expect(here.asked()).toEqual([FIRST]);
  });

  it.each<[Protocol, object]>([
    ["openai-chat", { tools: [{ type: "function", function: declared }] }],
    ["openai-responses", { tools: [{ type: "function", ...declared }] }],
    ["anthropic-messages", { tools: [{ name: "look", input_schema: { type: "object", properties: {} } }] }],
    ["google-generate", { tools: [{ functionDeclarations: [declared] }] }],
  ])("is sent for a request of %s with tools that the client runs", async (dialect, body) => {
    const here = await world(hedged(dialect, dialect), silent);
    await here.run(ask(here.url, dialect, { streaming: true, headers: HEADERS, body: { ...body } }));
    expect(here.asked()).toEqual([FIRST, SECOND]);
  });

  it("is not sent to a target that is paused", async () => {
    const rules = [
      always(FIRST, { "fault": "slow-first-token", "wait-ms": 5_000 }),
      steps(SECOND, { "fault": "rate-limit", "retry-after": 86_400 }),
    ];
    const here = await world(hedged("openai-chat", "openai-chat"), { rules });
    await here.run(ask(here.url, "openai-chat", { model: `two/${SECOND}`, headers: HEADERS }));
    const before = here.asked().length;
    await here.run(ask(here.url, "openai-chat", { streaming: true, headers: HEADERS }));
    expect(here.asked().slice(before)).toEqual([FIRST]);
  });

  it("waits for the default time while too little is known about a target", async () => {
    const here = await world(hedged("openai-chat", "openai-chat", "p95"), silent);
    const began = here.clock.now();
    await here.run(ask(here.url, "openai-chat", { streaming: true, headers: HEADERS }));
    expect(here.asked()).toEqual([FIRST, SECOND]);
    expect(here.clock.now() - began).toBeGreaterThanOrEqual(5_000);
    expect(here.clock.now() - began).toBeLessThan(6_000);
  });

  it("follows the measured silence of a target", async () => {
    const here = await world(hedged("openai-chat", "openai-chat", "p95"));
    for (let call = 0; call < 25; call++)
      await here.run(ask(here.url, "openai-chat", { streaming: true, headers: HEADERS }));
    await here.afflict(FIRST, "hang");
    const began = here.clock.now();
    await here.run(ask(here.url, "openai-chat", { streaming: true, headers: HEADERS }));
    expect(here.asked().slice(25)).toEqual([FIRST, SECOND]);
    expect(here.clock.now() - began).toBeLessThan(2_000);
  });

  it.each([true, false])(
    "that is refused does not make the attempt beside it free (streaming: %s)",
    async (streaming) => {
      const rules = [always(FIRST, { fault: "hang" }), always(SECOND, { fault: "rate-limit" })];
      const here = await world(hedged("openai-chat", "openai-chat"), { rules });
      const left = new AbortController();
      const asking = ask(here.url, "openai-chat", { streaming, headers: HEADERS, signal: left.signal });
      void Promise.allSettled([asking]);
      await here.clock.advance(1_500);
      expect(here.asked()).toEqual([FIRST, SECOND]);
      left.abort();
      await here.clock.advance(1_000);
      const [line] = await lines(here);
      expect(line).toMatchObject({ status: "cancelled", attempts: 2 });
      expect(line?.microcents).toBeGreaterThan(0);
    },
  );

  it.each([true, false])(
    "that fails is among the decisions of the call, which the silent target answers (streaming: %s)",
    async (streaming) => {
      const slow = { "fault": "slow-first-token" as const, "wait-ms": 3_000 };
      const rules = [always(FIRST, slow), always(SECOND, { fault: "server-error" })];
      const here = await world(hedged("openai-chat", "openai-chat"), { rules });
      const heard = await here.run(ask(here.url, "openai-chat", { streaming, headers: HEADERS }));
      expect(heard).toMatchObject({ text: ANSWER, isWhole: true });
      expect(heard.headers.get("x-faultline-decisions")).toMatch(/#1=hedge, .+#2=await-other$/);
      const [line] = await lines(here);
      expect(line).toMatchObject({ target: `one/${FIRST}`, attempts: 2, status: "done" });
      expect(line?.decisions).toEqual([
        { target: `one/${FIRST}`, attempt: 1, code: null, recourse: "hedge" },
        { target: `two/${SECOND}`, attempt: 1, code: "Provider5xx", recourse: "await-other" },
      ]);
    },
  );

  it.each([true, false])(
    "that is outrun before there is a connection costs nothing (streaming: %s)",
    async (streaming) => {
      // It accepts connections, and never answers the handshake of TLS.
      const mute = createServer((socket) => void socket.resume());
      await new Promise<void>((resolve) => void mute.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void mute.close());
      const { port } = mute.address() as AddressInfo;
      const file = (urls: Urls): string =>
        hedged(
          "openai-chat",
          "openai-chat",
        )(urls).replace(/(two: .+base_url: )"[^"]+"/, `$1"https://127.0.0.1:${port}/v1"`);
      const here = await world(file, { rules: [always(FIRST, { "fault": "slow-first-token", "wait-ms": 900 })] });
      const heard = await here.run(ask(here.url, "openai-chat", { streaming, headers: HEADERS }));
      expect(heard).toMatchObject({ text: ANSWER, isWhole: true });
      const [line] = await lines(here);
      expect(line).toMatchObject({ target: `one/${FIRST}`, attempts: 2, status: "done" });
      const costs = here.events().flatMap((event) => ("cost" in event ? [event.cost?.microcents ?? 0] : []));
      expect(costs.filter((cost) => cost > 0)).toEqual([line?.microcents]);
    },
  );

  it("ends with its client: both targets are left", async () => {
    const here = await world(hedged("openai-chat", "openai-chat"), { rules: [always("*", { fault: "hang" })] });
    const left = new AbortController();
    const asking = ask(here.url, "openai-chat", { streaming: true, headers: HEADERS, signal: left.signal });
    void Promise.allSettled([asking]);
    await here.clock.advance(1_000);
    expect(here.asked()).toEqual([FIRST, SECOND]);
    left.abort();
    await here.clock.advance(1_000);
    expect(here.received().map(({ ended }) => ended)).toEqual(["client-left", "client-left"]);
    const [line] = await lines(here);
    expect(line).toMatchObject({ status: "cancelled", attempts: 2 });
    expect(line?.microcents).toBeGreaterThan(0);
  });
});
