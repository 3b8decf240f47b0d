// What of the query of a model call, and of its headers, reaches a target: what is listed, and never the client's key.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ask, bodyOf, DIALECTS, pathOf } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { always } from "../provider/chain/chain-world.ts";
import { FIRST, type GatewayWorld, openWorld, twoDialects } from "./open-world.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";

const KEY = "alice-key-0123456789";

interface Asked {
  /** What the target has got since the test began. */
  readonly got: () => readonly { readonly url: string; readonly head: string }[];
  readonly send: (
    streaming: boolean,
    query: string,
    headers?: Readonly<Record<string, string>>,
    signIn?: Readonly<Record<string, string>>,
  ) => Promise<Response>;
}

/** A gateway for the tests of one dialect, in front of a target that notes its requests and fails each with a mistake of the client. */
function asking(dialect: Protocol): Asked {
  let got: { url: string; head: string }[] = [];
  let world: GatewayWorld;
  const server = createServer((request, response) => {
    got.push({ url: request.url ?? "", head: request.rawHeaders.join("\n") });
    request.resume().on("end", () => response.writeHead(400).end(JSON.stringify({ error: { message: "no" } })));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const file = (): string => `
version: 1
targets: { one: { dialect: ${dialect}, base_url: "http://127.0.0.1:${port}/v1" } }
routes: { team: { chain: [one] } }
keys: { alice: { key_env: ALICE } }`;
    world = await openWorld({ file, env: { ALICE: KEY } });
  });
  beforeEach(() => void (got = []));
  afterAll(async () => {
    await world.close();
    server.close();
  });
  const send: Asked["send"] = (streaming, query, headers = {}, signIn = { authorization: `Bearer ${KEY}` }) => {
    const [path = ""] = pathOf(dialect, { streaming }).split("?");
    const init = {
      method: "POST",
      headers: { ...signIn, ...headers },
      body: JSON.stringify(bodyOf(dialect, { streaming })),
    };
    return world.run(fetch(`${world.url}${path}?${query}`, init));
  };
  return { got: () => got, send };
}

const queryOf = (url: string): string => url.slice(`${url}?`.indexOf("?"));

describe.each(DIALECTS)("a client of %s", (dialect) => {
  const { got, send } = asking(dialect);

  describe.each([false, true])("(streaming: %s)", (streaming) => {
    it.each([
      "fields=candidates",
      "$fields=candidates",
      "%66ields=candidates",
      "fields=candidates;a=1",
      "alt=proto",
      "$alt=media",
      "callback=f",
      "$httpMethod=GET",
      "$.xgafv=2",
      "quotaUser=me",
      `a=${KEY}`,
      `x=1;key=${KEY}`,
      `x=1%26key=${KEY}`,
      `beta=${KEY}`,
      `api-version=1;key=${KEY}`,
    ])("does not get ?%s to its target", async (query) => {
      await send(streaming, query);
      expect(got().map(({ url }) => queryOf(url))).toEqual([""]);
    });

    it.each(["beta=true", "api-version=2026-01-01", "api%2Dversion=preview"])("gets ?%s to it", async (query) => {
      await send(streaming, `fields=a&${query}`);
      expect(got().map(({ url }) => queryOf(url))).toEqual([`?${query}`]);
    });

    it.each(["user-agent", "idempotency-key", "openai-beta", "anthropic-beta", "session_id", "x-goog-api-client"])(
      "does not get its key in the header %s to its target",
      async (name) => {
        await send(streaming, "beta=true", { [name]: `a ${KEY} b` });
        await send(streaming, "", { [name]: KEY }, { "x-goog-api-key": KEY });
        await send(streaming, `key=${KEY}`, { [name]: KEY }, {});
        expect(got()).toHaveLength(3);
        expect(JSON.stringify(got())).not.toContain(KEY);
      },
    );
  });
});

it("a text that everybody sends for a key where there are none removes no header", async () => {
  const { received, run, url } = await gatewayWorld({ file: twoDialects("openai-chat", "openai-chat") });
  const headers = { "authorization": "Bearer any", "user-agent": "company/1" };
  expect((await run(ask(url, "openai-chat", { headers }))).status).toBe(200);
  expect(received()).toHaveLength(1);
});

const SSE = ["alt=sse", "$alt=sse", "%24alt=sse", "%61lt=sse", "alt=%73se", "alt=json&alt=sse", "a=1&$alt=s%73e&b=2"];

describe("a client of Google", () => {
  const { got, send } = asking("google-generate");

  it.each(SSE)("gets events, and an event as the error of a broken stream, with ?%s", async (query) => {
    const file = twoDialects("google-generate", "google-generate");
    const world = await gatewayWorld({ file, rules: [always(FIRST, { fault: "cut-stream", after: 2 })] });
    const response = await world.run(
      fetch(`${world.url}/v1beta/models/team:streamGenerateContent?${query}`, {
        method: "POST",
        body: JSON.stringify(bodyOf("google-generate", {})),
      }).then(async (one) => ({ type: one.headers.get("content-type"), text: await one.text() })),
    );
    expect(response.type).toContain("text/event-stream");
    expect(response.text).toMatch(/^data: \{.*\r?\n[^]*\ndata: \{"error":/);
  });

  it.each([...SSE, "alt=json", "$alt=json;enum-encoding=int"])(
    "asks its target in the one usual way for ?%s",
    async (query) => {
      await send(true, query);
      expect(got().map(({ url }) => queryOf(url))).toEqual([SSE.includes(query) ? "?alt=sse" : ""]);
    },
  );
});
